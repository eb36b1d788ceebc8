/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: coverage/uses.c coverage/codes.c runs/stored.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "coverage/codes.h"
#include "runs/stored.h"
#include "lib/base/fail.h"
#include "names/consts.h"
#include "../help/folder.h"
#include "../help/variant.h"
#include "diag-help.h"

static void note_edge(void *arg, const struct code_use *use)
{
	auto_free char *name = uses_edge_name((size_t)use->value);

	assert_ptr_equal(use->set, &uses_edge_set);
	assert_true(use->named);
	text_addf(arg, "%s ", name);
}

static void shows(const char *items, const char *wanted)
{
	auto_text struct text out = {0};
	struct plan plan = {0};

	make_variant(&plan, "['a', 'b']", items);
	uses_edges_collect(&plan.item[0], note_edge, &out);
	assert_string_equal(out.len ? out.s : "", wanted);
	plan_fini(&plan);
}

/* IBV_QPS_* and IBV_QPT_* are numbers in a plan. */
#define CREATE(more) "{'actor': 0, 'step': 'create_qp'" more "}"
#define MODIFY(state, more) "{'actor': 0, 'step': 'modify_qp', 'args': {'state': " #state more "}"

TEST(test_edges__path__of_a_queue_pair)
{
	shows("[" CREATE("") ", " MODIFY(1, "}") ", " MODIFY(2, "}") ", " MODIFY(3, "}") "]",
	      "RC:RESET-INIT RC:INIT-RTR RC:RTR-RTS ");
	/* A call without a state leaves the queue pair in its state. */
	shows("[" CREATE("") ", " MODIFY(1, "}") ", {'actor': 0, 'step': 'modify_qp'}]", "RC:RESET-INIT RC:INIT-INIT ");
	/* A transition that no table has does not count. */
	shows("[" CREATE("") ", " MODIFY(3, "}") "]", "");
}

/* A call that fails changes nothing, and neither does one that may fail. */
TEST(test_edges__only_success__changes_a_state)
{
	shows("[" CREATE("") ", " MODIFY(1, "}, 'expect': {'return': 22}") ", " MODIFY(2, "}") "]", "");
	shows("[" CREATE("") ", " MODIFY(1, "}, 'expect': {'return': 0}") "]", "RC:RESET-INIT ");
	shows("[" CREATE("") ", " MODIFY(1, "}, 'mode': 'nothing'") "]", "");
	shows("[" CREATE("") ", " MODIFY(1, "}, 'death': 'SEGV'") "]", "");
	shows("[" CREATE(", 'expect': {'return': 12}") ", " MODIFY(1, "}") "]", "");
}

/* Each queue pair has its own state, and each process its own queue pairs. */
TEST(test_edges__several__are_told_apart)
{
	shows("[" CREATE(", 'as': 'x'") ", " CREATE(", 'as': 'y'") ", " MODIFY(1, ", 'qp': 'x'}") ", "
	      MODIFY(1, ", 'qp': 'y'}") ", " MODIFY(2, ", 'qp': 'x'}") "]",
	      "RC:RESET-INIT RC:RESET-INIT RC:INIT-RTR ");
	/* Without a name, the last object is meant. */
	shows("[" CREATE(", 'as': 'x'") ", " CREATE(", 'as': 'y', 'args': {'qp_type': 4}") ", " MODIFY(1, "}") "]",
	      "UD:RESET-INIT ");
	shows("[" CREATE("") ", {'actor': 1, 'step': 'modify_qp', 'args': {'state': 1}}]", "");
	shows("[" CREATE(", 'as': 'x'") ", " MODIFY(1, ", 'qp': 'z'}") "]", "");
}

/* The calls before a trial always succeed, from the start. */
TEST(test_edges__trial__begins_anew)
{
	shows("[" CREATE("") ", " MODIFY(1, "}") ", {'actor': 0, 'step': 'try_modify_qp', 'args': {'start': "
	      "[{'state': 1}, {'state': 2}], 'state': 3}}]",
	      "RC:RESET-INIT RC:RESET-INIT RC:INIT-RTR RC:RTR-RTS ");
	shows("[" CREATE("") ", {'actor': 0, 'step': 'try_modify_qp', 'args': {'start': [{'state': 1}], 'state': 2},"
	      " 'expect': {'return': 22}}]", "RC:RESET-INIT ");
}

TEST(test_edges__names__end_with_the_table)
{
	size_t i;
	char *name;

	for (i = 0; (name = uses_edge_name(i)); i++) {
		assert_non_null(strchr(name, ':'));
		assert_null(strchr(name, '?'));
		free(name);
	}
	assert_true(i > 10);
	assert_null(uses_edge_name(i + 1));
}

