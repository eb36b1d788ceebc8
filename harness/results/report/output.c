/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "codec/pcapng.h"
#include "event/event.h"
#include "event/read.h"
#include "lib/base/fail.h"

/* The number of the interface @name; the first packet of an interface makes its block. */
static uint32_t interface_of(struct packet_file *f, const char *name, struct text *out)
{
	const char *p = f->name.s;
	size_t len = strlen(name);
	uint32_t i;

	for (i = 0; i < f->interfaces; i++) {
		if (!strncmp(p, name, len) && p[len] == '\n')
			return i;
		p = strchr(p, '\n') + 1;
	}
	text_addf(&f->name, "%s\n", name);
	pcapng_interface(out, name, "as the interface of the host saw it");
	return f->interfaces++;
}

/* A guest chooses the name of the host, so an end of line is none. */
static char *interface_name(const struct value *event)
{
	char *name = xasprintf("%s %s", event_string(event, "host"), event_string(event, "way")), *p;

	for (p = name; *p; p++)
		if (*p == '\n')
			*p = '?';
	return name;
}

/* The steps' words, after what the packet is, so that a reader without a dissector understands it, too. */
static char *comment_of(const struct value *event)
{
	const char *note = event_string_or(event, "note", NULL);

	return note ? xasprintf("%s: %s", event_string(event, "text"), note) : NULL;
}

static enum pcapng_verdict verdict_of(const struct value *event)
{
	if (!value_get(event, "taken"))
		return PCAPNG_NO_VERDICT;
	return event_flag_or(event, "taken", false) ? PCAPNG_DROPPED : PCAPNG_PASSED;
}

void packet_file_add(struct packet_file *f, const struct value *event, struct text *out)
{
	auto_free char *name = interface_name(event), *comment = comment_of(event);
	size_t len = 0;
	auto_free void *data = base64_decode(event_string(event, "data"), &len);

	if (!data || len > UINT32_MAX / 2)
		return;
	if (!f->interfaces)
		pcapng_section(out, PACKAGE_STRING);
	/* The block of the interface comes before that of the packet. */
	pcapng_packet(out, &(struct pcapng_packet){
		.interface = interface_of(f, name, out),
		.ns = (uint64_t)event_integer(event, "ns"),
		.way = strcmp(event_string(event, "way"), "out") ? PCAPNG_IN : PCAPNG_OUT,
		.data = data, .kept = (uint32_t)len, .len = (uint32_t)len,
		.comment = comment,
		.verdict = verdict_of(event),
	});
}

void packet_file_fini(struct packet_file *f)
{
	text_fini(&f->name);
	*f = (struct packet_file){0};
}

#define PACKETS "packets.pcapng"

struct output {
	char *path;		/* owned */
	int dir;		/* owned */
	char *name;		/* owned; the running variant, or NULL */
	char *folder;		/* owned; the name of its folder */
	int sub;		/* owned; its folder, or -1 */
	int events;		/* owned; its events.jsonl, or -1 */
	struct packet_file packets;	/* owned */
	struct text pending;	/* owned; lines of it that are not written yet */
	int begun;		/* owned; begun.jsonl, until the run has ended; or -1 */
	struct verdict_rows rows;	/* owned; for the summary */
	struct vbm_error failed;	/* the first failure */
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '=';
}

char *output_folder_name(const char *variant)
{
	struct text t = {0};
	uint32_t hash = 2166136261u;
	bool lossy = false;
	const char *p;

	for (p = variant; *p; p++) {
		hash = (hash ^ (unsigned char)*p) * 16777619u;
		if (is_plain(*p) || (*p == ',' && p > variant))
			text_add_bytes(&t, p, 1);
		else if (*p == '/' && p > variant)
			text_add(&t, ".");
		else if (*p == '[' && p > variant)
			text_add(&t, ",");
		else if (*p != ']' || p[1]) {
			text_add(&t, "_");
			lossy = true;
		}
	}
	if (t.len > OUTPUT_FOLDER_MAX) {
		t.len = OUTPUT_FOLDER_MAX;
		lossy = true;
	}
	if (lossy || t.len == 0)
		text_addf(&t, "-%08x", hash);
	return t.s;
}

/* Records the first failure. @what is the name of a file in the folder. */
static int record_failure(struct output *o, const char *what, int code)
{
	if (!o->failed.code)
		vbm_fail(&o->failed, code, "output folder %s: %s%s%s: %s", o->path,
			 o->folder ? o->folder : "", o->folder ? "/" : "", what, strerror(code));
	return -code;
}

