/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define BETWEEN_CITATIONS "; "
#define BETWEEN_PARTS " / "
#define PARTS_MAX 3
#define EDITION_DIGITS 4

/* A part of the text that is parsed. */
struct span {
	const char *at;
	size_t len;
};

struct source_reader {
	const char *text;
	const char *wrong;	/* the position of the error */
	struct vbm_error *err;
};

#define REFUSE(r, where, ...)                                                 \
	((r)->wrong = (where), vbm_fail((r)->err, EINVAL, __VA_ARGS__))

static bool span_is(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.at, word, s.len) == 0;
}

static bool span_starts(struct span s, const char *word)
{
	return s.len >= strlen(word) && memcmp(s.at, word, strlen(word)) == 0;
}

static bool span_ends(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.len >= n && memcmp(s.at + s.len - n, word, n) == 0;
}

/* Cuts @s at @mark: returns the part before it. *@rest is the part after it, NULL without a mark. */
static struct span cut_at(struct span s, const char *mark, struct span *rest)
{
	const char *p = memmem(s.at, s.len, mark, strlen(mark));

	*rest = (struct span){0};
	if (!p)
		return s;
	rest->at = p + strlen(mark);
	rest->len = s.len - (size_t)(rest->at - s.at);
	return (struct span){s.at, (size_t)(p - s.at)};
}

static size_t characters(struct span s)
{
	size_t i, n = 0;

	for (i = 0; i < s.len; i++)
		n += ((unsigned char)s.at[i] & 0xc0) != 0x80;
	return n;
}

/* Reads a short number. An empty text is 0. */
static bool read_number(struct span s, int *out)
{
	size_t i;

	*out = 0;
	for (i = 0; i < s.len; i++) {
		if (!isdigit((unsigned char)s.at[i]) || i >= EDITION_DIGITS)
			return false;
		*out = *out * 10 + (s.at[i] - '0');
	}
	return true;
}

/* Reads "44-", "-59", "56-65" or "any". */
static int read_editions(struct source_reader *r, struct span s, struct source *out)
{
	struct span to, from = cut_at(s, "-", &to);

	out->foreign = span_is(s, "any");
	if (out->foreign)
		return 0;
	if (!to.at || !read_number(from, &out->from) || !read_number(to, &out->to) ||
	    (!out->from && !out->to))
		return REFUSE(r, s.at, "'%.*s' is not a range of editions; write @44-, @-59 or @56-65",
			      (int)s.len, s.at);
	if (out->to && out->from > out->to)
		return REFUSE(r, s.at, "the range of editions %.*s is empty", (int)s.len, s.at);
	return 0;
}

/* Removes " @EDITIONS" from the end of @s and reads it. */
static int take_editions(struct source_reader *r, struct span *s, struct source *out)
{
	const char *at = memrchr(s->at, '@', s->len);
	struct span range;

	if (!at || at == s->at || at[-1] != ' ')
		return 0;
	range = (struct span){at + 1, (size_t)(s->at + s->len - at - 1)};
	s->len = (size_t)(at - 1 - s->at);
	return read_editions(r, range, out);
}

static int check_part(struct source_reader *r, struct span s)
{
	if (!s.len || s.at[0] == '/')
		return REFUSE(r, s.at, "there is nothing between two '/'");
	if (isspace((unsigned char)s.at[0]) || isspace((unsigned char)s.at[s.len - 1]))
		return REFUSE(r, s.at, "'%.*s' has a space too many", (int)s.len, s.at);
	return 0;
}

