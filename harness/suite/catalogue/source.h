/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_SOURCE_H
#define VBM_CATALOGUE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/strlist.h"

/*
 * The citations in the column "source" of the catalogue: one or more, separated
 * by "; ". docs/clauses.md describes their forms.
 */
enum source_kind {
	SOURCE_PAGE,		/* PAGE(SECTION) / HEADING[ / ITEM][ @EDITIONS] */
	SOURCE_IBTA,		/* IBTA vol 1 / CHAPTER / TITLE[ (STATEMENT, ...)] */
	SOURCE_DOC,		/* docs/NAME.md / HEADING */
	SOURCE_DECISION,	/* decision */
};

#define SOURCE_ITEM_MAX 40	/* in characters: an item is a name, not a sentence */

struct source {
	enum source_kind kind;
	char *page;		/* "rdma_getaddrinfo", "docs/handshake.md"; else NULL */
	int section;		/* section of a manual page; else 0 */
	char *heading;		/* heading of a page; chapter or annex of IBTA; else NULL */
	char *item;		/* item of a page; title of IBTA; NULL: everything below the heading */
	int from, to;		/* first and last edition of rdma-core that says it; 0: no limit */
	bool foreign;		/* "@any": the page does not belong to rdma-core */
	struct string_list statements;	/* of IBTA: the numbers behind the title */
};

struct sources {
	struct source *item;	/* owned */
	size_t count;
};

/*
 * -EINVAL with a message and *@column, counted in bytes from 1, when @text does not
 * have the right form. @out is empty then.
 */
int sources_parse(struct sources *out, const char *text, size_t *column, struct vbm_error *err);
void sources_fini(struct sources *sources);

/* Adds the numbers of statements that the citations @text name. There are none in a text of another form. */
void sources_statements(struct string_list *out, const char *text);

/* The citation without its range of editions, in the form that is parsed. The caller frees it. */
char *source_name(const struct source *source);

/* Whether edition @edition of rdma-core says it. */
bool source_covers(const struct source *source, int edition);

/*
 * The Debian package with a manual page, by the page's name and section; NULL
 * for a citation of another kind.
 */
const char *source_package(const struct source *source);

#define auto_sources __attribute__((cleanup(sources_fini)))

/*
 * The compliance statements of the InfiniBand Architecture Specification have numbers. "C9-88" must hold for each
 * device, "o10-37.2.30" for each that has the optional function. The chapter stands before the dash: "oA19-14" is a
 * statement of annex A19. This program knows the numbers and no word of the statements.
 */

/* The length of the chapter or annex, which begins at @number[1]; 0: the @len bytes are no number. */
size_t source_chapter(const char *number, size_t len);

#endif
