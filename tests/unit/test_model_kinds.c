/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/access.c model/queue.c model/window.c model/render-queue.c model/cases-region.c */
/* Zero-based regions and windows, and completion queues that overflow. */
#include "cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "model/cases.h"
#include "model/model.h"
#include "model/render.h"

#include "../help/model-op.h"

#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND)

static struct model_op region(enum model_way way)
{
	struct model_op op = plain(VERB_REG_MR, 1);

	op.made = 0;
	op.access = ALL;
	op.way = way;
	return op;
}

/* Host 1 has a region in slot 0 and a window of @type in slot 1; the operation binds blocks 1 and 2, zero-based. */
static struct model_op with_window(struct model_world *w, struct model_stack stack, int type)
{
	struct model_op op = plain(VERB_ALLOC_MW, 1);

	model_init(w, stack);
	carry_out(w, region(WAY_PLAIN));
	op.made = 1;
	op.type = type;
	carry_out(w, op);
	op = plain(VERB_BIND, 1);
	op.type = type;
	op.made = 2;
	op.window = 1;
	op.region = 0;
	op.first = 1;
	op.blocks = 2;
	op.access = IBV_ACCESS_REMOTE_WRITE;
	op.zero = true;
	return op;
}

TEST(test_model__a_zero_based_region__counts_from_zero)
{
	struct model_op op = plain(VERB_WRITE, 0);
	struct model_prediction p;
	struct model_world w;
	int64_t address = -1;

	model_init(&w, MODEL_SOUND);
	p = carry_out(&w, region(WAY_ZERO_BASED));
	assert_int_equal(p.returns, RETURN_POINTER);
	assert_true(model_address(&w, 0, 2, &address));
	assert_int_equal(address, 2 * MODEL_BLOCK);
	op.key = 0;
	p = carry_out(&w, op);
	assert_int_equal(p.done[0].rule, RULE_ZERO_BASED);
	/* A plain region has no addresses of its own. */
	model_init(&w, MODEL_SOUND);
	carry_out(&w, region(WAY_PLAIN));
	assert_false(model_address(&w, 0, 2, &address));
}

TEST(test_model__a_device_without_zero_based_regions__says_so)
{
	struct model_op op = region(WAY_ZERO_BASED);
	struct model_prediction p;
	struct model_world w;

	model_init(&w, (struct model_stack){.lacks = 1u << LACK_ZERO_BASED});
	p = carry_out(&w, op);
	assert_int_equal(p.returns, RETURN_NOT_SUPPORTED);
	assert_int_equal(w.slot[0].kind, KIND_NONE);
	/* With rights that no region may have, two errors are right. */
	op.access = IBV_ACCESS_REMOTE_WRITE;
	assert_false(model_possible(&w, &op));
	model_init(&w, (struct model_stack){.exceptions = 1u << EXCEPT_ZERO_BASED});
	op.access = ALL;
	assert_false(model_possible(&w, &op));
}

TEST(test_model__a_zero_based_window__counts_from_its_start)
{
	struct model_op op, access = plain(VERB_WRITE, 0);
	struct model_prediction p;
	struct model_world w;
	int64_t address = -1;

	op = with_window(&w, MODEL_SOUND, 2);
	p = carry_out(&w, op);
	assert_int_equal(p.done[0].status[0], IBV_WC_SUCCESS);
	assert_true(model_address(&w, 2, 2, &address));
	assert_int_equal(address, MODEL_BLOCK);
	access.key = 2;
	access.first = 2;
	p = carry_out(&w, access);
	assert_int_equal(p.done[0].rule, RULE_WINDOW_ZERO);
	assert_int_equal(w.slot[0].block[2].fill, 0x11);
	access.first = 0;
	p = carry_out(&w, access);
	assert_int_equal(p.done[0].rule, RULE_WINDOW_RANGE);
}

