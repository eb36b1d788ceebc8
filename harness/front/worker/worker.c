/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/sent.h"
#include "event/stream.h"
#include "worker/signals.h"

#define SILENCE_VIRTUAL_MS (10 * 60 * 1000)

struct worker {
	struct lane *lane;
	struct stream *stream;
	/* These watches are in a loop only during a wait: */
	struct watch start[LANE_WANTS_MAX];	/* until it is ready */
	struct watch events, room, console;	/* from then on */
	bool ready;		/* the caller has the news WORKER_READY */
	bool over;		/* the caller has the last news */
	bool eof;
	bool flooded;		/* the place's console has too much */
	bool spoke, took;	/* the runner said or took something in this wait */
	int silence_ms;		/* negative: no limit */
	int64_t quiet_ns;	/* waited since the runner last said something */
	int64_t stuck_ns;	/* waited since the runner last took something */
	char key[KEY_LENGTH + 1];	/* of the lines after the job; empty until then */
	struct text out;	/* lines for the runner */
	size_t taken;		/* bytes of @out */
	struct value **queue;	/* owned; events read but not yet told */
	size_t head, tail;
	struct vbm_error broken;	/* code 0: the stream is sound */
};

static int enqueue(const struct value *event, void *arg)
{
	struct worker *w = arg;

	GROW(w->queue, w->tail);
	w->queue[w->tail++] = value_dup(event);
	return 0;
}

static struct value *dequeue(struct worker *w)
{
	struct value *event = w->queue[w->head++];

	if (w->head == w->tail)
		w->head = w->tail = 0;
	return event;
}

int worker_open(struct worker **out, struct lanes *lanes, struct vbm_error *err)
{
	struct lane *lane = NULL;
	struct worker *w;
	int rc = lane_begin(&lane, lanes, err);

	if (rc < 0)
		return rc;
	w = xcalloc(1, sizeof(*w));
	w->lane = lane;
	w->silence_ms = WORKER_SILENCE_MS;
	w->stream = stream_new(enqueue, w);
	*out = w;
	return 0;
}

struct lane *worker_lane(const struct worker *w)
{
	return w->lane;
}

void worker_allow_silence(struct worker *w, int ms)
{
	w->silence_ms = ms;
	w->quiet_ns = w->stuck_ns = 0;
}

static bool has_output(const struct worker *w)
{
	return w->taken < w->out.len;
}

void worker_send(struct worker *w, const struct value *message)
{
	auto_free char *text = json_write(message);

	sent_made(message);
	if (!has_output(w))
		w->stuck_ns = 0;
	if (w->key[0])
		text_addf(&w->out, "%s ", w->key);
	text_add(&w->out, text);
	text_add(&w->out, "\n");
}

void worker_send_job(struct worker *w, struct value *job)
{
	char key[KEY_LENGTH + 1];

	stream_key_make(key);
	value_set_int(job, "factor", w->lane->factor);
	value_set_string(job, "lane", w->lane->lanes->ops->name);
	value_set_string(job, KEY_MEMBER, key);
	worker_send(w, job);
	memcpy(w->key, key, sizeof(w->key));
	stream_expect_key(w->stream, w->key);
}

static void drop_output(struct worker *w)
{
	text_clear(&w->out);
	w->taken = 0;
}

/*
 * Writes as much as the runner takes now. If the runner is gone, the event stream reports
 * that.
 */
static void write_more(struct watch *room, uint32_t events)
{
	struct worker *w = OWNER_OF(room, struct worker, room);
	ssize_t n = write(w->lane->job_fd, w->out.s + w->taken, w->out.len - w->taken);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	w->took = true;
	if (n > 0)
		w->taken += (size_t)n;
	if (n < 0 || !has_output(w))
		drop_output(w);
}

static void read_more(struct watch *stream, uint32_t events)
{
	struct worker *w = OWNER_OF(stream, struct worker, events);
	char buf[65536];
	ssize_t n = read(w->lane->event_fd, buf, sizeof(buf));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	w->spoke = true;
	if (n > 0)
		stream_feed(w->stream, buf, (size_t)n, &w->broken);
	else
		w->eof = true;
}

static char *end_cause(struct worker *w)
{
	char *text = w->lane->lanes->ops->end_cause(w->lane);

	return text ? text : xstrdup("the runner ended in the middle of its work");
}

/*
 * How long the runner may be silent; negative: for ever. After the runner's end the place
 * only has to end. In virtual time a step that waits for hours is over at once, so its
 * deadline says nothing about this machine's time.
 */
