/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: explore/batch.c explore/explore.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "explore/explore.h"
#include "explore/batch.h"
#include "model/draw.h"

TEST(test_explore__the_seed__decides_the_sequence)
{
	struct sequence a, b, c;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&c, 0, sizeof(c));
	sequence_draw(&a, 5, GROUPS_ALL, MODEL_SOUND, 40);
	sequence_draw(&b, 5, GROUPS_ALL, MODEL_SOUND, 40);
	sequence_draw(&c, 6, GROUPS_ALL, MODEL_SOUND, 40);
	assert_int_equal(a.count, 40);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(a.op, c.op, sizeof(a.op));
	/* The same on every machine: a seed in a report must mean the same sequence elsewhere. */
	assert_string_equal(model_verb_name(a.op[0].verb), "post_srq_recv");
	assert_string_equal(model_verb_name(a.op[39].verb), "post_srq_recv");
}

TEST(test_explore__groups__limit_the_verbs)
{
	struct sequence s;
	size_t i, failing = 0;

	sequence_draw(&s, 9, 1u << GROUP_QP, MODEL_SOUND, 200);
	for (i = 0; i < s.count; i++) {
		assert_int_not_equal(s.op[i].verb, VERB_ALLOC_MW);
		assert_int_not_equal(s.op[i].verb, VERB_BIND);
	}
	for (i = 0; i < s.count; i++)
		assert_int_equal(s.op[i].fail, 0);
	sequence_draw(&s, 9, 1u << GROUP_QP | 1u << GROUP_FAULT, MODEL_SOUND, 200);
	for (i = 0; i < s.count; i++) {
		failing += s.op[i].fail > 0;
		assert_true(!s.op[i].fail || model_enters_kernel(s.op[i].verb));
	}
	assert_true(failing > 0);
	assert_string_equal(model_group_name(GROUP_MW), "mw");
	assert_null(model_group_name(GROUP_COUNT));
}

/* Removing the operation that makes an object also removes those that use it. */
TEST(test_explore__cut__leaves_only_what_is_possible)
{
	struct sequence s = {.count = 0}, out;

	s.op[s.count++] = (struct model_op){.verb = VERB_REG_MR, .host = 1, .made = 0, .region = -1, .window = -1, .key = -1};
	s.op[s.count++] = (struct model_op){.verb = VERB_POST_RECV, .host = 1, .made = -1, .region = -1, .window = -1, .key = -1};
	s.op[s.count++] = (struct model_op){.verb = VERB_DEREG_MR, .host = 1, .made = -1, .region = 0, .window = -1, .key = -1};
	batch_cut(&out, &s, 0, 1, MODEL_SOUND);
	assert_int_equal(out.count, 1);
	assert_int_equal(out.op[0].verb, VERB_POST_RECV);
	batch_cut(&out, &s, 2, 9, MODEL_SOUND);
	assert_int_equal(out.count, 2);
}

TEST(test_explore__file__has_a_row_for_each)
{
	struct sequence s[2];
	auto_free char *text = NULL, *one = NULL;

	sequence_draw(&s[0], 1, GROUPS_ALL, MODEL_SOUND, 3);
	sequence_draw(&s[1], 2, GROUPS_ALL, MODEL_SOUND, 3);
	text = batch_file(s, 2, 0, MODEL_SOUND);
	assert_non_null(strstr(text, "  - case: s0\n    _n: 0\n    steps:\n      - {"));
	assert_non_null(strstr(text, "  - case: s1\n"));
	one = batch_scenario(s, MODEL_SOUND, "# head\n", "it says \"no\"");
	assert_non_null(strstr(one, "# head\nscenario: \"it says \\\"no\\\"\"\n"));
}

/* A stack that fails whenever a sequence has the two operations with fill 3 and 7. */
static int fails(const struct sequence *s)
{
	int three = 0, seven = 0;
	size_t i;

	for (i = 0; i < s->count; i++) {
		three |= s->op[i].fill == 3;
		seven |= s->op[i].fill == 7 && three;
	}
	return seven;
}

static int try_fake(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	int *calls = arg;

	++*calls;
	assert_in_range(count, 1, SHRINK_MAX);
	for (t->tried = 0; t->tried < count; t->tried++)
		t->fails[t->tried] = fails(&candidate[t->tried]);
	return 0;
}

