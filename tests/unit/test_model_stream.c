/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/access.c model/transfer.c job-walk/lacks.c */
/* Predictions for devices that lack something: no such operation, or, over iWARP, completions that are no answers. */
#include "cmocka_all.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "model/draw.h"
#include "model/model.h"
#include "model/render.h"
#include "names/device-types.h"
#include "job-walk/lacks.h"

#include "../help/model-op.h"

#define SIW ((struct model_stack){.lacks = lacks_of_abilities(device_type_find("siw")->can)})

/* Host 1 has a region in slot 0 with these rights. */
static void begin(struct model_world *w, struct model_stack stack, int access)
{
	struct model_op op = plain(VERB_REG_MR, 1);

	model_init(w, stack);
	op.made = 0;
	op.access = access;
	carry_out(w, op);
}

static struct model_op on_region(enum model_verb verb)
{
	struct model_op op = plain(verb, 0);

	op.key = 0;
	return op;
}

TEST(test_lacks__follow_from_abilities)
{
	unsigned lacks = lacks_of_abilities("srq uds ud");

	assert_false(lacks & 1u << LACK_UD);
	assert_true(lacks & 1u << LACK_ACKS);
	assert_int_equal(lacks_of_abilities(device_type_find("rxe")->can), 0);
	assert_true(lacks_of_abilities("uds") & 1u << LACK_UD);
	assert_true(lacks_of_abilities("srq") & 1u << LACK_QUERY_SRQ);
}

TEST(test_model__what_a_device_lacks__is_not_drawn)
{
	struct sequence s;
	struct model_world w;
	size_t i, seen = 0;
	int n;

	for (n = 0; n < 200; n++) {
		sequence_draw(&s, (uint64_t)n, GROUPS_ALL | 1u << GROUP_ODP, SIW, 40);
		for (i = 0; i < s.count; i++) {
			assert_true(s.op[i].verb != VERB_ALLOC_MW && s.op[i].verb != VERB_FETCH_ADD && s.op[i].verb != VERB_RESIZE_CQ);
			assert_true(s.op[i].pair != MODEL_DATAGRAM && !s.op[i].immediate && s.op[i].way != WAY_ON_DEMAND);
			assert_true(s.op[i].verb != VERB_MODIFY || s.op[i].state == IBV_QPS_ERR);
			seen |= 1u << s.op[i].verb;
		}
	}
	assert_true(seen & 1u << VERB_MODIFY && seen & 1u << VERB_WRITE && seen & 1u << VERB_POST_SRQ && seen & 1u << VERB_RECONNECT);
	model_init(&w, SIW);
}

TEST(test_model__a_refused_write__ends_the_stream)
{
	struct model_op again = plain(VERB_RECONNECT, 0), op = on_region(VERB_WRITE);
	struct model_prediction p;
	struct model_world w;

	begin(&w, SIW, IBV_ACCESS_REMOTE_READ);
	p = carry_out(&w, op);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.done[0].statuses, MODEL_ANY);
	/* The bytes are as they were. */
	assert_int_equal(p.changed, 0);
	assert_int_equal(w.slot[0].block[0].fill, 0);
	assert_false(model_possible(&w, &op));
	carry_out(&w, again);
	op.verb = VERB_READ;
	p = carry_out(&w, op);
	assert_int_equal(p.done[0].status[0], IBV_WC_SUCCESS);
	/* Where a completion is an answer, it says why. */
	begin(&w, MODEL_SOUND, IBV_ACCESS_REMOTE_READ);
	p = carry_out(&w, on_region(VERB_WRITE));
	assert_int_equal(p.done[0].status[0], IBV_WC_REM_ACCESS_ERR);
}

TEST(test_model__a_refused_read__does_not_succeed)
{
	struct model_op op = on_region(VERB_READ);
	struct model_stack known = SIW;
	struct model_prediction p;
	struct model_world w;

	begin(&w, SIW, IBV_ACCESS_LOCAL_WRITE);
	p = carry_out(&w, op);
	assert_int_equal(p.done[0].statuses, 0);
	known.exceptions = 1u << EXCEPT_READ_RIGHT;
	begin(&w, known, IBV_ACCESS_LOCAL_WRITE);
	assert_false(model_possible(&w, &op));
	/* The finding is about rights, not about bounds. */
	begin(&w, known, IBV_ACCESS_REMOTE_READ);
	op.first = MODEL_BLOCKS - 1;
	op.blocks = 2;
	assert_true(model_possible(&w, &op));
}

TEST(test_model__the_end_of_a_stream__needs_empty_queues)
{
	struct model_op send = plain(VERB_SEND, 0), end = plain(VERB_MODIFY, 0);
	struct model_prediction p;
	struct model_world w;

	end.state = IBV_QPS_ERR;
	begin(&w, SIW, IBV_ACCESS_REMOTE_READ);
	carry_out(&w, plain(VERB_POST_RECV, 1));
	assert_false(model_possible(&w, &end));
	send.verb = VERB_WRITE;
	send.key = 0;
	assert_false(model_possible(&w, &send));
	send.verb = VERB_SEND;
	p = carry_out(&w, send);
	assert_int_equal(p.count, 2);
	carry_out(&w, plain(VERB_POST_RECV, 0));
	p = carry_out(&w, end);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.done[0].status[0], IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(p.rule, RULE_STREAM_END);
	assert_true(w.pair[0][0].known);
	assert_false(w.pair[1][0].known);
	/* A message without a request ends it, too. */
	carry_out(&w, plain(VERB_RECONNECT, 0));
	p = carry_out(&w, send);
	assert_int_equal(p.done[0].statuses, MODEL_ANY);
}

TEST(test_model__steps__wait_for_what_arrives_later)
{
	struct model_op op[] = {plain(VERB_REG_MR, 1), on_region(VERB_WRITE), plain(VERB_POST_SRQ, 1), plain(VERB_RECONNECT, 0)};
	auto_value struct value *steps = value_list();
	auto_free char *text = NULL;

	op[0].made = 0;
	op[0].access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	op[2].pair = op[3].pair = MODEL_SHARED;
	assert_int_equal(model_render(op, 4, SIW, steps, NULL), 4);
	assert_string_equal(model_fragment(op, 4), "pairs_with_shared");
	assert_string_equal(model_fragment(op, 2), "two_pairs");
	text = value_show(steps);
	assert_non_null(strstr(text, "offset: 0, length: 64}, until: {data: \"0x11\"}, deadline: 500"));
	assert_non_null(strstr(text, "use: {reconnect: {qp: \"s\", shared: true}}"));
}
