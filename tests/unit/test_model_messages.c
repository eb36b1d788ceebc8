/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/access.c model/transfer.c */
/* Members that messages bring besides their bytes, completions that nobody polls at once, and words that atomic operations change. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "model/model.h"
#include "model/render.h"

#include "../help/model-op.h"

#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* Host 1 has a region in slot 0, and @receives receive requests. */
static void begin(struct model_world *w, int receives)
{
	struct model_op op = plain(VERB_REG_MR, 1);

	model_init(w, MODEL_SOUND);
	op.made = 0;
	op.access = ALL;
	carry_out(w, op);
	while (receives--)
		carry_out(w, plain(VERB_POST_RECV, 1));
}

static struct model_op on_region(enum model_verb verb)
{
	struct model_op op = plain(verb, 0);

	op.key = 0;
	return op;
}

TEST(test_model__words__follow_atomic_operations)
{
	struct model_op swap = on_region(VERB_CMP_SWAP);
	struct model_prediction p;
	struct model_world w;

	begin(&w, 0);
	p = carry_out(&w, on_region(VERB_WRITE));
	p = carry_out(&w, on_region(VERB_FETCH_ADD));
	assert_true(p.original);
	assert_true(p.read[0].word == UINT64_C(0x1111111111111111));
	assert_true(w.slot[0].block[0].word == UINT64_C(0x1111111111111112));
	assert_int_equal(w.slot[0].block[0].fill, 0x11);
	/* Another value leaves the bytes as they are. */
	swap.fill = 0x22;
	swap.compare = 7;
	p = carry_out(&w, swap);
	assert_true(p.read[0].word == UINT64_C(0x1111111111111112));
	assert_true(w.slot[0].block[0].word == UINT64_C(0x1111111111111112));
	swap.compare = w.slot[0].block[0].word;
	p = carry_out(&w, swap);
	assert_int_equal(p.done[0].opcode, IBV_WC_COMP_SWAP);
	assert_true(w.slot[0].block[0].word == UINT64_C(0x2222222222222222));
	/* A write stores all bytes. */
	carry_out(&w, on_region(VERB_WRITE));
	assert_true(w.slot[0].block[0].word == model_word(0x11));
}

TEST(test_model__one_byte_more__is_one_too_many)
{
	struct model_op op = on_region(VERB_WRITE);
	struct model_prediction p;
	struct model_world w;

	begin(&w, 0);
	op.over = true;
	/* In the middle of the region it would change a part of a block. */
	assert_false(model_possible(&w, &op));
	op.first = MODEL_BLOCKS - 1;
	p = carry_out(&w, op);
	assert_int_equal(p.done[0].status[0], IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(p.done[0].rule, RULE_KEY_RANGE);
	assert_int_equal(w.slot[0].block[op.first].fill, 0);
}

TEST(test_model__immediate_data__comes_with_its_message)
{
	struct model_op op = on_region(VERB_WRITE);
	struct model_prediction p;
	struct model_world w;

	begin(&w, 2);
	op.immediate = true;
	op.blocks = 2;
	p = carry_out(&w, op);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.done[1].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(p.done[1].bytes, 2 * MODEL_BLOCK);
	assert_int_equal(p.done[1].immediate, model_immediate(0x11));
	assert_int_equal(p.done[1].fill, MODEL_OTHER);
	assert_int_equal(w.slot[0].block[1].fill, 0x11);
	op = plain(VERB_SEND, 0);
	p = carry_out(&w, op);
	assert_true(p.done[1].immediate == -1);
	/* The documents do not say which error comes first if there is no request. */
	op = on_region(VERB_WRITE);
	op.immediate = true;
	assert_false(model_possible(&w, &op));
}

TEST(test_model__events__come_for_what_was_asked)
{
	static const struct {
		enum model_notice notice;
		bool solicited, event;
	} rows[] = {
		{NOTICE_NONE, true, false}, {NOTICE_ANY, false, true}, {NOTICE_ANY, true, true},
		{NOTICE_SOLICITED, false, false}, {NOTICE_SOLICITED, true, true},
	};
	struct model_op op = plain(VERB_SEND, 0);
	struct model_prediction p;
	struct model_world w;
	size_t i;

	begin(&w, (int)(sizeof(rows) / sizeof(rows[0])));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		op.notice = rows[i].notice;
		op.solicited = rows[i].solicited;
		p = carry_out(&w, op);
		assert_int_equal(p.event, rows[i].event);
	}
	/* Without a receive request there is no completion of the receiver. */
	assert_false(model_possible(&w, &op));
	op.notice = NOTICE_NONE;
	assert_true(model_possible(&w, &op));
}

TEST(test_model__completions_that_were_left__come_first)
{
	struct model_op op = plain(VERB_SEND, 0), reset = plain(VERB_MODIFY, 1);
	struct model_prediction p;
	struct model_world w;

	begin(&w, 4);
	op.leave = true;
	p = carry_out(&w, op);
	assert_int_equal(p.count, 1);
	assert_false(p.done[0].receive);
	carry_out(&w, op);
	/* A reset may remove them or not. */
	reset.state = IBV_QPS_RESET;
	assert_false(model_possible(&w, &reset));
	op = plain(VERB_RECONNECT, 0);
	assert_false(model_possible(&w, &op));
	reset.state = IBV_QPS_ERR;
	p = carry_out(&w, reset);
	assert_int_equal(p.count, 4);
	assert_int_equal(p.done[0].status[0], IBV_WC_SUCCESS);
	assert_int_equal(p.done[0].rule, RULE_UNPOLLED);
	assert_int_equal(p.done[1].status[0], IBV_WC_SUCCESS);
	assert_int_equal(p.done[2].status[0], IBV_WC_WR_FLUSH_ERR);
	assert_true(model_possible(&w, &op));
}

TEST(test_model__polls__take_what_was_left)
{
	struct model_op op = plain(VERB_SEND, 0), poll = plain(VERB_POLL, 1);
	struct model_prediction p;
	struct model_world w;

	begin(&w, 1);
	assert_false(model_possible(&w, &poll));
	op.leave = true;
	carry_out(&w, op);
	p = carry_out(&w, poll);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.done[0].id, 1);
	assert_false(model_possible(&w, &poll));
}

/* The scenario polls what was left at its end, asks for the event, and compares words. */
TEST(test_model__steps__have_all_of_it)
{
	struct model_op op[] = {plain(VERB_REG_MR, 1), plain(VERB_POST_RECV, 1), on_region(VERB_FETCH_ADD), plain(VERB_SEND, 0)};
	auto_value struct value *steps = value_list();
	auto_free char *text = NULL;

	op[0].made = 0;
	op[0].access = ALL;
	op[3].leave = op[3].immediate = op[3].solicited = true;
	op[3].notice = NOTICE_SOLICITED;
	assert_int_equal(model_render(op, 4, MODEL_SOUND, steps, NULL), 4);
	text = value_show(steps);
	assert_non_null(strstr(text, "b.req_notify_cq: {cq: \"q_rq\", solicited_only: true}"));
	assert_non_null(strstr(text, "b.get_cq_event: {cq: \"q_rq\"}"));
	assert_non_null(strstr(text, "opcode: \"SEND_WITH_IMM\""));
	assert_non_null(strstr(text, "flags: [\"SIGNALED\", \"SOLICITED\"]"));
	assert_non_null(strstr(text, "imm: 268435473"));
	assert_non_null(strstr(text, "expect: {word: 0}"));
	assert_non_null(strstr(text, "expect: {word: 1}, note: \"DATA-ATOMIC"));
	assert_non_null(strstr(text, "CQ-CQE-MIN: a completion stays"));
}
