/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_RUNS_PIECES_H
#define VBM_RUNS_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct value;

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
