/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: catalogue/source.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/source.h"

TEST(test_source__each_form__is_parsed)
{
	static const struct {
		const char *text, *name;
		struct source is;
	} row[] = {
		{"rdma_getaddrinfo(3) / RETURN VALUE / EAI_QPTYPE",
		 "rdma_getaddrinfo(3) / RETURN VALUE / EAI_QPTYPE",
		 {SOURCE_PAGE, NULL, 3, NULL, NULL, 0, 0, false}},
		{"ibv_create_cq(3) / SYNOPSIS", "ibv_create_cq(3) / SYNOPSIS",
		 {SOURCE_PAGE, NULL, 3, NULL, NULL, 0, 0, false}},
		{"rdma_cm(7) / A / b c @60-", "rdma_cm(7) / A / b c",
		 {SOURCE_PAGE, NULL, 7, NULL, NULL, 60, 0, false}},
		{"rping(1) / OPTIONS @-59", "rping(1) / OPTIONS",
		 {SOURCE_PAGE, NULL, 1, NULL, NULL, 0, 59, false}},
		{"a(3) / B / C @56-65", "a(3) / B / C",
		 {SOURCE_PAGE, NULL, 3, NULL, NULL, 56, 65, false}},
		{"a(3) / B / C @any", "a(3) / B / C @any",
		 {SOURCE_PAGE, NULL, 3, NULL, NULL, 0, 0, true}},
		{"IBTA vol 1 / 10.3.1 / QP states", "IBTA vol 1 / 10.3.1 / QP states",
		 {SOURCE_IBTA, NULL, 0, NULL, NULL, 0, 0, false}},
		{"docs/handshake.md / Order", "docs/handshake.md / Order",
		 {SOURCE_DOC, NULL, 0, NULL, NULL, 0, 0, false}},
		{"decision", "decision", {SOURCE_DECISION, NULL, 0, NULL, NULL, 0, 0, false}},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct sources s auto_sources = {0};
		auto_free char *name = NULL;

		assert_int_equal(sources_parse(&s, row[i].text, NULL, NULL), 0);
		assert_int_equal(s.count, 1);
		name = source_name(&s.item[0]);
		assert_string_equal(name, row[i].name);
		assert_int_equal(s.item[0].kind, row[i].is.kind);
		assert_int_equal(s.item[0].section, row[i].is.section);
		assert_int_equal(s.item[0].from, row[i].is.from);
		assert_int_equal(s.item[0].to, row[i].is.to);
		assert_int_equal(s.item[0].foreign, row[i].is.foreign);
	}
}

TEST(test_source__several_places)
{
	struct sources s auto_sources = {0};

	assert_int_equal(sources_parse(&s, "a(3) / B / C @44-; IBTA vol 1 / 9 / T; decision", NULL,
				       NULL), 0);
	assert_int_equal(s.count, 3);
	assert_string_equal(s.item[0].page, "a");
	assert_string_equal(s.item[0].heading, "B");
	assert_string_equal(s.item[0].item, "C");
	assert_string_equal(s.item[1].heading, "9");
	assert_string_equal(s.item[1].item, "T");
	assert_null(s.item[2].heading);
}

