/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COVERAGE_NOTE_H
#define VBM_COVERAGE_NOTE_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * The lines of scenarios/coverage.tsv. Each is about a clause, or about a code by
 * its full name ("IBV_WC_INV_EECN_ERR"), that scenarios cannot show, and says why.
 */
enum note_kind {
	NOTE_FORCED,		/* a test shows it by making a fault */
	NOTE_STATIC,		/* a test shows it when it is compiled */
	NOTE_UNREACHABLE,	/* needs something that is not available here */
	NOTE_KINDS
};

struct coverage_note {
	const char *subject;	/* all texts are borrowed from the table */
	enum note_kind kind;
	const char *target;	/* "any", or the only target that the note is about */
	const char *where;	/* FILE or FILE:WORD; "-" if unreachable */
	const char *why;
	int line;
};

struct coverage_notes {
	char *text;			/* owned */
	struct coverage_note *item;	/* owned; in the order of the file */
	size_t count;
};

/* Reads "DIR/coverage.tsv". A missing file is an empty table. */
int notes_load(struct coverage_notes *out, const char *dir, struct vbm_error *err);
int notes_parse(struct coverage_notes *out, char *text, struct vbm_error *err); /* takes ownership of @text */
void notes_fini(struct coverage_notes *notes);

/* The note about @subject for @target (NULL: for any target), or NULL. */
const struct coverage_note *note_find(const struct coverage_notes *notes, const char *subject,
				      const char *target);

#endif
