/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/fit.c plan/fit-expect.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "diag-help.h"
#include "names/consts.h"
#include "plan/fit.h"

static const struct field item_fields[] = {
	{.name = "port", .type = FIELD_INT},
	{NULL},
};

static const struct field fields[] = {
	{.name = "n", .type = FIELD_INT},
	{.name = "big", .type = FIELD_INT, .u64 = true},
	{.name = "up", .type = FIELD_BOOL},
	{.name = "name", .type = FIELD_STRING},
	{.name = "errno", .type = FIELD_CONST, .set = &const_errno},
	{.name = "access", .type = FIELD_FLAGS, .set = &const_access},
	{.name = "raw", .type = FIELD_BYTES},
	{.name = "list", .type = FIELD_LIST, .sub = item_fields},
	{NULL},
};

static const struct param item_params[] = {
	{.name = "len", .type = PARAM_INT},
	{.name = "key", .type = PARAM_INT, .required = true},
	{NULL},
};

static const struct param params[] = {
	{.name = "n", .type = PARAM_INT},
	{.name = "small", .type = PARAM_INT, .min = -1, .max = 8},
	{.name = "big", .type = PARAM_INT, .u64 = true},
	{.name = "on", .type = PARAM_BOOL},
	{.name = "name", .type = PARAM_STRING},
	{.name = "some", .type = PARAM_STRING, .form = TEXT_SOME},
	{.name = "regex", .type = PARAM_STRING, .form = TEXT_REGEX},
	{.name = "errno", .type = PARAM_CONST, .set = &const_errno},
	{.name = "access", .type = PARAM_FLAGS, .set = &const_access},
	{.name = "pd", .type = PARAM_OBJECT},
	{.name = "address", .type = PARAM_ADDRESS},
	{.name = "raw", .type = PARAM_BYTES, .max = 2},
	{.name = "list", .type = PARAM_LIST, .sub = item_params},
	{.name = "argv", .type = PARAM_TEXTS, .form = TEXT_SOME},
	{NULL},
};

/* "$text" is a text, and so on. */
static enum fit_kind kind_of(void *arg, const struct value *v, struct diagnostics *diag)
{
	(void)arg;
	(void)diag;
	return strstr(v->s, "text") ? FIT_TEXT : strstr(v->s, "list") ? FIT_LIST :
	       strstr(v->s, "bool") ? FIT_BOOL : FIT_NUMBER;
}

static void object(void *arg, const struct param *param, const struct value *v,
		   struct diagnostics *diag)
{
	(void)arg;
	if (strcmp(v->s, "pd") != 0)
		diag_add(diag, v->pos, NULL, "no object of '%s' is called %s", param->name, v->s);
}

static const struct fit_scope scope = {.kind_of = kind_of, .object = object};

struct fit_case {
	const char *yaml;
	const char *complaint;	/* the first one; or NULL */
	const char *fitted;	/* the value that a run gets, as JSON; or NULL when the case does not look at it */
};

static void check(const struct fit_case *c, const struct fit_scope *in,
		  void (*fit_it)(const struct fit *fit, struct value *v))
{
	auto_value struct value *v = must_read_yaml(c->yaml);
	struct diagnostics diag = {0};
	struct heard heard;

	make_references(&v);
	fit_it(&(struct fit){.diag = &diag, .scope = in}, v);
	hear(&heard, &diag);
	if (c->complaint)
		must_have_heard(&heard, c->yaml, c->complaint);
	else if (heard.count)
		fail_msg("%s: %s", c->yaml, heard.text);
	if (c->fitted) {
		auto_free char *fitted = json_write(v);

		assert_string_equal(fitted, c->fitted);
	}
}

static void fit_fields(const struct fit *fit, struct value *v)
{
	fit_expect(fit, "probe", fields, v);
}

static void fit_params(const struct fit *fit, struct value *v)
{
	fit_args(fit, "probe", params, v, (struct pos){.line = 1});
}

