/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/page.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "explain/table.h"
#include "lib/base/fail.h"
#include "process/program.h"

/* Some lines of the page, with their newlines. */
struct piece {
	const char *at;
	size_t len;
};

struct pieces {
	struct piece *item;	/* owned */
	size_t count;
};

static struct piece line_at(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return (struct piece){at, (size_t)((newline ? newline + 1 : end) - at)};
}

static size_t trimmed(struct piece p)
{
	while (p.len && isspace((unsigned char)p.at[p.len - 1]))
		p.len--;
	return p.len;
}

static bool is_blank(struct piece line)
{
	return trimmed(line) == 0;
}

/* Headings, and the first and last lines of a page, are not indented. */
static bool is_outer(struct piece line)
{
	return !is_blank(line) && !isspace((unsigned char)line.at[0]);
}

/* Finds the text below @heading, up to the next line that is not indented. */
static bool find_section(const char *page, const char *heading, struct piece *out)
{
	const char *at, *end = page + strlen(page);
	struct piece line;
	bool inside = false;

	*out = (struct piece){end, 0};
	for (at = page; at < end; at += line.len) {
		line = line_at(at, end);
		if (inside && is_outer(line))
			break;
		if (inside)
			out->len += line.len;
		if (!inside && is_outer(line) && trimmed(line) == strlen(heading) &&
		    memcmp(at, heading, strlen(heading)) == 0) {
			inside = true;
			out->at = at + line.len;
		}
	}
	return inside;
}

/* Splits the section at its blank lines. */
static struct pieces split_paragraphs(struct piece section)
{
	const char *at, *end = section.at + section.len;
	struct pieces out = {0};
	struct piece line;
	bool open = false;

	for (at = section.at; at < end; at += line.len) {
		line = line_at(at, end);
		if (is_blank(line)) {
			open = false;
			continue;
		}
		if (!open) {
			GROW(out.item, out.count);
			out.item[out.count++] = (struct piece){at, 0};
		}
		open = true;
		out.item[out.count - 1].len += line.len;
	}
	return out;
}

char *page_normalise(const char *text)
{
	struct text t = {0};
	size_t n;

	text_add(&t, "");
	for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
		n = strcspn(text, " \t\n");
		if (t.len)
			text_add(&t, " ");
		text_add_bytes(&t, text, n);
		text += n;
	}
	return t.s;
}

static char *normal(struct piece p)
{
	auto_free char *copy = xstrndup(p.at, p.len);

	return page_normalise(copy);
}

/* How well a text fits an item. Only the best texts of a section are used. */
enum page_fit {
	FIT_NONE,
	FIT_PART,	/* the item is part of a longer word */
	FIT_WORD,
	FIT_START,	/* the text begins with the item, like an entry of a list */
};

static enum page_fit fit_of(struct piece piece, const char *item)
{
	auto_free char *text = normal(piece);
	size_t n = strlen(item);
	enum page_fit best = FIT_NONE;
	const char *p;
	bool whole;

	for (p = text; (p = strstr(p, item)); p++) {
		whole = (p == text || !explain_is_word(p[-1]) || !explain_is_word(item[0])) &&
			(!explain_is_word(p[n]) || !explain_is_word(item[n - 1]));
		if (whole && p == text)
			return FIT_START;
		if (whole)
			best = FIT_WORD;
		else if (best == FIT_NONE)
			best = FIT_PART;
	}
	return best;
}

/* Whether it is a struct or an enum: a line ends in a brace, or a comment follows a member. */
static bool is_code(struct piece p)
{
	const char *at, *end = p.at + p.len, *semicolon;
	struct piece line;
	size_t n;

	for (at = p.at; at < end; at += line.len) {
		line = line_at(at, end);
		n = trimmed(line);
		if (at[n - 1] == '{' || at[n - 1] == '}' || (n > 1 && !memcmp(at + n - 2, "};", 2)))
			return true;
		semicolon = memchr(at, ';', n);
		if (semicolon && memmem(semicolon, (size_t)(at + n - semicolon), "/*", 2))
			return true;
	}
	return false;
}