/* The same where a failure ends the place: nothing is known of the candidates behind it. */
static int try_ending(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	int *calls = arg;

	++*calls;
	for (t->tried = 0; t->tried < count && !(t->tried && t->fails[t->tried - 1]); t->tried++)
		t->fails[t->tried] = fails(&candidate[t->tried]);
	return 0;
}

static void shrink_two(shrink_try *try, int *calls)
{
	struct sequence s = {.count = 200};
	size_t i;

	*calls = 0;
	for (i = 0; i < s.count; i++)
		s.op[i] = (struct model_op){.verb = VERB_RECONNECT, .pair = (int)i % 2, .made = -1, .region = -1, .window = -1,
					    .key = -1, .fill = i == 20 ? 3 : i == 150 ? 7 : 1};
	batch_shrink(&s, MODEL_SOUND, try, calls);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.op[0].fill, 3);
	assert_int_equal(s.op[1].fill, 7);
}

TEST(test_explore__shrink__leaves_the_fewest)
{
	int calls;

	/* Chunks that can go by themselves go together. */
	shrink_two(try_fake, &calls);
	assert_in_range(calls, 5, 14);
	shrink_two(try_ending, &calls);
	assert_in_range(calls, 15, 30);
}

/* Chunks that can go, but not all of them together. */
static int try_long(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	int *tried = arg;

	*tried += (int)count;
	for (t->tried = 0; t->tried < count; t->tried++)
		t->fails[t->tried] = candidate[t->tried].count >= 8;
	return 0;
}

static int try_first(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	int *tried = arg;

	(void)count;
	++*tried;
	t->tried = 1;
	t->fails[0] = candidate[0].count >= 8;
	return 0;
}

/* Chunks before one that was left out are not tried again at the same size. */
TEST(test_explore__shrink__goes_on_where_it_was)
{
	static shrink_try *const ways[] = {try_long, try_first};
	static const int most[] = {40, 90};
	struct sequence s;
	int tried;
	size_t i, k;

	for (k = 0; k < 2; k++) {
		s.count = 64;
		tried = 0;
		for (i = 0; i < s.count; i++)
			s.op[i] = (struct model_op){.verb = VERB_RECONNECT, .made = -1, .region = -1, .window = -1, .key = -1};
		batch_shrink(&s, MODEL_SOUND, ways[k], &tried);
		assert_int_equal(s.count, 8);
		assert_in_range(tried, 8, most[k]);
	}
}

static int try_nothing(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	(void)candidate;
	t->tried = count;
	return ++*(int *)arg > 2 ? -1 : 0;
}

TEST(test_explore__shrink__can_be_stopped)
{
	struct sequence s = {.count = 64};
	int calls = 0;

	batch_shrink(&s, MODEL_SOUND, try_nothing, &calls);
	assert_int_equal(calls, 3);
	assert_int_equal(s.count, 64);
}

static char file[] = "scenario: x\n- {either: [{b.poll_cq: {}, note: \"DATA-FLUSH: requests of a peer's pair are flushed\"}], why: \"no\"}\n";
static char events[] =
	"verbatim: not an event\n"
	"{\"event\":\"begin\",\"lane\":\"uml\",\"accelerator\":\"none\",\"kernel\":\"7.3.4-uml\",\"target\":\"system\",\"rdma_core\":\"44.0\","
	"\"librdmacm\":\"l\",\"total\":3}\n"
	"{\"event\":\"fail\",\"seq\":1,\"ms\":1,\"variant\":0,\"name\":\"4[s0]\",\"line\":2,\"col\":1,\"host\":\"b\",\"call\":\"poll_cq\","
	"\"index\":9,\"field\":\"status\",\"expected\":\"SUCCESS (0)\",\"actual\":\"WR_FLUSH_ERR (5)\"}\n"
	"{\"event\":\"verdict\",\"seq\":2,\"ms\":1,\"variant\":0,\"name\":\"4[s0]\",\"verdict\":\"FAIL\",\"reason\":\"r\",\"took_ms\":1,\"own_us\":1}\n"
	"{\"event\":\"verdict\",\"seq\":3,\"ms\":1,\"variant\":1,\"name\":\"4[s1]\",\"verdict\":\"PASS\",\"reason\":\"\",\"took_ms\":1,\"own_us\":1}\n"
	"{\"event\":\"verdict\",\"variant\":2,\"name\":\"4[s2]\",\"verdict\":\"ERROR\",\"reason\":\"r\",\"took_ms\":0,\"own_us\":0,"
	"\"complaints\":[\"Kernel panic - not syncing: x\\nCall Trace:\\n [<60442f76>] ? um_set+0x1/0x2\\n [<1>] ? rxe_do_it+0x86/0x100\"]}\n";

