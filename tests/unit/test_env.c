/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/env.c plan/expr.c plan/expr-parse.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "plan/env.h"
#include "plan/expr.h"
#include "plan/fit.h"
#include "base/diag.h"
#include "base/yaml.h"

static const struct host_info host_b = {
	.name = "b",
	.dev = "rxe_b",
	.netdev = "vb",
	.ip4 = "10.1.0.2",
	.ip6 = "fd00::2",
	.gid4 = "::ffff:10.1.0.2",
	.gid6 = "fd00::2",
	.mac = "02:00:00:00:00:02",
	.gid_index4 = 1,
	.gid_index6 = 2,
	.port = 1,
};

static struct env *env_with(int ip)
{
	auto_value struct value *result =
		must_read_yaml("{return: 0, qp_num: 17, results: [{port: 1}, {port: 7471}]}");
	struct env *env = env_new(ip);

	env_set_host(env, &host_b);
	env_set_result(env, "b", "q", result);
	env_set_result(env, "b.1", "q", result);
	return env;
}

/* Make the expressions that the compiler leaves for texts with references. */
static void make_exprs(struct value **slot)
{
	struct value *v = *slot;
	struct expr *e;
	size_t i;

	if (v->type == VALUE_STRING) {
		e = expr_parse_scalar(v->s, NULL);
		if (e) {
			*slot = value_expr_take(expr_print(e));
			expr_free(e);
			value_free(v);
		}
		return;
	}
	for (i = 0; v->type == VALUE_LIST && i < v->list.count; i++)
		make_exprs(&v->list.item[i]);
	for (i = 0; v->type == VALUE_MAP && i < v->map.count; i++)
		make_exprs(&v->map.member[i].value);
}

TEST(test_env__references__stand_for_their_values)
{
	static const struct {
		int ip;
		const char *in, *out;
	} row[] = {
		{4, "$b.ip", "\"10.1.0.2\""},
		{4, "[$b.ip, $b.gid, $b.gid_index]", "[\"10.1.0.2\", \"::ffff:10.1.0.2\", 1]"},
		{6, "[$b.ip, $b.gid, $b.gid_index]", "[\"fd00::2\", \"fd00::2\", 2]"},
		{4, "{n: $b.name, d: $b.dev, e: $b.netdev, m: $b.mac, p: $b.port}",
		 "{n: \"b\", d: \"rxe_b\", e: \"vb\", m: \"02:00:00:00:00:02\", p: 1}"},
		{4, "{a: {b: [$b.q.qp_num, 3]}}", "{a: {b: [17, 3]}}"},
		{4, "$b.q.results.1.port", "7471"},
		{4, "$b.1.q.qp_num", "17"},
		{6, "[$b.1.port, $b.2.gid, $b.7.dev]", "[1, \"fd00::2\", \"rxe_b\"]"},
		{4, "$b.q.qp_num+1", "18"},
		{4, "$b.q.qp_num * 2 - 4", "30"},
		{4, "$($b.q.qp_num % 5)", "2"},
		{4, "\"fe80::1%$b.netdev\"", "\"fe80::1%vb\""},
		{4, "$b.ip:7471", "\"10.1.0.2:7471\""},
		{4, "x-$b.netdev-$b.q.qp_num", "\"x-vb-17\""},
		{4, "[$$x, \"$$\", \"\", a$$b, 5$]", "[\"$x\", \"$\", \"\", \"a$b\", \"5$\"]"},
		{4, "'$(\"x\" * 3)'", "\"xxx\""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *in = must_read_yaml(row[i].in), *out = NULL;
		struct env *env = env_with(row[i].ip);
		auto_free char *shown = NULL;
		struct vbm_error err = {0};

		make_exprs(&in);
		if (env_resolve(env, in, &out, &err))
			fail_msg("%s: %s", row[i].in, err.msg);
		shown = value_show(out);
		assert_string_equal(shown, row[i].out);
		env_free(env);
	}
}

TEST(test_env__references_to_nothing__are_errors)
{
	static const struct {
		const char *in;
		int code;
		const char *msg;
	} row[] = {
		{"$mtu", -ENOENT, "'$mtu' has no value here"},
		{"$c.ip", -ENOENT, "'$c.ip' has no value here"},
		{"[1, $b.r.x]", -ENOENT, "'$b.r.x' has no value here"},
		{"{k: $b.q.nope}", -ENOENT, "'$b.q.nope': the result of that step has no 'nope'"},
		{"$b.q.results.2.port", -ENOENT,
		 "'$b.q.results.2.port': the result of that step has no '2'"},
		{"$b.q.qp_num+$b.ip", -EINVAL,
		 "'+' takes two integers, not a integer and a string"},
		{"$($b.q.qp_num / 0)", -EINVAL, "a division by zero"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *in = must_read_yaml(row[i].in), *out = NULL;
		struct env *env = env_with(4);
		struct vbm_error err = {0};

		make_exprs(&in);
		assert_int_equal(env_resolve(env, in, &out, &err), row[i].code);
		assert_string_equal(err.msg, row[i].msg);
		assert_null(out);
		env_free(env);
	}
}

TEST(test_env__a_result_set_again__replaces)
{
	auto_value struct value *in = must_read_yaml("$b.q.qp_num"), *out = NULL;
	auto_value struct value *again = must_read_yaml("{qp_num: 18}");
	struct env *env = env_with(4);

	make_exprs(&in);
	env_set_result(env, "b", "q", again);
	assert_int_equal(env_resolve(env, in, &out, NULL), 0);
	assert_int_equal(out->i, 18);
	env_free(env);
}

/* The variable "where" has the value $b.ip, "number" $b.q.qp_num. */
static int variable(void *arg, char **path, struct value **out, struct vbm_error *err)
{
	(void)arg;
	(void)err;
	if (strcmp(*path, "where") == 0)
		*out = value_expr_take(xstrdup("$b.ip"));
	if (strcmp(*path, "number") == 0)
		*out = value_expr_take(xstrdup("$b.q.qp_num"));
	return 0;
}

TEST(test_env__a_variable_that_is_a_reference__keeps_it)
{
	static const struct {
		const char *text, *want;
	} row[] = {
		{"$where", "10.1.0.2"},
		{"to $where:7471", "to 10.1.0.2:7471"},
		{"$number*2", "34"},
		{"$( \"n\" & $number+1 & $where)", "n1810.1.0.2"},
	};
	struct env *env = env_with(4);
	struct vbm_error err = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct expr *e = expr_parse_scalar(row[i].text, &err);
		auto_value struct value *in = NULL, *out = NULL;
		auto_free char *got = NULL;

		assert_non_null(e);
		assert_int_equal(expr_reduce(e, variable, NULL, &err), 0);
		in = value_expr_take(expr_print(e));
		expr_free(e);
		if (env_resolve(env, in, &out, &err))
			fail_msg("%s: %s", row[i].text, err.msg);
		got = fit_scalar_text(out);
		assert_string_equal(got, row[i].want);
	}
	env_free(env);
}
