/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_LIST_H
#define VBM_FINDINGS_LIST_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the list that it makes.
 * Ends:    with the command.
 * Tests:   tests/cli/findings.test, matrix.test.
 */

#include <stdio.h>

#include <verbatim/error.h>

#include "coverage/survey.h"

struct value;

/* Which findings the list shall have; NULL: all. */
struct findings_wanted {
	const char *layer, *kind, *severity, *device;
	char *const *name;	/* @names entries; 0: all */
	size_t names;
};

/* A list has these parts, in this order. Each finding is in one of them ("part"). */
enum findings_part {
	FINDINGS_BUGS,
	FINDINGS_STACK,		/* deviations and differences */
	FINDINGS_PAGES,
	FINDINGS_OTHERS,	/* findings about other projects */
	FINDINGS_FIXED,		/* the newest versions do not have these any more */
	FINDINGS_PARTS,
};

extern const char *const findings_parts[FINDINGS_PARTS];

/*
 * The findings of a suite as finding_to_value() makes them. Each also has the
 * text of its clauses ("promises") and a command that shows it ("command").
 * Sorted by part, layer, severity (the worst first) and name. Bugs are sorted by
 * severity first, then by layer from the kernel up.
 */
struct value *findings_list(const struct survey *s, const struct findings_wanted *wanted);

/* Whether one of @list has the name @name. */
bool findings_list_has(const struct value *list, const char *name);

/* Whether any finding has the layer @layer; NULL: whether there is any finding. */
bool findings_have_layer(const struct survey *s, const char *layer);

/* The layer of one of a list, for people; whether it is in @part; "3 findings: 2 bugs, 1 fixed upstream". */
const char *findings_layer(const struct value *finding);
bool findings_is_in(const struct value *finding, enum findings_part part);
void findings_put_counts(FILE *f, const struct value *list);

/* A format in which a list can be printed. */
struct findings_format {
	const char *name;
	void (*print)(FILE *f, const struct value *list);
};

/* markdown.c */
void findings_md(FILE *f, const struct value *list);

extern const struct findings_format findings_formats[];	/* ends with a NULL name */
const struct findings_format *findings_format_find(const char *name);

/*
 * Pages that a maintainer can be sent a link to: one for each finding of findings_list(), in Markdown, and an index.
 */

/* markdown.c: the index. @folder: where the pages are, seen from the index. */
void findings_index(FILE *f, const struct value *list, const char *folder);

/*
 * Adds what the hosts did in the first variant of a stored run that a finding describes, as the texts of a map of
 * names of findings. A finding that @traces has already keeps its trace. @run: a folder or a stream, as pieces_stored_events() takes it.
 */
int findings_traces(struct value *traces, const char *run, struct vbm_error *err);

/*
 * pages.c: writes the pages to the folder @dir, which is made if it is not there, and the index beside it, to "@dir.md".
 * @suite is the folder of the suite. A page keeps the trace that it has, unless @traces has a new one. Pages of findings
 * that are not in @list stay. Each file is replaced as a whole; after an error, those before it are new.
 */
int findings_pages_write(const struct value *list, const char *suite, const char *dir,
			 const struct value *traces, struct vbm_error *err);

/* markdown.c: a text in which no character has a meaning in Markdown. */
void markdown_put(FILE *f, const char *s);

/* "- **LABEL**: TEXT", and nothing if there is no text. */
void markdown_put_item(FILE *f, const char *label, const char *text);

/* "rdma_cm, deviation, wrong-result. What happens.", without the end of a line */
void markdown_put_what(FILE *f, const struct value *finding);

/*
 * In which cells of a matrix each finding was seen: the file that "verbatim matrix --record"
 * writes, findings/matrix.jsonl of a suite. Each line is a cell ("cell", its number from 1,
 * "kernel", "rdma_core" and so on) or a finding ("finding", and the numbers of the cells
 * that have it, "in", and do not, "not_in"; all other cells could not tell).
 */
#define FINDINGS_SEEN_FILE "matrix.jsonl"

/* NULL: the suite at @dir has no such file, or it is not valid; then @err has "FILE:LINE: why". */
struct value *findings_seen_load(const char *dir, struct vbm_error *err);

/*
 * Gives each finding of @list that the matrix could tell about the text "seen": "on kernel
 * 6.1, 6.12; not on 7.3".
 */
void findings_seen_add(const struct value *seen, struct value *list);

#endif
