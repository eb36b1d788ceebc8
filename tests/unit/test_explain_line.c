/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: explain/line.c explain/things.c explain/table-*.c */
#include "cmocka_all.h"

#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "explain-setup.h"
#include "explain/table.h"

UNIT(.each = {load, unload});

/* The names of what is found in a line, with " / " between them. */
static void must_find(const char *line, const char *wanted)
{
	struct value *list = value_list();
	auto_text struct text names = {0};
	size_t i;

	explain_line(list, &survey, &coverage, line);
	text_add(&names, "");
	for (i = 0; i < list->list.count; i++)
		text_addf(&names, "%s%s", i ? " / " : "", value_get_string(list->list.item[i], "name", ""));
	if (strcmp(names.s, wanted) != 0)
		fail_msg("'%s' has '%s', not '%s'", line, names.s, wanted);
	value_free(list);
}

/* Lines that people have pasted into reports of errors, and ours. */
TEST(test_explain__lines_of_programs)
{
	static const char *const row[][2] = {
		/* ibv_rc_pingpong, perftest, rping. */
		{"Failed to modify QP to RTR", "ibv_modify_qp"},
		{"Failed to modify QP 122273 to RTR", "ibv_modify_qp"},
		{" Unable to Connect the HCA's through the link", "ibv_modify_qp"},
		{"Couldn't register MR", "ibv_reg_mr"},
		{"Couldn't create QP", "ibv_create_qp"},
		{"No IB devices found", "ibv_get_device_list"},
		{"Failed status transport retry counter exceeded (12) for wr_id 2", "IBV_WC_RETRY_EXC_ERR"},
		{" Failed status 12: wr_id 0 syndrom 0x81", "IBV_WC_RETRY_EXC_ERR"},
		{"cq completion failed status 5", "IBV_WC_WR_FLUSH_ERR"},
		{"cma event RDMA_CM_EVENT_REJECTED, error 8", "RDMA_CM_EVENT_REJECTED / invalid service id"},
		{"cma event RDMA_CM_EVENT_UNREACHABLE, error -110", "RDMA_CM_EVENT_UNREACHABLE / ETIMEDOUT"},
		{"Couldn't connect to 10.0.0.1:18515", "no other end"},
		/* Programs with calls by hand. */
		{"failed to modify QP state to RTS", "ibv_modify_qp"},
		{"Failed to modify QP to RTR, check mtu, gid, peer lid: Connection timed out [110]",
		 "ibv_modify_qp / ETIMEDOUT"},
		{"Call to ibv_modify_qp failed with error No data available errno 61", "ibv_modify_qp / ENODATA"},
		{"ibv_post_send: 12", "ibv_post_send"},
		{"ibv_create_qp(): Cannot allocate memory", "ibv_create_qp / ENOMEM"},
		{"open: No such device or address (6)", "ENXIO"},
		{"getaddrinfo: Name or service not known", "EAI_NONAME"},
		{"async event: local catastrophic error", "IBV_EVENT_DEVICE_FATAL"},
		/* UCX, NCCL. */
		{"Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)", "IBV_WC_RETRY_EXC_ERR"},
		{"no active messages transport to <no debug data>: self/memory - Destination is unreachable",
		 "no transport"},
		{"NET/IB : Got completion from peer 10.0.0.1<5> with status=12 opcode=0 vendor err 129 (Recv)",
		 "IBV_WC_RETRY_EXC_ERR"},
		/* Reports of verbatim. */
		{"FAIL  demo/one[ip=4] C-ONE: b.poll_cq (line 12): status: expected SUCCESS, got IBV_WC_REM_OP_ERR",
		 "IBV_WC_REM_OP_ERR / demo/one / C-ONE / FAIL"},
		{"not ok 3 - demo/two", "demo/two / FAIL"},
		{"not ok 4 - demo/two # " "TODO" " known", "demo/two"},
		{"ok 4 - demo/two # SKIP needs a kernel", "demo/two"},
		{"rcvd_rnr_err 131", "rcvd_rnr_err"},
		{"b.poll_cq: no completion within 24.0 s", "wait ran out"},
		{"no RDMA packet crossed the cable: a, b", "no packet"},
		/* Nothing of ours. */
		{"verbatim: the command on a ended with status 12", ""},
		{"gcc: fatal error: no input files", ""},
		{"a line of a poem", ""},
		{"", ""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		must_find(row[i][0], row[i][1]);
}

static const char *cause_of(const struct value *list, size_t i, const char *key)
{
	const struct value *causes = value_get(list->list.item[0], "causes");

	return i < causes->list.count ? value_get_string(causes->list.item[i], key, "") : "";
}

/* A code in the line leaves the causes that have it, a state those of its transition. */
TEST(test_explain__line__chooses_among_the_causes)
{
	struct value *v = value_list();

	explain_line(v, &survey, &coverage, "Failed to modify QP to RTR");
	assert_non_null(strstr(cause_of(v, 0, "cause"), "no GRH"));
	assert_non_null(strstr(cause_of(v, 1, "cause"), "IP family"));
	assert_true(value_get(v->list.item[0], "causes")->list.count > 6);
	value_free(v);
	v = value_list();
	explain_line(v, &survey, &coverage, "modify QP to RTR: No data available");
	assert_int_equal(value_get(v->list.item[0], "causes")->list.count, 1);
	assert_string_equal(cause_of(v, 0, "code"), "ENODATA");
	value_free(v);
	v = value_list();
	explain_line(v, &survey, &coverage, "modify QP to RTS: Invalid argument");
	assert_string_equal(cause_of(v, 0, "to"), "RTS");
	value_free(v);
}

static void must_mean(const char *number, const char *wanted)
{
	struct value *v = explain_name(&survey, &coverage, number);
	auto_text struct text names = {0};
	size_t i;

	text_add(&names, "");
	for (i = 0; i < v->list.count; i++)
		text_addf(&names, "%s%s", i ? " " : "", value_get_string(v->list.item[i], "name", ""));
	assert_string_equal(names.s, wanted);
	value_free(v);
}

TEST(test_explain__numbers)
{
	must_mean("12", "ENOMEM IBV_WC_RETRY_EXC_ERR RDMA_CM_EVENT_MULTICAST_JOIN IBV_EVENT_PKEY_CHANGE invalid GID");
	must_mean("-110", "ETIMEDOUT");
	must_mean("110", "ETIMEDOUT");
	must_mean("-2", "ENOENT EAI_NONAME");
	must_mean("0x81", "0x81");
	must_mean("0x16", "EINVAL 0x16");
	must_mean("28", "ENOSPC consumer defined");
	must_mean("99999", "");
	must_mean("12x", "");
	must_mean("1 2", "");
	must_mean("-", "");
}

TEST(test_explain__calls_counters_findings_scenarios)
{
	static const char *const row[][2] = {
		{"ibv_modify_qp", "call"}, {"IBV_POST_SEND", "call"}, {"rdma_resolve_addr", "call"},
		{"completer_retry_err", "counter of rxe"}, {"demo/one", "scenario"}, {"demo/one[ip=4]", "scenario"},
	};
	struct value *v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		v = explain_name(&survey, &coverage, row[i][0]);
		assert_string_equal(value_get_string(only(v), "what", ""), row[i][1]);
		value_free(v);
	}
	for (i = 0; i < survey.findings.count; i++) {
		v = explain_name(&survey, &coverage, survey.findings.item[i].name);
		assert_string_equal(value_get_string(only(v), "what", ""), "finding");
		value_free(v);
	}
	assert_true(i > 0);
}

/* A name is offered only where it can be meant. */
TEST(test_explain__suggestions)
{
	static const char *const row[][2] = {
		{"ibv_modify_pq", "ibv_modify_qp"}, {"rdma_conect", "rdma_connect"}, {"rcvd_rnr_er", "rcvd_rnr_err"},
		{"EAI_NODATTA", "EAI_NODATA"}, {"IBV_WC_RETRY_EXC_ER", "RETRY_EXC_ERR"}, {"C-ONNE", "C-ONE"},
		{"demo/onne", "demo/one"}, {"UC:SQE-RTT", "UC:SQE-RTS"},
		{"51", NULL}, {"22222", NULL}, {"-7777", NULL}, {"0x7777", NULL}, {"two words", NULL}, {"ibv_no_such_thing", NULL},
	};
	const char *best;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		best = explain_suggest(&survey, &coverage, row[i][0]);
		if (row[i][1])
			assert_string_equal(best, row[i][1]);
		else
			assert_null(best);
	}
}

