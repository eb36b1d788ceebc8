/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PAGE_PAGE_H
#define VBM_PAGE_PAGE_H

/*
 * Runs in: the front end, in its main thread, event by event.
 * Owns:    a temporary file beside the page, and what the events said.
 * Ends:    when the run ends: the file gets its name then, or is removed.
 * Tests:   unit/test_html_page; tests/browser/page.test.
 */

#include <stdio.h>

#include <verbatim/error.h>

#include "base/text.h"
#include "runs/stored.h"

struct value;

/*
 * One HTML page about a run, in one file, which needs no network. It is made from the events of the
 * run, and has the texts of the clauses and findings that they name. Earlier runs become columns beside it.
 */
struct page;

/*
 * @suite has the clauses and findings; NULL: the default suite. A suite that cannot be read leaves these texts
 * out, and the page says so.
 */
struct page *page_new(const char *suite);
void page_free(struct page *p);		/* NULL is fine */

/* A run beside the one of the page, the oldest first. Copied. */
void page_earlier(struct page *p, const struct stored_run *run);

/* The last runs of a history beside it, at most 30. A file that cannot be read has none. */
void page_history(struct page *p, const char *path);

void page_event(struct page *p, const struct value *event);

/* Add the outputs of "make check-mutants" and of scripts/code-coverage. Both texts are changed. */
void page_tried(struct page *p, char *tap);
void page_code(struct page *p, char *markdown);

/*
 * In what the sums of the page's variants and the run's own differ: "3 PASS, and 4 in the run's own sums". NULL: in
 * nothing, or the run has no summary. The caller frees it. The page itself compares them, too.
 */
char *page_disagrees(const struct page *p);

/* Writes the page: 0 or a negative errno. */
int page_write(struct page *p, FILE *f);

/*
 * The file of a page. It is opened before the run, so that a path which cannot be written is an error
 * then. Closing it writes @page; with NULL it only removes what opening made. An older page at the same path stays
 * until the new one is whole.
 */
struct page_file {
	FILE *f;		/* owned; NULL: it is not open, and closing it does nothing */
	char *path, *temp;	/* owned; @temp is NULL for a device or a pipe, which is written directly */
};

int page_file_open(struct page_file *file, const char *path, struct vbm_error *err);
int page_file_close(struct page_file *file, struct page *page, struct vbm_error *err);

/*
 * page-explain.c: adds to the map @explained what "verbatim explain" says in short of the codes of a failure and of a
 * log; of a failure the word of its field and its step, too. Other events have none.
 */
void page_explain(struct value *explained, const struct value *event);

/* page-variant.c: a variant's row and evidence from its events. Steps are most of the evidence, so page_variant_event() writes each step as JSON
 * immediately. */
struct page_variant {
	struct value *row;		/* owned; NULL: no variant has begun */
	struct value *rest;		/* owned; map: the evidence without the steps */
	struct text steps;		/* owned; JSON, commas between them */
	size_t *end;			/* owned; of each step in @steps */
	size_t count;			/* of steps */
	struct text scratch;		/* owned; only its memory stays */
};

void page_variant_begin(struct page_variant *v, const struct value *scenario);
void page_variant_event(struct page_variant *v, const struct value *event);
void page_variant_evidence(struct page_variant *v, struct text *t);	/* adds it to @t as JSON */
void page_variant_fini(struct page_variant *v);

/* Made from the files beside this one (page.html, page.css, page.js). */
extern const char *const page_html[], *const page_css[], *const page_js[];	/* NULL-terminated lines */

#endif
