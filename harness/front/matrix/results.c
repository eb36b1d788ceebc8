/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "event/read.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "names/exit-status.h"
#include "report/output.h"

/* The name of the cell, if a file can have it. */
static char *folder_of(const char *cell)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=,.";

	if (strlen(cell) <= OUTPUT_FOLDER_MAX && strspn(cell, plain) == strlen(cell))
		return xstrdup(cell);
	return output_folder_name(cell);
}

const char *const cell_state_names[CELL_STATES] = {
	[CELL_WAITS] = "waits",
	[CELL_RAN] = "ran",
	[CELL_NO_PLACE] = "no place",
	[CELL_REFUSED] = "refused",
	[CELL_BROKEN] = "broken off",
	[CELL_ELSEWHERE] = "of another shard",
};

void results_init(struct results *r, const struct matrix *m, const char *dir)
{
	size_t i;

	*r = (struct results){.matrix = m, .dir = xstrdup(dir), .cell = xcalloc(m->cells, sizeof(*r->cell))};
	for (i = 0; i < m->cells; i++)
		r->cell[i].folder = folder_of(m->cell[i].name);
}

void results_fini(struct results *r)
{
	size_t i;

	for (i = 0; r->cell && i < r->matrix->cells; i++) {
		free(r->cell[i].folder);
		free(r->cell[i].why);
		stored_fini(&r->cell[i].run);
	}
	free(r->cell);
	free(r->dir);
	*r = (struct results){0};
}

int results_lock(const struct results *r, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/.lock", r->dir);
	auto_close int fd = -1;
	int rc = file_make_dirs(r->dir, err);

	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return vbm_fail(err, errno, "cannot write %s: %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return vbm_fail(err, EBUSY, "another verbatim matrix works in %s; wait for its end, or name another folder: "
				"--output DIR", r->dir);
	return steal_fd(&fd);
}

char *results_path(const struct results *r, size_t cell, const char *file)
{
	return xasprintf("%s/%s/%s", r->dir, r->cell[cell].folder, file);
}

/* The last line that the run said on standard error, without the program's name. */
static char *last_complaint(const struct results *r, size_t cell)
{
	static const char name[] = "verbatim: ";
	auto_free char *path = results_path(r, cell, "errors.txt"), *text = NULL;
	const char *last = NULL;
	char *pos, *line;

	if (file_read_max(path, TEXT_FILE_MAX, &text, NULL, NULL) < 0)
		return NULL;
	for (pos = text; (line = file_next_line(&pos));)
		if (*line)
			last = line;
	if (last && !strncmp(last, name, strlen(name)))
		last += strlen(name);
	return last ? xstrdup(last) : NULL;
}

/* A run that was interrupted, or lost its place, has fewer verdicts than variants. */
static bool is_complete(const struct stored_run *run)
{
	int64_t status = event_integer(run->summary, "exit");

	return (status == EXIT_OK || status == EXIT_FAILED) &&
	       (int64_t)run->count == event_integer(run->summary, "total");
}

static enum cell_state state_of(int status)
{
	if (status < 0 || !WIFEXITED(status))
		return CELL_BROKEN;
	if (WEXITSTATUS(status) == EXIT_NO_FABRIC)
		return CELL_NO_PLACE;
	return WEXITSTATUS(status) == EXIT_USAGE ? CELL_REFUSED : CELL_BROKEN;
}

static char *why_of(const struct results *r, size_t cell, int status)
{
	char *said = last_complaint(r, cell);

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
		free(said);
		return xasprintf("interrupted (signal %d)", WTERMSIG(status));
	}
	if (said)
		return said;
	return WIFSIGNALED(status) ? xasprintf("killed by signal %d", WTERMSIG(status)) :
				     xasprintf("its run ended with status %d, and without all verdicts", WEXITSTATUS(status));
}

void results_read(struct results *r, size_t cell, int status)
{
	auto_free char *dir = xasprintf("%s/%s", r->dir, r->cell[cell].folder);
	struct cell_result *c = &r->cell[cell];
	struct vbm_error err;
	size_t i;

	memset(c->count, 0, sizeof(c->count));
	if (stored_load(&c->run, dir, &err) == 0 && is_complete(&c->run)) {
		c->state = CELL_RAN;
		c->kept = status < 0;
		for (i = 0; i < c->run.count; i++)
			c->count[c->run.item[i].verdict]++;
		return;
	}
	stored_fini(&c->run);
	c->state = CELL_WAITS;
	if (status < 0)
		return;
	c->state = state_of(status);
	c->why = why_of(r, cell, status);
}

size_t results_count(const struct results *r, enum cell_state state)
{
	size_t i, n = 0;

	for (i = 0; i < r->matrix->cells; i++)
		n += r->cell[i].state == state;
	return n;
}

