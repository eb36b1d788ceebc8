/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: worker/worker.c worker/follow.c */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/emit.h"
#include "event/event.h"
#include "worker/follow.h"
#include "worker/signals.h"
#include "worker/worker.h"
#include "../help/child-lane.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/line.h"

#define SHORT_MS 200	/* a silence for which a test waits */
#define LARGE 3000000	/* more than a socket takes at once */

static void log_event(struct child_place *p, const char *text, int64_t number)
{
	struct value *event = emit_new(&p->emit, "log");

	value_set_int(event, "variant", number);
	value_set_string(event, "name", "x");
	value_set_string(event, "host", "a");
	value_set_string(event, "text", text);
	emit_take(&p->emit, event);
}

/* Answers each line with its length, until the end of them comes. */
static void answer(struct child_place *p)
{
	const char *line;
	size_t len;

	while (line_read(&p->in, &line, &len, -1) == 1 && strcmp(line, "{\"end\":true}") != 0)
		log_event(p, "answer", (int64_t)len);
	emit_end(&p->emit, false);
}

static void say_nothing(struct child_place *p)
{
	(void)p;
	for (;;)
		pause();
}

/* A byte of the terminal makes an event; what comes on @fd is never read. */
static void chatter(struct child_place *p)
{
	char byte;

	while (read(p->terminal, &byte, 1) == 1)
		log_event(p, "chatter", 0);
}

static void die_at_once(struct child_place *p)
{
	(void)p;
	raise(SIGKILL);
}

/* With its first line: the hellos of others have come by then. */
static void die(struct child_place *p)
{
	const char *line;
	size_t len;

	if (line_read(&p->in, &line, &len, -1) == 1)
		raise(SIGKILL);
}

static void babble(struct child_place *p)
{
	if (write(p->fd, "babble\n", 7) == 7)
		pause();
}

#define MAX 2

struct team {
	struct lanes *lanes;
	struct worker *worker[MAX];
	size_t count;
	struct worker_wait on;
	/* The latest news: */
	struct worker *who;
	struct value *event;	/* owned */
	char *why;		/* owned */
};

static enum worker_news next(struct team *t)
{
	value_free(t->event);
	free(t->why);
	return worker_wait(&t->on, &t->who, &t->event, &t->why);
}

static void next_is(struct team *t, enum worker_news news, size_t index)
{
	assert_int_equal(next(t), news);
	assert_ptr_equal(t->who, t->worker[index]);
}

static void open_team(struct team *t, const child_life *what, size_t count)
{
	signal(SIGPIPE, SIG_IGN);
	*t = (struct team){.count = count, .on = {.workers = t->worker, .count = count}};
	worker_wait_begin(&t->on);
	child_lane_live(what);
	assert_int_equal(lanes_open(&t->lanes, &child_lane, &(struct lane_options){0}, NULL), 0);
	for (; count; count--)
		assert_int_equal(worker_open(&t->worker[t->count - count], t->lanes, NULL), 0);
}

/* All said that they are ready, and hello. */
static void begin_team(struct team *t, const child_life *what, size_t count)
{
	size_t i;

	open_team(t, what, count);
	for (i = 0; i < count; i++)
		next_is(t, WORKER_READY, i);
	for (i = 0; i < count; i++) {
		assert_int_equal(next(t), WORKER_EVENT);
		assert_true(event_is(t->event, "hello"));
	}
}

static void close_team(struct team *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		worker_close(t->worker[i]);
	worker_wait_end(&t->on);
	lanes_close(t->lanes);
	value_free(t->event);
	free(t->why);
}

/* A line that is so many bytes longer than the member's name. */
static void send_line(struct worker *w, size_t length)
{
	auto_value struct value *message = value_map();
	auto_free char *text = xcalloc(length + 1, 1);

	memset(text, 'x', length);
	value_set_string(message, "input", text);
	worker_send(w, message);
}

static void send_end(struct worker *w)
{
	auto_value struct value *message = value_map();

	value_set_bool(message, "end", true);
	worker_send(w, message);
}

static void answer_is(struct team *t, size_t index, size_t length)
{
	next_is(t, WORKER_EVENT, index);
	assert_int_equal(value_get_int(t->event, "variant", -1), length + strlen("{'input':''}"));
}

/* Make it end, and wait for the news of it. */
static void end(struct team *t, size_t index)
{
	send_end(t->worker[index]);
	next_is(t, WORKER_EVENT, index);
	assert_true(event_is(t->event, "end"));
	next_is(t, WORKER_END, index);
}

static void poke(struct team *t, size_t index)
{
	assert_int_equal(write(worker_lane(t->worker[index])->terminal_fd, "x", 1), 1);
}

TEST(test_worker__large_line__arrives_whole)
{
	struct team t;

	begin_team(&t, (const child_life[]){answer}, 1);
	send_line(t.worker[0], LARGE / 4);
	send_line(t.worker[0], 1);
	answer_is(&t, 0, LARGE / 4);
	answer_is(&t, 0, 1);
	end(&t, 0);
	assert_int_equal(next(&t), WORKER_NONE);
	close_team(&t);
}