TEST(test_model__a_window_of_type_1__cannot_be_zero_based)
{
	struct model_prediction p;
	struct model_world w;
	struct model_op op;

	op = with_window(&w, MODEL_SOUND, 1);
	p = carry_out(&w, op);
	assert_int_equal(p.returns, RETURN_EINVAL);
	assert_int_equal(p.rule, RULE_BIND_ZERO);
	assert_int_equal(w.slot[1].binding, -1);
	/* Nobody says which of two errors comes first. */
	op.blocks = MODEL_BLOCKS + 1;
	assert_false(model_possible(&w, &op));
	op = with_window(&w, (struct model_stack){.exceptions = 1u << EXCEPT_ZERO_BEYOND}, 2);
	op.blocks = MODEL_BLOCKS;
	assert_false(model_possible(&w, &op));
	op.blocks = MODEL_BLOCKS + 1;
	assert_true(model_possible(&w, &op));
}

TEST(test_model__an_overflow__ends_its_connection_only)
{
	struct model_op op = plain(VERB_OVERFLOW, 0), send = plain(VERB_SEND, 0), again = plain(VERB_RECONNECT, 0),
			resize = plain(VERB_RESIZE_CQ, 1), receive = plain(VERB_POST_RECV, 1);
	struct model_prediction p;
	struct model_world w;

	model_init(&w, MODEL_SOUND);
	p = carry_out(&w, op);
	assert_true(p.overflow);
	assert_int_equal(p.count, MODEL_SHORT + 1);
	assert_int_equal(p.done[MODEL_SHORT].id, MODEL_OVERFLOW + MODEL_SHORT);
	assert_int_equal(p.done[0].rule, RULE_OVERFLOW_DONE);
	resize.size = 64;
	assert_false(model_possible(&w, &send) || model_possible(&w, &again) || model_possible(&w, &resize) || model_possible(&w, &op));
	op.pair = send.pair = again.pair = resize.pair = receive.pair = 1;
	assert_true(model_possible(&w, &again) && model_possible(&w, &resize) && model_possible(&w, &send));
	op.receive = true;
	assert_int_equal(carry_out(&w, op).count, 0);
	/* The operation is not possible while the queue has a request or a completion of others. */
	model_init(&w, MODEL_SOUND);
	carry_out(&w, receive);
	assert_false(model_possible(&w, &op));
	send.leave = true;
	carry_out(&w, send);
	assert_false(model_possible(&w, &op));
	op.pair = MODEL_SHARED;
	assert_false(model_possible(&w, &op));
}

TEST(test_model__steps__have_zero_and_overflow)
{
	struct model_op op[] = {region(WAY_ZERO_BASED), plain(VERB_WRITE, 0), plain(VERB_OVERFLOW, 0)};
	auto_value struct value *steps = value_list();
	auto_free char *text = NULL;

	op[1].key = 0;
	op[1].first = 3;
	op[2].receive = true;
	assert_int_equal(model_render(op, 3, MODEL_SOUND, steps, NULL), 3);
	text = value_show(steps);
	assert_non_null(strstr(text, "\"ZERO_BASED\"]"));
	assert_non_null(strstr(text, "remote_addr: 192, rkey"));
	assert_non_null(strstr(text, "b.resize_cq: {cq: \"q_rq\", cqe: 3}"));
	assert_non_null(strstr(text, "count: \"$b.o2.cqe+1\""));
	assert_non_null(strstr(text, "b.get_async_event: {cq: \"q_rq\"}, expect: {event: \"CQ_ERR\", cq: \"q_rq\"}"));
	assert_non_null(strstr(text, "any_of: [\"RTS\", \"ERR\"]"));
}

/* A row in which the device may refuse the region has both outcomes. */
TEST(test_model__zero_based_rows__have_two_outcomes)
{
	auto_value struct value *rows = model_region_cases();
	const struct value *steps, *either;
	size_t i, n = 0;

	for (i = 0; i < rows->list.count; i++) {
		if (strncmp(value_get_string(rows->list.item[i], "case", ""), "zero-based-", strlen("zero-based-")))
			continue;
		steps = value_get(rows->list.item[i], "steps");
		assert_int_equal(steps->list.count, 1);
		either = value_get(steps->list.item[0], "either");
		assert_int_equal(either->list.item[0]->list.count, 1);
		assert_true(either->list.item[1]->list.count > 2);
		n++;
	}
	assert_int_equal(n, 5);
}
