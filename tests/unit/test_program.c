/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: program/collector.c program/program.c */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "program/collector.h"
#include "program/program.h"

static char *shown(const char *s, size_t len, size_t max, uint64_t *left_out)
{
	auto_text struct text text = {0};

	text_add_bytes(&text, s, len);
	*left_out = 0;
	return program_shown(&text, 0, max, left_out);
}

TEST(test_program__output__is_fit_for_a_report)
{
	static const struct {
		const char *s, *wanted;
	} cases[] = {
		{"", ""},
		{"one\n", "one"},
		{"one\ntwo\n\n\n", "one\ntwo"},
		{"\n\n", ""},
		{"a\tb\x1b[1m\r\n", "a\tb\\x1b[1m\\x0d"},
		{"\xff", "\xef\xbf\xbd"},
	};
	uint64_t left_out;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *got = shown(cases[i].s, strlen(cases[i].s), 100, &left_out);

		assert_string_equal(got, cases[i].wanted);
		assert_int_equal(left_out, 0);
	}
}

TEST(test_program__a_zero_byte__is_shown_and_ends_nothing)
{
	uint64_t left_out;
	auto_free char *got = shown("a\0b\0", 4, 100, &left_out);

	assert_string_equal(got, "a\\x00b\\x00");
}

TEST(test_program__long_output__loses_its_middle)
{
	uint64_t left_out;
	auto_free char *got = shown("aaaabbbbbbcccc\n", 15, 8, &left_out);
	auto_free char *fits = shown("aaaacccc", 8, 8, &left_out);

	assert_string_equal(got, "aaaa\n(6 bytes are left out here)\ncccc");
	assert_string_equal(fits, "aaaacccc");
	assert_int_equal(left_out, 0);
	free(steal(&got));
	got = shown("aaaabbbbbbcccc\n", 15, 8, &left_out);
	assert_int_equal(left_out, 6);
}

TEST(test_program__what_was_lost__is_counted_with_what_is_not_shown)
{
	auto_text struct text text = {0};
	auto_free char *got = NULL;
	uint64_t left_out = 0;

	text_add(&text, "aaaabb\nbbcccc");
	got = program_shown(&text, 1000, 8, &left_out);
	assert_string_equal(got, "aaaa\n(1004 bytes are left out here)\ncccc");
	assert_int_equal(left_out, 1004);
}

static bool find(const char *s, size_t len, const char *pattern, char **line, char **match)
{
	auto_text struct text text = {0};
	regex_t regex;
	bool found;

	text_add_bytes(&text, s, len);
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED), 0);
	found = program_line(&text, &regex, line, match);
	regfree(&regex);
	return found;
}

