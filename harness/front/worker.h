/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_WORKER_H
#define VBM_FRONT_WORKER_H

#include <poll.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"

struct value;

/*
 * A front end's conversation with one runner: a lane, the job it was given,
 * and its checked event stream, read together with this process's signals.
 */
struct worker;

enum worker_news {
	WORKER_EVENT,		/* *event is set; the caller frees it */
	WORKER_END,		/* the runner said "end" */
	WORKER_DIED,		/* the stream stopped without an end */
	WORKER_GARBLED,	/* the stream can no longer be trusted */
	WORKER_SILENT,		/* nothing came within the deadline */
	WORKER_INTERRUPTED,	/* SIGINT, SIGTERM or SIGHUP arrived */
	WORKER_INPUT,		/* a descriptor given to watch is ready */
};

int worker_open(struct worker **out, const struct lane_ops *ops,
		 const struct lane_options *opts, struct vbm_error *err);
struct lane *worker_lane(struct worker *s);

/* Adds "factor" and "lane" to @job and sends it. */
int worker_send(struct worker *s, struct value *job, struct vbm_error *err);

/*
 * Wait for news: at most @silence_ms (scaled by the lane's factor; negative:
 * for ever). For every news but EVENT, END and INPUT, *@why (caller frees)
 * says what happened, in words, with the end of the console where that helps.
 */
enum worker_news worker_next(struct worker *s, int silence_ms, struct value **event,
			       char **why);

/* A further line for the runner, once it has the job. */
int worker_say(struct worker *s, const struct value *message, struct vbm_error *err);

/*
 * Also wake up for these, whose revents are then set: the streams of a shell.
 * Borrowed until the next call.
 */
#define WORKER_WATCH_MAX 4
void worker_watch(struct worker *s, struct pollfd *fds, size_t count);

/* Ends the lane at once. The signal that interrupted it, or 0. */
int worker_close(struct worker *s);

#endif
