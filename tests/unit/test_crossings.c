/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: coverage/uses.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "coverage/coverage.h"
#include "coverage/codes.h"
#include "names/consts.h"

static struct survey survey;

static int load(void **state)
{
	struct text problems auto_text = {0};
	struct vbm_error err;

	(void)state;
	return survey_load(&survey, test_data("../../scenarios"), NULL, &problems, &err);
}

static int unload(void **state)
{
	(void)state;
	survey_fini(&survey);
	return 0;
}

UNIT(.all = {load, unload});

TEST(test_crossings__names)
{
	auto_free char *first = uses_crossing_name(0), *second = uses_crossing_name(1), *message = uses_crossing_message_name(2), *beyond = NULL;
	size_t n = 0;
	char *name;

	assert_string_equal(first, "RC_SEND_FIRST:sent");
	assert_string_equal(second, "RC_SEND_FIRST:mark");
	assert_string_equal(message, "REQ:lost");
	/* 25 operations of RC, 12 of UC and 2 of UD, and 8 things that happen to each. */
	for (; (name = uses_crossing_name(n)); n++)
		free(name);
	assert_int_equal(n, (25 + 12 + 2) * 8);
	beyond = uses_crossing_message_name(3 * const_cm_message.count);
	assert_null(beyond);
}

static bool is_set(const struct const_set *set)
{
	return set == &uses_crossing_set || set == &uses_crossing_message_set;
}

struct found {
	struct text names;	/* owned */
};

static void note(void *arg, const struct code_use *use)
{
	struct found *f = arg;
	auto_free char *name = use->set == &uses_crossing_set ? uses_crossing_name((size_t)use->value) : uses_crossing_message_name((size_t)use->value);

	if (is_set(use->set))
		text_addf(&f->names, "%s ", name);
}

static const struct scenario *scenario(const char *id)
{
	size_t i;

	for (i = 0; i < survey.count; i++)
		if (!strcmp(survey.item[i].scenario->id, id))
			return survey.item[i].scenario;
	fail_msg("there is no scenario %s", id);
	abort();
}

TEST(test_crossings__of_scenarios)
{
	static const struct {
		const char *id, *names;
	} row[] = {
		{"wire/lost-middle", "RC_SEND_MIDDLE:drop "},
		{"wire/lost-ack", "RC_ACKNOWLEDGE:drop "},	/* the kind decides nothing: the operation is named */
		{"wire/management-lost", "REQ:lost DREQ:seen "},
		{"wire/crossing", ""},
		{"wire/peer/send-acknowledged", "RC_ACKNOWLEDGE:sent "},
		{"data/send", ""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct found f = {0};

		uses_crossings_collect(&scenario(row[i].id)->plan.item[0], note, &f);
		if (strcmp(f.names.s ? f.names.s : "", row[i].names))
			fail_msg("%s: %s", row[i].id, f.names.s);
		text_fini(&f.names);
	}
}

/* The scenarios do nearly all to the packets that a device can send. */
TEST(test_crossings__of_the_suite)
{
	struct coverage c;
	size_t all = 0, shown, i;

	coverage_make(&c, &survey, NULL);
	for (i = 0; i < c.code_count; i++)
		all += !strcmp(c.code[i].group, "packet_fault");
	/* Messages that no kernel sends are unreachable, and none is missing. */
	assert_int_equal(cover_tally(c.code, c.code_count, "cm_message", COVER_MISSING), 0);
	shown = cover_tally(c.code, c.code_count, "packet_fault", COVER_SHOWN);
	if (shown * 100 < all * 95)
		fail_msg("%zu of %zu", shown, all);
	coverage_fini(&c);
}
