/* SPDX-License-Identifier: BSD-2-Clause */
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

static struct stored_piece *add_piece(struct stored_pieces *p, const char *name)
{
	struct stored_piece *piece;

	GROW(p->item, p->count);
	piece = &p->item[p->count++];
	*piece = (struct stored_piece){.name = name ? xstrdup(name) : NULL, .line = 1};
	return piece;
}

/* Recognises the events that matter here. The front end begins each line with its kind. */
static bool begins(const char *line, const char *kind)
{
	static const char before[] = "{\"event\":\"";
	size_t n = strlen(kind);

	return strncmp(line, before, sizeof(before) - 1) == 0 && strncmp(line + sizeof(before) - 1, kind, n) == 0 &&
	       line[sizeof(before) - 1 + n] == '"';
}

static struct value *read_event(const char *line, size_t len, const char *path, size_t number, struct vbm_error *err)
{
	auto_value struct value *event = json_read(line, len, err);

	if (event && event_check_any(event, err) == 0)
		return steal(&event);
	vbm_wrap(err, "%s:%zu", path, number);
	return NULL;
}

/* The reader's position in a stream. */
struct stored_lines_at {
	size_t line;
	off_t from;		/* the begin of the present piece */
	size_t from_line;
	bool open;		/* the piece has a scenario, and no verdict yet */
};

static void close_piece(struct stored_pieces *p, struct stored_lines_at *at, off_t end, size_t next_line)
{
	struct stored_piece *last = &p->item[p->count - 1];

	last->at = at->from;
	last->len = (size_t)(end - at->from);
	last->line = at->from_line;
	at->from = end;
	at->from_line = next_line;
	at->open = false;
}

static int take_head(struct stored_pieces *p, const char *line, size_t number, struct vbm_error *err)
{
	struct value *event = read_event(line, strlen(line), p->path, number, err);

	if (!event)
		return -err->code;
	if (p->ended || (p->head && event_is(event, "begin"))) {
		value_free(event);
		return vbm_fail(err, EPROTO, "%s:%zu: a second run begins here", p->path, number);
	}
	value_free(p->head);
	p->head = event;
	p->ended = event_is(event, "summary");
	return 0;
}

static int take_line(struct stored_pieces *p, struct stored_lines_at *at, const char *line, off_t begin, off_t end,
		     struct vbm_error *err)
{
	auto_value struct value *event = NULL;

	if (begins(line, "begin") || begins(line, "summary"))
		return take_head(p, line, at->line, err);
	if (begins(line, "verdict") && at->open)
		close_piece(p, at, end, at->line + 1);
	if (!begins(line, "scenario"))
		return 0;
	event = read_event(line, strlen(line), p->path, at->line, err);
	if (!event)
		return -err->code;
	if (at->open)
		close_piece(p, at, begin, at->line);
	add_piece(p, event_string(event, "name"));
	at->open = true;
	return 0;
}

/* The bytes without a last line that has no end and is no event: the job died while it wrote. */
static size_t whole_lines(const char *text, size_t len)
{
	const char *last = len ? memrchr(text, '\n', len) : NULL;
	size_t whole = last ? (size_t)(last + 1 - text) : 0;
	auto_value struct value *event = whole < len ? json_read(text + whole, len - whole, NULL) : NULL;

	return event ? len : whole;
}

static int find_in_stream(struct stored_pieces *p, struct vbm_error *err)
{
	struct stored_lines_at at = {.line = 1, .from_line = 1};
	auto_free char *text = NULL;
	char *next, *line;
	size_t len = 0;
	int rc = file_read(p->path, &text, &len, err);

	if (rc < 0)
		return rc;
	if (len && *text != '{')
		return vbm_fail(err, EPROTO, "%s: this is no stream of events of a run", p->path);
	len = whole_lines(text, len);
	text[len] = '\0';
	for (next = text; rc == 0 && (line = file_next_line(&next)); at.line++)
		rc = take_line(p, &at, line, line - text, next - text, err);
	if (rc == 0 && !p->head && len)
		return vbm_fail(err, EPROTO, "%s: this is no stream of events of a run: it has no event \"begin\"", p->path);
	if (rc == 0 && at.open)
		close_piece(p, &at, (off_t)len, at.line);
	if (rc == 0 && at.from < (off_t)len) {
		add_piece(p, NULL);
		close_piece(p, &at, (off_t)len, at.line);
	}
	return rc;
}

