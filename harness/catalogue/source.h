/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CATALOGUE_SOURCE_H
#define VBM_CATALOGUE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * Where a clause stands, as the column "source" of the catalogue says it: one
 * place or more, with "; " between them. docs/clauses.md has the forms.
 */
enum source_kind {
	SOURCE_PAGE,		/* PAGE(SECTION) / HEADING[ / ITEM][ @EDITIONS] */
	SOURCE_IBTA,		/* IBTA vol 1 / CHAPTER / TITLE */
	SOURCE_DOC,		/* docs/NAME.md / HEADING */
	SOURCE_DECISION,	/* decision */
};

#define SOURCE_ITEM_MAX 40	/* characters: a name, not a sentence of the page */

struct source {
	enum source_kind kind;
	char *page;		/* "rdma_getaddrinfo", "docs/handshake.md"; else NULL */
	int section;		/* of a manual page; else 0 */
	char *heading;		/* of a page; the chapter or annex of IBTA; else NULL */
	char *item;		/* the title and statements of IBTA; NULL: all below the heading */
	int from, to;		/* editions of rdma-core that say it; 0: no limit */
	bool foreign;		/* "@any": the page is none of rdma-core */
};

struct sources {
	struct source *item;	/* owned */
	size_t count;
};

/*
 * -EINVAL with a message and *@column, from 1 and in bytes, when @text has
 * another form. Nothing is left in @out then.
 */
int sources_parse(struct sources *out, const char *text, size_t *column, struct vbm_error *err);
void sources_fini(struct sources *sources);

/* The place without its range of editions, in the form that is parsed. The caller frees. */
char *source_name(const struct source *source);

/* Whether the edition @edition of rdma-core is one of those that say it. */
bool source_covers(const struct source *source, int edition);

/*
 * The package of Debian that brings a manual page, by its name and section;
 * NULL for a place of another kind.
 */
const char *source_package(const struct source *source);

#define auto_sources __attribute__((cleanup(sources_fini)))

#endif
