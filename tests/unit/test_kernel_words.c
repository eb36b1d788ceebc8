/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/kernel-words.c lane/lane-kernels.c lane/choose.c */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "base/xalloc.h"
#include "lane/kernel-words.h"
#include "lane/lane.h"

TEST(test_kernel_words__name_a_kernel_for_each_host)
{
	static const struct {
		const char *text, *a, *b;
	} rows[] = {
		{"a=6.12,b=7.3", "6.12", "7.3"},
		{"b=7.3,a=6.12", "6.12", "7.3"},
		{"b=debug", NULL, "debug"},
		{"a=/tmp/x=y/linux", "/tmp/x=y/linux", NULL},
	};
	struct kernel_words w;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(kernel_words_are(rows[i].text));
		assert_int_equal(kernel_words_read(&w, rows[i].text, &err), 0);
		assert_string_equal(w.name[0] ? w.name[0] : "default", rows[i].a ? rows[i].a : "default");
		assert_string_equal(w.name[1] ? w.name[1] : "default", rows[i].b ? rows[i].b : "default");
		kernel_words_fini(&w);
	}
}

TEST(test_kernel_words__other_names_of_kernels_are_none)
{
	static const char *const rows[] = {"", "6.12", "running", "bookworm-backports", "/tmp/a=b", "=7.3", "abc=7.3", "A=7.3", "linux-debug"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_false(kernel_words_are(rows[i]));
}

/* Each text has this one mistake, and the message its place. */
TEST(test_kernel_words__mistakes_have_their_place)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{"a=7.3,a=6.12", "at character 7: host a has a kernel already"},
		{"a=7.3,c=6.12", "at character 7: only hosts a and b can have their own kernel, not c"},
		{"aa=7.3", "at character 1: only hosts a and b can have their own kernel, not aa"},
		{"a=7.3,b=", "at character 7: host b has no kernel behind '='"},
		{"a=,b=7.3", "at character 1: host a has no kernel behind '='"},
		{"a=7.3,7.3", "at character 7: '7.3' is no kernel of a host, such as a=6.12"},
		{"a=7.3,", "at character 7: '' is no kernel of a host"},
		{",a=7.3", "at character 1: '' is no kernel of a host"},
	};
	struct kernel_words w;
	struct vbm_error err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(kernel_words_read(&w, rows[i].text, &err), -EINVAL);
		if (!strstr(err.msg, rows[i].said) || strncmp(err.msg, "--kernel ", 9) != 0)
			fail_msg("of '%s' it says '%s'", rows[i].text, err.msg);
		assert_null(w.name[0]);
		assert_null(w.name[1]);
	}
}

/* Places of one kernel take no such words, and those with several are of lane uml. */
TEST(test_kernel_words__belong_to_lane_uml)
{
	static const char *const kernels[KERNELS_HOSTS] = {"0.1", "0.1"};
	const struct lane_ops *ops = NULL;
	struct vbm_error err;

	assert_int_equal(lane_choose("uml", &(struct lane_options){.kernel = "a=7.3"}, &ops, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "which only verbatim run can do"));
	assert_int_equal(lane_choose("guest", &(struct lane_options){.kernels = kernels}, &ops, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "need --lane uml, not --lane guest"));
	assert_null(ops);
	assert_int_equal(lane_choose("auto", &(struct lane_options){.kernels = kernels}, &ops, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "host a: no user-mode kernel '0.1' in the store; build it"));
	assert_ptr_equal(ops, &lane_kernels);
}
