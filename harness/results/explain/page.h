/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_PAGE_H
#define VBM_EXPLAIN_PAGE_H

#include <verbatim/error.h>

#include "catalogue/clauses.h"

struct source;
struct value;

enum page_found {
	PAGE_FOUND,
	PAGE_NO_HEADING,
	PAGE_NO_ITEM,
};

/*
 * The text of the rendered @page below the heading of @citation: all of it, or the
 * paragraphs that contain the item, with an empty line between two. Paragraphs
 * that begin with the item are preferred to those that only mention it, and
 * paragraphs with the item as a whole word to those that have it inside a longer
 * word. In a struct or an enum, the text is the line of the member. Pure;
 * lines keep their indentation relative to the first. The caller frees *@out, which
 * is NULL unless the text was found.
 */
enum page_found page_extract(const char *page, const struct source *citation, char **out);

/* @text with each run of white space replaced by one space, without any at its ends. The caller frees it. */
char *page_normalise(const char *text);

/*
 * Renders the installed page of @citation with man(1). -ENOENT when it is not
 * installed, with a message that names the package to install.
 */
int page_read_man(const struct source *citation, char **out, struct vbm_error *err);

/* The manual pages among the sources @source, as a list of their names. */
struct value *page_citations_of_clause(const char *source);

/*
 * The manual pages that describe the constant @full: below @home ("PAGE(SECTION) /
 * HEADING", or NULL), and the citations in @clauses whose item is that name.
 */
struct value *page_citations_of_constant(const struct clauses *clauses, const char *home,
				 const char *full);

/* page_read_man() of page.h, or a test's replacement for it. */
typedef int page_reader(const struct source *place, char **out, struct vbm_error *err);

/*
 * Adds "pages" to @match, a result of explain_name(): the texts that the cited
 * pages on this machine have now, or the reason why they cannot be read.
 */
void page_citations_read(struct value *match, page_reader *read);

#endif
