/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: doctor/doctor.c doctor/found.c doctor/check-native.c doctor/check-guest.c doctor/check-own.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "doctor/doctor.h"
#include "names/abilities.h"

#define BIT(n) ((uint64_t)1 << (n))

TEST(test_privileges__both_capabilities__are_needed)
{
	struct doctor_finding f;

	doctor_judge_privileges(BIT(CAPABILITY_NET_ADMIN) | BIT(CAPABILITY_SYS_ADMIN), false, &f);
	assert_int_equal(f.state, DOCTOR_OK);
	doctor_judge_privileges(BIT(CAPABILITY_NET_ADMIN), true, &f);
	assert_int_equal(f.state, DOCTOR_FAIL);
	assert_non_null(strstr(f.text, "without CAP_SYS_ADMIN:"));
	doctor_judge_privileges(0, true, &f);
	assert_non_null(strstr(f.text, "without CAP_NET_ADMIN and CAP_SYS_ADMIN:"));
	doctor_judge_privileges(0, false, &f);
	assert_int_equal(f.state, DOCTOR_FAIL);
	assert_string_equal(f.fix, "sudo verbatim run --lane native");
}

TEST(test_rxe__the_fix__is_the_command_for_this_system)
{
	static const struct {
		bool loaded, installed;
		const char *system;
		enum doctor_state found;
		const char *fix;
	} cases[] = {
		{true, false, "debian", DOCTOR_OK, ""},
		{false, true, "ubuntu", DOCTOR_FAIL, "sudo modprobe rdma_rxe"},
		{false, false, "ubuntu", DOCTOR_FAIL,
		 "sudo apt-get install linux-modules-extra-6.8.0-1-generic && sudo modprobe rdma_rxe"},
		{false, false, "debian", DOCTOR_FAIL, ""},
	};
	struct doctor_finding f;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		doctor_judge_rxe(cases[i].loaded, cases[i].installed, "6.8.0-1-generic", cases[i].system, &f);
		assert_int_equal(f.state, cases[i].found);
		assert_string_equal(f.fix, cases[i].fix);
	}
}

TEST(test_memory__a_low_limit__is_a_warning)
{
	struct doctor_finding f;

	doctor_judge_memory(8192 << 10, 0, &f);
	assert_int_equal(f.state, DOCTOR_WARN);
	assert_string_equal(f.fix, "sudo prlimit --memlock=unlimited --pid $$");
	assert_non_null(strstr(f.text, "8192 KiB"));
	doctor_judge_memory(8192 << 10, BIT(CAPABILITY_IPC_LOCK), &f);
	assert_int_equal(f.state, DOCTOR_OK);
	doctor_judge_memory(UINT64_MAX, 0, &f);
	assert_int_equal(f.state, DOCTOR_OK);
}

TEST(test_kvm__only_a_boot__proves_it)
{
	static const struct {
		int permitted;
		bool broken;
		const char *accelerator;
		enum doctor_state found;
		const char *text;
	} cases[] = {
		{0, false, "kvm", DOCTOR_OK, "a guest booted on it"},
		{0, true, "tcg", DOCTOR_WARN, "guests do not boot on it here"},
		{0, false, "tcg", DOCTOR_WARN, "guests do not boot on it here"},
		{0, true, "", DOCTOR_WARN, "guests do not boot on it here"},
		{0, false, "", DOCTOR_SKIP, "because no guest was booted"},
		{-EACCES, false, "tcg", DOCTOR_WARN, "may not open it"},
		{-ENOENT, false, "tcg", DOCTOR_WARN, "there is none: guests run under TCG"},
	};
	struct doctor_finding f;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		doctor_judge_kvm(cases[i].permitted, "there is none", cases[i].broken, cases[i].accelerator,
			  &f);
		assert_int_equal(f.state, cases[i].found);
		if (!strstr(f.text, cases[i].text))
			fail_msg("case %zu: %s", i, f.text);
	}
}

static const struct doctor_check checks[] = {
	{"legs", DOCTOR_NATIVE, NULL},
	{"wings", DOCTOR_GUEST, NULL},
	{"heart", DOCTOR_NATIVE | DOCTOR_GUEST, NULL},
	{"whole", 0, NULL},
	{NULL},
};

TEST(test_doctor__lanes__fall_with_their_own_checks)
{
	struct doctor_finding f[4] = {{DOCTOR_WARN}, {DOCTOR_FAIL}, {DOCTOR_SKIP}, {DOCTOR_OK}};

	assert_true(doctor_lane_works(checks, f, DOCTOR_NATIVE));
	assert_false(doctor_lane_works(checks, f, DOCTOR_GUEST));
	f[2].state = DOCTOR_FAIL;
	assert_false(doctor_lane_works(checks, f, DOCTOR_NATIVE));
}

TEST(test_doctor__show__says_it_lane_by_lane)
{
	static const struct doctor_finding f[4] = {
		{DOCTOR_OK, "two", ""}, {DOCTOR_FAIL, "none", "grow wings"}, {DOCTOR_WARN, "fast", ""},
		{DOCTOR_OK, "a bird", ""}};
	static const char expected[] =
		"The native lane (this machine's own kernel) works.\n"
		"  ok    legs          two\n"
		"  warn  heart         fast\n"
		"\n"
		"The guest lane (a Debian kernel in QEMU) does not work.\n"
		"  fail  wings         none\n"
		"                      fix: grow wings\n"
		"  warn  heart         fast\n"
		"\n"
		"The uml lane (a kernel that is a program) works.\n"
		"\n"
		"  ok    whole         a bird\n";
	auto_free char *text = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&text, &size);
	doctor_show(out, checks, f);
	fclose(out);
	assert_string_equal(text, expected);
}

TEST(test_doctor__json__has_every_finding)
{
	static const struct doctor_finding f[4] = {
		{DOCTOR_OK, "two", ""}, {DOCTOR_FAIL, "none", "grow wings"}, {DOCTOR_WARN, "fast", ""},
		{DOCTOR_OK, "a bird", ""}};
	auto_free char *text = doctor_json(checks, f), *line = NULL;
	auto_value struct value *v = json_read(text, strlen(text), NULL);

	assert_non_null(v);
	line = json_write(v);
	assert_string_equal(line,
			    "{\"lanes\":{\"native\":true,\"guest\":false,\"uml\":true},\"checks\":["
			    "{\"check\":\"legs\",\"lanes\":[\"native\"],\"state\":\"ok\",\"text\":\"two\"},"
			    "{\"check\":\"wings\",\"lanes\":[\"guest\"],\"state\":\"fail\",\"text\":\"none\","
			    "\"fix\":\"grow wings\"},"
			    "{\"check\":\"heart\",\"lanes\":[\"native\",\"guest\"],\"state\":\"warn\","
			    "\"text\":\"fast\"},"
			    "{\"check\":\"whole\",\"lanes\":[],\"state\":\"ok\","
			    "\"text\":\"a bird\"}]}");
}

TEST(test_own__abilities__whole_words_that_are_missing)
{
	auto_text struct text out = {0};
	auto_free char *can = xstrdup(ABILITY_WORDS);

	doctor_add_lacks(&out, ABILITY_WORDS);
	assert_int_equal(out.len, 0);
	/* "query_srq" and "resize_srq" do not stand for "srq". */
	memset(strstr(can, " srq "), ' ', strlen(" srq"));
	memset(strstr(can, " uc "), ' ', strlen(" uc"));
	doctor_add_lacks(&out, can);
	assert_string_equal(out.s, "; scenarios are skipped that need can=uc, srq");
}
