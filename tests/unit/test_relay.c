/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/relay.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/child.h"
#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lane/relay.h"
#include "../help/descriptors.h"

#define WAIT_MS 20000
#define LARGE (8 * GUEST_WINDOW)

/* The far ends of a link: the user of the lane, the kernel, and the kernel's init. */
struct far {
	int user, kernel, init;
};

static int pair_with(int *relays)
{
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	*relays = sv[1];
	return sv[0];
}

static pid_t start(struct far *far, size_t count, bool deflates)
{
	struct relay_link link[2] = {RELAY_LINK_NONE, RELAY_LINK_NONE};
	pid_t pid;
	size_t i;

	for (i = 0; i < count; i++) {
		far[i].user = pair_with(&link[i].inner);
		far[i].kernel = pair_with(&link[i].line);
		far[i].init = pair_with(&link[i].taken);
		link[i].deflates = deflates;
	}
	assert_int_equal(relay_start(&pid, link, count, NULL), 0);
	assert_true(pid > 0);
	relay_close(link, count);
	for (i = 0; i < count; i++)
		assert_int_equal(link[i].inner + link[i].line + link[i].taken, -3);
	return pid;
}

static void close_far(struct far *far)
{
	close(far->user);
	close(far->kernel);
	if (far->init >= 0)
		close(far->init);
}

/* The relay must end by itself, with status 0. */
static void must_end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Reads exactly @len bytes. */
static void must_read(int fd, char *buf, size_t len)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;

	for (; len; buf += n, len -= (size_t)n) {
		assert_int_equal(poll(&p, 1, WAIT_MS), 1);
		n = read(fd, buf, len);
		assert_true(n > 0);
	}
}

/* The bytes that have arrived at @fd after the relay has done all its work and waits. */
static size_t arrived(int fd, char *buf, size_t room)
{
	ssize_t n = recv(fd, buf, room, MSG_DONTWAIT);

	return n > 0 ? (size_t)n : 0;
}