bool results_as_expected(const struct cell_result *c)
{
	enum verdict v;

	for (v = 0; v < VERDICT_COUNT; v++)
		if (c->count[v] && !verdict_is_expected(v))
			return false;
	return c->state == CELL_RAN && event_integer(c->run.summary, "exit") == EXIT_OK;
}

char *results_counts(const struct cell_result *c)
{
	struct text t = {0};
	enum verdict v;

	text_add(&t, "");
	for (v = 0; v < VERDICT_COUNT; v++)
		if (c->count[v])
			text_addf(&t, "%s%zu %s", t.len ? ", " : "", c->count[v], verdict_name(v));
	return t.s;
}

int results_status(const struct results *r)
{
	bool failed = results_count(r, CELL_BROKEN) || results_count(r, CELL_WAITS);
	size_t i;

	if (results_count(r, CELL_REFUSED))
		return EXIT_USAGE;
	for (i = 0; i < r->matrix->cells; i++)
		failed |= r->cell[i].state == CELL_RAN && !results_as_expected(&r->cell[i]);
	if (failed)
		return EXIT_FAILED;
	return results_count(r, CELL_NO_PLACE) ? EXIT_NO_FABRIC : EXIT_OK;
}

/* A run of an older version does not say the type, and had devices of the default one. */
static const char *device_of(const struct cell_result *c)
{
	return event_string_or(c->run.summary, "device", device_type_or_default(NULL)->name);
}

static void put_line(struct text *t, const struct value *v)
{
	auto_free char *text = json_write(v);

	text_addf(t, "%s\n", text);
}

static void put_cell(struct text *t, const struct results *r, size_t cell, int64_t number)
{
	static const char *const members[] = {"kernel", "rdma_core", "lane", "target"};
	const struct cell_result *c = &r->cell[cell];
	auto_value struct value *line = value_map();
	struct value *counts = value_map();
	size_t i;

	value_set_int(line, "cell", number);
	value_set_string(line, "name", r->matrix->cell[cell].name);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		value_set_string(line, members[i], event_string(c->run.summary, members[i]));
	value_set_string(line, "layout", event_string_or(c->run.summary, "layout", "none"));
	value_set_string(line, "device", device_of(c));
	for (i = 0; i < VERDICT_COUNT; i++)
		if (c->count[i])
			value_set_int(counts, verdict_name((enum verdict)i), (int64_t)c->count[i]);
	value_set(line, "counts", counts);
	put_line(t, line);
}

static bool shows(const struct stored_variant *v, const char *finding)
{
	size_t i;

	for (i = 0; v->findings && i < v->findings->list.count; i++)
		if (!strcmp(v->findings->list.item[i]->s, finding))
			return true;
	return false;
}

/* Adds the cell's number to the list that it belongs to, if it can tell. Devices of another type cannot. */
static void classify_cell(const struct cell_result *c, const struct finding *d, int64_t number, struct value *in,
			  struct value *not_in)
{
	bool shown = false, passed = false;
	size_t i;

	if (!finding_is_of_device(d, device_of(c)))
		return;
	for (i = 0; i < c->run.count && !shown; i++) {
		const struct stored_variant *v = &c->run.item[i];

		shown = shows(v, d->name);
		passed |= (v->verdict == VERDICT_PASS || v->verdict == VERDICT_XPASS) && finding_names(d, v->name);
	}
	if (shown)
		value_append(in, value_int(number));
	else if (passed)
		value_append(not_in, value_int(number));
}

static void put_finding(struct text *t, const struct results *r, const struct finding *d)
{
	struct value *in = value_list(), *not_in = value_list();
	auto_value struct value *line = value_map();
	int64_t number = 0;
	size_t i;

	value_set_string(line, "finding", d->name);
	value_set(line, "in", in);
	value_set(line, "not_in", not_in);
	for (i = 0; i < r->matrix->cells; i++)
		if (r->cell[i].state == CELL_RAN)
			classify_cell(&r->cell[i], d, ++number, in, not_in);
	if (in->list.count || not_in->list.count)
		put_line(t, line);
}

void matrix_record(struct text *t, const struct results *r, const struct findings *findings)
{
	auto_value struct value *head = value_map();
	int64_t number = 0;
	size_t i;

	value_set_string(head, "matrix", r->matrix->title);
	put_line(t, head);
	for (i = 0; i < r->matrix->cells; i++)
		if (r->cell[i].state == CELL_RAN)
			put_cell(t, r, i, ++number);
	for (i = 0; i < findings->count; i++)
		put_finding(t, r, &findings->item[i]);
}
