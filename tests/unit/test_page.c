/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: explain/page.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/source.h"
#include "explain/page.h"
#include "lib/base/fail.h"

/* A page made for this test, with the shapes that real pages have. */
static const char page[] =
	"TEA_POUR(3)        Tea Programmer's Manual        TEA_POUR(3)\n"
	"\n"
	"NAME\n"
	"       tea_pour - pours\n"
	"\n"
	"SYNOPSIS\n"
	"       #include <tea.h>\n"
	"\n"
	"       int tea_pour(struct pot *pot,\n"
	"                    struct cup *cup);\n"
	"\n"
	"DESCRIPTION\n"
	"       Pours  from  pot  to\n"
	"       cup.  E_COLD is for later.\n"
	"\n"
	"       struct pot {\n"
	"               int  max;      /* Cups, at most */\n"
	"               int  max_hot;  /* Those that\n"
	"                                 stay hot */\n"
	"               int  lid;\n"
	"       };\n"
	"\n"
	"       enum leaf {\n"
	"               GREEN,\n"
	"               BLACK,   /* and strong */\n"
	"       };\n"
	"\n"
	"RETURN VALUE\n"
	"       0, or one of the following, as E_COLD:\n"
	"\n"
	"       E_COLD    The pot is\n"
	"                 cold; see E_EMPTY.\n"
	"\n"
	"       E_EMPTY   Nothing is in it.\n"
	"\n"
	"       E_EMPTY_2 Nothing is in either.\n"
	"\n"
	"tea_leaf\n"
	"       Leaves.\n"
	"\n"
	"tea 1.0                    2001-01-01               TEA_POUR(3)\n";

static char *extract(const char *heading, const char *item, enum page_found wanted)
{
	char *h = xstrdup(heading), *i = item ? xstrdup(item) : NULL, *out;
	const struct source place = {.heading = h, .item = i};

	assert_int_equal(page_extract(page, &place, &out), wanted);
	free(h);
	free(i);
	return out;
}

TEST(test_page__items)
{
	static const struct {
		const char *heading, *item, *text;
	} row[] = {
		{"RETURN VALUE", "E_COLD", "E_COLD    The pot is\n          cold; see E_EMPTY.\n"},
		{"RETURN VALUE", "E_EMPTY", "E_EMPTY   Nothing is in it.\n"},
		{"RETURN VALUE", "in either", "E_EMPTY_2 Nothing is in either.\n"},
		{"RETURN VALUE", "Nothing", "E_EMPTY   Nothing is in it.\n\n"
					    "E_EMPTY_2 Nothing is in either.\n"},
		{"RETURN VALUE", "eithe", "E_EMPTY_2 Nothing is in either.\n"},
		{"DESCRIPTION", "pot to cup", "Pours  from  pot  to\ncup.  E_COLD is for later.\n"},
		{"DESCRIPTION", "max", "int  max;      /* Cups, at most */\n"},
		{"DESCRIPTION", "max_hot", "int  max_hot;  /* Those that\n"
					   "                  stay hot */\n"},
		{"DESCRIPTION", "lid", "int  lid;\n"},
		{"DESCRIPTION", "BLACK", "BLACK,   /* and strong */\n"},
		{"DESCRIPTION", "enum leaf", "enum leaf {\n        GREEN,\n"
					     "        BLACK,   /* and strong */\n};\n"},
		{"SYNOPSIS", "tea_pour", "int tea_pour(struct pot *pot,\n"
					 "             struct cup *cup);\n"},
		{"SYNOPSIS", NULL, "#include <tea.h>\n\nint tea_pour(struct pot *pot,\n"
				   "             struct cup *cup);\n"},
		{"tea_leaf", NULL, "Leaves.\n"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_free char *text = extract(row[i].heading, row[i].item, PAGE_FOUND);

		assert_string_equal(text, row[i].text);
	}
}

TEST(test_page__what_is_not_there)
{
	assert_null(extract("RETURN", "E_COLD", PAGE_NO_HEADING));
	assert_null(extract("Leaves.", NULL, PAGE_NO_HEADING));
	assert_null(extract("NAME", "E_COLD", PAGE_NO_ITEM));
	assert_null(extract("tea_leaf", "TEA_POUR", PAGE_NO_ITEM));
}

TEST(test_page__white_space)
{
	auto_free char *text = page_normalise("  a  b\n\n\tc \n"), *none = page_normalise(" \n");

	assert_string_equal(text, "a b c");
	assert_string_equal(none, "");
}

/* A machine with one page. */
static int read_page(const struct source *place, char **out, struct vbm_error *err)
{
	if (strcmp(place->page, "tea_pour") != 0)
		return vbm_fail(err, ENOENT, "no %s", place->page);
	*out = xstrdup(page);
	return 0;
}

static const char *at(const struct value *match, size_t i, const char *key)
{
	return value_get_string(value_get(match, "pages")->list.item[i], key, "none");
}

TEST(test_page__places_of_a_clause__are_read)
{
	auto_value struct value *m = value_map();

	value_set_string(m, "source", "");
	value_set(m, "places", page_citations_of_clause("tea_pour(3) / tea_leaf; decision; "
						"tea_pour(3) / NAME / x; tea_pour(3) / X; "
						"coffee(3) / NAME; tea_pour(3) / tea_leaf @44-"));
	page_citations_read(m, read_page);
	assert_int_equal(value_get(m, "pages")->list.count, 4);
	assert_string_equal(at(m, 0, "text"), "Leaves.\n");
	assert_string_equal(at(m, 0, "page"), "tea_pour(3)");
	assert_string_equal(at(m, 1, "problem"),
			    "tea_pour(3) as installed here has no 'x' below 'NAME'");
	assert_string_equal(at(m, 2, "problem"),
			    "tea_pour(3) as installed here has no heading 'X'");
	assert_string_equal(at(m, 3, "problem"), "no coffee");
}

TEST(test_page__places_of_a_constant__may_be_none)
{
	static struct clause c[] = {
		{.source = "tea_pour(3) / DESCRIPTION / E_COLD; tea_pour(3) / NAME / E_NONE"},
		{.source = "design.md 3"},
	};
	const struct clauses clauses = {.item = c, .count = ARRAY_SIZE(c)};
	auto_value struct value *m = value_map(), *none = value_map();

	value_set(m, "places", page_citations_of_constant(&clauses, "tea_pour(3) / RETURN VALUE",
						  "E_COLD"));
	page_citations_read(m, read_page);
	assert_int_equal(value_get(m, "pages")->list.count, 2);
	assert_string_equal(at(m, 1, "text"), "Pours  from  pot  to\ncup.  E_COLD is for later.\n");
	value_set(none, "places", page_citations_of_constant(&clauses, NULL, "E_NONE"));
	page_citations_read(none, read_page);
	assert_int_equal(value_get(none, "pages")->list.count, 0);
}