static int add_to_file(struct output *o, int dir, const char *name, int flags, const char *s)
{
	auto_close int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	struct text t auto_text = {0};
	int rc;

	if (fd < 0)
		return record_failure(o, name, errno);
	text_add(&t, s);
	if (t.len && t.s[t.len - 1] != '\n')
		text_add(&t, "\n");
	rc = file_write(fd, t.s, t.len);
	return rc < 0 ? record_failure(o, name, -rc) : 0;
}

/* Writes a new file and renames it, so that a reader sees the whole file or none. */
static int put_json(struct output *o, int dir, const char *name, const struct value *v)
{
	auto_free char *text = json_write_pretty(v), *temp = xasprintf(".%s.new", name);
	int rc = add_to_file(o, dir, temp, O_TRUNC, text);

	if (rc == 0 && renameat(dir, temp, dir, name) < 0)
		rc = record_failure(o, name, errno);
	if (rc < 0)
		unlinkat(dir, temp, 0);
	return rc;
}

static int write_pending(struct output *o)
{
	int rc = o->pending.len ? file_write(o->events, o->pending.s, o->pending.len) : 0;

	text_clear(&o->pending);
	return rc < 0 ? record_failure(o, "events.jsonl", -rc) : 0;
}

static void close_folder(struct output *o)
{
	write_pending(o);
	packet_file_fini(&o->packets);
	if (o->events >= 0)
		close(o->events);
	if (o->sub >= 0)
		close(o->sub);
	o->events = o->sub = -1;
	free(o->folder);
	free(o->name);
	o->folder = o->name = NULL;
}

static bool is_ours(const char *name)
{
	return !strcmp(name, "events.jsonl") || !strcmp(name, "result.json") ||
	       !strcmp(name, "kernel.txt") || !strcmp(name, PACKETS) || !strncmp(name, "log-", 4);
}

/* Removes the files that an earlier run wrote about the same variant. */
static int empty_folder(struct output *o)
{
	int fd = openat(o->sub, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d)
		return record_failure(o, ".", errno);
	while ((e = readdir(d)))
		if (is_ours(e->d_name) && unlinkat(o->sub, e->d_name, 0) < 0)
			return record_failure(o, e->d_name, errno);
	return 0;
}

static int add_begun_line(struct output *o, struct event_line *line)
{
	const struct text *t = event_line_text(line);
	int rc = file_write(o->begun, t->s, t->len);

	return rc < 0 ? record_failure(o, "begun.jsonl", -rc) : 0;
}

