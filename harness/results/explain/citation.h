/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_CITATION_H
#define VBM_EXPLAIN_CITATION_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "catalogue/clauses.h"

struct source;
struct value;

/* The manual pages among the sources @source, as a list of their names. */
struct value *citations_of_clause(const char *source);

/*
 * The manual pages that describe the constant @full: below @home ("PAGE(SECTION) /
 * HEADING", or NULL), and the citations in @clauses whose item is that name.
 */
struct value *citations_of_constant(const struct clauses *clauses, const char *home,
				 const char *full);

/* man_page_read() of page.h, or a test's replacement for it. */
typedef int page_reader(const struct source *place, char **out, struct vbm_error *err);

/*
 * Adds "pages" to @match, a result of explain_name(): the texts that the cited
 * pages on this machine have now, or the reason why they cannot be read.
 */
void citations_read(struct value *match, page_reader *read);

#endif