TEST(test_source__bad_forms__are_told_with_a_column)
{
	static const struct {
		const char *text;
		size_t column;
		const char *msg;
	} row[] = {
		{"", 1, "there is nothing between two '/'"},
		{"a(3) / B; ", 11, "there is nothing between two '/'"},
		{"a(3) /  / C", 8, "there is nothing between two '/'"},
		{"a(3) / / C", 8, "there is nothing between two '/'"},
		{"a(3)", 1, "a manual page needs a heading: a(3) / HEADING"},
		{"a(3) /  B", 8, "' B' has a space too many"},
		{"a(3) / B / C / D", 16, "a citation has at most three parts"},
		{"a(3) / B / C @", 15, "'' is not a range of editions; write @44-, @-59 or @56-65"},
		{"a(3) / B / C @-", 15, "'-' is not a range of editions; write @44-, @-59 or @56-65"},
		{"a(3) / B @44", 11, "'44' is not a range of editions; write @44-, @-59 or @56-65"},
		{"a(3) / B @4x-", 11, "'4x-' is not a range of editions; write @44-, @-59 or @56-65"},
		{"a(3) / B @65-44", 11, "the range of editions 65-44 is empty"},
		{"decision @any", 10, "only a manual page has editions"},
		{"decision; decision @44-", 20, "only a manual page has editions"},
		{"decision / A", 12, "'decision' must stand alone"},
		{"IBTA vol 2 / 1 / A", 1, "write IBTA vol 1 / CHAPTER / TITLE"},
		{"IBTA vol 1 / 1", 1, "write IBTA vol 1 / CHAPTER / TITLE"},
		{"IBTA vol 1 / QP / A", 14, "'QP' is not the number of a chapter or an annex"},
		{"IBTA vol 1 / A / A", 14, "'A' is not the number of a chapter or an annex"},
		{"IBTA vol 1 / 9 / T (C10-1)", 21, "'C10-1' is not the number of a statement of chapter 9"},
		{"IBTA vol 1 / A19 / T (oA19-1, 2)", 31, "'2' is not the number of a statement of annex A19"},
		{"IBTA vol 1 / 9.7 / T ()", 23, "'' is not the number of a statement of chapter 9"},
		{"docs/a.txt / B", 1, "write docs/NAME.md / HEADING"},
		{"docs/a.md", 1, "write docs/NAME.md / HEADING"},
		{"a(3) / B / 01234567890123456789012345678901234567890", 12,
		 "an item must be a name of at most 40 characters, not a sentence of the page"},
	};
	static const char *const none[] = {
		"001_x.txt SYNOPSIS", "a(3 / B", "a() / B", "a(x) / B", "(3) / B", "a b(3) / B",
		"a(3)x / B", "a(33) / B", "Decision",
	};
	struct vbm_error err;
	struct sources s;
	size_t i, column;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(sources_parse(&s, row[i].text, &column, &err), -EINVAL);
		assert_string_equal(err.msg, row[i].msg);
		assert_int_equal(column, row[i].column);
		assert_int_equal(s.count, 0);
	}
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		assert_int_equal(sources_parse(&s, none[i], &column, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "is not a source: PAGE(SECTION) / HEADING / ITEM"));
	}
}

/* The limit is in characters, not in bytes. */
TEST(test_source__an_item_of_forty)
{
	struct sources s auto_sources = {0};

	assert_int_equal(sources_parse(&s, "a(3) / B / \xc3\xa9""123456789012345678901234567890123456789",
				       NULL, NULL), 0);
}

TEST(test_source__editions)
{
	static const struct {
		int from, to, edition;
		bool covers;
	} row[] = {
		{0, 0, 44, true}, {56, 0, 44, false}, {56, 0, 56, true}, {0, 59, 56, true},
		{0, 59, 65, false}, {44, 56, 56, true}, {44, 56, 65, false},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		assert_int_equal(source_covers(&(struct source){.from = row[i].from,
								.to = row[i].to},
					       row[i].edition), row[i].covers);
}

TEST(test_source__packages)
{
	static const struct {
		const char *place, *package;
	} row[] = {
		{"rdma_getaddrinfo(3) / NAME", "librdmacm-dev"},
		{"rdma_cm(7) / NAME", "librdmacm-dev"},
		{"ibv_query_device(3) / NAME", "libibverbs-dev"},
		{"rping(1) / NAME", "rdmacm-utils"},
		{"ibv_rc_pingpong(1) / NAME", "ibverbs-utils"},
		{"getaddrinfo(3) / NAME @any", "manpages-dev"},
		{"decision", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct sources s auto_sources = {0};
		const char *package;

		assert_int_equal(sources_parse(&s, row[i].place, NULL, NULL), 0);
		package = source_package(&s.item[0]);
		if (!row[i].package)
			assert_null(package);
		else
			assert_string_equal(package, row[i].package);
	}
}