/* A run that is killed leaves no summary. This file then says which variants are its own. */
static int on_begin(struct output *o, struct event_line *line)
{
	if (o->begun >= 0)
		close(o->begun);
	o->begun = openat(o->dir, "begun.jsonl", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return o->begun < 0 ? record_failure(o, "begun.jsonl", errno) : add_begun_line(o, line);
}

static int add_begun(struct output *o)
{
	auto_value struct value *row = value_map();
	struct event_line line = {.event = row};
	int rc;

	if (o->begun < 0)
		return 0;
	value_set_string(row, "name", o->name);
	value_set_string(row, "folder", o->folder);
	rc = add_begun_line(o, &line);
	event_line_fini(&line);
	return rc;
}

static int on_scenario(struct output *o, const struct value *event)
{
	bool used;

	close_folder(o);
	o->name = xstrdup(event_name(event));
	o->folder = output_folder_name(o->name);
	used = mkdirat(o->dir, o->folder, 0777) < 0;
	if (used && errno != EEXIST)
		return record_failure(o, "", errno);
	o->sub = openat(o->dir, o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->sub < 0)
		return record_failure(o, "", errno);
	if ((used && empty_folder(o) < 0) || add_begun(o) < 0)
		return -o->failed.code;
	o->events = openat(o->sub, "events.jsonl", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return o->events < 0 ? record_failure(o, "events.jsonl", errno) : 0;
}

static int on_log(struct output *o, const struct value *event)
{
	const char *host = event_string(event, "host"), *p;
	auto_free char *name = NULL;

	/* A guest chooses this name, so a name with other characters is replaced. */
	for (p = host; is_plain(*p); p++)
		;
	name = xasprintf("log-%.32s.txt", *p || p == host ? "other" : host);
	return add_to_file(o, o->sub, name, O_APPEND, event_string(event, "text"));
}

static int on_kernel(struct output *o, const struct value *event)
{
	bool own = o->sub >= 0 && event_name(event);

	return add_to_file(o, own ? o->sub : o->dir, "kernel.txt", O_APPEND,
			   event_string(event, "text"));
}

static int on_packet(struct output *o, const struct value *event)
{
	auto_close int fd = openat(o->sub, PACKETS, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
	struct text blocks auto_text = {0};
	int rc = fd < 0 ? -errno : 0;

	packet_file_add(&o->packets, event, &blocks);
	if (rc == 0)
		rc = file_write(fd, blocks.s ? blocks.s : "", blocks.len);
	return rc < 0 ? record_failure(o, PACKETS, -rc) : 0;
}

static int on_verdict(struct output *o, const struct value *event)
{
	struct value *row = verdict_rows_event(&o->rows, event);
	int rc = put_json(o, o->sub, "result.json", event);

	value_set_string(row, "folder", o->folder);
	close_folder(o);
	return rc;
}

static int on_error(struct output *o, const struct value *event)
{
	verdict_rows_event(&o->rows, event);
	return 0;
}

static int on_summary(struct output *o, const struct value *event)
{
	auto_value struct value *summary = verdict_rows_summary(&o->rows, event);

	close_folder(o);
	if (put_json(o, o->dir, "summary.json", summary) < 0)
		return -o->failed.code;
	if (o->begun >= 0)
		unlinkat(o->dir, "begun.jsonl", 0);
	return 0;
}

static const struct {
	const char *kind;
	bool within;	/* handled only while a scenario runs */
	int (*fn)(struct output *o, const struct value *event);
} handlers[] = {
	{"log", true, on_log},
	{"packet", true, on_packet},
	{"kernel", false, on_kernel},
	{"verdict", true, on_verdict},
	{"error", false, on_error},
	{"summary", false, on_summary},
};

/* A reader who sees the verdict sees the events before it. */
static int add_event(struct output *o, struct event_line *line)
{
	const struct text *t = event_line_text(line);

	text_add_bytes(&o->pending, t->s, t->len);
	if (line->more && o->pending.len < EVENT_LINES_MAX && !event_is(line->event, "verdict"))
		return 0;
	return write_pending(o);
}

static int store_event(struct output *o, struct event_line *line)
{
	const struct value *event = line->event;
	size_t i;
	int rc = 0;

	if (event_is(event, "begin"))
		rc = on_begin(o, line);
	if (event_is(event, "scenario"))
		rc = on_scenario(o, event);
	if (rc == 0 && o->events >= 0 && !event_is(event, "progress"))
		rc = add_event(o, line);
	for (i = 0; rc == 0 && i < ARRAY_SIZE(handlers); i++)
		if (event_is(event, handlers[i].kind) && (o->name || !handlers[i].within))
			rc = handlers[i].fn(o, event);
	return rc;
}

int output_open(struct output **out, const char *dir, struct vbm_error *err)
{
	struct output *o;
	int fd, rc;

	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return vbm_fail(err, errno, "cannot make the output folder %s: %s", dir,
				strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return vbm_fail(err, errno, "cannot use %s as output folder: %s", dir,
				strerror(errno));
	rc = file_hold_folder(fd, dir, err);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	o = xcalloc(1, sizeof(*o));
	o->path = xstrdup(dir);
	o->dir = fd;
	o->sub = o->events = o->begun = -1;
	verdict_rows_init(&o->rows);
	if ((unlinkat(fd, "summary.json", 0) < 0 && errno != ENOENT) ||
	    (unlinkat(fd, "begun.jsonl", 0) < 0 && errno != ENOENT) ||
	    (unlinkat(fd, "kernel.txt", 0) < 0 && errno != ENOENT)) {
		record_failure(o, "summary.json", errno);
		return output_close(o, err);
	}
	*out = o;
	return 0;
}

int output_event(struct output *o, struct event_line *line, struct vbm_error *err)
{
	if (!o->failed.code)
		store_event(o, line);
	if (o->failed.code && err)
		*err = o->failed;
	return -o->failed.code;
}

int output_close(struct output *o, struct vbm_error *err)
{
	int rc;

	close_folder(o);
	rc = -o->failed.code;
	if (rc < 0 && err)
		*err = o->failed;
	if (o->begun >= 0)
		close(o->begun);
	close(o->dir);
	verdict_rows_fini(&o->rows);
	text_fini(&o->pending);
	free(o->path);
	free(o);
	return rc;
}