static int read_page(struct source_reader *r, struct span *part, int count, struct source *out)
{
	struct span section, name = cut_at(part[0], "(", &section);
	size_t i;

	for (i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && !strchr("_-.", name.at[i]))
			break;
	if (!name.len || i < name.len || section.len != 2 || section.at[1] != ')' ||
	    section.at[0] < '1' || section.at[0] > '9')
		return REFUSE(r, part[0].at, "'%.*s' is not a source: PAGE(SECTION) / HEADING / ITEM, "
			      "IBTA vol 1 / CHAPTER / TITLE, docs/NAME.md / HEADING or decision",
			      (int)part[0].len, part[0].at);
	if (count < 2)
		return REFUSE(r, part[0].at, "a manual page needs a heading: %.*s / HEADING",
			      (int)part[0].len, part[0].at);
	if (count > 2 && characters(part[2]) > SOURCE_ITEM_MAX)
		return REFUSE(r, part[2].at, "an item must be a name of at most %d characters, not a "
			      "sentence of the page", SOURCE_ITEM_MAX);
	out->kind = SOURCE_PAGE;
	out->page = xstrndup(name.at, name.len);
	out->section = section.at[0] - '0';
	return 0;
}

/* "9", "A19" for an annex, or a section of a chapter or annex. */
static bool is_chapter(struct span s)
{
	size_t i = s.len > 1 && s.at[0] == 'A';

	return isdigit((unsigned char)s.at[i]);
}

/* Reads the numbers behind the title: "FLUSH (oA19-2, oA19-14)". Each is of the chapter that the citation names. */
static int read_statements(struct source_reader *r, struct span chapter, struct span title, struct source *out)
{
	struct span rest, number, section;
	size_t n;

	chapter = cut_at(chapter, ".", &section);
	cut_at(title, " (", &rest);
	if (!rest.at || !span_ends(rest, ")"))
		return 0;
	for (rest.len--; rest.at;) {
		auto_free char *text = NULL;

		number = cut_at(rest, ", ", &rest);
		n = source_chapter(number.at, number.len);
		if (!n || n != chapter.len || memcmp(number.at + 1, chapter.at, n) != 0)
			return REFUSE(r, number.at, "'%.*s' is not the number of a statement of %s %.*s", (int)number.len,
				      number.at, chapter.at[0] == 'A' ? "annex" : "chapter", (int)chapter.len, chapter.at);
		text = xstrndup(number.at, number.len);
		string_list_add(&out->statements, text);
	}
	return 0;
}

static int read_kind(struct source_reader *r, struct span *part, int count, struct source *out)
{
	if (span_is(part[0], "decision")) {
		out->kind = SOURCE_DECISION;
		if (count > 1)
			return REFUSE(r, part[1].at, "'decision' must stand alone");
	} else if (span_starts(part[0], "IBTA ")) {
		out->kind = SOURCE_IBTA;
		if (!span_is(part[0], "IBTA vol 1") || count != 3)
			return REFUSE(r, part[0].at, "write IBTA vol 1 / CHAPTER / TITLE");
		if (!is_chapter(part[1]))
			return REFUSE(r, part[1].at, "'%.*s' is not the number of a chapter or an annex",
				      (int)part[1].len, part[1].at);
		return read_statements(r, part[1], part[2], out);
	} else if (span_starts(part[0], "docs/")) {
		out->kind = SOURCE_DOC;
		if (!span_ends(part[0], ".md") || count != 2)
			return REFUSE(r, part[0].at, "write docs/NAME.md / HEADING");
		out->page = xstrndup(part[0].at, part[0].len);
	} else {
		return read_page(r, part, count, out);
	}
	return 0;
}

static int read_citation(struct source_reader *r, struct span s, struct source *out)
{
	struct span part[PARTS_MAX] = {{0}}, rest;
	int count = 0, ret;

	ret = take_editions(r, &s, out);
	for (rest = s; ret == 0 && rest.at; count++) {
		if (count == PARTS_MAX)
			return REFUSE(r, rest.at, "a citation has at most three parts");
		part[count] = cut_at(rest, BETWEEN_PARTS, &rest);
		ret = check_part(r, part[count]);
	}
	if (ret == 0)
		ret = read_kind(r, part, count, out);
	if (ret < 0)
		return ret;
	if ((out->from || out->to || out->foreign) && out->kind != SOURCE_PAGE)
		return REFUSE(r, s.at + s.len + 1, "only a manual page has editions");
	if (count > 1)
		out->heading = xstrndup(part[1].at, part[1].len);
	if (count > 2)
		out->item = xstrndup(part[2].at, part[2].len);
	return 0;
}

