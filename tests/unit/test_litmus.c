/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: litmus/program.c litmus/shapes.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "litmus/program.h"
#include "litmus/shapes.h"

TEST(test_litmus__program__is_read)
{
	struct litmus_program p;
	struct litmus_outcome o;
	struct vbm_error err;

	assert_int_equal(litmus_program_read(&p, "q: write x 1, fence swap y 2 3 a, wait, send 7| cpu :receive q b,local-add z 4 c", &err), 0);
	assert_int_equal(p.actors, 2);
	assert_int_equal(p.actor[0].pair, 0);
	assert_int_equal(p.actor[0].count, 4);
	assert_int_equal(p.actor[0].item[1].op, LITMUS_SWAP);
	assert_true(p.actor[0].item[1].fenced && !p.actor[0].item[0].fenced);
	assert_int_equal(p.actor[0].item[1].old, 2);
	assert_int_equal(p.actor[0].item[1].value, 3);
	assert_int_equal(p.actor[1].pair, -1);
	assert_int_equal(p.actor[1].item[1].word, 2);
	assert_true(p.receives && p.used[0] && p.used[1] && p.used[2] && !p.used[3]);
	assert_int_equal(litmus_outcome_read(&o, " a=2  z=4 ", &p, &err), 0);
	assert_int_equal(o.terms, 2);
	assert_true(litmus_outcome_holds(&o, (uint64_t[LITMUS_REGISTERS]){2}, (uint64_t[LITMUS_WORDS]){0, 0, 4}));
	assert_false(litmus_outcome_holds(&o, (uint64_t[LITMUS_REGISTERS]){2}, (uint64_t[LITMUS_WORDS]){0, 0, 5}));
	assert_false(litmus_outcome_holds(&o, (uint64_t[LITMUS_REGISTERS]){1}, (uint64_t[LITMUS_WORDS]){0, 0, 4}));
}

TEST(test_litmus__wrong_programs__are_refused)
{
	static const char *const rows[][2] = {
		{"", "an actor of a litmus program"},
		{"q write x 1", "an actor of a litmus program"},
		{"w: write x 1", "'w' is no actor"},
		{": write x 1", "'' is no actor"},
		{"q: write x 1 | q: write y 1", "the actor q is named twice"},
		{"q: wriet x 1", "no instruction 'wriet'"},
		{"q: load x a", "a queue pair has no instruction 'load'"},
		{"cpu: write x 1", "the actor cpu has no instruction 'write'"},
		{"q: write x", "'write' takes more operands"},
		{"q: write x 1 2", "'write' takes fewer operands"},
		{"q: write w 1", "'w' is no word"},
		{"q: write x one", "'one' is no number"},
		{"q: write x -1", "'-1' is no number"},
		{"q: read x i", "'i' is no register"},
		{"q: read x ab", "'ab' is no register"},
		{"q: read x a, read y a", "the register a gets two values"},
		{"q: write x 1, ", "no instruction ''"},
		{"q: fence wait", "fence stands before a request only"},
		{"cpu: fence load x a", "fence stands before a request only"},
		{"cpu: receive q a", "sends no message"},
		{"cpu: receive u a", "'u' is no queue pair"},
		{"q: wait, wait, wait, wait, wait, wait, wait", "more than 6 instructions"},
		{"q: wait | r: wait | s: wait | t: wait | cpu: store x 1", "at most 4 actors"},
	};
	struct litmus_program p;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&err, 0, sizeof(err));
		if (litmus_program_read(&p, rows[i][0], &err) >= 0 || !strstr(err.msg, rows[i][1]))
			fail_msg("'%s': %s", rows[i][0], err.msg);
	}
}

TEST(test_litmus__wrong_outcomes__are_refused)
{
	static const char *const rows[] = {"", "a", "b=1", "w=1", "a=", "a=x", "a=1 a=1 a=1 a=1 a=1"};
	struct litmus_program p;
	struct litmus_outcome o;
	struct vbm_error err;
	size_t i;

	assert_int_equal(litmus_program_read(&p, "q: read x a", &err), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (litmus_outcome_read(&o, rows[i], &p, &err) >= 0)
			fail_msg("'%s' is taken", rows[i]);
}

/* Every shape can be run, has a name of its own, and its outcome is about what it does. */
TEST(test_litmus__shapes__are_sound)
{
	const struct litmus_shape *s;
	struct litmus_program p;
	struct litmus_outcome o;
	struct vbm_error err;
	size_t i, k;

	for (i = 0; (s = litmus_shape(i)); i++) {
		if (litmus_program_read(&p, s->program, &err) < 0 || litmus_outcome_read(&o, s->outcome, &p, &err) < 0)
			fail_msg("%s: %s", s->name, err.msg);
		for (k = 0; k < i; k++)
			assert_string_not_equal(litmus_shape(k)->name, s->name);
	}
	assert_in_range(i, 60, 200);
}

TEST(test_litmus__rows__divide_the_shapes)
{
	auto_value struct value *forbidden = litmus_cases(), *open = litmus_open_cases();
	size_t i;

	for (i = 0; litmus_shape(i); i++)
		;
	assert_int_equal(forbidden->list.count + open->list.count, i);
	assert_int_equal(forbidden->list.count, 52);
	assert_non_null(value_get(forbidden->list.item[0], "clause"));
	assert_null(value_get(open->list.item[0], "clause"));
}

TEST(test_litmus__histogram__counts_those_without_a_place_together)
{
	auto_free struct histogram *h = xcalloc(1, sizeof(*h));
	auto_free char *few = NULL, *many = NULL;
	char text[16];
	int i;

	histogram_note(h, "a=1");
	histogram_note(h, "a=2");
	histogram_note(h, "a=2");
	few = histogram_show(h);
	assert_string_equal(few, "a=2: 2; a=1: 1");
	for (i = 3; i < 70; i++) {
		snprintf(text, sizeof(text), "a=%d", i);
		histogram_note(h, text);
	}
	/* The last one that has a place is not given the others. */
	many = histogram_show(h);
	assert_non_null(strstr(many, "; a=64: 1; others: 5"));
}