TEST(test_program__line__is_the_first_that_matches)
{
	static const char s[] = "serving\nport 71\nport 72\n> ";
	static const struct {
		const char *pattern, *line, *match;
	} cases[] = {
		{"port", "port 71", "port"},
		{"port ([0-9]+)", "port 71", "71"},
		{"port (9)?", "port 71", "port "},	/* its group matched nothing */
		{"2$", "port 72", "2"},
		{"^> $", "> ", "> "},			/* a prompt ends without a newline */
		{"^serving$", "serving", "serving"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *line = NULL, *match = NULL;

		assert_true(find(s, strlen(s), cases[i].pattern, &line, &match));
		assert_string_equal(line, cases[i].line);
		assert_string_equal(match, cases[i].match);
	}
}

TEST(test_program__line__may_grow)
{
	static const struct {
		const char *text, *pattern;
		bool grows;
	} rows[] = {
		{"port 71", "port ([0-9]+)", true},
		{"up\nport 71", "port ([0-9]+)", true},
		{"port 71\n", "port ([0-9]+)", false},
		{"port 71 or", "port ([0-9]+)", false},
		{"port 71\nport 71", "port ([0-9]+)", false},
		{"port 71\nport 7", "port ([0-9]+)", false},
		{"port 71", "port [0-9]+", false},	/* nobody asks for its end */
		{"up", "port ([0-9]+)", false},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_text struct text text = {0};
		regex_t regex;

		text_add(&text, rows[i].text);
		assert_int_equal(regcomp(&regex, rows[i].pattern, REG_EXTENDED), 0);
		if (program_line_grows(&text, &regex) != rows[i].grows)
			fail_msg("'%s': %d", rows[i].text, !rows[i].grows);
		regfree(&regex);
	}
}

TEST(test_program__no_line__matches_nothing)
{
	auto_free char *line = NULL, *match = NULL;

	assert_false(find("one\ntwo\n", 8, "one.two", &line, &match));
	assert_false(find("one\n", 4, "^$", &line, &match));
	assert_false(find("", 0, "", &line, &match));
	assert_null(line);
	assert_null(match);
}

/* Two pipes that a collector reads, for the standard output and error of a program. */
struct pipes {
	int from[COLLECT_COUNT], to[COLLECT_COUNT];
};

static void open_pipes(struct pipes *p)
{
	int pair[2], i;

	for (i = 0; i < COLLECT_COUNT; i++) {
		assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
		p->from[i] = pair[0];
		p->to[i] = pair[1];
		fcntl(p->from[i], F_SETFL, O_NONBLOCK);
	}
}

static void write_lines(int fd, size_t bytes)
{
	static const char line[] = "0123456789abcde\n";
	size_t n;

	for (n = 0; n < bytes; n += strlen(line))
		assert_int_equal(file_write(fd, line, strlen(line)), 0);
}

TEST(test_program__collector__takes_what_was_written_before_its_end)
{
	auto_close int log = memfd_create("log", MFD_CLOEXEC);
	auto_text struct text out = {0}, err = {0};
	auto_free char *logged = NULL;
	struct collector c;
	struct pipes p;

	open_pipes(&p);
	assert_int_equal(collector_start(&c, &(struct collector_setup){
		.name = "server", .from = {p.from[0], p.from[1]}, .log_fd = log, .token_fd = -1,
	}, NULL), 0);
	assert_int_equal(file_write(p.to[COLLECT_OUT], "one\ntw", 6), 0);
	assert_int_equal(file_write(p.to[COLLECT_ERR], "oops\n", 5), 0);
	/* A process still has the other side of both open. */
	collector_end(&c);
	collector_read(&c, COLLECT_OUT, &out);
	collector_read(&c, COLLECT_ERR, &err);
	assert_string_equal(out.s, "one\ntw");
	assert_string_equal(err.s, "oops\n");
	assert_int_equal(file_fd_read_whole(log, 1000, &logged, NULL), 0);
	assert_non_null(strstr(logged, "server: one\n"));
	assert_non_null(strstr(logged, "server: tw\n"));
	assert_non_null(strstr(logged, "server: oops\n"));
	collector_fini(&c);
}

TEST(test_program__collector__keeps_begin_and_end_and_counts_the_rest)
{
	auto_close int log = memfd_create("log", MFD_CLOEXEC);
	auto_text struct text out = {0}, none = {0};
	auto_free char *logged = NULL;
	size_t len, left_out = 0;
	struct collector c;
	struct pipes p;

	open_pipes(&p);
	assert_int_equal(collector_start(&c, &(struct collector_setup){
		.name = "server", .from = {p.from[0], p.from[1]}, .log_fd = log, .token_fd = -1,
	}, NULL), 0);
	assert_int_equal(file_write(p.to[COLLECT_OUT], "the begin......\n", 16), 0);
	write_lines(p.to[COLLECT_OUT], 3 * COLLECTOR_KEPT + 1600);
	assert_int_equal(file_write(p.to[COLLECT_OUT], "the end........\n", 16), 0);
	close(p.to[COLLECT_OUT]);
	close(p.to[COLLECT_ERR]);
	collector_end(&c);
	assert_int_equal(collector_read(&c, COLLECT_OUT, &out), 2 * COLLECTOR_KEPT + 1632);
	assert_int_equal(out.len, COLLECTOR_KEPT + 1);
	assert_memory_equal(out.s, "the begin......\n0123456789abcde\n", 32);
	assert_memory_equal(out.s + COLLECTOR_HEAD - 1, "\n\n0123456789abcde\n", 18);
	assert_string_equal(out.s + out.len - 32, "0123456789abcde\nthe end........\n");
	assert_int_equal(collector_read(&c, COLLECT_ERR, &none), 0);
	assert_int_equal(file_fd_read_whole(log, 10 * COLLECTOR_LOGGED, &logged, &len), 0);
	assert_in_range(len, 2 * COLLECTOR_LOGGED, 3 * COLLECTOR_LOGGED + 200);
	assert_non_null(strstr(logged, "server: the begin......\n"));
	assert_string_equal(logged + len - 24, "server: the end........\n");
	assert_true(sscanf(strstr(logged, "server: ("), "server: (%zu bytes are left out here)",
			   &left_out) == 1);
	/* Each line has eight bytes more in the log. */
	assert_int_equal(len - strlen("server: ( bytes are left out here)\n") -
			 (size_t)snprintf(NULL, 0, "%zu", left_out) + left_out,
			 (3 * COLLECTOR_KEPT + 1632) / 16 * 24);
	collector_fini(&c);
}

static char *trouble(const char *name, const char *cwd)
{
	char *envp[] = {(char[]){"PATH=/nowhere:/bin"}, NULL};
	struct vbm_error err = {0};
	int ret = program_look(name, cwd, envp, &err);

	assert_int_equal(ret, -err.code);
	return strdup(err.msg);
}

TEST(test_program__look__says_what_is_not_there)
{
	static const struct {
		const char *name, *cwd, *wanted;
	} cases[] = {
		{"sh", "/", ""},
		{"/bin/sh", "/etc", ""},
		{"./sh", "/bin", ""},
		{"bin/sh", "/", ""},
		{"no-such-program", "/", "no program 'no-such-program' is in PATH; a program beside the scenario is './no-such-program'"},
		{"./no-such-program", "/etc", "/etc/no-such-program is not there"},
		{"./passwd", "/etc", "/etc/passwd is not a program (a file that may be executed)"},
		{"./etc", "/", "/etc is not a program (a file that may be executed)"},
		{"sh", "/no-such-folder", "there is no folder /no-such-folder (a guest does not have this machine's /dev, /proc, /run and /sys)"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *got = trouble(cases[i].name, cases[i].cwd);

		assert_string_equal(got, cases[i].wanted);
	}
}
