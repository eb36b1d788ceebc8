/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: process/pump.c */
#include "cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/pump.h"

struct ends {
	int near, far;
};

static struct ends pair(void)
{
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv),
			 0);
	return (struct ends){sv[0], sv[1]};
}

static void close_both(struct ends e)
{
	close(e.near);
	close(e.far);
}

TEST(test_pump__passes_on_and_ends)
{
	struct ends in = pair(), out = pair();
	struct pump p;
	char buf[16];

	pump_init(&p, in.near, out.near);
	assert_int_equal(pump_wants(&p).fd, in.near);
	assert_int_equal(write(in.far, "hello", 5), 5);
	pump_run(&p);
	assert_int_equal(read(out.far, buf, sizeof(buf)), 5);
	assert_memory_equal(buf, "hello", 5);
	pump_run(&p);	/* nothing there */
	assert_false(pump_done(&p));
	shutdown(in.far, SHUT_WR);
	pump_run(&p);
	assert_true(p.eof);
	assert_true(pump_done(&p));
	assert_int_equal(pump_wants(&p).fd, -1);
	/* Bytes that are inserted later still come out. */
	pump_insert(&p, "\004", 1);
	assert_false(pump_done(&p));
	assert_int_equal(pump_wants(&p).fd, out.near);
	pump_run(&p);
	assert_true(pump_done(&p));
	assert_int_equal(read(out.far, buf, sizeof(buf)), 1);
	close_both(in);
	close_both(out);
}

TEST(test_pump__a_full_reader__holds_the_writer)
{
	struct ends in = pair(), out = pair();
	size_t put = 0, got = 0, turns;
	char chunk[3000];
	struct pump p;
	ssize_t n;

	memset(chunk, 'x', sizeof(chunk));
	pump_init(&p, in.near, out.near);
	for (turns = 0; turns < 100000 && pump_wants(&p).events == POLLIN; turns++) {
		n = write(in.far, chunk, sizeof(chunk));
		put += n > 0 ? (size_t)n : 0;
		pump_run(&p);
	}
	/* Now the pump waits for room and reads no more. */
	assert_int_equal(pump_wants(&p).fd, out.near);
	assert_int_equal(pump_wants(&p).events, POLLOUT);
	n = write(in.far, chunk, sizeof(chunk));
	put += n > 0 ? (size_t)n : 0;
	shutdown(in.far, SHUT_WR);
	while (!pump_done(&p)) {
		n = read(out.far, chunk, sizeof(chunk));
		got += n > 0 ? (size_t)n : 0;
		pump_run(&p);
	}
	while ((n = read(out.far, chunk, sizeof(chunk))) > 0)
		got += (size_t)n;
	assert_int_equal(got, put);
	close_both(in);
	close_both(out);
}

TEST(test_pump__a_reader_that_is_gone__is_an_error)
{
	struct ends in = pair(), out = pair();
	struct pump p;

	signal(SIGPIPE, SIG_IGN);
	pump_init(&p, in.near, out.near);
	close(out.far);
	assert_int_equal(write(in.far, "x", 1), 1);
	pump_run(&p);
	assert_int_equal(p.error, -EPIPE);
	assert_true(pump_done(&p));
	assert_int_equal(pump_wants(&p).fd, -1);
	close_both(in);
	close(out.near);
}
