/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: process/line.c */
#include "cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "process/line.h"
#include "job-kinds/runner.h"

static void expect_line(struct line_buffer *b, const char *text)
{
	const char *line = NULL;
	size_t len = 0;

	assert_int_equal(line_next(b, &line, &len), 1);
	assert_string_equal(line, text);
	assert_int_equal(len, strlen(text));
}

static void expect_none(struct line_buffer *b, int rc)
{
	const char *line;
	size_t len;

	assert_int_equal(line_next(b, &line, &len), rc);
}

TEST(test_line__bytes_in_pieces_of_any_size__come_out_as_lines)
{
	static const char bytes[] = "one\n\nthree\nrest";
	size_t piece, i, n, left;

	for (piece = 1; piece <= sizeof(bytes); piece++) {
		struct line_buffer b = {0};
		char seen[64] = "";
		const char *line;

		for (i = 0; i < sizeof(bytes) - 1; i += piece) {
			left = sizeof(bytes) - 1 - i;
			line_feed(&b, bytes + i, left < piece ? left : piece);
			while (line_next(&b, &line, &n) == 1) {
				assert_int_equal(n, strlen(line));
				strncat(seen, line, n);
				strncat(seen, "|", 2);
			}
		}
		assert_string_equal(seen, "one||three|");
		assert_true(line_begun(&b));
		line_feed(&b, "\n", 1);
		expect_line(&b, "rest");
		assert_false(line_begun(&b));
		expect_none(&b, 0);
		line_buffer_fini(&b);
	}
}

TEST(test_line__longest__is_the_last_that_passes)
{
	struct line_buffer b = {.max = 5};

	line_feed(&b, "12345\n12345\n123456\n1\n", 21);
	expect_line(&b, "12345");
	expect_line(&b, "12345");
	expect_none(&b, -EMSGSIZE);
	/* The buffer stays broken: later bytes are ignored. */
	expect_none(&b, -EMSGSIZE);
	line_buffer_fini(&b);
	assert_int_equal(b.max, 5);
	line_feed(&b, "12345", 5);
	expect_none(&b, 0);
	line_feed(&b, "6", 1);
	expect_none(&b, -EMSGSIZE);
	line_buffer_fini(&b);
}

/* If each piece were searched from the beginning, this would take minutes. */
TEST(test_line__long_one_in_small_pieces__is_read_once)
{
	struct line_buffer b = {.max = 64 << 20};
	char piece[16];
	int64_t begin = clock_now_ns();
	const char *line;
	size_t i, len;

	memset(piece, 'x', sizeof(piece));
	for (i = 0; i < (16 << 20) / sizeof(piece); i++) {
		line_feed(&b, piece, sizeof(piece));
		assert_int_equal(line_next(&b, &line, &len), 0);
	}
	line_feed(&b, "\n", 1);
	assert_int_equal(line_next(&b, &line, &len), 1);
	assert_int_equal(len, 16 << 20);
	assert_true(clock_now_ns() - begin < 20000000000);
	line_buffer_fini(&b);
}

TEST(test_line__from_a_socket__come_out_whole)
{
	struct line_reader r;
	const char *line;
	size_t len;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	r = (struct line_reader){.fd = fds[0]};
	assert_int_equal(line_write(fds[1], "one", -1), 0);
	assert_int_equal(line_write(fds[1], "two", -1), 0);
	assert_int_equal(write(fds[1], "thr", 3), 3);
	assert_int_equal(line_read(&r, &line, &len, -1), 1);
	assert_string_equal(line, "one");
	assert_int_equal(line_read(&r, &line, &len, -1), 1);
	assert_string_equal(line, "two");
	assert_int_equal(line_read(&r, &line, &len, clock_deadline_ms(1)), -ETIMEDOUT);
	assert_int_equal(write(fds[1], "ee\ntail", 7), 7);
	assert_int_equal(line_read(&r, &line, &len, -1), 1);
	assert_string_equal(line, "three");
	assert_int_equal(len, 5);
	close(fds[1]);
	assert_int_equal(line_read(&r, &line, &len, -1), -EPROTO);
	line_reader_fini(&r);
	close(fds[0]);
}

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

TEST(test_line__stopped__is_no_line_whenever_the_signal_came)
{
	struct line_reader r = {.stop = &stopped};
	const char *line;
	size_t len;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	r.fd = fds[0];
	stopped = 0;
	assert_int_equal(line_read(&r, &line, &len, clock_deadline_ms(1)), -ETIMEDOUT);
	assert_ptr_not_equal(signal(SIGUSR1, stop), SIG_ERR);
	raise(SIGUSR1);
	assert_int_equal(line_read(&r, &line, &len, -1), -EINTR);
	assert_int_equal(line_write(fds[1], "one", -1), 0);
	assert_int_equal(line_read(&r, &line, &len, -1), -EINTR);
	signal(SIGUSR1, SIG_DFL);
	/* The line that arrived in the meantime is not lost. */
	stopped = 0;
	assert_int_equal(line_read(&r, &line, &len, -1), 1);
	assert_string_equal(line, "one");
	line_reader_fini(&r);
	close(fds[0]);
	close(fds[1]);
}