TEST(test_explore__outcomes__have_causes)
{
	struct explore_outcome out[4];
	struct explore_used used = {.kernel = ""};

	batch_outcomes_read(out, &(struct outcome_file){.count = 4, .text = file}, 1, events, &used);
	assert_string_equal(used.rdma_core, "44.0");
	assert_string_equal(used.kernel, "7.3.4-uml");
	assert_true(out[0].failed && out[0].ran);
	assert_string_equal(out[0].says, "b.poll_cq: status: expected SUCCESS (0), got WR_FLUSH_ERR (5)");
	assert_string_equal(out[0].breaks, "DATA-FLUSH: requests of a peer's pair are flushed");
	assert_true(out[1].ran && !out[1].failed);
	assert_true(out[2].failed);
	assert_string_equal(out[2].cause, "kernel: Kernel panic - not syncing: x in rxe_do_it");
	assert_false(out[3].ran);
	batch_outcomes_fini(out, 4);
}

TEST(test_explore__cause__is_one_for_a_wrong_error)
{
	auto_free char *bind = batch_outcome_cause("poll_cq", "status", "MW_BIND_ERR (6)", "WR_FLUSH_ERR (5)", "MW-BIND-ERR: no range");
	auto_free char *local = batch_outcome_cause("poll_cq", "status", "LOC_QP_OP_ERR (2)", "WR_FLUSH_ERR (5)", "DATA-INV: no key");
	auto_free char *gone = batch_outcome_cause("poll_cq", "status", "REM_ACCESS_ERR (10)", "SUCCESS (0)", "KEY: it is gone");
	auto_free char *right = batch_outcome_cause("poll_cq", "status", "REM_ACCESS_ERR (10)", "SUCCESS (0)", "KEY: it has no right");
	auto_free char *fails = batch_outcome_cause("poll_cq", "status", "SUCCESS (0)", "WR_FLUSH_ERR (5)", "DATA-SEND: it arrives");

	assert_string_equal(bind, local);
	/* Each rule needs a check of its own in the stack. */
	assert_string_not_equal(gone, right);
	assert_string_not_equal(fails, bind);
}

TEST(test_explore__exceptions__are_those_of_the_versions)
{
	auto_free char *dir = xasprintf("%s/scenarios/findings", getenv("VBM_SRCDIR"));
	const unsigned mended = 1u << EXCEPT_SHARED_SHRINK | 1u << EXCEPT_DEPTH | 1u << EXCEPT_WINDOW_DOMAIN |
			      1u << EXCEPT_ZERO_BASED,
		       all = (1u << EXCEPT_COUNT) - 1;
	const unsigned hides = 1u << EXCEPT_FLUSH_HIDES;
	const unsigned siw = 1u << EXCEPT_OWN_ADDRESS | 1u << EXCEPT_LATE_FLUSH | 1u << EXCEPT_SHARED_POST | 1u << EXCEPT_SOLICITED |
			     1u << EXCEPT_READ_RIGHT;
	struct facts facts = {.lane = "uml", .kernel = "7.3.4", .rdma_core = "44.0", .target = "system", .device = "rxe"};
	struct findings list = {.count = 0};
	struct vbm_error err;

	assert_int_equal(findings_load(&list, dir, &err), 0);
	/* Each exception is the name of a finding, and the newest kernel has all except those that were mended. */
	assert_int_equal(explore_exceptions(all, &list, &facts), all & ~mended & ~siw);
	assert_int_equal(explore_exceptions(hides, &list, &facts), hides);
	facts.kernel = "6.1.176";
	assert_int_equal(explore_exceptions(all, &list, &facts), all & ~(siw | hides | 1u << EXCEPT_ON_DEMAND_OFFSET | 1u << EXCEPT_RESET_RUNS));
	/* Another device has findings of its own, and those of the kernel's core and of no driver. */
	facts.kernel = "7.3.4";
	facts.device = "siw";
	assert_int_equal(explore_exceptions(all, &list, &facts), siw | 1u << EXCEPT_RESET_TO_ERR);
	findings_fini(&list);
}
