/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_SESSION_H
#define VBM_FRONT_SESSION_H

#include <poll.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "lane/lane.h"

struct value;

/*
 * A front end's conversation with one runner: a lane, the job it was given,
 * and its checked event stream, read together with this process's signals.
 */
struct session;

enum session_news {
	SESSION_EVENT,		/* *event is set; the caller frees it */
	SESSION_END,		/* the runner said "end" */
	SESSION_DIED,		/* the stream stopped without an end */
	SESSION_GARBLED,	/* the stream can no longer be trusted */
	SESSION_SILENT,		/* nothing came within the deadline */
	SESSION_INTERRUPTED,	/* SIGINT, SIGTERM or SIGHUP arrived */
	SESSION_INPUT,		/* a descriptor given to watch is ready */
};

int session_open(struct session **out, const struct lane_ops *ops,
		 const struct lane_options *opts, struct vbm_error *err);
struct lane *session_lane(struct session *s);

/* Adds "factor" and "lane" to @job and sends it. */
int session_send(struct session *s, struct value *job, struct vbm_error *err);

/*
 * Wait for news: at most @silence_ms (scaled by the lane's factor; negative:
 * for ever). For every news but EVENT, END and INPUT, *@why (caller frees)
 * says what happened, in words, with the end of the console where that helps.
 */
enum session_news session_next(struct session *s, int silence_ms, struct value **event,
			       char **why);

/* A further line for the runner, once it has the job. */
int session_say(struct session *s, const struct value *message, struct vbm_error *err);

/*
 * Also wake up for these, whose revents are then set: the streams of a shell.
 * Borrowed until the next call.
 */
#define SESSION_WATCH_MAX 4
void session_watch(struct session *s, struct pollfd *fds, size_t count);

/* Ends the lane at once. The signal that interrupted it, or 0. */
int session_close(struct session *s);

#endif
