/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/access.c model/pair.c model/window.c model/rules.c model/transfer.c model/verbs.c */
/* covers: model/access.c model/transfer.c model/queue.c model/render-queue.c model/render.c */
/* covers: model/draw.c model/window.c model/world.c model/cases.c model/cases-peer.c model/cases-queue.c model/cases-region.c */
/* covers: model/render-queue.c model/cases-queue.c model/cases-window.c model/render.c model/render-expect.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <verbatim/qp.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/clauses.h"
#include "model/cases.h"
#include "model/draw.h"
#include "model/model.h"
#include "model/render.h"

#include "../help/model-op.h"

TEST(test_model__transitions__are_those_of_the_table)
{
	struct model_prediction p;
	struct model_world w;
	struct model_op op = plain(VERB_MODIFY, 0);
	int from, to;
	bool sound;

	for (from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
		for (to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++) {
			if (from == IBV_QPS_SQE || to == IBV_QPS_SQE)
				continue;
			model_init(&w, MODEL_SOUND);
			w.pair[0][0].state = (enum ibv_qp_state)from;
			op.state = (enum ibv_qp_state)to;
			assert_true(model_possible(&w, &op));
			model_predict(&w, &op, &p);
			sound = vbm_qp_transition(IBV_QPT_RC, (enum ibv_qp_state)from, (enum ibv_qp_state)to);
			assert_int_equal(p.returns, sound ? RETURN_OK : RETURN_EINVAL);
			assert_int_equal(w.pair[0][0].state, sound ? to : from);
		}
}

/* Each rule names a clause that exists, and each clause's rule says one sentence. */
TEST(test_model__rules__have_clauses)
{
	auto_free char *path = xasprintf("%s/scenarios/clauses.tsv", getenv("VBM_SRCDIR") ? getenv("VBM_SRCDIR") : ".");
	const struct model_statement *s;
	struct vbm_error err = {0};
	struct clauses c;
	int rule;

	assert_int_equal(clauses_parse(&c, text_of_file(path, &err), &err), 0);
	for (rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
		s = model_statement((enum model_rule)rule);
		assert_non_null(s->text);
		if (!clause_find(&c, s->clause))
			fail_msg("rule %d: there is no clause %s", rule, s->clause);
	}
	clauses_fini(&c);
}

/* The rules that the model used, over all operations of random sequences. */
struct seen {
	bool rule[RULE_COUNT];
	int most;
};

static void check_prediction(struct seen *s, const struct model_world *w, const struct model_op *op, const struct model_prediction *p)
{
	int h, n, i;

	s->rule[p->rule] = true;
	s->rule[RULE_EVENT] |= p->event && op->notice == NOTICE_ANY;
	s->rule[RULE_EVENT_SOLICITED] |= op->notice == NOTICE_SOLICITED && !p->event;
	s->most = p->count > s->most ? p->count : s->most;
	for (i = 0; i < p->count; i++) {
		s->rule[p->done[i].rule] = true;
		assert_true(p->done[i].rule != RULE_NONE);
		/* Several outcomes have a reason. */
		assert_true(p->done[i].statuses < 2 || p->done[i].why);
	}
	assert_true(p->rule != RULE_NONE || p->count);
	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++) {
			assert_true(w->pair[h][n].state != IBV_QPS_ERR || !w->pair[h][n].own.count);
			s->rule[RULE_ERROR] |= p->settles[h][n];
		}
}

static void walk(struct seen *s, struct model_draw *d, struct model_stack stack)
{
	struct model_prediction p;
	struct model_world w;
	struct model_op op;
	int slot, i;

	model_init(&w, stack);
	for (i = slot = 0; i < 60; i++) {
		assert_true(model_draw_op(d, &w, slot, &op));
		assert_true(model_possible(&w, &op));
		model_predict(&w, &op, &p);
		check_prediction(s, &w, &op, &p);
		slot += w.slot[slot].kind != KIND_NONE;
	}
}

TEST(test_model__random_sequences__use_every_rule)
{
	struct seen s = {.most = 0};
	struct model_draw d;
	int i;

	model_draw_init(&d, 7, GROUPS_ALL | 1u << GROUP_ODP);
	for (i = 0; i < 8000; i++) {
		/* Some rules need many operations on few kinds of objects. */
		if (i == 6000)
			model_draw_init(&d, 8, 1u << GROUP_MR | 1u << GROUP_MW);
		if (i == 7000)
			model_draw_init(&d, 9, 1u << GROUP_MR | 1u << GROUP_QP);
		walk(&s, &d, (struct model_stack){.exceptions = i % 2 ? ~0u : 0, .lacks = i % 8 ? 0 : ~0u});
	}
	for (i = RULE_NONE + 1; i < RULE_COUNT; i++)
		if (!s.rule[i])
			fail_msg("no sequence used rule %d (%s)", i, model_statement((enum model_rule)i)->text);
	assert_in_range(s.most, 2, MODEL_COMPLETIONS - 1);
}

static size_t tries_of(struct value *(*make)(void), size_t *steps)
{
	auto_value struct value *rows = make();
	const struct value *list;
	size_t i, k, n = 0;

	for (i = 0; i < rows->list.count; i++) {
		list = value_get(rows->list.item[i], "steps");
		*steps += list->list.count;
		/* A choice between two outcomes is one, too: a region that a device may refuse, a bind that is refused at once or later. */
		for (k = 0; k < list->list.count; k++)
			n += value_member(list->list.item[k], "b.reg_mr") || value_get(list->list.item[k], "either");
		assert_true(value_get(rows->list.item[i], "clause")->list.count > 0);
	}
	return n;
}

