/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: runs/merge.c runs/pieces.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "runs/merge.h"
#include "runs/stored.h"
#include "../help/folder.h"

#define PLACE "\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3\",\"rdma_core\":\"44.0\",\"target\":\"system\""
#define SHARD(n, total) PLACE ",\"shard\":{\"number\":" #n ",\"of\":3,\"plan\":\"p\",\"planned\":9},\"total\":" #total
#define BEGIN(n, total) "{\"event\":\"begin\"," SHARD(n, total) "}"
#define SUMMARY(n, total) "{\"event\":\"summary\"," SHARD(n, total) ",\"counts\":{\"PASS\":" #total "},\"took_ms\":1,\"exit\":0}"

#define SHARDS 3

struct some {
	struct merge_shard item[SHARDS];
	struct value *head[SHARDS];	/* owned */
	size_t count;
};

/* NULL: a job that had not begun. */
static void put(struct some *s, const char *path, const char *head, size_t begun)
{
	struct value *event = head ? json_read(head, strlen(head), NULL) : NULL;

	assert_true(!head || event);
	s->head[s->count] = event;
	s->item[s->count++] = (struct merge_shard){
		.path = path, .head = event, .ended = event && event_is(event, "summary"), .begun = begun,
	};
}

static void drop(struct some *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		value_free(s->head[i]);
}

static void note(const char *text, void *all)
{
	text_addf(all, "%s\n", text);
}

TEST(test_merge__whole)
{
	struct text holes auto_text = {0};
	struct vbm_error err = {0};
	struct some s = {.count = 0};

	put(&s, "c", SUMMARY(3, 2), 2);
	put(&s, "a", SUMMARY(1, 4), 4);
	put(&s, "b", SUMMARY(2, 3), 3);
	assert_int_equal(merge_check(s.item, s.count, &err), 0);
	assert_int_equal(s.item[0].shard.number, 3);
	assert_int_equal(merge_holes(s.item, s.count, note, &holes), 0);
	assert_int_equal(merge_planned(s.item, s.count), 9);
	drop(&s);
}

/* A shard that is missing does not change how many variants there should be. */
TEST(test_merge__holes)
{
	struct text holes auto_text = {0};
	struct vbm_error err = {0};
	struct some s = {.count = 0};

	put(&s, "a", BEGIN(1, 4), 2);
	put(&s, "x", NULL, 0);
	assert_int_equal(merge_check(s.item, s.count, &err), 0);
	assert_int_equal(merge_holes(s.item, s.count, note, &holes), 3);
	assert_string_equal(holes.s, "a: shard 1 of 3 was broken off after it began 2 of its 4 variants\n"
			    "x: this shard was broken off before its run began\n"
			    "shards 2, 3 of 3 are missing\n");
	assert_int_equal(merge_planned(s.item, s.count), 9);
	drop(&s);
}

TEST(test_merge__nothing)
{
	struct text holes auto_text = {0};
	struct some s = {.count = 0};
	struct vbm_error err = {0};

	put(&s, "x", NULL, 0);
	assert_int_equal(merge_check(s.item, s.count, &err), 0);
	assert_int_equal(merge_holes(s.item, s.count, note, &holes), 1);
	assert_int_equal(merge_planned(s.item, s.count), -1);
}

TEST(test_merge__what_does_not_fit)
{
	static const struct {
		const char *head, *says;
	} rows[] = {
		{SUMMARY(1, 1), "a and b are both shard 1 of 3"},
		{SUMMARY(2, 5), "b: events are missing: its summary counts 5 variants, and 1 are there"},
		{"{\"event\":\"begin\"," PLACE ",\"total\":1}", "b is no shard"},
		{"{\"event\":\"begin\"," PLACE ",\"total\":1,\"shard\":{\"number\":4,\"of\":3,\"plan\":\"p\"}}", "b is no shard"},
		{"{\"event\":\"begin\"," PLACE ",\"total\":1,\"shard\":{\"number\":2,\"of\":3}}", "b is no shard"},
		{"{\"event\":\"begin\"," PLACE ",\"total\":1,\"shard\":{\"number\":2,\"of\":3,\"plan\":\"q\"}}", "(plans p and q)"},
		{"{\"event\":\"begin\"," PLACE ",\"total\":1,\"shard\":{\"number\":2,\"of\":4,\"plan\":\"p\"}}",
		 "shard 1 of 3 and shard 2 of 4"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct some s = {.count = 0};
		struct vbm_error err = {0};

		put(&s, "a", SUMMARY(1, 1), 1);
		put(&s, "b", rows[i].head, 1);
		assert_int_equal(merge_check(s.item, s.count, &err), -EINVAL);
		if (!strstr(err.msg, rows[i].says))
			fail_msg("row %zu says: %s", i, err.msg);
		drop(&s);
	}
}

#define SCENARIO(name) "{\"event\":\"scenario\",\"variant\":0,\"name\":\"" name "\",\"id\":\"" name \
	"\",\"title\":\"t\",\"path\":\"p\",\"clauses\":[]}\n"
#define VERDICT(name) "{\"event\":\"verdict\",\"variant\":0,\"name\":\"" name "\",\"verdict\":\"PASS\",\"reason\":null," \
	"\"took_ms\":1,\"own_us\":1}\n"
#define ERROR(text) "{\"event\":\"error\",\"code\":5,\"text\":\"" text "\"}\n"

static void add_kind(struct value *event, void *kinds)
{
	text_addf(kinds, "%s ", value_get_string(event, "event", "?"));
}

/* Each event is in one piece: before a variant in that of the variant, after the last one in a piece of its own. */
TEST(test_merge__pieces)
{
	struct text kinds auto_text = {0};
	struct stored_pieces p;
	struct vbm_error err = {0};
	auto_free char *path = NULL;
	struct folder home;
	size_t i;

	folder_make(&home);
	folder_put(&home, "run", BEGIN(1, 2) "\n" ERROR("1") SCENARIO("a") VERDICT("a") ERROR("2") SCENARIO("b") ERROR("3")
		   SCENARIO("c") VERDICT("c") ERROR("4") SUMMARY(1, 2) "\n");
	path = folder_path(&home, "run");
	assert_int_equal(stored_pieces_find(&p, path, &err), 0);
	assert_true(p.ended);
	assert_int_equal(p.count, 4);
	assert_string_equal(p.item[1].name, "b");
	assert_null(p.item[3].name);
	for (i = 0; i < p.count; i++) {
		assert_int_equal(stored_pieces_give(&p, i, add_kind, &kinds, &err), 0);
		text_add(&kinds, "| ");
	}
	assert_string_equal(kinds.s, "error scenario verdict | error scenario error | scenario verdict | error | ");
	/* The file is another one when the piece is read. */
	folder_put(&home, "run", "");
	assert_int_equal(stored_pieces_give(&p, 1, add_kind, &kinds, &err), -EIO);
	stored_pieces_fini(&p);
	folder_remove(&home);
}