int sources_parse(struct sources *out, const char *text, size_t *column, struct vbm_error *err)
{
	struct source_reader r = {.text = text, .wrong = text, .err = err};
	struct span citation, rest = {text, strlen(text)};
	int ret = 0;

	*out = (struct sources){0};
	while (ret == 0 && rest.at) {
		citation = cut_at(rest, BETWEEN_CITATIONS, &rest);
		GROW(out->item, out->count);
		out->item[out->count] = (struct source){0};
		ret = read_citation(&r, citation, &out->item[out->count++]);
	}
	if (ret < 0)
		sources_fini(out);
	if (column)
		*column = (size_t)(r.wrong - text) + 1;
	return ret;
}

void sources_fini(struct sources *sources)
{
	size_t i;

	for (i = 0; i < sources->count; i++) {
		free(sources->item[i].page);
		free(sources->item[i].heading);
		free(sources->item[i].item);
		string_list_fini(&sources->item[i].statements);
	}
	free(sources->item);
	*sources = (struct sources){0};
}

void sources_statements(struct string_list *out, const char *text)
{
	struct sources s auto_sources = {0};
	size_t i, k;

	if (sources_parse(&s, text, NULL, NULL) < 0)
		return;
	for (i = 0; i < s.count; i++)
		for (k = 0; k < s.item[i].statements.count; k++)
			string_list_add(out, s.item[i].statements.item[k]);
}

char *source_name(const struct source *s)
{
	struct text t = {0};

	if (s->kind == SOURCE_DECISION)
		text_add(&t, "decision");
	else if (s->kind == SOURCE_IBTA)
		text_add(&t, "IBTA vol 1");
	else
		text_add(&t, s->page);
	if (s->kind == SOURCE_PAGE)
		text_addf(&t, "(%d)", s->section);
	if (s->heading)
		text_addf(&t, BETWEEN_PARTS "%s", s->heading);
	if (s->item)
		text_addf(&t, BETWEEN_PARTS "%s", s->item);
	if (s->foreign)
		text_add(&t, " @any");
	return t.s;
}

bool source_covers(const struct source *s, int edition)
{
	return (!s->from || edition >= s->from) && (!s->to || edition <= s->to);
}

const char *source_package(const struct source *s)
{
	static const struct {
		const char *prefix;
		bool program;
		const char *package;
	} row[] = {
		{"ibv_", true, "ibverbs-utils"},
		{"", true, "rdmacm-utils"},
		{"ibv_", false, "libibverbs-dev"},
		{"mbps_to_", false, "libibverbs-dev"},
		{"mult_to_", false, "libibverbs-dev"},
		{"", false, "librdmacm-dev"},
	};
	size_t i;

	if (s->kind != SOURCE_PAGE)
		return NULL;
	if (s->foreign)
		return "manpages-dev";
	for (i = 0; i < ARRAY_SIZE(row); i++)
		if (row[i].program == (s->section == 1) &&
		    strncmp(s->page, row[i].prefix, strlen(row[i].prefix)) == 0)
			return row[i].package;
	return NULL;
}

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n;
}

size_t source_chapter(const char *number, size_t len)
{
	size_t annex, chapter, i;

	if (len < 2 || (number[0] != 'C' && number[0] != 'o'))
		return 0;
	annex = number[1] == 'A';
	chapter = digits(number + 1 + annex, len - 1 - annex);
	i = 1 + annex + chapter;
	if (!chapter || len - i < 2 || number[i] != '-' || !isdigit((unsigned char)number[i + 1]))
		return 0;
	for (i++; i < len; i++)
		if (!isalnum((unsigned char)number[i]) && number[i] != '.')
			return 0;
	return annex + chapter;
}
