/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: names/device-words.c names/host.c job-run/devices.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "job-run/devices.h"
#include "names/device-words.h"
#include "plan/plan.h"
#include "step/step.h"

/* The words again, the types, and whether rdma_cm alone connects the first device of a host. */
TEST(test_device_words__are_read)
{
	static const struct {
		const char *text, *again, *types;
		bool by_cm, second;
	} rows[] = {
		{"rxe", "rxe", "rxe", false, false},
		{"siw", "siw", "siw", true, false},
		{"rxe+siw", "rxe+siw", "rxe siw", false, true},
		{"a=rxe,b=siw", "a=rxe,b=siw", "rxe siw", true, false},
		{"b=siw,a=siw", "siw", "siw", true, false},
		{"b=siw", "a=rxe,b=siw", "rxe siw", true, false},
		{"a=siw+rxe", "a=siw+rxe,b=rxe", "rxe siw", true, true},
		{"b=rxe+siw", "a=rxe,b=rxe+siw", "rxe siw", false, true},
	};
	struct device_words w;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *again = NULL, *types = NULL;

		assert_int_equal(device_words_read(&w, rows[i].text, &err), 0);
		again = device_words_text(&w, 2);
		types = device_words_types(&w, 2);
		assert_string_equal(again, rows[i].again);
		assert_string_equal(types, rows[i].types);
		assert_int_equal(device_words_by_cm(&w, 2), rows[i].by_cm);
		assert_int_equal(device_words_second(&w), rows[i].second);
	}
}

/* Each text has one mistake, which the message beside it names. */
TEST(test_device_words__mistakes_have_their_place)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"sjw", "no device is called 'sjw': rxe or siw"},
		{"", "no device is called '': rxe or siw"},
		{"a=rxe,b=sjw", "at character 7: no device is called 'sjw'"},
		{"a=rxe,a=siw", "at character 7: host a has a device already"},
		{"a=rxe,b=", "at character 7: no device is called ''"},
		{"a=rxe,b", "at character 7: 'b' is no device of a host, such as a=rxe"},
		{"a=rxe,", "at character 7: '' is no device of a host"},
		{",a=rxe", "at character 1: '' is no device of a host"},
		{"aa=rxe", "at character 1: 'aa=rxe' is no device of a host, such as a=rxe; hosts are called a to z"},
		{"A=rxe", "at character 1: 'A=rxe' is no device of a host"},
		{"=rxe", "at character 1: '=rxe' is no device of a host"},
		{"a=rxe+rxe", "at character 1: an interface has one device of a type, and rxe+rxe names it twice"},
		{"a=rxe+", "at character 1: no device is called ''"},
	};
	struct device_words w;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(device_words_read(&w, rows[i].text, &err), -EINVAL);
		if (!strstr(err.msg, rows[i].said))
			fail_msg("%s: %s", rows[i].text, err.msg);
	}
}

/* Hosts that nobody names, and those behind z, have the devices of the rest. */
TEST(test_device_words__have_a_rest)
{
	struct device_words w = {0};

	assert_string_equal(device_words_of(&w, 0).first->name, "rxe");
	assert_int_equal(device_words_read(&w, "siw", NULL), 0);
	assert_string_equal(device_words_of(&w, 63).first->name, "siw");
	assert_null(device_words_of(&w, 63).second);
	assert_int_equal(device_words_read(&w, "z=siw", NULL), 0);
	assert_int_equal(w.named, 26);
	assert_string_equal(device_words_of(&w, 25).first->name, "siw");
	assert_string_equal(device_words_of(&w, 26).first->name, "rxe");
}

/* A variant with two hosts and one step. */
TEST(test_devices__a_step_that_meets_the_peer_needs_one_transport)
{
	static const struct {
		const char *run, *step;
		int hosts;
		uint64_t scripted;
		const char *why;
	} rows[] = {
		{"rxe", "connect", 2, 0, NULL},
		{"siw", "connect", 2, 0, NULL},
		{"a=rxe,b=siw", "resolve_addr", 2, 0, NULL},
		{"a=rxe,b=siw", "connect", 2, 0,
		 "the step connect needs a peer, and the devices of host a (rxe) and host b (siw) have different transports"},
		{"a=siw,b=rxe", "post_send", 2, 0,
		 "the step post_send needs a peer, and the devices of host a (siw) and host b (rxe) have different transports"},
		{"a=rxe,b=siw", "connect", 1, 0, NULL},
		{"a=rxe,b=siw", "connect", 2, 2, NULL},
		{"a=rxe,b=rxe,c=siw", "connect", 3, 0,
		 "the step connect needs a peer, and the devices of host a (rxe) and host c (siw) have different transports"},
	};
	struct device_words run;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct item item = {.kind = step_find(rows[i].step)};
		struct variant v = {.hosts = rows[i].hosts, .scripted = rows[i].scripted, .items = &item, .item_count = 1};
		auto_free char *why = NULL;

		assert_non_null(item.kind);
		assert_int_equal(device_words_read(&run, rows[i].run, NULL), 0);
		why = devices_forbid(&run, &v);
		assert_string_equal(why ? why : "it runs", rows[i].why ? rows[i].why : "it runs");
	}
}