static int add_folder_piece(struct stored_pieces *p, const char *name, const char *folder, struct vbm_error *err)
{
	if (!folder || !*folder || *folder == '.' || strchr(folder, '/'))
		return vbm_fail(err, EINVAL, "%s: '%s' has no folder here", p->path, name);
	add_piece(p, name)->file = xasprintf("%s/%s/events.jsonl", p->path, folder);
	return 0;
}

static int find_by_summary(struct stored_pieces *p, struct vbm_error *err)
{
	struct stored_run run;
	int rc = stored_load(&run, p->path, err);
	size_t i;

	if (rc < 0)
		return rc;
	for (i = 0; rc == 0 && i < run.count; i++)
		rc = add_folder_piece(p, run.item[i].name, run.item[i].folder, err);
	p->head = steal(&run.summary);
	p->ended = true;
	stored_fini(&run);
	return rc;
}

static int take_begun(struct stored_pieces *p, const char *path, const char *line, size_t number, struct vbm_error *err)
{
	auto_value struct value *row = NULL;
	const char *name;

	if (begins(line, "begin"))
		return take_head(p, line, number, err);
	row = json_read(line, strlen(line), err);
	name = row ? value_get_string(row, "name", NULL) : NULL;
	if (!name)
		return row ? vbm_fail(err, EPROTO, "%s:%zu: no variant with its folder", path, number) :
			     vbm_wrap(err, "%s:%zu", path, number);
	return add_folder_piece(p, name, value_get_string(row, "folder", NULL), err);
}

/* A folder whose run was broken off says in a file which variants it had begun. */
static int find_begun(struct stored_pieces *p, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/begun.jsonl", p->path), *text = NULL;
	size_t len = 0, number = 0;
	char *next, *line;
	int rc;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	rc = file_read(path, &text, &len, err);
	if (rc < 0)
		return rc;
	text[whole_lines(text, len)] = '\0';
	for (next = text; rc == 0 && (line = file_next_line(&next));)
		rc = take_begun(p, path, line, ++number, err);
	return rc;
}

static int find_in_folder(struct stored_pieces *p, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/summary.json", p->path);

	return access(path, F_OK) == 0 ? find_by_summary(p, err) : find_begun(p, err);
}

int stored_pieces_find(struct stored_pieces *out, const char *path, struct vbm_error *err)
{
	struct stat st;
	int rc;

	*out = (struct stored_pieces){0};
	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	out->path = xstrdup(path);
	rc = S_ISDIR(st.st_mode) ? find_in_folder(out, err) : find_in_stream(out, err);
	if (rc < 0)
		stored_pieces_fini(out);
	return rc;
}

void stored_pieces_fini(struct stored_pieces *p)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		free(p->item[i].name);
		free(p->item[i].file);
	}
	free(p->item);
	free(p->path);
	value_free(p->head);
	*p = (struct stored_pieces){0};
}

/* Reads a part of the stream into @text. */
static int read_part(const struct stored_pieces *p, const struct stored_piece *piece, char **text, struct vbm_error *err)
{
	auto_close int fd = file_open(p->path, err);
	size_t got = 0;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	*text = xcalloc(piece->len + 1, 1);
	while (got < piece->len && n > 0) {
		n = pread(fd, *text + got, piece->len - got, piece->at + (off_t)got);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return vbm_fail(err, errno, "%s: %s", p->path, strerror(errno));
		else
			got += (size_t)n;
	}
	return got < piece->len ? vbm_fail(err, EIO, "%s: the file has become shorter", p->path) : 0;
}

