/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_STORED_H
#define VBM_RUNS_STORED_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the run that it has read.
 * Ends:    with the command.
 * Tests:   unit/test_stored, test_compare, test_merge_check, test_shard; tests/cli/merge.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "event/event.h"

struct text;
struct value;

/*
 * A run that has ended, read from what it left: the folder of --output, its summary.json,
 * the events of --format json, or a line of a history (report/history.h). Such files are
 * the user's, so nothing about their contents is certain.
 */
struct stored_variant {
	const char *name;	/* all are borrowed from the summary */
	const char *folder;	/* NULL: it has none */
	const char *reason;	/* "" if there is none */
	const struct value *findings;	/* a list of strings; NULL: none */
	int64_t took_ms;	/* -1: it is not known */
	enum verdict verdict;
};

struct stored_run {
	struct value *summary;	/* owned */
	char *dir;		/* owned; the output folder; NULL: only the summary is known */
	struct stored_variant *item;	/* owned; in the order of the run */
	const struct stored_variant **by_name;	/* owned; the same, in the order of their names */
	size_t count;
	const char *target;	/* borrowed from the summary */
};

/*
 * Read the folder of --output. -ENOENT when the run has not ended, -EINVAL when its
 * summary.json is none.
 */
int stored_load(struct stored_run *out, const char *dir, struct vbm_error *err);
int stored_take(struct stored_run *out, struct value *summary, struct vbm_error *err); /* takes ownership of @summary */
void stored_fini(struct stored_run *run);

/*
 * Read whatever @path is: a folder, a summary.json, a stream of events, or a history. Of a history, the
 * line that is @back lines before the last one (0: the last one); -ENOENT when it has fewer lines. Other files hold one
 * run: -ENOENT unless @back is 0. Of a stream, whole lines about steps, failures, fabrics, the kernel and output are not looked at.
 */
int stored_read(struct stored_run *out, const char *path, size_t back, struct vbm_error *err);

/*
 * Gives @fn the last @max runs of a history, the oldest first. The file is read once. Lines that are no
 * run are left out; a file that cannot be read has none.
 */
typedef void stored_run_fn(const struct stored_run *run, void *arg);
void stored_history(const char *path, size_t max, stored_run_fn *fn, void *arg);

/*
 * Gives @fn the events of the run at @path, a folder or a stream: a begin, the variants, errors and the summary; of
 * a stream, all its events. Events that a folder does not keep (fabrics, places) do not come.
 * A stream that was broken off ends without a summary. A line that is not an event is an error.
 */
typedef void stored_event_fn(const struct value *event, void *arg);
int pieces_stored_events(const char *path, stored_event_fn *fn, void *arg, struct vbm_error *err);

/* NULL when the variant did not run. */
const struct stored_variant *stored_find(const struct stored_run *run, const char *variant);

/* VERDICT_COUNT when the variant did not run. */
enum verdict stored_verdict_of(const struct stored_run *run, const char *variant);

/* Whether a variant takes at least twice the time, and 100 ms more. -1: a time is not known. */
bool stored_is_slower(int64_t before_ms, int64_t after_ms);

/* The place of the run: "kernel 7.3.4, netns layout, uml lane, rdma-core 44.0, target system". */
void stored_place(const struct stored_run *run, struct text *out);

/*
 * A stored run in pieces, one for each variant that began, so that a reader can take them in another order
 * and need not hold the events of a whole run. The files have to stay as they are until the last piece is read.
 */
struct stored_piece {
	char *name;		/* owned; the variant. NULL: what followed the last variant */
	char *file;		/* owned; a file that has only this piece; NULL: a part of the stream */
	off_t at;		/* in the stream */
	size_t len;
	size_t line;		/* the number of its first line */
};

struct stored_pieces {
	char *path;		/* owned; a folder of --output, or a stream */
	struct value *head;	/* owned; the summary; the begin, if the run was broken off; NULL: it had not begun */
	bool ended;		/* there is a summary */
	struct stored_piece *item;	/* owned; in the order of the run */
	size_t count;
};

/*
 * Finds the pieces of a run. A run that was broken off, within a line or between two, is no error here.
 * -EPROTO with the line if the file is no stream, and the errors of opening it.
 */
int stored_pieces_find(struct stored_pieces *out, const char *path, struct vbm_error *err);
void stored_pieces_fini(struct stored_pieces *p);

/* Gives @fn the events of one piece, without begin and summary. @fn may change them. */
typedef void stored_piece_fn(struct value *event, void *arg);
int stored_pieces_give(const struct stored_pieces *p, size_t i, stored_piece_fn *fn, void *arg, struct vbm_error *err);

#endif