static const struct fit_case expectations[] = {
	/* literals */
	{"{n: 1, up: true, name: a, errno: EPERM, raw: {hex: 00}, list: [{port: 1}]}", NULL,
	 "{\"n\":1,\"up\":true,\"name\":\"a\",\"errno\":1,\"raw\":{\"hex\":\"00\"},\"list\":[{\"port\":1}]}"},
	{"{name: 7}", NULL, "{\"name\":\"7\"}"},
	{"{n: true}", "'n' is an integer, not a boolean", NULL},
	{"{up: 1}", "'up' is true or false, not an integer", NULL},
	{"{name: [a]}", "'name' is a text, not a list", NULL},
	{"{list: 1}", "'list' is a list of maps, not an integer", NULL},
	{"{list: [1]}", "'list' is a list of maps, not an integer", NULL},
	{"{list: [{prt: 1}]}", "an item of list has no field 'prt' (did you mean 'port'?)", NULL},
	{"{m: 1}", "the result of probe has no field 'm'", NULL},
	/* references */
	{"{n: $number, name: $text, raw: $text}", NULL, NULL},
	{"{n: $text}", "'n' is an integer, but $text is a text", NULL},
	{"{name: $number}", "'name' is a text, but $number is a number", NULL},
	{"{list: $number}", "'list' is a list of maps, but $number is a number", NULL},
	{"{n: {not: $text}}", "'n' is an integer, but $text is a text", NULL},
	/* any */
	{"{n: any}", NULL, "{\"n\":{\"any\":true}}"},
	{"{name: 'any'}", NULL, "{\"name\":\"any\"}"},
	{"{n: {any: true}}", NULL, NULL},
	{"{n: {any: false}}", "'any' takes true", NULL},
	{"{n: {any: 7}}", "'any' takes true", NULL},
	{"{n: {any: true, not: 1}}", "'any' cannot be combined with another operator", NULL},
	/* not */
	{"{n: {not: x}}", "'n' is an integer, not a string", NULL},
	{"{n: {not: 1, min: 2}}", "'not' cannot be combined with another operator", NULL},
	/* min and max */
	{"{n: {min: 1, max: $number}, big: {min: 1}, access: {max: 3}}", NULL, NULL},
	{"{errno: {min: EPERM, max: EINVAL}}", NULL, "{\"errno\":{\"min\":1,\"max\":22}}"},
	{"{n: {min: x}}", "a limit of 'n' must be an integer", NULL},
	{"{errno: {max: EPERMM}}", "'EPERMM' is not a name that 'errno' takes", NULL},
	{"{name: {min: 1}}", "'min' does not apply to 'name', a text", NULL},
	{"{name: {max: 1}}", "'max' does not apply to 'name', a text", NULL},
	{"{up: {min: 1}}", "'min' does not apply to 'up', true or false", NULL},
	{"{list: {max: 1}}", "'max' does not apply to 'list', a list of maps", NULL},
	{"{n: {min: 1, max: 2, not: 3}}", "'min' cannot be combined with another operator", NULL},
	/* timers */
	{"{n: {timers: {ack_timeout: 14, tries: 1}}}", NULL, NULL},
	{"{n: {timers: {ack_timeout: 0, tries: 1}}}", "ack_timeout: code 0 turns the timer off", NULL},
	{"{n: {timers: 14}}", "'timers' takes {ack_timeout: CODE, tries: N}", NULL},
	{"{name: {timers: {ack_timeout: 14, tries: 1}}}", "'timers' does not apply to 'name'", NULL},
	{"{errno: {timers: {ack_timeout: 14, tries: 1}}}", "'timers' does not apply to 'errno'", NULL},
	{"{n: {timers: {ack_timeout: 14, tries: 1}, max: 1}}",
	 "'timers' cannot be combined with another operator", NULL},
	/* any_of and why */
	{"{errno: {any_of: [EPERM, 2], why: w}}", NULL, "{\"errno\":{\"any_of\":[1,2],\"why\":\"w\"}}"},
	{"{n: {any_of: [], why: w}}", "'any_of' takes a list of values", NULL},
	{"{n: {any_of: 7, why: w}}", "'any_of' takes a list of values", NULL},
	{"{n: {any_of: {a: 1}, why: w}}", "'any_of' takes a list of values", NULL},
	{"{n: {any_of: [x], why: w}}", "'n' is an integer, not a string", NULL},
	{"{n: {any_of: [1, 2]}}", "'any_of' needs 'why:' beside it", NULL},
	{"{n: {any_of: [1, 2], why: ''}}", "'why' takes a sentence", NULL},
	{"{n: {any_of: [1, 2], why: 7}}", "'why' takes a sentence", NULL},
	{"{n: {why: w}}", "'why' needs 'any_of:' beside it", NULL},
	{"{n: {any_of: [1, 2], why: w, not: 3}}", "'any_of' cannot be combined with another operator", NULL},
	/* contains */
	{"{name: {contains: a}, raw: {contains: {hex: 00}}, list: {contains: {port: 1}}}", NULL, NULL},
	{"{access: {contains: [LOCAL_WRITE, REMOTE_WRITE]}}", NULL, "{\"access\":{\"contains\":3}}"},
	{"{n: {contains: 1}}", "'contains' does not apply to 'n', an integer", NULL},
	{"{name: {contains: [a]}}", "'name' is a text, not a list", NULL},
	{"{list: {contains: [1]}}", "'contains' takes a map that one item of 'list' must match", NULL},
	{"{list: {contains: {prt: 1}}}", "an item of list has no field 'prt'", NULL},
	{"{name: {contains: ''}}", "'name' always contains that", NULL},
	{"{access: {contains: []}}", "'access' always contains that", NULL},
	{"{access: {contains: 0}}", "'access' always contains that", NULL},
	/* count */
	{"{list: {count: 0}}", NULL, NULL},
	{"{list: {count: x}}", "a limit of 'list' must be an integer", NULL},
	{"{n: {count: 1}}", "'count' does not apply to 'n', an integer", NULL},
	{"{list: {count: 1, contains: {port: 1}}}", "'count' cannot be combined with another operator", NULL},
	/* none */
	{"{n: {}}", "'n' has an empty expectation", NULL},
	{"{n: {mim: 1}}", "'mim' is not an operator of expectations (did you mean 'min'?)", NULL},
	{"{n: {hex: 00}}", "'hex' is not an operator of expectations", NULL},
};

