/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fail.h"
#include "event/stream.h"

struct worker {
	struct lane *lane;
	struct stream *stream;
	int signal_fd;
	sigset_t old_mask;
	struct pollfd *watch;	/* borrowed */
	size_t watch_count;
	int signal;	/* that interrupted us */
	bool eof;
	struct value **queue;	/* owned; read but not yet taken */
	size_t head, tail;
	struct vbm_error broken;	/* code 0: the stream is sound */
};

static int enqueue(const struct value *event, void *arg)
{
	struct worker *s = arg;

	GROW(s->queue, s->tail);
	s->queue[s->tail++] = value_dup(event);
	return 0;
}

static struct value *dequeue(struct worker *s)
{
	struct value *event = s->queue[s->head++];

	if (s->head == s->tail)
		s->head = s->tail = 0;
	return event;
}

static int catch_signals(struct worker *s, struct vbm_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signal_fd < 0 ? vbm_fail(err, errno, "signalfd: %s", strerror(errno)) : 0;
}

int worker_open(struct worker **out, const struct lane_ops *ops,
		 const struct lane_options *opts, struct vbm_error *err)
{
	struct worker *s = xcalloc(1, sizeof(*s));
	struct lane_options with_cancel = *opts;
	int rc;

	rc = catch_signals(s, err);
	if (rc == 0) {
		with_cancel.cancel_fd = s->signal_fd;
		rc = lane_start(&s->lane, ops, &with_cancel, err);
	}
	if (rc < 0) {
		worker_close(s);
		return rc;
	}
	s->stream = stream_new(enqueue, s);
	*out = s;
	return 0;
}

struct lane *worker_lane(struct worker *s)
{
	return s->lane;
}

void worker_watch(struct worker *s, struct pollfd *fds, size_t count)
{
	s->watch = fds;
	s->watch_count = count < WORKER_WATCH_MAX ? count : WORKER_WATCH_MAX;
}

int worker_say(struct worker *s, const struct value *message, struct vbm_error *err)
{
	auto_free char *text = json_write(message);
	size_t n = strlen(text), done = 0;
	ssize_t w;

	text[n++] = '\n';	/* where the NUL was: what follows counts bytes */
	while (done < n) {
		w = write(s->lane->job_fd, text + done, n - done);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EPIPE)
			return 0;	/* how it died, worker_next() tells */
		if (w < 0)
			return vbm_fail(err, errno, "cannot write to the runner: %s",
					strerror(errno));
		done += (size_t)w;
	}
	return 0;
}

int worker_send(struct worker *s, struct value *job, struct vbm_error *err)
{
	value_set_int(job, "factor", s->lane->factor);
	value_set_string(job, "lane", s->lane->lanes->ops->name);
	return worker_say(s, job, err);
}

static enum worker_news died(struct worker *s, char **why)
{
	*why = s->lane->lanes->ops->obituary(s->lane);
	if (!*why)
		*why = xstrdup("the runner ended in the middle of its work");
	return WORKER_DIED;
}

static void read_more(struct worker *s)
{
	char buf[65536];
	ssize_t n = read(s->lane->event_fd, buf, sizeof(buf));

	if (n > 0)
		stream_feed(s->stream, buf, (size_t)n, &s->broken);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		s->eof = true;
}

/* What the stream has for us now; false when it needs more bytes first. */
static bool take(struct worker *s, enum worker_news *news, struct value **event, char **why)
{
	if (s->head < s->tail) {
		*event = dequeue(s);
		*news = WORKER_EVENT;
		return true;
	}
	if (s->broken.code) {
		*news = WORKER_GARBLED;
		*why = xasprintf("the event stream is garbled: %s", s->broken.msg);
		return true;
	}
	if (stream_ended(s->stream)) {
		*news = WORKER_END;
		return true;
	}
	if (s->eof) {
		*news = died(s, why);
		return true;
	}
	return false;
}

static bool interrupted(struct worker *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	s->signal = (int)info.ssi_signo;
	return true;
}

static bool watched(struct worker *s, const struct pollfd *p)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->watch_count; i++) {
		s->watch[i].revents = p[i].revents;
		any |= p[i].revents != 0;
	}
	return any;
}

enum worker_news worker_next(struct worker *s, int silence_ms, struct value **event,
			       char **why)
{
	int64_t deadline = clock_now_ns() + (int64_t)silence_ms * s->lane->factor * 1000000;
	struct pollfd p[2 + WORKER_WATCH_MAX];
	enum worker_news news;
	size_t i;

	while (!take(s, &news, event, why)) {
		p[0] = (struct pollfd){.fd = s->lane->event_fd, .events = POLLIN};
		p[1] = (struct pollfd){.fd = s->signal_fd, .events = POLLIN};
		for (i = 0; i < s->watch_count; i++)
			p[2 + i] = s->watch[i];
		if (poll(p, 2 + s->watch_count, silence_ms < 0 ? -1 : clock_left_ms(deadline)) == 0) {
			*why = xasprintf("the runner said nothing for %d seconds",
					 silence_ms / 1000 * s->lane->factor);
			return WORKER_SILENT;
		}
		if (p[1].revents && interrupted(s)) {
			*why = xasprintf("interrupted by SIG%s", sigabbrev_np(s->signal));
			return WORKER_INTERRUPTED;
		}
		if (p[0].revents)
			read_more(s);
		else if (watched(s, p + 2))
			return WORKER_INPUT;
	}
	return news;
}

int worker_close(struct worker *s)
{
	int sig;

	if (!s)
		return 0;
	sig = s->signal;
	lane_stop(s->lane);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	stream_free(s->stream);
	while (s->head < s->tail)
		value_free(dequeue(s));
	free(s->queue);
	free(s);
	return sig;
}
