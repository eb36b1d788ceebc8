/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_NOTE_H
#define VBM_COVERAGE_NOTE_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * What scenarios cannot show, and what is said of it instead: the lines of
 * scenarios/coverage.tsv. Each is about a clause or about a code by its full
 * name ("IBV_WC_INV_EECN_ERR").
 */
enum note_kind {
	NOTE_FORCED,		/* shown by a fault that a test makes */
	NOTE_STATIC,		/* proven when a test is compiled */
	NOTE_UNREACHABLE,	/* needs what is not here */
	NOTE_KINDS
};

struct coverage_note {
	const char *subject;	/* all borrowed from the table's text */
	enum note_kind kind;
	const char *target;	/* "any", or the only one it is true of */
	const char *where;	/* FILE or FILE:WORD; "-" for the unreachable */
	const char *why;
	int line;
};

struct coverage_notes {
	char *text;			/* owned */
	struct coverage_note *item;	/* owned; in the order of the file */
	size_t count;
};

const char *note_kind_name(enum note_kind kind);

/* From "DIR/coverage.tsv"; a folder without one has none. */
int notes_load(struct coverage_notes *out, const char *dir, struct vbm_error *err);
int notes_parse(struct coverage_notes *out, char *text, struct vbm_error *err); /* takes @text */
void notes_fini(struct coverage_notes *notes);

/* What is said of @subject for @target (NULL: whichever), or NULL. */
const struct coverage_note *note_find(const struct coverage_notes *notes, const char *subject,
				      const char *target);

#endif