TEST(test_worker__stuck_reader__is_silent_and_blocks_nobody)
{
	struct team t;

	begin_team(&t, (const child_life[]){say_nothing, answer}, 2);
	send_line(t.worker[0], LARGE);
	send_line(t.worker[1], 5);
	answer_is(&t, 1, 5);
	worker_allow_silence(t.worker[0], SHORT_MS);
	next_is(&t, WORKER_SILENT, 0);
	end(&t, 1);
	close_team(&t);
}

/*
 * A runner sends output and reads nothing. Returns whether it is ended for that reason,
 * and not for silence.
 */
static bool is_stuck(int ms)
{
	enum worker_news news;
	struct team t;
	bool stuck;

	begin_team(&t, (const child_life[]){chatter}, 1);
	worker_allow_silence(t.worker[0], ms);
	send_line(t.worker[0], LARGE);
	do {
		poke(&t, 0);
		news = next(&t);
	} while (news == WORKER_EVENT);
	assert_int_equal(news, WORKER_SILENT);
	stuck = strstr(t.why, "read none of its input");
	close_team(&t);
	return stuck;
}

/* If the machine pauses, the runner is really silent, so the test tries a longer time. */
TEST(test_worker__talks_and_takes_nothing__is_silent)
{
	int ms = SHORT_MS;

	while (!is_stuck(ms)) {
		ms *= 4;
		assert_true(ms < 60000);
	}
}

TEST(test_worker__two__interleave)
{
	struct team t;
	size_t i;

	begin_team(&t, (const child_life[]){answer, answer}, 2);
	for (i = 0; i < 6; i++) {
		send_line(t.worker[i % 2], i);
		answer_is(&t, i % 2, i);
	}
	end(&t, 1);
	send_line(t.worker[0], 7);
	answer_is(&t, 0, 7);
	end(&t, 0);
	assert_int_equal(next(&t), WORKER_NONE);
	close_team(&t);
}

/* The output of one runner must not hide the silence of another, and must not end. */
TEST(test_worker__silence_of_one__and_news_of_the_other)
{
	struct team t;
	size_t i;

	begin_team(&t, (const child_life[]){say_nothing, chatter}, 2);
	worker_allow_silence(t.worker[0], SHORT_MS);
	worker_allow_silence(t.worker[1], -1);
	do {
		poke(&t, 1);
		assert_true(next(&t) == WORKER_EVENT || t.who == t.worker[0]);
	} while (t.who == t.worker[1]);
	assert_non_null(strstr(t.why, "said nothing"));
	for (i = 0; i < 2; i++) {
		poke(&t, 1);
		next_is(&t, WORKER_EVENT, 1);
	}
	close_team(&t);
}

TEST(test_worker__end_of_a_place__is_news)
{
	struct team t;

	begin_team(&t, (const child_life[]){die, answer}, 2);
	send_line(t.worker[0], 1);
	next_is(&t, WORKER_DIED, 0);
	assert_string_equal(t.why, CHILD_END_CAUSE);
	/* A line for one that is gone harms nobody. */
	send_line(t.worker[0], 1);
	send_line(t.worker[1], 1);
	answer_is(&t, 1, 1);
	close_team(&t);

	begin_team(&t, (const child_life[]){babble}, 1);
	next_is(&t, WORKER_GARBLED, 0);
	assert_int_equal(next(&t), WORKER_NONE);
	close_team(&t);
}

TEST(test_worker__place_that_never_starts__died)
{
	struct team t;

	open_team(&t, (const child_life[]){say_nothing}, 1);
	child_lane_start_not("it did not start");
	next_is(&t, WORKER_DIED, 0);
	assert_string_equal(t.why, "it did not start");
	close_team(&t);
}

TEST(test_worker__input__is_news)
{
	struct worker_input input = {0};
	int pipefd[2];
	struct team t;

	begin_team(&t, (const child_life[]){answer}, 1);
	assert_int_equal(pipe(pipefd), 0);
	worker_input_for(&t.on, &input, (struct pollfd){.fd = pipefd[0], .events = POLLIN});
	send_line(t.worker[0], 1);
	answer_is(&t, 0, 1);
	assert_false(worker_input_take(&input));
	assert_int_equal(write(pipefd[1], "x", 1), 1);
	assert_int_equal(next(&t), WORKER_INPUT);
	assert_null(t.who);
	assert_true(worker_input_take(&input));
	assert_false(worker_input_take(&input));
	close(pipefd[0]);
	close(pipefd[1]);
	close_team(&t);
}