static void must_say(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void must_hear(int fd, const char *text)
{
	char buf[64] = "";

	must_read(fd, buf, strlen(text));
	assert_string_equal(buf, text);
}

TEST(test_relay__both_directions__of_both_links)
{
	int before = open_descriptors();
	struct far far[2];
	pid_t pid;

	pid = start(far, 2, false);
	must_say(far[0].user, "to the first");
	must_say(far[1].kernel, "from the second");
	must_hear(far[0].kernel, "to the first");
	must_hear(far[1].user, "from the second");
	must_say(far[1].user, "to the second");
	must_hear(far[1].kernel, "to the second");
	/* A link continues when the other one has ended. */
	close_far(&far[0]);
	must_say(far[1].kernel, "still there");
	must_hear(far[1].user, "still there");
	close_far(&far[1]);
	must_end(pid);
	assert_int_equal(open_descriptors(), before);
}

/*
 * The kernel sends a marker after the bytes. When the marker arrives at the user, the
 * relay has had a turn in which it could have passed on more.
 */
static void let_relay_work(const struct far *far)
{
	int i;

	for (i = 0; i < 3; i++) {
		must_say(far->kernel, "!");
		must_hear(far->user, "!");
	}
}

TEST(test_relay__window__holds_until_init_took)
{
	auto_free char *sent = xcalloc(LARGE, 1), *got = xcalloc(LARGE, 1);
	size_t n, i;
	struct far far;
	pid_t pid;

	for (i = 0; i < LARGE; i++)
		sent[i] = (char)('a' + i % 23);
	pid = start(&far, 1, false);
	assert_int_equal(write(far.user, sent, LARGE), LARGE);
	must_read(far.kernel, got, GUEST_WINDOW);
	let_relay_work(&far);
	assert_int_equal(arrived(far.kernel, got + GUEST_WINDOW, LARGE), 0);
	/* Each byte of init is one more step, even if several arrive at once. */
	must_say(far.init, "t");
	must_read(far.kernel, got + GUEST_WINDOW, GUEST_WINDOW_STEP);
	let_relay_work(&far);
	n = GUEST_WINDOW + GUEST_WINDOW_STEP;
	assert_int_equal(arrived(far.kernel, got + n, LARGE - n), 0);
	must_say(far.init, "tttttttttttttttttttttttttttttttt");
	must_read(far.kernel, got + n, LARGE - n);
	assert_memory_equal(got, sent, LARGE);
	close_far(&far);
	must_end(pid);
}

/* The user's bytes are compressed; the bytes to the user are not. */
TEST(test_relay__deflates__to_the_kernel_only)
{
	struct inflater *f = inflater_new();
	char packed[512], plain[64] = "";
	struct far far;
	ssize_t n;
	int got = 0;
	pid_t pid;

	pid = start(&far, 1, true);
	must_say(far.user, "a plan, a plan, a plan, a plan, a plan");
	while (got == 0) {
		n = read(far.kernel, packed, sizeof(packed));
		assert_true(n > 0);
		inflater_feed(f, packed, (size_t)n);
		got = inflater_take(f, plain, sizeof(plain) - 1);
	}
	assert_string_equal(plain, "a plan, a plan, a plan, a plan, a plan");
	must_say(far.kernel, "plain");
	must_hear(far.user, "plain");
	inflater_free(f);
	close_far(&far);
	must_end(pid);
}

/* The user gets the last bytes of the kernel, even when init has ended. */
TEST(test_relay__init_has_gone__the_rest_still_comes)
{
	struct far far;
	char byte;
	pid_t pid;

	pid = start(&far, 1, false);
	close(steal_fd(&far.init));
	must_say(far.kernel, "the end");
	must_hear(far.user, "the end");
	shutdown(far.kernel, SHUT_WR);
	/* After that the user's stream ends. */
	assert_int_equal(read(far.user, &byte, 1), 0);
	must_end(pid);
	close_far(&far);
}

TEST(test_relay__user_has_gone__ends)
{
	struct far far;
	pid_t pid;
	char byte;

	pid = start(&far, 1, false);
	close(steal_fd(&far.user));
	must_end(pid);
	assert_int_equal(read(far.kernel, &byte, 1), 0);
	close(far.kernel);
	close(far.init);
}

/* Its starter dies, and the test keeps all ends of the links open. */
TEST(test_relay__starter_has_gone__ends)
{
	int inner, line, taken, pids[2];
	auto_close int user = pair_with(&inner), kernel = pair_with(&line);
	auto_close int init __attribute__((unused)) = pair_with(&taken);
	auto_close int pidfd = -1;
	struct pollfd p = {.events = POLLIN};
	char byte = 'x';
	pid_t starter, pid;

	assert_int_equal(pipe2(pids, O_CLOEXEC), 0);
	starter = fork();
	if (starter == 0) {
		struct relay_link link = {inner, line, taken, false};

		if (relay_start(&pid, &link, 1, NULL) < 0 || write(pids[1], &pid, sizeof(pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pids[0], &pid, sizeof(pid)), sizeof(pid));
	/*
	 * When the relay passes something on, it has begun, and so has asked the kernel
	 * for its end.
	 */
	assert_int_equal(write(user, &byte, 1), 1);
	assert_int_equal(read(kernel, &byte, 1), 1);
	pidfd = pidfd_open(pid, 0);
	assert_true(pidfd >= 0);
	child_end(starter);
	p.fd = pidfd;
	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	close(pids[0]);
	close(pids[1]);
	close(inner);
	close(line);
	close(taken);
}

/* Ctrl-C at the terminal is for the process group of the starter. */
TEST(test_relay__its_group__is_its_own)
{
	struct far far;
	pid_t pid;

	pid = start(&far, 1, false);
	must_say(far.user, "x");
	must_hear(far.kernel, "x");
	assert_int_equal(getpgid(pid), pid);
	close_far(&far);
	must_end(pid);
}
