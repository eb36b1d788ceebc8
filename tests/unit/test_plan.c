/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: plan/plan.c plan/codec.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "plan/plan.h"

/* A plan of one variant: a single step, a group of two, an either of two. */
static const char plan_text[] =
	"{'verbatim-plan': 1, 'variants': [{'number': 0, 'name': 'x', 'id': 'x', 'title': 't',"
	" 'path': 'x.yaml', 'clauses': [], 'specs': [], 'needs': ['kernel>=6.1'], 'hosts': 2,"
	" 'ip': 4, 'services': {}, 'actors': ['a', 'b', 'a.1'], 'items': ["
	"{'actor': 0, 'step': 'open_device', 'at': [1, 2, 0], 'args': {}, 'deadline_ms': 10},"
	"{'actor': 1, 'step': 'open_device', 'args': {}, 'deadline_ms': 10, 'group': 1},"
	"{'actor': 2, 'step': 'open_device', 'args': {}, 'deadline_ms': 10, 'group': 1},"
	"{'actor': 0, 'step': 'query_port', 'args': {}, 'deadline_ms': 10, 'either': 1,"
	" 'outcomes': [{'return': 0}, null]},"
	"{'actor': 0, 'step': 'query_device', 'args': {}, 'deadline_ms': 10, 'either': 1,"
	" 'outcomes': [false, null]}]}]}";

/* The text with JSON's quotes, and with its first @from replaced by @to. */
static char *with(const char *from, const char *to)
{
	const char *at = strstr(plan_text, from);
	char *text, *c;

	if (!at)
		fail_msg("there is no \"%s\" in the plan", from);
	text = xasprintf("%.*s%s%s", (int)(at - plan_text), plan_text, to, at + strlen(from));
	for (c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	return text;
}

static int read_plan(const char *from, const char *to, struct vbm_error *err)
{
	auto_free char *text = with(from, to);
	auto_value struct value *v = json_read(text, strlen(text), err);
	struct plan plan;
	int ret;

	if (!v)
		fail_msg("%s: %s", text, err->msg);
	ret = plan_from_value(&plan, v, err);
	if (ret == 0)
		plan_fini(&plan);
	return ret;
}

static const struct {
	const char *from, *to, *says;
} tampered[] = {
	{"'verbatim-plan': 1", "'verbatim-plan': 2", "not a plan of this version"},
	{"'name': 'x'", "'name': ''", "name and id are not empty"},
	{"'ip': 4", "'ip': 5", "\"hosts\" or \"ip\" is out of its limits"},
	{"'hosts': 2", "'hosts': 4294967298", "\"hosts\" or \"ip\" is out of its limits"},
	{"'ip': 4", "'ip': 4294967300", "\"hosts\" or \"ip\" is out of its limits"},
	{"'ip': 4", "'crashes': 7, 'ip': 4", "x: \"crashes\" is of type integer"},
	{"'ip': 4", "'script': ['a'], 'ip': 4", "x: host 'a' cannot be without a device"},
	{"'ip': 4", "'script': ['c'], 'ip': 4", "x: host 'c' cannot be without a device"},
	{"'ip': 4", "'script': ['bb'], 'ip': 4", "x: host 'bb' cannot be without a device"},
	{"'ip': 4", "'script': 'b', 'ip': 4", "x: \"script\" is not a list of hosts"},
	{"'hosts': 2", "'hosts': 1", "'b' is not an actor: there are 1 hosts"},
	{"'a.1'", "'a.9'", "'a.9' is not an actor: there are 2 hosts"},
	{"'a.1'", "'a'", "actor 'a' is there twice"},
	{"'kernel>=6.1'", "'kernel~6'", "x: "},
	{"'kernel>=6.1'", "6", "\"needs\" is not a list of texts"},
	{"'title': 't'", "'titel': 't'", "a variant needs name, id, title and path"},
	{"'specs'", "'spec': [], 'specs'", "x: there is no member \"spec\" (did you mean "
	 "\"specs\"?)"},
	{"'specs'", "'known': [{'field': 'return', 'stpe': 'a.x'}], 'specs'",
	 "x: \"known\": there is no member \"stpe\""},
	{"'specs'", "'known': [{'field': 'x', 'got': 7}], 'specs'", "\"got\" is of type"},
	{"'actor': 0", "'actor': 3", "x: item 0: the number of the actor is out of its limits"},
	/* A member of another type is not a missing member. */
	{"'actor': 0", "'actor': 'a'", "x: item 0: \"actor\" is of type string and has to be of type "},
	{"'number': 0", "'number': '0'", "x: \"number\" is of type string and has to be"},
	{"'at': [1, 2, 0]", "'mode': 3", "x: item 0: \"mode\" is of type integer"},
	{"'at': [1, 2, 0]", "'death': 9", "x: item 0: \"death\" is of type integer"},
	{"'at': [1, 2, 0]", "'as': 5", "x: item 0: \"as\" is of type integer"},
	{"'at': [1, 2, 0]", "'note': []", "x: item 0: \"note\" is of type list"},
	{"'at': [1, 2, 0]", "'round': 1", "x: item 0: \"round\" is of type integer"},
	{"'at': [1, 2, 0]", "'fragment': 1", "x: item 0: \"fragment\" is of type integer"},
	{"'at': [1, 2, 0]", "'at': 'x'", "x: item 0: \"at\" is of type string"},
	{"'at': [1, 2, 0]", "'at': [1, 2]", "x: item 0: \"at\" or \"fragment_at\" is not"},
	{"'group': 1", "'group': '1'", "\"group\" is of type string and has to be"},
	{"open_device", "open_devise", "x: item 0: there is no step 'open_devise'"},
	{"'args': {}", "'args': 7", "x: item 0: \"args\" is not a map"},
	{"'args': {}", "'arg': {}", "x: item 0: there is no member \"arg\" (did you mean "
	 "\"args\"?)"},
	{"'deadline_ms': 10", "'deadline_ms': 0", "x: item 0: a number is missing or out"},
	{"'at': [1, 2, 0]", "'mode': 'never'", "x: item 0: there is no mode 'never'"},
	{"'at': [1, 2, 0]", "'death': 'NOPE'", "x: item 0: there is no signal 'NOPE'"},
	{"'at': [1, 2, 0]", "'expect': {}, 'expect_at': []",
	 "x: item 0: \"expect_at\" does not fit \"expect\""},
	{"'at': [1, 2, 0]", "'outcomes': [null, null]",
	 "x: item 0 has \"outcomes\" without an \"either\""},
	{"'group': 1", "'group': 1, 'mode': 'until'",
	 "x: item 1 cannot be posted together with others"},
	{"[{'return': 0}, null]", "[1, null]", "x: item 3: an outcome is a map, null or false"},
	{"[{'return': 0}, null]", "[null]", "x: item 3 of an \"either\" needs two outcomes"},
	{"[false, null]", "[false, null, null]", "x: items 3 and 4 of one \"either\" differ in the "
	 "number of outcomes"},
};

TEST(test_plan__what_is_tampered_with__is_refused)
{
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tampered); i++) {
		err = (struct vbm_error){0};
		if (read_plan(tampered[i].from, tampered[i].to, &err) != -EINVAL || !strstr(err.msg, tampered[i].says))
			fail_msg("%s: \"%s\", not \"%s\"", tampered[i].to, err.msg, tampered[i].says);
	}
}