static bool has_mark(struct piece p, const char *mark)
{
	return memmem(p.at, p.len, mark, strlen(mark));
}

/* Splits a block into members, each with its whole comment. If @item opens a brace, the whole block is one. */
static struct pieces split_members(struct piece block, const char *item)
{
	const char *at, *end = block.at + block.len;
	struct pieces out = {0};
	struct piece line, *last;
	bool comment = false;

	for (at = block.at; at < end; at += line.len) {
		line = line_at(at, end);
		if (has_mark(line, "{") && fit_of(line, item) > FIT_PART) {
			out.count = 0;
			free(out.item);
			out.item = NULL;
			GROW(out.item, out.count);
			out.item[out.count++] = block;
			return out;
		}
		if (!comment) {
			GROW(out.item, out.count);
			out.item[out.count++] = (struct piece){at, 0};
		}
		last = &out.item[out.count - 1];
		last->len += line.len;
		comment = has_mark(*last, "/*") && !has_mark(*last, "*/");
	}
	return out;
}

static size_t indentation(struct piece line)
{
	size_t n = 0;

	while (n < line.len && line.at[n] == ' ')
		n++;
	return n;
}

/* Adds the lines of @p without their common indentation and without blank lines at the end. */
static void add_piece(struct text *t, struct piece p)
{
	const char *at, *end = p.at + p.len;
	size_t least = p.len, n;
	struct piece line;

	for (at = p.at; at < end; at += line.len) {
		line = line_at(at, end);
		n = indentation(line);
		if (!is_blank(line) && n < least)
			least = n;
	}
	p.len = trimmed(p);
	if (t->len)
		text_add(t, "\n");
	for (at = p.at, end = p.at + p.len; at < end; at += line.len) {
		line = line_at(at, end);
		n = trimmed(line);
		if (n > least)
			text_add_bytes(t, at + least, n - least);
		text_add(t, "\n");
	}
}

static void add_best(struct text *t, const struct pieces *of, const char *item, enum page_fit best)
{
	struct pieces members;
	size_t i, k;

	for (i = 0; i < of->count; i++) {
		if (fit_of(of->item[i], item) != best)
			continue;
		if (!is_code(of->item[i])) {
			add_piece(t, of->item[i]);
			continue;
		}
		members = split_members(of->item[i], item);
		for (k = 0; k < members.count; k++)
			if (fit_of(members.item[k], item) >= best)
				add_piece(t, members.item[k]);
		free(members.item);
	}
}

static struct piece without_blank_lines_before(struct piece p)
{
	struct piece line;

	while (p.len && (line = line_at(p.at, p.at + p.len), is_blank(line))) {
		p.at += line.len;
		p.len -= line.len;
	}
	return p;
}

enum page_found page_extract(const char *page, const struct source *citation, char **out)
{
	struct pieces paragraphs;
	struct piece section;
	struct text t = {0};
	enum page_fit fit, best = FIT_NONE;
	size_t i;

	*out = NULL;
	if (!find_section(page, citation->heading, &section))
		return PAGE_NO_HEADING;
	if (!citation->item) {
		add_piece(&t, without_blank_lines_before(section));
		text_add(&t, "");
		*out = t.s;
		return PAGE_FOUND;
	}
	paragraphs = split_paragraphs(section);
	for (i = 0; i < paragraphs.count; i++) {
		fit = fit_of(paragraphs.item[i], citation->item);
		best = fit > best ? fit : best;
	}
	if (best != FIT_NONE)
		add_best(&t, &paragraphs, citation->item, best);
	free(paragraphs.item);
	*out = t.s;
	return t.s ? PAGE_FOUND : PAGE_NO_ITEM;
}

/* ---- citations ---- */

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
int page_read_man(const struct source *citation, char **out, struct vbm_error *err)
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

struct value *page_citations_of_clause(const char *source)
{
	struct value *list = value_list();

	add_pages(list, source, NULL);
	return list;
}

struct value *page_citations_of_constant(const struct clauses *clauses, const char *home,
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

void page_citations_read(struct value *match, page_reader *read)
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