TEST(test_fit__expectations__are_checked)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(expectations); i++)
		check(&expectations[i], &scope, fit_fields);
}

TEST(test_fit__expectations__have_to_make_sense)
{
#define ALL "every value of"
	static const struct fit_case row[] = {
		{"{n: {min: 7, max: 7}}", NULL, NULL},
		{"{n: {min: 7, max: 6}}", "no number is at least 7 and at most 6", NULL},
		{"{n: {min: -9223372036854775808}}", ALL " 'n' meets this", NULL},
		{"{n: {max: 9223372036854775807}}", ALL " 'n' meets this", NULL},
		{"{n: {any_of: [1, any], why: w}}", ALL " 'n' meets one of these", NULL},
		{"{n: {any_of: [1, {not: 1}], why: w}}", ALL, NULL},
		{"{n: {any_of: [{not: 1}, 1], why: w}}", ALL, NULL},
		{"{n: {any_of: [2, {not: 1}], why: w}}", NULL, NULL},
		{"{n: {any_of: [{not: 1}, {not: 2}], why: w}}", ALL, NULL},
		{"{n: {any_of: [{not: 1}, {not: 1}], why: w}}", NULL, NULL},
		{"{n: {any_of: [{max: 5}, {min: 6, max: 6}, {min: 7}], why: w}}", ALL, NULL},
		{"{n: {any_of: [{min: 7}, 6, {max: 5}], why: w}}", ALL, NULL},
		{"{n: {any_of: [{max: 5}, {min: 7}], why: w}}", NULL, NULL},
		{"{n: {any_of: [{max: 5}, 6], why: w}}", NULL, NULL},
		{"{n: {any_of: [{max: 5}, 7, {min: 8}], why: w}}", NULL, NULL},
		{"{n: {any_of: [{not: 5}, {min: 4, max: 6}], why: w}}", ALL, NULL},
		{"{n: {any_of: [{not: 5}, {min: 6}], why: w}}", NULL, NULL},
		{"{name: {any_of: [{not: a}, a], why: w}}", ALL, NULL},
		{"{name: {any_of: [{not: a}, b], why: w}}", NULL, NULL},
		{"{name: {any_of: [{not: a}, {not: b}], why: w}}", ALL, NULL},
		{"{name: {any_of: [{not: $text}, {not: $text2}], why: w}}", NULL, NULL},
		{"{name: {any_of: [{not: $text}, {not: a}], why: w}}", NULL, NULL},
		{"{name: {any_of: [{not: a}, {not: $text}], why: w}}", NULL, NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		check(&row[i], &scope, fit_fields);
}

/* A run has no scope: it compares what the references stand for. */
TEST(test_fit__a_run__takes_any_expectation_that_can_be_compared)
{
	static const struct fit_case row[] = {
		{"{n: {min: 7, max: 6}}", NULL, NULL},
		{"{name: {contains: ''}}", NULL, NULL},
		{"{n: {any_of: [{not: 1}, {not: 2}], why: w}}", NULL, NULL},
		{"{name: any}", NULL, "{\"name\":\"any\"}"},
		{"{raw: {hex: '6869'}}", NULL, "{\"raw\":\"hi\"}"},
		{"{n: {min: x}}", "a limit of 'n' must be an integer", NULL},
		{"{n: x}", "'n' is an integer, not a string", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		check(&row[i], NULL, fit_fields);
}

TEST(test_fit__parameters__are_checked)
{
	static const char long_regex[] = "{regex: '("
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}";
	const struct fit_case row[] = {
		{"{n: 7, small: -1, on: true, name: a, errno: EPERM, address: 10.0.0.1, raw: ab}", NULL, NULL},
		{"{n: $number, on: $bool, name: $text, address: $text, argv: [a, $text]}", NULL, NULL},
		{"{n: 9223372036854775807, small: 8}", NULL, NULL},
		{"{n: x}", "'n' takes an integer, not the string \"x\"", NULL},
		{"{n: 9223372036854775808}", "'n' is 9223372036854775808 and must be below 2^63", NULL},
		{"{big: 9223372036854775808}", NULL, NULL},
		{"{small: 9}", "'small' is 9 and must be within -1 and 8", NULL},
		{"{small: -2}", "'small' is -2 and must be within -1 and 8", NULL},
		{"{on: 1}", "'on' takes true or false, not the integer 1", NULL},
		{"{on: $number}", "'on' takes true or false, but $number is a number", NULL},
		{"{n: $text}", "'n' takes a number, but $text is a text", NULL},
		{"{address: $list}", "'$list' is a list and cannot stand here", NULL},
		{"{name: [a]}", "'name' takes a text, not a list", NULL},
		{"{name: 7}", NULL, "{\"name\":\"7\"}"},
		{"{name: true}", NULL, "{\"name\":\"true\"}"},
		{"{some: ''}", "'some' is empty", NULL},
		{"{regex: 'a(b'}", "'regex': 'a(b' is not a regular expression", NULL},
		{"{regex: ''}", "'regex' must select something", NULL},
		/* Only the run compiles these. */
		{"{regex: '(a{2}'}", NULL, NULL},
		{long_regex, NULL, NULL},
		{"{errno: []}", "'errno' takes a name or an integer, not a list", NULL},
		{"{errno: EPERMM}", "'EPERMM' is not a name that 'errno' takes (did you mean 'EPERM'?)", NULL},
		{"{access: [LOCAL_WRITE, REMOTE_WRITE, LOCAL_WRITE]}", NULL, "{\"access\":3}"},
		{"{access: [LOCAL_WRITE, $number]}", NULL, NULL},
		{"{access: [LOCAL_WRITE, $text]}", "an item of 'access' must be a name or a number", NULL},
		{"{pd: pd}", NULL, NULL},
		{"{pd: qp}", "no object of 'pd' is called qp", NULL},
		{"{pd: 7}", "'pd' takes the name of an object ('as:'), not the integer 7", NULL},
		{"{address: 10.0.0.300}", "'address' takes an address", NULL},
		{"{address: 7}", "'address' takes an address", NULL},
		{"{raw: abc}", "'raw' is 3 bytes long, but at most 2 are allowed", NULL},
		{"{raw: {hex: 0}}", "'raw': ", NULL},
		{"{list: [{key: 1, len: 2}]}", NULL, NULL},
		{"{list: 7}", "'list' takes a list of maps, not the integer 7", NULL},
		{"{list: [7]}", "'list' takes a list of maps, not the integer 7", NULL},
		{"{list: [{key: 1, lenn: 2}]}", "list has no parameter 'lenn' (did you mean 'len'?)", NULL},
		{"{list: [{len: 2}]}", "list needs 'key': it has no default", NULL},
		{"{argv: a}", "'argv' takes a list of texts, not the string \"a\"", NULL},
		{"{argv: $text}", "'argv' takes a list of texts", NULL},
		{"{argv: []}", "'argv' is empty", NULL},
		{"{argv: ['', a]}", "'argv' is empty", NULL},
		{"{argv: [a, '']}", NULL, NULL},
		{"{argv: [a, null]}", "'argv' takes a text in its list, not null", NULL},
		{"{argv: [a, [b]]}", "'argv' takes a text, not a list", NULL},
		{"{argv: [a, $list]}", "'$list' is a list and cannot stand here", NULL},
		{"{m: 1}", "probe has no parameter 'm'", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		check(&row[i], &scope, fit_params);
}

static void fit_whole(const struct fit *fit, struct value *v)
{
	static const struct param few[] = {
		{.name = "need", .type = PARAM_INT, .required = true, .doc = "a number"},
		{.name = "path", .type = PARAM_STRING},
		{.name = "fd", .type = PARAM_INT},
		{NULL},
	};
	static const char *const one_of[] = {"path", "fd", NULL};
	static const struct step_kind kind = {.name = "probe", .params = few, .one_of = one_of};

	fit_call(fit, &kind, v, (struct pos){.line = 1});
}

TEST(test_fit__a_call__has_the_parameters_that_it_needs)
{
	static const struct fit_case row[] = {
		{"{need: 1, fd: 2}", NULL, NULL},
		{"{fd: 2}", "probe needs 'need': a number", NULL},
		{"{need: 1}", "probe needs 'path' or 'fd'", NULL},
		{"{need: 1, fd: 2, path: x}", "probe takes 'path' or 'fd', not both", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		check(&row[i], &scope, fit_whole);
}