TEST(test_line__without_end__is_refused)
{
	size_t half = LINE_BYTES_MAX / 2, i;
	auto_free char *text = xcalloc(1, half + 1);
	struct line_reader r;
	const char *line;
	size_t len;
	int fds[2], ret, size = 4 * LINE_BYTES_MAX;

	memset(text, 'x', half);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	r = (struct line_reader){.fd = fds[0]};
	for (i = 0; i < 4; i++) {
		while (send(fds[1], text, half, MSG_DONTWAIT) > 0)
			;
		ret = line_read(&r, &line, &len, clock_now_ns());
		if (ret == -EMSGSIZE)
			break;
		assert_int_equal(ret, -ETIMEDOUT);
	}
	assert_int_equal(ret, -EMSGSIZE);
	line_reader_fini(&r);
	close(fds[0]);
	close(fds[1]);
}

/* The answer of a runner when @job comes in two pieces, with nothing after it. */
static struct value *answer_to(const char *job, size_t cut)
{
	struct value *event = NULL;
	struct line_reader r;
	const char *line;
	int fds[2];
	size_t len;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(fds[0]);
		_exit(runner_main(fds[1], fds[1]));
	}
	close(fds[1]);
	r = (struct line_reader){.fd = fds[0]};
	assert_int_equal(line_read(&r, &line, &len, clock_deadline_ms(10000)), 1);
	assert_non_null(strstr(line, "\"hello\""));
	assert_int_equal(send(fds[0], job, cut, MSG_NOSIGNAL), cut);
	/* A runner that has read the whole job may have ended already. */
	if (send(fds[0], job + cut, strlen(job) - cut, MSG_NOSIGNAL) < 0)
		assert_int_equal(errno, EPIPE);
	shutdown(fds[0], SHUT_WR);
	assert_int_equal(line_read(&r, &line, &len, clock_deadline_ms(10000)), 1);
	event = json_read(line, len, NULL);
	assert_non_null(event);
	line_reader_fini(&r);
	close(fds[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return event;
}

/* The longer lines make the buffer move its bytes. */
TEST(test_line__secret__is_zeros_in_a_child)
{
	struct line_buffer b = {.secret = true};
	static char most[3 * 8192];
	const char *line;
	int status = 0;
	size_t len, i;
	pid_t pid;

	memset(most, 'x', sizeof(most));
	line_feed(&b, "first\n", 6);
	line_feed(&b, most, sizeof(most));
	line_feed(&b, "\nthird", 6);
	assert_int_equal(line_next(&b, &line, &len), 1);
	assert_string_equal(line, "first");
	pid = fork();
	if (pid == 0) {
		for (i = 0; i < b.room && b.buf[i] == '\0'; i++)
			;
		_exit(i == b.room ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(line_next(&b, &line, &len), 1);
	assert_int_equal(len, sizeof(most));
	assert_memory_equal(line, most, len);
	assert_int_equal(line_next(&b, &line, &len), 0);
	assert_true(line_begun(&b));
	line_buffer_fini(&b);
	assert_null(b.buf);
	line_feed(&b, "again\n", 6);
	assert_int_equal(line_next(&b, &line, &len), 1);
	assert_string_equal(line, "again");
	line_buffer_fini(&b);
}

TEST(test_line__runner__takes_the_first_line_as_its_job)
{
	static const char job[] = "{\"job\":\"nonsense\"}\n{\"rows\":24,\"cols\":80}\n";
	size_t cut;

	for (cut = 1; cut < sizeof(job) - 1; cut += 9) {
		auto_value struct value *event = answer_to(job, cut);

		assert_string_equal(value_get_string(event, "text", ""),
				    "no job is called 'nonsense'");
	}
}

/* A silent default would make fabrics of another layout or judge for another lane. */
TEST(test_line__runner__names_what_is_wrong_in_its_job)
{
	static const char *const wrong[][2] = {
		{"{\"job\":\"shell\",\"layout\":\"auto\",\"lnae\":\"uml\"}\n",
		 "job 'shell' lacks the member \"lane\""},
		{"{\"job\":\"exec\",\"layout\":7}\n",
		 "job 'exec': \"layout\" is of type integer and has to be a string"},
		{"{\"stop\":\"a line that is no job\"}\n", "line 'stop' where a job has to be"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		auto_value struct value *event = answer_to(wrong[i][0], 4);

		assert_string_equal(value_get_string(event, "text", ""), wrong[i][1]);
	}
}

TEST(test_line__runner__says_that_its_job_was_cut_off)
{
	auto_value struct value *event = answer_to("{\"job\":\"nonsense\"}", 4);

	assert_string_equal(value_get_string(event, "text", ""), "the front end sent no job");
}