static const struct code *code_called(const struct codes *codes, const char *name, const char *call)
{
	size_t i;

	for (i = 0; i < codes->count; i++)
		if (!strcmp(codes->item[i].name, name) &&
		    (call ? codes->item[i].call && !strcmp(codes->item[i].call, call) : !codes->item[i].call))
			return &codes->item[i];
	return NULL;
}

static const struct code *must_have_code(const struct codes *codes, const char *name, const char *call)
{
	static const struct code none;
	const struct code *code = code_called(codes, name, call);

	if (code)
		return code;
	fail_msg("there is no code %s", name);
	return &none;
}

TEST(test_codes__errno__is_of_its_call)
{
	struct codes codes;
	const struct code *code;
	struct code_use use;

	codes_make(&codes);
	code = must_have_code(&codes, "EBUSY", "ibv_dealloc_pd");
	use = (struct code_use){.set = &const_errno, .call = "ibv_dealloc_pd(3)", .value = EBUSY};
	assert_true(code_is(code, &use));
	use.call = "ibv_dealloc_pd";
	assert_true(code_is(code, &use));
	use.call = "ibv_dealloc_pd_ex(3)";
	assert_false(code_is(code, &use));
	use.call = "ibv_dealloc(3)";
	assert_false(code_is(code, &use));
	use.call = NULL;
	assert_false(code_is(code, &use));
	use = (struct code_use){.set = &const_errno, .call = "ibv_dealloc_pd(3)", .value = EINVAL};
	assert_false(code_is(code, &use));
	/* Each call has its own errnos; no errno is for all calls. */
	assert_null(code_called(&codes, "EBUSY", NULL));
	codes_fini(&codes);
}

/* A number returned by a call has two meanings, so only a name counts; success is not a code. */
TEST(test_codes__return__by_its_name)
{
	struct codes codes;
	const struct code *code;
	struct code_use use;

	codes_make(&codes);
	code = must_have_code(&codes, "EAI_NONAME", NULL);
	use = (struct code_use){.set = code->set, .value = code->value, .named = true};
	assert_true(code_is(code, &use));
	use.named = false;
	assert_false(code_is(code, &use));
	assert_null(code_called(&codes, "OK", NULL));
	codes_fini(&codes);
}

#define SUMMARY(scenarios)                                                                      \
	"{\"event\": \"summary\", \"counts\": {}, \"total\": 1, \"took_ms\": 1, \"kernel\": \"7\", "     \
	"\"layout\": \"netns\", \"lane\": \"uml\", \"accelerator\": \"none\", \"rdma_core\": \"50\", "      \
	"\"librdmacm\": \"x\", \"target\": \"system\", \"exit\": 0" scenarios "}"

static void is_refused(const char *json, const char *why)
{
	struct vbm_error err = {0};
	struct stored_run v;

	assert_int_equal(stored_take(&v, must_read_json(json), &err), -EINVAL);
	if (!strstr(err.msg, why))
		fail_msg("'%s' is not in '%s'", why, err.msg);
	assert_null(v.summary);
}

TEST(test_verdicts__summary__has_those_of_a_run)
{
	struct vbm_error err = {0};
	struct stored_run v;

	if (stored_take(&v, must_read_json(SUMMARY(", \"scenarios\": [{\"name\": \"x\", \"verdict\": \"PASS\"}, "
						     "{\"name\": \"z\", \"verdict\": \"XFAIL\"}]")), &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(v.target, "system");
	assert_int_equal(stored_verdict_of(&v, "x"), VERDICT_PASS);
	assert_int_equal(stored_verdict_of(&v, "z"), VERDICT_XFAIL);
	assert_int_equal(stored_verdict_of(&v, "w"), VERDICT_COUNT);
	stored_fini(&v);
	is_refused(SUMMARY(""), "'scenarios'");
	is_refused(SUMMARY(", \"scenarios\": [{\"name\": \"x\"}]"), "no 'verdict'");
	is_refused(SUMMARY(", \"scenarios\": [{\"name\": \"x\", \"verdict\": \"ODD\"}]"), "'ODD'");
	is_refused("{\"scenarios\": []}", "not the summary of a run");
}

TEST(test_verdicts__folder__of_a_run_that_ended)
{
	struct vbm_error err = {0};
	struct stored_run v;
	struct folder f;

	folder_make(&f);
	assert_int_equal(stored_load(&v, f.path, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "only a run with --output writes one"));
	folder_put(&f, "summary.json", "{\"scenarios\": [");
	assert_true(stored_load(&v, f.path, &err) < 0);
	assert_ptr_equal(strstr(err.msg, f.path), err.msg);
	folder_put(&f, "summary.json", SUMMARY(", \"scenarios\": []"));
	assert_int_equal(stored_load(&v, f.path, &err), 0);
	assert_int_equal(stored_verdict_of(&v, "x"), VERDICT_COUNT);
	stored_fini(&v);
	folder_remove(&f);
}
