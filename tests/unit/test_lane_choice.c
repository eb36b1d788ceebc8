/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: base/options.c worker/lane-choice.c session/exec-place.c */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "worker/lane-choice.h"
#include "lib/base/fail.h"
#include "session/exec-place.h"
#include "../help/descriptors.h"
#include "../help/folder.h"

static struct exec_options options;

/* A command with all these tables, as exec and shell have them. */
static void parse_words(const char *const *words)
{
	static const struct options tables = {
		.table = {{lane_choice_options, offsetof(struct exec_options, choice)}, {place_options, 0},
			  {cable_choice_options, offsetof(struct exec_options, choice)}},
		OPTIONS_JOB(struct exec_options, choice.job),
	};
	char *argv[40] = {(char[]){"verbatim"}};
	int argc = 1;

	options = (struct exec_options){.choice = LANE_CHOICE_DEFAULT};
	for (; *words; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	options_parse(&tables, argc, argv, &options);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(test_choice__nothing_said__is_auto)
{
	parse_words(WORDS(NULL));
	assert_string_equal(options.choice.lane, "auto");
	assert_string_equal(options.choice.layout, "auto");
	assert_null(options.choice.kernel);
	assert_int_equal(lane_choice_check(&options.choice, 0, NULL), 0);
}

TEST(test_choice__options__are_taken)
{
	parse_words(WORDS("--lane=uml", "--kernel=7.0", "--layout=shared", "--share=/a", "--share=/b:ro",
					   "--see=/c", "--see=/d", "--memory=128", "--cpus=64"));
	assert_string_equal(options.choice.lane, "uml");
	assert_string_equal(options.choice.kernel, "7.0");
	assert_string_equal(options.choice.layout, "shared");
	assert_int_equal(options.shares, 2);
	assert_string_equal(options.share[1], "/b:ro");
	assert_int_equal(options.sees, 2);
	assert_string_equal(options.see[0], "/c");
	assert_string_equal(options.see[1], "/d");
	assert_int_equal(options.memory_mb, 128);
	assert_int_equal(options.cpus, 64);
	free(options.see);
}

TEST(test_choice__layout__has_to_be_known)
{
	struct lane_choice choice = {.lane = "auto", .layout = "nets"};
	struct vbm_error err = {0};

	assert_int_equal(lane_choice_check(&choice, 0, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'nets'"));
	assert_non_null(strstr(err.msg, "netns"));
}

TEST(test_choice__cable__becomes_lines_of_the_job)
{
	auto_value struct value *job = value_map();
	auto_free char *text = NULL;
	struct vbm_error err = {0};

	parse_words(WORDS("--loss=3%", "--delay=a,c:2ms", "--rate=1gbit"));
	assert_int_equal(lane_choice_check(&options.choice, 0, NULL), 0);
	assert_int_equal(lane_choice_check(&options.choice, 3, NULL), 0);
	assert_int_equal(lane_choice_check(&options.choice, 2, &err), -EINVAL);
	assert_string_equal(err.msg, "--delay a,c:2ms: there is no host 'c'");
	cable_choice_put(&options.choice, job);
	text = json_write(job);
	assert_string_equal(text, "{\"cable\":[{\"fault\":\"loss\",\"value\":30000},"
			    "{\"fault\":\"delay\",\"value\":2000,\"host\":\"a\"},"
			    "{\"fault\":\"delay\",\"value\":2000,\"host\":\"c\"},"
			    "{\"fault\":\"rate\",\"value\":1000000000}]}");
	options.choice.cables = 0;
	value_free(steal(&job));
	job = value_map();
	cable_choice_put(&options.choice, job);
	assert_int_equal(job->map.count, 0);
}

/* When argp finds wrong words, it ends the process. */
static void must_refuse(const char *const *words, const char *why)
{
	auto_free char *said = NULL;
	struct overheard o;
	int status;
	pid_t pid;

	overhear(&o, STDERR_FILENO);
	pid = fork();
	if (pid == 0) {
		argp_err_exit_status = EXIT_USAGE;
		parse_words(words);
		_exit(EXIT_OK);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	said = overheard_text(&o);
	assert_int_equal(WEXITSTATUS(status), EXIT_USAGE);
	if (!strstr(said, why))
		fail_msg("'%s' is not in '%s'", why, said);
}

TEST(test_place__numbers__have_limits)
{
	must_refuse(WORDS("--memory=127"), "--memory takes a number from 128 to 1048576, not '127'");
	must_refuse(WORDS("--memory=1048577"), "--memory takes");
	must_refuse(WORDS("--memory=1G"), "not '1G'");
	must_refuse(WORDS("--cpus=0"), "--cpus takes a number from 1 to 64, not '0'");
	must_refuse(WORDS("--cpus=65"), "--cpus takes");
	must_refuse(WORDS("--device=x"), "verbatim: --device x: ");
}

TEST(test_place__shares__have_a_limit)
{
	const char *words[SHARED_FOLDERS_MAX + 2] = {NULL};
	int i;

	for (i = 0; i < SHARED_FOLDERS_MAX; i++)
		words[i] = "--share=/a";
	parse_words(words);
	assert_int_equal(options.shares, SHARED_FOLDERS_MAX);
	words[i] = "--share=/a";
	must_refuse(words, "folders can be shared");
}

TEST(test_place__job__says_who_runs_it_and_where)
{
	struct exec_options opts = {.choice = {.lane = "auto", .layout = "shared"}};
	auto_value struct value *job = place_job("exec", &opts);
	auto_free char *cwd = json_bytes_read(value_get(job, "cwd")), *here = getcwd(NULL, 0);

	assert_string_equal(value_get_string(job, "job", ""), "exec");
	assert_string_equal(value_get_string(job, "layout", ""), "shared");
	assert_int_equal(value_get_int(job, "run", 0), getpid());
	assert_string_equal(cwd, here);
	assert_non_null(value_get(job, "env"));
}

TEST(test_place__job__has_what_options_give_it)
{
	auto_value struct value *job = NULL;

	parse_words(WORDS("--routed", "--device=siw"));
	job = place_job("exec", &options);
	assert_true(value_get_bool(job, "routed", false));
	assert_null(value_get(job, "may_configure"));
	assert_string_equal(value_get_string(job, "device", ""), "siw");
	assert_string_equal(device_words_of(&options.choice.devices, 1).first->name, "siw");
	value_free(options.choice.job);
}

/* Other hosts call the program beside this one; each run has its own socket. */
TEST(test_place__job__names_rsh_where_it_is)
{
	struct exec_options opts = {.choice = LANE_CHOICE_DEFAULT};
	auto_value struct value *one = place_job("exec", &opts), *two = place_job("exec", &opts);

	/* A test has no such program beside it. */
	assert_null(value_get(one, "rsh"));
	assert_null(value_get(two, "rsh_socket"));
}

/* An impossible option is a usage error, and leaves nothing open. */
static void open_fails(const struct exec_options *opts, int rc, int status, const char *why)
{
	int before = open_descriptors(), got = -1;
	struct vbm_error err = {0};
	struct place place;

	assert_int_equal(place_open(&place, opts, false, &got, &err), rc);
	assert_int_equal(got, status);
	if (!strstr(err.msg, why))
		fail_msg("'%s' is not in '%s'", why, err.msg);
	place_close(&place);
	assert_int_equal(open_descriptors(), before);
}

TEST(test_place__open__refuses_what_cannot_be)
{
	const char *see = "/not/there";

	open_fails(&(struct exec_options){.choice = {.lane = "auto", .layout = "x"}}, -EINVAL, EXIT_USAGE, "'x'");
	open_fails(&(struct exec_options){.choice = LANE_CHOICE_DEFAULT, .share = {"/proc"}, .shares = 1}, -EINVAL,
		   EXIT_USAGE, "cannot share /proc");
	open_fails(&(struct exec_options){.choice = LANE_CHOICE_DEFAULT, .see = &see, .sees = 1}, -ENOENT,
		   EXIT_USAGE, "--see /not/there");
	open_fails(&(struct exec_options){.choice = {.lane = "nowhere", .layout = "auto"}}, -EINVAL, EXIT_USAGE,
		   "nowhere");
}

/* The folder in which commands would start. */
TEST(test_place__open__needs_a_folder)
{
	auto_free char *before = getcwd(NULL, 0);
	struct folder f;

	folder_make(&f);
	assert_int_equal(chdir(f.path), 0);
	folder_remove(&f);
	open_fails(&(struct exec_options){.choice = LANE_CHOICE_DEFAULT}, -ENOENT, EXIT_USAGE, "current folder");
	assert_int_equal(chdir(before), 0);
}

static int tell_to(struct place *p)
{
	auto_free char *said = NULL;
	struct overheard o;
	int told;

	overhear(&o, STDERR_FILENO);
	place_progress("under way", p);
	told = p->told;
	place_quiet(p);
	said = overheard_text(&o);
	assert_string_equal(said, "");
	return told;
}

/* Only a terminal is told what is under way. */
TEST(test_place__progress__is_for_a_terminal)
{
	struct place p = PLACE_NONE;

	assert_int_equal(tell_to(&p), 0);
}