static int silence_ms(const struct worker *w)
{
	if (stream_ended(w->stream))
		return WORKER_SILENCE_MS;
	return w->lane->virtual_time && w->silence_ms > SILENCE_VIRTUAL_MS ? SILENCE_VIRTUAL_MS : w->silence_ms;
}

static int64_t limit_ns(const struct worker *w)
{
	return (int64_t)silence_ms(w) * w->lane->factor * 1000000;
}

/* Whether the runner was silent for too long, and in which way. */
static bool silent(const struct worker *w, char **why)
{
	long seconds = (long)silence_ms(w) * w->lane->factor / 1000;

	if (silence_ms(w) < 0)
		return false;
	if (w->quiet_ns >= limit_ns(w) && stream_ended(w->stream))
		*why = xasprintf("the place did not end within %ld seconds after its runner",
				 seconds);
	else if (w->quiet_ns >= limit_ns(w))
		*why = xasprintf("the runner said nothing for %ld seconds", seconds);
	else if (has_output(w) && w->stuck_ns >= limit_ns(w))
		*why = xasprintf("the runner read none of its input for %ld seconds",
				 seconds);
	return *why != NULL;
}

static bool last(struct worker *w, enum worker_news *news, enum worker_news what)
{
	w->over = true;
	*news = what;
	return true;
}

/* News of a place that starts. */
static bool take_start(struct worker *w, enum worker_news *news, char **why)
{
	struct vbm_error err = {0};
	int rc = lane_advance(w->lane, &err);

	if (rc == 0)
		return false;
	if (rc < 0) {
		*why = xstrdup(err.msg);
		return last(w, news, WORKER_DIED);
	}
	fcntl(w->lane->event_fd, F_SETFL, O_RDWR | O_NONBLOCK);
	fcntl(w->lane->job_fd, F_SETFL, O_RDWR | O_NONBLOCK);
	w->ready = true;
	*news = WORKER_READY;
	return true;
}

/* After the runner's "end" all bytes are read, because none may follow it. */
static bool take_end(struct worker *w, enum worker_news *news, char **why)
{
	struct vbm_error err = {0};

	if (stream_finish(w->stream, &err) == 0)
		return last(w, news, WORKER_END);
	*why = xasprintf("the event stream is garbled: %s", err.msg);
	return last(w, news, WORKER_GARBLED);
}

/* Takes the next news of this worker; false if there is none yet. */
static bool take_news(struct worker *w, enum worker_news *news, struct value **event, char **why)
{
	if (!w->ready)
		return take_start(w, news, why);
	if (w->head < w->tail) {
		*event = dequeue(w);
		*news = WORKER_EVENT;
		return true;
	}
	if (w->flooded) {
		*why = xasprintf("the console of the place has more than %d MB: a program writes to "
				 "it without end", FLOOD_MB);
		return last(w, news, WORKER_GARBLED);
	}
	if (w->broken.code) {
		*why = xasprintf("the event stream is garbled: %s", w->broken.msg);
		return last(w, news, WORKER_GARBLED);
	}
	if (w->eof && stream_ended(w->stream))
		return take_end(w, news, why);
	if (w->eof) {
		*why = end_cause(w);
		return last(w, news, WORKER_DIED);
	}
	return silent(w, why) ? last(w, news, WORKER_SILENT) : false;
}

static void hear_console(struct watch *console, uint32_t events)
{
	struct worker *w = OWNER_OF(console, struct worker, console);

	(void)events;
	w->flooded |= flood_look(&w->lane->flood);
}

/* After each wait lane_advance() looks how far the place is. */
static void on_start(struct watch *start, uint32_t events)
{
	(void)start;
	(void)events;
}

static void join_wait(struct worker *w, struct loop *loop)
{
	struct pollfd p[LANE_WANTS_MAX];
	size_t i, n = lane_wants(w->lane, p);

	for (i = 0; i < n; i++)
		watch_add(loop, &w->start[i], p[i].fd, (uint32_t)p[i].events, on_start);
	if (!w->ready)
		return;
	watch_add(loop, &w->events, w->lane->event_fd, POLLIN, read_more);
	if (has_output(w))
		watch_add(loop, &w->room, w->lane->job_fd, POLLOUT, write_more);
	watch_add(loop, &w->console, w->lane->flood.watch_fd, POLLIN, hear_console);
}

/* A wait of @ns is over. */
static void leave_wait(struct worker *w, struct loop *loop, int64_t ns)
{
	size_t i;

	for (i = 0; i < LANE_WANTS_MAX; i++)
		vbm_loop_remove(loop, &w->start[i]);
	vbm_loop_remove(loop, &w->events);
	vbm_loop_remove(loop, &w->room);
	vbm_loop_remove(loop, &w->console);
	if (!w->ready)
		return;
	w->quiet_ns = w->spoke ? 0 : w->quiet_ns + ns;
	w->stuck_ns = w->took ? 0 : w->stuck_ns + ns;
	w->spoke = w->took = false;
}