static void must_know(const char *word, const char *text, const struct const_set *set, size_t nth)
{
	auto_free char *line = xasprintf("%s: %s", word, text);
	auto_free char *name = xasprintf("%s%s", set->prefix, set->entry[nth].name);
	struct value *v = value_list();
	bool known = false;
	size_t i;

	explain_line(v, &survey, &coverage, line);
	for (i = 0; i < v->list.count; i++)
		known |= !strcmp(value_get_string(v->list.item[i], "name", ""), name);
	if (!known)
		fail_msg("'%s' does not have %s", line, name);
	value_free(v);
}

/* Each text of the library is known. */
TEST(test_explain__texts_of_the_library)
{
	size_t i;

	for (i = 1; i < const_wc_status.count; i++)
		must_know("status", ibv_wc_status_str((enum ibv_wc_status)const_wc_status.entry[i].value), &const_wc_status, i);
	for (i = 0; i < const_async_event.count; i++)
		must_know("event", ibv_event_type_str((enum ibv_event_type)const_async_event.entry[i].value),
			  &const_async_event, i);
}

/* Each row of the tables leads somewhere. */
TEST(test_tables__names_exist)
{
	const struct program_text *t;
	const struct call_cause *row;
	const struct explanation *e;

	for (t = explain_text_of; t->pattern; t++) {
		struct value *v = explain_name(&survey, &coverage, t->name);

		if (!v->list.count && !explanation_find(explain_message, t->name))
			fail_msg("%s leads to %s, which is nothing", t->pattern, t->name);
		value_free(v);
	}
	for (row = explain_call; row->call; row++) {
		assert_true(row->cause[strlen(row->cause) - 1] == '.' && row->check[strlen(row->check) - 1] == '.');
		assert_true(row == explain_call || !strcmp(row->call, row[-1].call) || row->call[0]);
	}
	for (e = explain_counter; e->name; e++)
		assert_true(e->meaning && e->cause);
}
