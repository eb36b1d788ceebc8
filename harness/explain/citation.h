/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_CITATION_H
#define VBM_EXPLAIN_CITATION_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "catalogue/clauses.h"

struct source;
struct value;

/* The manual pages' places among the sources @source, a list of their names. */
struct value *citations_of_clause(const char *source);

/*
 * Where manual pages tell of the constant @full: below @home ("PAGE(SECTION) /
 * HEADING", or NULL), and in places of @clauses whose item is the name.
 */
struct value *citations_of_constant(const struct clauses *clauses, const char *home,
				 const char *full);

/* page_read() of page.h, or what stands in for a machine's pages. */
typedef int page_reader(const struct source *place, char **out, struct vbm_error *err);

/*
 * Adds "pages" to @match, one of explain_name(): what pages say at its places,
 * as they are on this machine at this moment, or why that is not known.
 */
void citations_read(struct value *match, page_reader *read);

#endif