/* A matrix that silently lost combinations would pass as well. */
TEST(test_model__matrices__have_their_combinations)
{
	size_t steps = 0;

	assert_int_equal(tries_of(model_window_cases, &steps), 253);
	assert_int_equal(tries_of(model_region_cases, &steps), 158);
	assert_int_equal(tries_of(model_peer_cases, &steps), 408);
	assert_int_equal(tries_of(model_shared_cases, &steps), 540);
	assert_int_equal(tries_of(model_datagram_cases, &steps), 342);
	assert_int_equal(tries_of(model_attribute_cases, &steps), 755);
	assert_int_equal(tries_of(model_completion_cases, &steps), 133);
	assert_in_range(steps, 5000, 60000);
}

TEST(test_model__what_is_open__is_predicted_by_name)
{
	struct model_op op = plain(VERB_ALLOC_MW, 1);
	struct model_prediction p;
	struct model_world w;

	model_init(&w, MODEL_SOUND);
	op.made = 0;
	op.type = 2;
	model_predict(&w, &op, &p);
	op = plain(VERB_LOCAL_INV, 1);
	op.key = 0;
	assert_true(model_possible(&w, &op));
	model_predict(&w, &op, &p);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.done[0].statuses, 2);
	assert_string_equal(p.done[0].why, model_statement(RULE_INVALIDATE_FREE)->silent);
	/* After that nothing is said about the window and the queue pair, until they are made anew. */
	assert_false(model_possible(&w, &op));
	op = plain(VERB_RECONNECT, 0);
	model_predict(&w, &op, &p);
	op = plain(VERB_DEALLOC_MW, 1);
	op.window = 0;
	assert_true(model_possible(&w, &op));
}

TEST(test_model__exceptions__add_and_avoid)
{
	struct model_op op = plain(VERB_LOCAL_INV, 0), made = plain(VERB_REG_MR, 0);
	struct model_prediction p;
	struct model_world w;

	model_init(&w, (struct model_stack){.exceptions = 1u << EXCEPT_FLUSH_HIDES | 1u << EXCEPT_SQD_RTS});
	made.made = 0;
	model_predict(&w, &made, &p);
	op.key = 0;
	model_predict(&w, &op, &p);
	assert_int_equal(p.done[0].status[0], IBV_WC_LOC_QP_OP_ERR);
	assert_int_equal(p.done[0].status[1], IBV_WC_WR_FLUSH_ERR);
	op = plain(VERB_RECONNECT, 0);
	model_predict(&w, &op, &p);
	op = plain(VERB_MODIFY, 0);
	op.state = IBV_QPS_SQD;
	model_predict(&w, &op, &p);
	op = plain(VERB_SEND, 0);
	assert_false(model_possible(&w, &op));
	w.stack.exceptions = 0;
	assert_true(model_possible(&w, &op));
}

/* A queue pair without resources for reads refuses them, and no writes. Exceptions avoid what older kernels do with more. */
TEST(test_model__depth__decides_reads)
{
	struct model_op op = plain(VERB_SET_ATTRIBUTE, 1), made = plain(VERB_REG_MR, 1), use = plain(VERB_READ, 0);
	struct model_prediction p;
	struct model_world w;

	model_init(&w, (struct model_stack){.exceptions = 1u << EXCEPT_DEPTH});
	made.made = use.key = 0;
	made.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	model_predict(&w, &made, &p);
	op.changes = IBV_QP_MAX_DEST_RD_ATOMIC;
	op.size = 128;
	/* The call is refused in RTS, so it does no harm. */
	assert_true(model_possible(&w, &op));
	w.pair[1][0].state = IBV_QPS_SQD;
	assert_false(model_possible(&w, &op));
	op.size = 0;
	assert_false(model_possible(&w, &op));
	w.stack.exceptions = 0;
	assert_true(model_possible(&w, &op));
	model_predict(&w, &op, &p);
	assert_int_equal(p.returns, RETURN_OK);
	use.verb = VERB_WRITE;
	model_predict(&w, &use, &p);
	assert_int_equal(p.done[0].status[0], IBV_WC_SUCCESS);
	use.verb = VERB_READ;
	model_predict(&w, &use, &p);
	assert_int_equal(p.done[0].status[0], IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(p.done[0].rule, RULE_RESOURCES);
}

TEST(test_model__shrinking__is_avoided_where_it_crashes)
{
	struct model_op op = plain(VERB_MODIFY_SRQ, 1), post = plain(VERB_POST_SRQ, 1);
	struct model_prediction p;
	struct model_world w;
	int i;

	model_init(&w, MODEL_SOUND);
	op.changes = IBV_SRQ_MAX_WR;
	op.size = 1;
	for (i = 0; i < 5; i++)
		model_predict(&w, &post, &p);
	assert_true(model_possible(&w, &op));
	w.stack.exceptions = 1u << EXCEPT_SHARED_SHRINK;
	assert_false(model_possible(&w, &op));
	op.size = 16;
	assert_true(model_possible(&w, &op));
}

TEST(test_model__steps__leave_out_what_is_impossible)
{
	auto_value struct value *steps = value_list();
	struct model_op op[3] = {plain(VERB_REG_MR, 1), plain(VERB_WRITE, 0), plain(VERB_WRITE, 0)};
	auto_free char *text = NULL;
	bool kept[3];

	op[0].made = 5;
	op[0].access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	op[1].key = 4;
	op[2].key = 5;
	op[2].fill = 0x11;
	assert_int_equal(model_render(op, 3, MODEL_SOUND, steps, kept), 2);
	assert_true(kept[0] && !kept[1] && kept[2]);
	text = value_show(steps);
	assert_non_null(strstr(text, "rkey: \"$b.m5.rkey\""));
	assert_non_null(strstr(text, "DATA-WRITE: an RDMA write stores"));
}