TEST(test_plan__as_it_is__is_read)
{
	struct vbm_error err = {0};

	if (read_plan("'x'", "'x'", &err) < 0)
		fail_msg("%s", err.msg);
}

/* How long a step, or a group of steps at the same time, may take before its runner reports. */
TEST(test_plan__longest__of_the_steps_and_the_groups)
{
	static const struct {
		struct item item[4];
		int longest;
	} row[] = {
		{{{.deadline_ms = 30}, {.deadline_ms = 10}, {.deadline_ms = 20}}, 30},
		{{{.deadline_ms = 30, .either = 1}, {.deadline_ms = 10, .either = 1}}, 30},
		{{{.deadline_ms = 30, .group = 1}, {.deadline_ms = 10, .group = 1, .actor = 1}}, 30},
		{{{.deadline_ms = 30, .group = 1}, {.deadline_ms = 10, .group = 1}}, 40},
		{{{.deadline_ms = 30, .group = 1}, {.deadline_ms = 10, .group = 2}}, 30},
		/* The second of the first actor ends after 40, and the others are posted when the first has ended. */
		{{{.deadline_ms = 30, .group = 1}, {.deadline_ms = 10, .group = 1},
		  {.deadline_ms = 20, .group = 1, .actor = 1}, {.deadline_ms = 5, .group = 1, .actor = 1}}, 55},
	};
	struct actor actor[2] = {{.number = 0}, {.host = 1}};
	struct item item[4];
	struct variant v = {.actors = actor, .actor_count = 2, .items = item, .item_count = 4};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		memcpy(item, row[i].item, sizeof(item));
		if (variant_longest_ms(&v) != row[i].longest)
			fail_msg("row %zu: %d", i, variant_longest_ms(&v));
	}
}

/* The hosts without a device are the same after reading and writing. */
TEST(test_plan__hosts_without_a_device__survive)
{
	auto_free char *text = with("'ip': 4", "'script': ['b'], 'ip': 4");
	struct vbm_error err = {0};
	auto_value struct value *v = json_read(text, strlen(text), &err), *again = NULL;
	const struct value *names;
	struct plan plan;

	assert_int_equal(plan_from_value(&plan, v, &err), 0);
	assert_int_equal(plan.item[0].scripted, 2);
	again = variant_to_value(&plan.item[0]);
	names = value_get(again, "script");
	assert_non_null(names);
	assert_int_equal(names->list.count, 1);
	assert_string_equal(names->list.item[0]->s, "b");
	plan_fini(&plan);
}

/* So are the devices that a scenario gives its hosts; wrong ones are refused. */
TEST(test_plan__devices_of_hosts__survive)
{
	auto_free char *text = with("'ip': 4", "'devices': 'a=rxe+siw,b=siw', 'ip': 4");
	auto_free char *wrong = with("'ip': 4", "'devices': 'a=rxe,c=siw', 'ip': 4");
	struct vbm_error err = {0};
	auto_value struct value *v = json_read(text, strlen(text), &err), *w = json_read(wrong, strlen(wrong), &err), *again = NULL;
	struct plan plan;

	assert_int_equal(plan_from_value(&plan, v, &err), 0);
	again = variant_to_value(&plan.item[0]);
	assert_string_equal(value_get_string(again, "devices", ""), "a=rxe+siw,b=siw");
	plan_fini(&plan);
	assert_int_equal(plan_from_value(&plan, w, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "\"devices\": there is no host 'c'"));
}
