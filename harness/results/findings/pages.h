/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FINDINGS_PAGES_H
#define VBM_FINDINGS_PAGES_H

#include <stdio.h>

#include <verbatim/error.h>

struct value;

/*
 * Pages that a maintainer can be sent a link to: one for each finding of findings_list(), in Markdown, and an index.
 */

/* markdown.c: the index. @folder: where the pages are, seen from the index. */
void findings_index(FILE *f, const struct value *list, const char *folder);

/*
 * trace.c: what the hosts did in the first variant of a stored run that a finding describes, as the texts of a map of
 * names of findings. A finding that @traces has already keeps its trace. @run: a folder or a stream, as stored_events() takes it.
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

#endif