/* How long worker_wait() may wait for this worker; INT64_MAX: for ever. */
static int64_t patience_ns(const struct worker *w)
{
	int64_t waited;

	if (!w->ready)
		return w->lane->deadline_ns == INT64_MAX ? INT64_MAX :
							    w->lane->deadline_ns - clock_now_ns();
	if (silence_ms(w) < 0)
		return INT64_MAX;
	waited = has_output(w) && w->stuck_ns > w->quiet_ns ? w->stuck_ns : w->quiet_ns;
	return limit_ns(w) - waited;
}

static int timeout_ms(int64_t ns)
{
	if (ns == INT64_MAX)
		return -1;
	if (ns <= 0)
		return 0;
	ns = (ns + 999999) / 1000000;
	return ns > INT_MAX ? INT_MAX : (int)ns;
}

static bool alive(const struct worker *w)
{
	return w && !w->over;
}

static void on_signal(struct watch *signal, uint32_t events)
{
	struct worker_wait *on = OWNER_OF(signal, struct worker_wait, signal);

	(void)events;
	on->interrupted |= signals_take(on->signals);
}

static void on_input(struct watch *watch, uint32_t events)
{
	struct worker_input *input = OWNER_OF(watch, struct worker_input, watch);

	input->found |= events;
	input->on->has_input = true;
}

void worker_wait_begin(struct worker_wait *on)
{
	vbm_loop_init_plain(&on->loop);
	watch_add(&on->loop, &on->signal, -1, 0, on_signal);
}

void worker_wait_end(struct worker_wait *on)
{
	vbm_loop_fini(&on->loop);
}

void worker_input_for(struct worker_wait *on, struct worker_input *input, struct pollfd wanted)
{
	if (input->on != on)
		watch_add(&on->loop, &input->watch, -1, 0, on_input);
	input->on = on;
	watch_for(&input->watch, wanted);
}

bool worker_input_take(struct worker_input *input)
{
	uint32_t found = input->found;

	input->found = 0;
	return found != 0;
}

/* Waits once, and reads what has arrived. */
static void wait_once(struct worker_wait *on)
{
	int64_t begun = clock_now_ns(), patience = INT64_MAX, ns;
	size_t i;

	vbm_watch_set(&on->signal, on->signals ? on->signals->fd : -1, POLLIN);
	for (i = 0; i < on->count; i++) {
		if (!alive(on->workers[i]))
			continue;
		join_wait(on->workers[i], &on->loop);
		ns = patience_ns(on->workers[i]);
		patience = ns < patience ? ns : patience;
	}
	vbm_loop_run(&on->loop, timeout_ms(patience));
	/* The time that the reading took does not count as silence. */
	ns = on->loop.now - begun;
	for (i = 0; i < on->count; i++)
		if (alive(on->workers[i]))
			leave_wait(on->workers[i], &on->loop, ns);
}

/*
 * Returns a worker that has news. If no worker has news, returns NULL, and *@living is the
 * number of workers that can still have some.
 */
static struct worker *find_news(const struct worker_wait *on, size_t *living,
				enum worker_news *news, struct value **event, char **why)
{
	size_t i;

	for (i = *living = 0; i < on->count; i++) {
		if (!alive(on->workers[i]))
			continue;
		++*living;
		if (take_news(on->workers[i], news, event, why))
			return on->workers[i];
	}
	return NULL;
}

enum worker_news worker_wait(struct worker_wait *on, struct worker **who,
			     struct value **event, char **why)
{
	enum worker_news news;
	size_t living;

	*event = NULL;
	*why = NULL;
	for (;;) {
		*who = find_news(on, &living, &news, event, why);
		if (*who)
			return news;
		if (!living)
			return WORKER_NONE;
		if (!on->has_input)
			wait_once(on);
		if (on->interrupted) {
			on->interrupted = false;
			*why = xasprintf("interrupted by SIG%s",
					 sigabbrev_np(on->signals->caught));
			return WORKER_INTERRUPTED;
		}
		/*
		 * Input comes before the runners' events, because a busy runner would
		 * keep it waiting.
		 */
		if (on->has_input) {
			on->has_input = false;
			return WORKER_INPUT;
		}
	}
}

void worker_close(struct worker *w)
{
	if (!w)
		return;
	lane_stop(w->lane);
	stream_free(w->stream);
	while (w->head < w->tail)
		value_free(dequeue(w));
	free(w->queue);
	text_fini(&w->out);
	free(w);
}
