/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EXPLAIN_PAGE_H
#define VBM_EXPLAIN_PAGE_H

#include <verbatim/error.h>

struct source;

enum page_found {
	PAGE_FOUND,
	PAGE_NO_HEADING,
	PAGE_NO_ITEM,
};

/*
 * What the rendered @page says below the heading of @place: all of it, or the
 * paragraphs that contain the item, with an empty line between two. Those that
 * begin with the item are preferred to those that only speak of it, as is the
 * whole word to a part of one. Of a struct or an enum it is the line of the
 * member. Pure; lines keep what they are indented by more than the first. The
 * caller frees *@out, which is NULL unless it was found.
 */
enum page_found page_extract(const char *page, const struct source *place, char **out);

/* @text with one space wherever it has white space, and none at its ends. The caller frees. */
char *page_normalise(const char *text);

/*
 * The page of @place as it is installed here, rendered with man(1). -ENOENT
 * when there is none, with a message that names the package which brings it.
 */
int page_read(const struct source *place, char **out, struct vbm_error *err);

#endif
