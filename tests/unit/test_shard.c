/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: runs/shard.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "runs/shard.h"
#include "../help/folder.h"

TEST(test_shard__parse)
{
	static const struct {
		const char *text;
		int number, of;		/* 0: an error, which says @says */
		const char *says;
	} rows[] = {
		{"1/1", 1, 1, NULL},
		{"2/4", 2, 4, NULL},
		{"10000/10000", 10000, 10000, NULL},
		{"0/4", 0, 0, "the first of 4 shards is 1/4, the last one is 4/4"},
		{"5/4", 0, 0, "the first of 4 shards is 1/4"},
		{"-1/4", 0, 0, "the first of 4 shards is 1/4"},
		{"1/10001", 0, 0, "at most 10000"},
		{"1/0", 0, 0, "takes auto or I/N"},
		{"1", 0, 0, "takes auto or I/N"},
		{"", 0, 0, "takes auto or I/N"},
		{"/4", 0, 0, "takes auto or I/N"},
		{"1/", 0, 0, "takes auto or I/N"},
		{"1/4x", 0, 0, "not '1/4x'"},
		{"1 /4", 0, 0, "not '1 /4'"},
		{"99999999999999999999/4", 0, 0, "takes auto or I/N"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct vbm_error err = {0};
		struct shard s = {0};

		assert_int_equal(shard_parse(&s, rows[i].text, &err), rows[i].of ? 0 : -EINVAL);
		assert_int_equal(s.number, rows[i].number);
		assert_int_equal(s.of, rows[i].of);
		if (rows[i].says && !strstr(err.msg, rows[i].says))
			fail_msg("'%s' says: %s", rows[i].text, err.msg);
	}
}

#define NAMES 2000

/* Each name is in exactly one shard, and no shard has twice the names of another one. */
TEST(test_shard__divides_evenly)
{
	int of = 8, held[8] = {0}, i, number;

	for (i = 0; i < NAMES; i++) {
		auto_free char *name = xasprintf("area/scenario-%d", i);
		int shards = 0;

		for (number = 1; number <= of; number++) {
			if (!shard_holds(&(struct shard){number, of}, name))
				continue;
			held[number - 1]++;
			shards++;
		}
		assert_int_equal(shards, 1);
		assert_true(shard_holds(&(struct shard){0, 0}, name));
		assert_true(shard_holds(&(struct shard){1, 1}, name));
	}
	for (i = 0; i < of; i++)
		assert_in_range(held[i], NAMES / of * 2 / 3, NAMES / of * 4 / 3);
}

/* These answers are those of every version, so that a shard finds the scenarios that it had before. */
TEST(test_shard__keeps_its_names)
{
	static const struct {
		const char *name;
		int number;
	} rows[] = {{"resolve/numeric-ipv4", 4}, {"connect/refused", 3}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_true(shard_holds(&(struct shard){rows[i].number, 5}, rows[i].name));
}

static const char *const all_variables[] = {
	"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "CI_NODE_INDEX",
	"CI_NODE_TOTAL", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", "TEST_SHARD_STATUS_FILE",
};

static int clear(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all_variables); i++)
		unsetenv(all_variables[i]);
	return 0;
}

/* "NAME=VALUE NAME=VALUE" */
static void set(const char *text)
{
	auto_free char *all = xstrdup(text);
	char *rest = all, *one;

	while ((one = strsep(&rest, " "))) {
		char *value = strchr(one, '=');

		*value++ = '\0';
		assert_int_equal(setenv(one, value, 1), 0);
	}
}

#define SLURM(id, count, min, max) \
	"SLURM_ARRAY_TASK_ID=" id " SLURM_ARRAY_TASK_COUNT=" count " SLURM_ARRAY_TASK_MIN=" min " SLURM_ARRAY_TASK_MAX=" max

