/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "explain/page.h"
#include "lib/base/fail.h"
#include "process/program.h"

static bool have_man(void)
{
	char sh[] = "sh", option[] = "-c", command[] = "command -v man";
	char *argv[] = {sh, option, command, NULL};
	auto_free char *out = NULL;
	size_t len;

	return program_output(argv, PROGRAM_SAYS_MAX, &out, &len, NULL) == 0;
}

/*
 * man(1) prints plain text, without hyphenation and justification. A page in
 * another language has other headings, so the language is fixed.
 */
int man_page_read(const struct source *citation, char **out, struct vbm_error *err)
{
	static char env[] = "env", unset[] = "-u", formatting[] = "MAN_KEEP_FORMATTING",
		width[] = "MANWIDTH=100", roff[] = "MANROFFOPT=-rHY=0 -dAD=l",
		language[] = "LC_ALL=C", man[] = "man";
	auto_free char *section = xasprintf("%d", citation->section), *page = xstrdup(citation->page);
	char *argv[] = {env, unset, formatting, width, roff, language, man, section, page, NULL};
	size_t len;

	*out = NULL;
	if (program_output(argv, PROGRAM_SAYS_MAX, out, &len, NULL) == 0)
		return 0;
	if (!have_man())
		return vbm_fail(err, ENOENT, "%s(%d) cannot be shown: man is not installed here "
				"(Debian: man-db)", citation->page, citation->section);
	return vbm_fail(err, ENOENT, "%s(%d) is not installed here; Debian's %s has it",
			citation->page, citation->section, source_package(citation));
}

static bool has_string(const struct value *list, const char *s)
{
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (strcmp(list->list.item[i]->s, s) == 0)
			return true;
	return false;
}

/* Adds the manual pages that @text cites, each once. With @item, only citations of that item. */
static void add_pages(struct value *list, const char *text, const char *item)
{
	struct sources s auto_sources = {0};
	const struct source *citation;
	size_t i;

	if (sources_parse(&s, text, NULL, NULL) < 0)
		return;
	for (i = 0; i < s.count; i++) {
		auto_free char *name = source_name(&s.item[i]);

		citation = &s.item[i];
		if (citation->kind != SOURCE_PAGE || has_string(list, name))
			continue;
		if (!item || (citation->item && strcmp(citation->item, item) == 0))
			value_append(list, value_string(name));
	}
}

struct value *citations_of_clause(const char *source)
{
	struct value *list = value_list();

	add_pages(list, source, NULL);
	return list;
}

struct value *citations_of_constant(const struct clauses *clauses, const char *home,
				 const char *full)
{
	auto_free char *at_home = home ? xasprintf("%s / %s", home, full) : NULL;
	struct value *list = value_list();
	size_t i;

	if (at_home)
		add_pages(list, at_home, NULL);
	for (i = 0; i < clauses->count; i++)
		add_pages(list, clauses->item[i].source, full);
	return list;
}

static char *page_name(const struct source *citation)
{
	return xasprintf("%s(%d)", citation->page, citation->section);
}

/* @sure: a clause says that the page has it, so it is a problem if it does not. */
static struct value *read_one(const struct source *citation, bool sure, page_reader *read)
{
	auto_free char *page = NULL, *words = NULL, *name = page_name(citation);
	struct vbm_error err;
	struct value *m = value_map();
	enum page_found found;

	value_set_string(m, "page", name);
	if (read(citation, &page, &err) < 0) {
		value_set_string(m, "problem", err.msg);
		return m;
	}
	found = page_extract(page, citation, &words);
	if (found == PAGE_FOUND)
		value_set_string(m, "text", words);
	else if (!sure) {
		value_free(m);
		return NULL;
	} else if (found == PAGE_NO_HEADING)
		value_set(m, "problem", value_format_string("%s as installed here has no heading "
							    "'%s'", name, citation->heading));
	else
		value_set(m, "problem", value_format_string("%s as installed here has no '%s' "
							    "below '%s'", name, citation->item,
							    citation->heading));
	return m;
}

void citations_read(struct value *match, page_reader *read)
{
	const struct value *citations = value_get(match, "places");
	struct value *pages, *one;
	struct sources s;
	size_t i;

	if (!citations)
		return;
	pages = value_list();
	for (i = 0; i < citations->list.count; i++) {
		if (sources_parse(&s, citations->list.item[i]->s, NULL, NULL) < 0)
			continue;
		one = read_one(&s.item[0], value_get(match, "source"), read);
		if (one) {
			value_set_string(one, "place", citations->list.item[i]->s);
			value_append(pages, one);
		}
		sources_fini(&s);
	}
	value_set(match, "pages", pages);
}