int stored_pieces_give(const struct stored_pieces *p, size_t i, stored_piece_fn *fn, void *arg, struct vbm_error *err)
{
	const struct stored_piece *piece = &p->item[i];
	const char *path = piece->file ? piece->file : p->path;
	size_t len = piece->len, number = piece->line;
	auto_free char *text = NULL;
	char *next, *line;
	int rc;

	/* The run was killed after it had noted the variant, and before its first event. */
	if (piece->file && !p->ended && access(piece->file, F_OK) < 0 && errno == ENOENT)
		return 0;
	rc = piece->file ? file_read(path, &text, &len, err) : read_part(p, piece, &text, err);
	if (rc == 0 && !p->ended)
		text[whole_lines(text, len)] = '\0';
	for (next = text; rc == 0 && (line = file_next_line(&next)); number++) {
		auto_value struct value *event = NULL;

		if (!*line || begins(line, "begin") || begins(line, "summary"))
			continue;
		event = read_event(line, strlen(line), path, number, err);
		if (!event)
			return -err->code;
		fn(event, arg);
	}
	return rc;
}

/* ---- the events of a stored run, in the order in which a report gets them ---- */

/* Reads line by line: the events of a whole suite are many megabytes. */
static int give_stream(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	auto_close int fd = file_open(path, err);
	auto_file FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	auto_free char *line = NULL;
	size_t room = 0, number = 0, given = 0;
	ssize_t n;

	if (!f)
		return fd < 0 ? fd : vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	steal_fd(&fd);
	while ((n = getline(&line, &room, f)) > 0) {
		auto_value struct value *event = NULL;

		number++;
		n -= line[n - 1] == '\n';
		if (n == 0)
			continue;
		event = read_event(line, (size_t)n, path, number, err);
		if (!event)
			return -err->code;
		fn(event, arg);
		given++;
	}
	if (ferror(f))
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	/* Somebody named another file, or the run that should write it did not begin. */
	return given ? 0 : vbm_fail(err, EINVAL, "%s: the file is empty", path);
}

/* A folder keeps the events of variants; the begin is made from the summary. */
static void give_begin(const struct value *summary, stored_event_fn *fn, void *arg)
{
	static const char *const same[] = {"lane", "accelerator", "kernel", "rdma_core", "target", "librdmacm",
					   "virtual_time", "total"};
	auto_value struct value *begin = value_map();
	const struct value *v;
	size_t i;

	value_set_string(begin, "event", "begin");
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		v = value_get(summary, same[i]);
		if (v)
			value_set(begin, same[i], value_dup(v));
	}
	fn(begin, arg);
}

static void give_errors(const struct value *summary, stored_event_fn *fn, void *arg)
{
	const struct value *errors = event_strings(summary, "errors");
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
static void give_summary(const struct value *whole, stored_event_fn *fn, void *arg)
{
	auto_value struct value *summary = value_map();
	size_t i;

	for (i = 0; i < whole->map.count; i++) {
		const struct value_member *m = &whole->map.member[i];

		if (strcmp(m->key, "scenarios") != 0 && strcmp(m->key, "errors") != 0)
			value_set(summary, m->key, value_dup(m->value));
	}
	fn(summary, arg);
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

/* If the run was broken off, these are the events of such a stream: the last variant may have no verdict, and there is no summary. */
static int give_folder(const char *dir, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	auto_free char *begun = xasprintf("%s/begun.jsonl", dir);
	struct receiver to = {fn, arg};
	struct stored_pieces p;
	size_t i;
	int rc = stored_pieces_find(&p, dir, err);

	/* This says why there is no summary. */
	if (rc == 0 && !p.ended && access(begun, F_OK) < 0)
		rc = find_by_summary(&p, err);
	if (rc == 0 && p.ended)
		give_begin(p.head, fn, arg);
	else if (rc == 0 && p.head)
		fn(p.head, arg);
	for (i = 0; rc == 0 && i < p.count; i++)
		rc = stored_pieces_give(&p, i, pass_on, &to, err);
	if (rc == 0 && p.ended) {
		give_errors(p.head, fn, arg);
		give_summary(p.head, fn, arg);
	}
	stored_pieces_fini(&p);
	return rc;
}

int pieces_stored_events(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	return S_ISDIR(st.st_mode) ? give_folder(path, fn, arg, err) : give_stream(path, fn, arg, err);
}