TEST_BETWEEN(test_shard__auto, clear, clear)
{
	static const struct {
		const char *set;
		int number, of;
		const char *says;
	} rows[] = {
		{SLURM("0", "4", "0", "3"), 1, 4, NULL},
		{SLURM("13", "4", "10", "13"), 4, 4, NULL},
		{SLURM("3", "1", "3", "3"), 1, 1, NULL},
		{SLURM("3", "3", "0", "5"), 0, 0, "SLURM_ARRAY_TASK_MAX=5 leave numbers out"},
		{SLURM("4", "4", "0", "3"), 0, 0, "SLURM_ARRAY_TASK_ID=4 is not one of the SLURM_ARRAY_TASK_COUNT=4"},
		{"SLURM_ARRAY_TASK_ID=1", 0, 0, "SLURM_ARRAY_TASK_COUNT is missing"},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2", 0, 0, "SLURM_ARRAY_TASK_MIN is missing"},
		{"CI_NODE_INDEX=1 CI_NODE_TOTAL=3", 1, 3, NULL},
		{"CI_NODE_INDEX=3 CI_NODE_TOTAL=3", 3, 3, NULL},
		{"CI_NODE_INDEX=0 CI_NODE_TOTAL=3", 0, 0, "CI_NODE_INDEX=0 is not one of the "},
		{"CI_NODE_INDEX=x CI_NODE_TOTAL=3", 0, 0, "CI_NODE_INDEX is not a number: 'x'"},
		{"CI_NODE_INDEX=1", 0, 0, "CI_NODE_TOTAL is missing"},
		{"CI_NODE_TOTAL=2", 0, 0, "CI_NODE_INDEX is missing"},
		{"TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=2", 1, 2, NULL},
		{"TEST_SHARD_INDEX=2 TEST_TOTAL_SHARDS=2", 0, 0, "TEST_SHARD_INDEX=2 is not one of the "},
		{"TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=0", 0, 0, "there can be 1 to 10000 shards"},
		{"TEST_SHARD_INDEX=0 TEST_TOTAL_SHARDS=2 TEST_SHARD_STATUS_FILE=/dev/null/f", 0, 0,
		 "TEST_SHARD_STATUS_FILE: /dev/null/f: Not a directory"},
		/* A job of GitLab that is not parallel has CI_NODE_TOTAL=1, also if its script starts an array. */
		{"CI_NODE_TOTAL=1 " SLURM("1", "2", "1", "2"), 1, 2, NULL},
		{"CI_NODE_TOTAL=1", 0, 0, "no engine has told"},
		{"CI_NODE_INDEX= CI_NODE_TOTAL=", 0, 0, "no engine has told"},
		{"CI_NODE_INDEX=1 CI_NODE_TOTAL=2 TEST_SHARD_INDEX=0", 0, 0, "GitLab and Bazel both have set variables"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct vbm_error err = {0};
		struct shard s = {0};

		clear(state);
		set(rows[i].set);
		shard_read(&s, "auto", &err);
		if (s.number != rows[i].number || s.of != rows[i].of || (rows[i].of == 0) != (err.code != 0))
			fail_msg("%s: %d/%d %s", rows[i].set, s.number, s.of, err.msg);
		if (rows[i].says && !strstr(err.msg, rows[i].says))
			fail_msg("%s says: %s", rows[i].set, err.msg);
	}
}

/* Bazel runs a test again and again as a whole, unless the test makes this file. */
TEST_BETWEEN(test_shard__tells_bazel, clear, clear)
{
	struct vbm_error err = {0};
	auto_free char *path = NULL;
	struct folder home;
	struct shard s;

	folder_make(&home);
	path = folder_path(&home, "status");
	set("TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=2");
	setenv("TEST_SHARD_STATUS_FILE", path, 1);
	assert_int_equal(shard_read(&s, "auto", &err), 0);
	assert_int_equal(access(path, F_OK), 0);
	folder_remove(&home);
}

/* A shard that the user names needs no engine. */
TEST_BETWEEN(test_shard__named, clear, clear)
{
	struct vbm_error err = {0};
	struct shard s;

	set("CI_NODE_INDEX=1");
	assert_int_equal(shard_read(&s, "2/3", &err), 0);
	assert_int_equal(s.number, 2);
}
