/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a stored run, in the order in which a report gets them. */
#include "runs/stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "runs/pieces.h"

static int give_line(const char *text, size_t len, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	auto_value struct value *event = json_read(text, len, err);

	if (!event || event_check_any(event, err) < 0)
		return -err->code;
	fn(event, arg);
	return 0;
}

/* Reads line by line: the events of a whole suite are many megabytes. */
static int give_file(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	int fd = file_open(path, err), rc = 0;
	auto_file FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	auto_free char *line = NULL;
	size_t room = 0, number = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (!f) {
		rc = vbm_fail(err, errno, "%s: %s", path, strerror(errno));
		close(fd);
		return rc;
	}
	while (rc == 0 && (n = getline(&line, &room, f)) > 0) {
		number++;
		if (line[n - 1] == '\n')
			n--;
		if (n > 0 && give_line(line, (size_t)n, fn, arg, err) < 0)
			rc = vbm_wrap(err, "%s:%zu", path, number);
	}
	if (rc == 0 && ferror(f))
		rc = vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	return rc;
}

struct run_counter {
	stored_event_fn *fn;
	void *arg;
	size_t count;
};

static void count_event(const struct value *event, void *arg)
{
	struct run_counter *c = arg;

	c->count++;
	c->fn(event, c->arg);
}

/* A file without events is no run: somebody named another file, or the run that should write it did not begin. */
static int give_stream(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	struct run_counter c = {fn, arg, 0};
	int rc = give_file(path, count_event, &c, err);

	if (rc == 0 && !c.count)
		rc = vbm_fail(err, EINVAL, "%s: the file is empty", path);
	return rc;
}

/* A folder keeps the events of variants; the begin is made from the summary. */
static void give_begin(const struct stored_run *run, stored_event_fn *fn, void *arg)
{
	static const char *const same[] = {"lane", "accelerator", "kernel", "rdma_core", "target", "librdmacm",
					   "virtual_time", "total"};
	auto_value struct value *begin = value_map();
	const struct value *v;
	size_t i;

	value_set_string(begin, "event", "begin");
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		v = value_get(run->summary, same[i]);
		if (v)
			value_set(begin, same[i], value_dup(v));
	}
	fn(begin, arg);
}

static void give_errors(const struct stored_run *run, stored_event_fn *fn, void *arg)
{
	const struct value *errors = event_strings(run->summary, "errors");
	size_t i;

	for (i = 0; errors && i < errors->list.count; i++) {
		auto_value struct value *event = value_map();

		value_set_string(event, "event", "error");
		value_set_int(event, "code", EIO);
		value_set_string(event, "text", errors->list.item[i]->s);
		fn(event, arg);
	}
}

/* The summary as reports get it, without the rows. */
static void give_summary(const struct stored_run *run, stored_event_fn *fn, void *arg)
{
	auto_value struct value *summary = value_map();
	size_t i;

	for (i = 0; i < run->summary->map.count; i++) {
		const struct value_member *m = &run->summary->map.member[i];

		if (strcmp(m->key, "scenarios") != 0 && strcmp(m->key, "errors") != 0)
			value_set(summary, m->key, value_dup(m->value));
	}
	fn(summary, arg);
}

static bool is_plain_folder(const char *name)
{
	return name && *name && *name != '.' && !strchr(name, '/');
}

static int give_folder(const char *dir, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	struct stored_run run;
	size_t i;
	int rc = stored_load(&run, dir, err);

	if (rc < 0)
		return rc;
	give_begin(&run, fn, arg);
	for (i = 0; rc == 0 && i < run.count; i++) {
		auto_free char *path = NULL;

		if (!is_plain_folder(run.item[i].folder)) {
			rc = vbm_fail(err, EINVAL, "%s/summary.json: '%s' has no folder here", dir, run.item[i].name);
			break;
		}
		path = xasprintf("%s/%s/events.jsonl", dir, run.item[i].folder);
		rc = give_file(path, fn, arg, err);
	}
	if (rc == 0) {
		give_errors(&run, fn, arg);
		give_summary(&run, fn, arg);
	}
	stored_fini(&run);
	return rc;
}

/* Whether the run of the folder was broken off, and left what it had begun. */
static bool is_broken_off(const char *dir)
{
	auto_free char *summary = xasprintf("%s/summary.json", dir), *begun = xasprintf("%s/begun.jsonl", dir);

	return access(summary, F_OK) < 0 && errno == ENOENT && access(begun, F_OK) == 0;
}

struct receiver {
	stored_event_fn *fn;
	void *arg;
};

static void pass_on(struct value *event, void *arg)
{
	const struct receiver *to = arg;

	to->fn(event, to->arg);
}

/* The same events as those of a stream that was broken off: the last variant may have no verdict, and there is no summary. */
static int give_begun(const char *dir, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	struct receiver to = {fn, arg};
	struct stored_pieces p;
	size_t i;
	int rc = stored_pieces_find(&p, dir, err);

	if (rc < 0)
		return rc;
	if (p.head)
		fn(p.head, arg);
	for (i = 0; rc == 0 && i < p.count; i++)
		rc = stored_pieces_give(&p, i, pass_on, &to, err);
	stored_pieces_fini(&p);
	return rc;
}

int stored_events(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return give_stream(path, fn, arg, err);
	return is_broken_off(path) ? give_begun(path, fn, arg, err) : give_folder(path, fn, arg, err);
}
