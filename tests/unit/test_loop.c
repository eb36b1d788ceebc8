/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/base/loop.c base/watch.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/watch.h"

#define PATIENCE_MS 20000

/* A watch that records its call, and may change another watch. */
struct note {
	struct watch watch;
	char name;
	uint32_t events;
	void (*act)(struct note *n);
	struct note *other;
};

static struct loop loop;
static char called[32];	/* the names, in order */
static int pair[2];

static int begin(void **state)
{
	(void)state;
	vbm_loop_init_plain(&loop);
	memset(called, 0, sizeof(called));
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair);
}

static int end(void **state)
{
	size_t i;

	(void)state;
	vbm_loop_fini(&loop);
	for (i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
	return 0;
}

UNIT(.each = {begin, end});

static void on_note(struct watch *w, uint32_t events)
{
	struct note *n = OWNER_OF(w, struct note, watch);

	called[strlen(called)] = n->name;
	n->events = events;
	if (n->act)
		n->act(n);
}

static void add(struct note *n, int fd, uint32_t events)
{
	watch_add(&loop, &n->watch, fd, events, on_note);
}

static void run_once(int ms)
{
	memset(called, 0, sizeof(called));
	assert_int_equal(vbm_loop_run(&loop, ms), 0);
}

static void speak(void)
{
	assert_int_equal(write(pair[1], "x", 1), 1);
}

TEST(test_loop__several_ready__have_their_turns_by_rank_then_by_age)
{
	struct note late = {.name = 'c', .watch.rank = 1}, first = {.name = 'a'}, second = {.name = 'b'};

	add(&late, pair[0], POLLIN);
	add(&first, pair[0], POLLIN);	/* the same descriptor */
	add(&second, pair[0], POLLIN | POLLOUT);
	speak();
	run_once(PATIENCE_MS);
	assert_string_equal(called, "abc");
	assert_int_equal(first.events, POLLIN);
	assert_int_equal(second.events, POLLIN | POLLOUT);
}

TEST(test_loop__no_events_or_no_descriptor__is_no_wait_even_after_a_hang_up)
{
	struct note silent = {.name = 'a'}, closed = {.name = 'b'}, third = {.name = 'c'};

	add(&silent, pair[0], 0);
	add(&closed, -1, POLLIN);
	add(&third, pair[0], POLLOUT);
	close(pair[1]);
	pair[1] = -1;
	run_once(PATIENCE_MS);
	assert_string_equal(called, "c");
	assert_true(third.events & POLLHUP);
	vbm_loop_modify(&loop, &silent.watch, POLLIN);
	run_once(PATIENCE_MS);
	assert_string_equal(called, "ac");
}

static void remove_other(struct note *n)
{
	vbm_loop_remove(&loop, &n->other->watch);
}

TEST(test_loop__removed_by_a_callback__is_not_called_and_its_neighbour_is)
{
	struct note a = {.name = 'a', .act = remove_other}, b = {.name = 'b'}, c = {.name = 'c'};

	a.other = &b;
	add(&a, pair[0], POLLIN);
	add(&b, pair[0], POLLIN);
	add(&c, pair[0], POLLIN);
	speak();
	run_once(PATIENCE_MS);
	assert_string_equal(called, "ac");
	b.act = NULL;
	a.act = NULL;
	add(&b, pair[0], POLLIN);
	run_once(PATIENCE_MS);
	assert_string_equal(called, "acb");
}

static void replace_other(struct note *n)
{
	int fd = n->other->watch.fd;

	/*
	 * The descriptor is closed, and another file gets its number. The event that was
	 * found belonged to the old file.
	 */
	vbm_watch_set(&n->other->watch, -1, POLLIN);
	vbm_watch_set(&n->other->watch, fd, POLLIN);
}

static void narrow_other(struct note *n)
{
	vbm_watch_set(&n->other->watch, n->other->watch.fd, POLLOUT);
}

TEST(test_loop__another_descriptor_or_event__makes_what_was_found_forgotten)
{
	struct note a = {.name = 'a', .act = replace_other}, b = {.name = 'b'};

	a.other = &b;
	add(&a, pair[0], POLLIN);
	add(&b, pair[0], POLLIN);
	speak();
	run_once(PATIENCE_MS);
	assert_string_equal(called, "a");
	a.act = narrow_other;
	run_once(PATIENCE_MS);
	assert_string_equal(called, "a");
	a.act = NULL;
	run_once(PATIENCE_MS);
	assert_string_equal(called, "ab");
	assert_int_equal(b.events, POLLOUT);
}

static void add_other(struct note *n)
{
	if (!n->other->watch.next)
		add(n->other, pair[0], POLLIN);
}

/*
 * More watches than the loop has room for at first, so that the array for poll(2) moves in
 * between.
 */
TEST(test_loop__added_by_callbacks__are_called_after_the_next_wait)
{
	struct note n[24];
	size_t i;

	for (i = 0; i < 24; i++)
		n[i] = (struct note){.name = (char)('a' + i), .act = i < 12 ? add_other : NULL,
				     .other = &n[(i + 12) % 24]};
	for (i = 0; i < 12; i++)
		add(&n[i], pair[0], POLLIN);
	speak();
	run_once(PATIENCE_MS);
	assert_string_equal(called, "abcdefghijkl");
	run_once(PATIENCE_MS);
	assert_string_equal(called, "abcdefghijklmnopqrstuvwx");
}

TEST(test_loop__a_plain_file__is_always_ready)
{
	struct note file = {.name = 'a'};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	add(&file, fd, POLLIN);
	run_once(PATIENCE_MS);
	assert_string_equal(called, "a");
	close(fd);
}

struct ring {
	struct timer timer;
	char name;
};

static void on_ring(struct timer *t)
{
	called[strlen(called)] = OWNER_OF(t, struct ring, timer)->name;
}

TEST(test_loop__timers__end_the_wait_and_come_after_descriptors)
{
	struct ring soon = {{.fire = on_ring}, 's'}, later = {{.fire = on_ring}, 't'};
	struct note a = {.name = 'a'};
	int64_t begun = vbm_loop_now();

	vbm_timer_arm(&loop, &later.timer, begun + 3600000 * NS_PER_MS);
	vbm_timer_arm(&loop, &soon.timer, begun + 5 * NS_PER_MS);
	run_once(-1);
	assert_string_equal(called, "s");
	assert_true(vbm_loop_now() >= begun + 5 * NS_PER_MS);
	/* The caller's limit counts if it is shorter. */
	run_once(0);
	assert_string_equal(called, "");
	vbm_timer_arm(&loop, &soon.timer, vbm_loop_now());
	add(&a, pair[0], POLLOUT);
	run_once(-1);
	assert_string_equal(called, "as");
	vbm_timer_disarm(&later.timer);
}

static int interrupted(struct pollfd *p, nfds_t n, int ms)
{
	(void)ms;
	assert_int_equal(n, 1);
	p[0].revents = POLLIN;	/* must be ignored */
	errno = EINTR;
	return -1;
}

TEST(test_loop__a_wait_that_fails__calls_no_watch_but_timers)
{
	struct ring due = {{.fire = on_ring}, 's'};
	struct note a = {.name = 'a'};

	add(&a, pair[0], POLLIN);
	vbm_timer_arm(&loop, &due.timer, vbm_loop_now());
	loop.wait = interrupted;
	assert_int_equal(vbm_loop_run(&loop, -1), -EINTR);
	assert_string_equal(called, "s");
}

static int descriptors(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

TEST(test_loop__plain__has_no_descriptor)
{
	struct loop other;
	int before = descriptors();

	vbm_loop_init_plain(&other);
	assert_int_equal(descriptors(), before);
	vbm_loop_fini(&other);
	assert_int_equal(vbm_loop_init(&other), 0);
	assert_int_not_equal(descriptors(), before);
	vbm_loop_fini(&other);
	assert_int_equal(descriptors(), before);
}
