/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "hear.h"
#include "compile/scenario.h"
#include "base/diag.h"
#include "base/yaml.h"

static const struct host_info host_b = {
	.name = "b",
	.dev = "rxe_b",
	.netdev = "vb",
	.ip4 = "10.1.0.2",
	.ip6 = "fd00::2",
	.mac = "02:00:00:00:00:02",
	.gid_index4 = 1,
	.gid_index6 = 2,
	.port = 1,
};

static struct env *env_with(const char *vars)
{
	auto_value struct value *v = must_read_yaml(vars);
	auto_value struct value *result =
		must_read_yaml("{return: 0, qp_num: 17, results: [{port: 1}, {port: 7471}]}");
	struct env *env = env_new(v);

	env_set_host(env, &host_b);
	env_set_result(env, "b", "q", result);
	return env;
}

static void test_env__references__stand_for_their_values(void **state)
{
	static const struct {
		const char *vars, *in, *out;
	} row[] = {
		{"{mtu: 1024}", "$mtu", "1024"},
		{"{}", "$b.ip", "\"10.1.0.2\""},
		{"{ip: 4}", "[$b.ip, $b.gid, $b.gid_index]", "[\"10.1.0.2\", \"::ffff:10.1.0.2\", 1]"},
		{"{ip: 6}", "[$b.ip, $b.gid, $b.gid_index]", "[\"fd00::2\", \"fd00::2\", 2]"},
		{"{}", "{n: $b.name, d: $b.dev, e: $b.netdev, m: $b.mac, p: $b.port}",
		 "{n: \"b\", d: \"rxe_b\", e: \"vb\", m: \"02:00:00:00:00:02\", p: 1}"},
		{"{}", "{a: {b: [$b.q.qp_num, 3]}}", "{a: {b: [17, 3]}}"},
		{"{}", "$b.q.results.1.port", "7471"},
		{"{}", "[a$b, $$x, \"$$\", \"\"]", "[\"a$b\", \"$$x\", \"$$\", \"\"]"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *in = must_read_yaml(row[i].in), *out = NULL;
		struct env *env = env_with(row[i].vars);
		auto_free char *shown = NULL;

		assert_int_equal(env_resolve(env, in, &out, NULL), 0);
		shown = value_show(out);
		assert_string_equal(shown, row[i].out);
		env_free(env);
	}
}

static void test_env__references_to_nothing__are_errors(void **state)
{
	static const struct {
		const char *in;
		int code;
		const char *msg;
	} row[] = {
		{"$mtu", -ENOENT, "'$mtu' stands for nothing"},
		{"$c.ip", -ENOENT, "'$c.ip' stands for nothing"},
		{"[1, $b.r.x]", -ENOENT, "'$b.r.x' stands for nothing"},
		{"{k: $b.q.nope}", -ENOENT, "'$b.q.nope': the result of that step has no 'nope'"},
		{"$b.q.results.2.port", -ENOENT,
		 "'$b.q.results.2.port': the result of that step has no '2'"},
		{"$b.", -EINVAL, "'$b.' is not a reference"},
		{"$B", -EINVAL, "'$B' is not a reference"},
		{"$", -EINVAL, "'$' is not a reference"},
		{"$b.ip:7471", -EINVAL, "'$b.ip:7471' is not a reference"},
		{"$a.a.a.a.a.a.a.a.a", -EINVAL, "'$a.a.a.a.a.a.a.a.a' is not a reference"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		auto_value struct value *in = must_read_yaml(row[i].in), *out = NULL;
		struct env *env = env_with("{}");
		struct vbm_error err = {0};

		assert_int_equal(env_resolve(env, in, &out, &err), row[i].code);
		assert_string_equal(err.msg, row[i].msg);
		assert_null(out);
		env_free(env);
	}
}

static void test_env__a_result_set_again__replaces(void **state)
{
	auto_value struct value *in = must_read_yaml("$b.q.qp_num"), *out = NULL;
	auto_value struct value *again = must_read_yaml("{qp_num: 18}");
	struct env *env = env_with("{}");

	(void)state;
	env_set_result(env, "b", "q", again);
	assert_int_equal(env_resolve(env, in, &out, NULL), 0);
	assert_int_equal(out->i, 18);
	env_free(env);
}

static void test_vary__every_combination__in_file_order(void **state)
{
	static const char *const name[] = {
		"x/y[ip=4,mtu=0x400]", "x/y[ip=4,mtu=4096]", "x/y[ip=4,mtu=any text]",
		"x/y[ip=6,mtu=0x400]", "x/y[ip=6,mtu=4096]", "x/y[ip=6,mtu=any text]",
	};
	auto_value struct value *vary = must_read_yaml("{ip: [4, 6], mtu: [0x400, 4096, any text]}");
	char id[] = "x/y";
	struct scenario s = {.id = id, .vary = vary};
	struct variants v;
	size_t i;

	(void)state;
	scenario_variants(&s, &v);
	assert_int_equal(v.count, ARRAY_SIZE(name));
	for (i = 0; i < v.count; i++)
		assert_string_equal(v.item[i].name, name[i]);
	assert_int_equal(value_get_int(v.item[3].vars, "ip", 0), 6);
	assert_int_equal(value_get_int(v.item[3].vars, "mtu", 0), 1024);
	variants_fini(&v);
}

static void test_vary__without__is_one(void **state)
{
	char id[] = "x/y";
	struct scenario s = {.id = id};
	struct variants v;

	(void)state;
	scenario_variants(&s, &v);
	assert_int_equal(v.count, 1);
	assert_string_equal(v.item[0].name, "x/y");
	assert_int_equal(v.item[0].vars->map.count, 0);
	variants_fini(&v);
}

VBM_TESTS(cmocka_unit_test(test_env__references__stand_for_their_values),
	  cmocka_unit_test(test_env__references_to_nothing__are_errors),
	  cmocka_unit_test(test_env__a_result_set_again__replaces),
	  cmocka_unit_test(test_vary__every_combination__in_file_order),
	  cmocka_unit_test(test_vary__without__is_one));
