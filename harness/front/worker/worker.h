/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_WORKER_H
#define VBM_WORKER_WORKER_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    one runner with its lines, deadlines and signals.
 * Ends:    worker_close(); a runner that does not end is killed.
 * Tests:   unit/test_worker, test_seen, test_signals; tests/guest/interrupt.test.
 */

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

#include "base/watch.h"
#include "lane/lane.h"

struct signals;
struct value;

/*
 * One runner in one place: the lane, the runner's checked event stream, and the lines
 * that the runner has not taken yet. Only worker_wait() and worker_close() wait.
 */
struct worker;

enum worker_news {
	/* News of one worker: */
	WORKER_READY,		/* the place is up, the runner lives */
	WORKER_EVENT,		/* *event is set; the caller frees it */
	/* The last news of a worker is one of these: */
	WORKER_END,		/* the runner said "end", and nothing more until its place ended */
	WORKER_DIED,		/* no start, or the stream stopped without an end */
	WORKER_GARBLED,		/* the stream can no longer be trusted */
	WORKER_SILENT,		/* nothing came, or nothing was taken, for too long */
	/* News that is not about a worker: */
	WORKER_INTERRUPTED,	/* SIGINT, SIGTERM or SIGHUP arrived */
	WORKER_INPUT,		/* an input is ready: see worker_input_take() */
	WORKER_NONE,		/* every worker had its last news */
};

/*
 * How long a runner may be silent, in addition to its longest step: the time to build a
 * fabric or to start agents on a slow disk. The lane's factor multiplies it.
 */
#define WORKER_SILENCE_MS 20000

/* Begins to start a place; WORKER_READY or WORKER_DIED reports the outcome. */
int worker_open(struct worker **out, struct lanes *lanes, struct vbm_error *err);
struct lane *worker_lane(const struct worker *w);

/* Sets another limit than WORKER_SILENCE_MS, from now on; negative: no limit. */
void worker_allow_silence(struct worker *w, int ms);

/*
 * Queues a line for the runner. worker_wait() writes it as the runner takes it. A runner
 * that takes nothing for as long as it may be silent is WORKER_SILENT.
 */
void worker_send(struct worker *w, const struct value *message);

/*
 * Queues the first line: @job with "factor", "lane" and the key of all further lines. The
 * worker must be ready.
 */
void worker_send_job(struct worker *w, struct value *job);

/* Ends the place at once. NULL is fine. */
void worker_close(struct worker *w);

/* The parts of a sequence of waits. Set the borrowed members, and all others to zero. */
struct worker_wait {
	struct worker *const *workers;	/* borrowed; NULL entries are skipped */
	size_t count;
	struct signals *signals;	/* borrowed, or NULL */
	struct loop loop;
	struct watch signal;
	bool interrupted, has_input;	/* the caller was not told yet */
};

void worker_wait_begin(struct worker_wait *on);
void worker_wait_end(struct worker_wait *on);

/* A descriptor of the caller, for which the waits also wait. Set all members to zero. */
struct worker_input {
	struct watch watch;
	struct worker_wait *on;
	uint32_t found;
};

/* From now on, the waits of @on also wait for the events of @wanted. */
void worker_input_for(struct worker_wait *on, struct worker_input *input, struct pollfd wanted);

/* Whether the input was ready since the last call. */
bool worker_input_take(struct worker_input *input);

/*
 * Waits for the next news of any worker; *@who is the worker, or NULL. For WORKER_DIED,
 * GARBLED, SILENT and INTERRUPTED *@why (the caller frees it) says what happened, with
 * the end of the console if it helps. Only time in this function counts as a runner's
 * silence.
 */
enum worker_news worker_wait(struct worker_wait *on, struct worker **who,
			     struct value **event, char **why);

#endif