/* A silence that was allowed before does not count against a new limit. */
TEST(test_worker__a_new_limit__begins_now)
{
	const struct itimerspec quiet = {.it_value.tv_nsec = 2 * SHORT_MS * 1000000L};
	struct pollfd wanted = {.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), .events = POLLIN};
	struct worker_input input = {0};
	struct team t;

	begin_team(&t, (const child_life[]){answer}, 1);
	worker_allow_silence(t.worker[0], -1);
	assert_int_equal(timerfd_settime(wanted.fd, 0, &quiet, NULL), 0);
	worker_input_for(&t.on, &input, wanted);
	assert_int_equal(next(&t), WORKER_INPUT);
	worker_input_for(&t.on, &input, (struct pollfd){.fd = -1});
	worker_allow_silence(t.worker[0], SHORT_MS);
	send_line(t.worker[0], 1);
	answer_is(&t, 0, 1);
	close(wanted.fd);
	close_team(&t);
}

/* Both arrive in one wait: the signal is reported first, then the input. */
TEST(test_worker__input_beside_a_signal__is_told_after_it)
{
	struct signals signals;
	struct worker_input input = {0};
	int pipefd[2];
	struct team t;
	int64_t begun;

	assert_int_equal(signals_open(&signals, NULL), 0);
	begin_team(&t, (const child_life[]){say_nothing}, 1);
	assert_int_equal(pipe(pipefd), 0);
	assert_int_equal(write(pipefd[1], "x", 1), 1);
	worker_input_for(&t.on, &input, (struct pollfd){.fd = pipefd[0], .events = POLLIN});
	t.on.signals = &signals;
	raise(SIGTERM);
	assert_int_equal(next(&t), WORKER_INTERRUPTED);
	/* There is no other wait, which would take as long as the runner may be silent. */
	worker_input_for(&t.on, &input, (struct pollfd){.fd = -1});
	begun = clock_now_ns();
	assert_int_equal(next(&t), WORKER_INPUT);
	assert_true(clock_now_ns() - begun < WORKER_SILENCE_MS / 2 * NS_PER_MS);
	assert_true(worker_input_take(&input));
	close(pipefd[0]);
	close(pipefd[1]);
	close_team(&t);
	signals.caught = 0;	/* otherwise this process would end by it */
	signals_close(&signals);
}

TEST(test_worker__signal__is_news)
{
	struct signals signals;
	struct team t;

	assert_int_equal(signals_open(&signals, NULL), 0);
	begin_team(&t, (const child_life[]){answer, say_nothing}, 2);
	t.on.signals = &signals;
	raise(SIGTERM);
	assert_int_equal(next(&t), WORKER_INTERRUPTED);
	assert_null(t.who);
	assert_string_equal(t.why, "interrupted by SIGTERM");
	assert_int_equal(signals.caught, SIGTERM);
	/* Output that is there already counts as news. */
	send_line(t.worker[0], 1);
	answer_is(&t, 0, 1);
	close_team(&t);
	signals.caught = 0;
	signals_close(&signals);
}

/* A front end that replaces a worker that has ended. */
struct relay {
	struct team *team;
	int readies, events, ends;
};

static int on_ready(void *arg, struct worker *w, struct vbm_error *err)
{
	struct relay *r = arg;

	(void)err;
	r->readies++;
	send_line(w, 1);
	send_end(w);
	return 0;
}

static int on_event(void *arg, struct worker *w, struct value *event, struct vbm_error *err)
{
	struct relay *r = arg;

	(void)w;
	(void)err;
	r->events += event_is(event, "log");
	return 0;
}

static int on_end(void *arg, struct worker *w, struct vbm_error *err)
{
	struct relay *r = arg;
	size_t i = w == r->team->worker[1];

	worker_close(w);
	r->team->worker[i] = NULL;
	return ++r->ends == 1 ? worker_open(&r->team->worker[i], r->team->lanes, err) : 0;
}

static const struct follow_ops relay_ops = {
	.ready = on_ready,
	.event = on_event,
	.end = on_end,
};

TEST(test_follow__workers__may_be_replaced)
{
	struct team t;
	struct relay r = {.team = &t};
	struct follow f = {.workers = t.worker, .count = 2, .ops = &relay_ops, .arg = &r};
	struct vbm_error err = {0};

	open_team(&t, (const child_life[]){answer, answer, answer}, 2);
	assert_int_equal(follow(&f, &err), 0);
	assert_int_equal(r.readies, 3);
	assert_int_equal(r.events, 3);
	assert_int_equal(r.ends, 3);
	close_team(&t);
}

TEST(test_follow__lost_worker__is_an_error_unless_somebody_cares)
{
	struct team t;
	struct relay r = {.team = &t};
	struct follow f = {.workers = t.worker, .count = 1, .ops = &relay_ops, .arg = &r};
	struct vbm_error err = {0};

	open_team(&t, (const child_life[]){die_at_once}, 1);
	assert_int_equal(follow(&f, &err), -EIO);
	assert_string_equal(err.msg, CHILD_END_CAUSE);
	close_team(&t);
}
