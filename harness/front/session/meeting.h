/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_MEETING_H
#define VBM_SESSION_MEETING_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include <verbatim/error.h>

struct value;
struct worker;

/*
 * The socket by which others join a run: an abstract socket that has the number of the
 * run (its process) in its name, and ends with the process. A connection that comes
 * before the hosts are ready has to wait. Its lines go to the runner with a number added,
 * and it gets the events "terminal" with that number (job-exec/join.h has both).
 */
struct meeting;

/* Returns NULL if the socket cannot be made; a run works without it, too. */
struct meeting *meeting_open(void);

/* The hosts are ready: accepts the connections that wait. */
void meeting_begin(struct meeting *m, struct worker *w);

struct pollfd meeting_wants(const struct meeting *m);	/* @m may be NULL, here and below */
void meeting_act(struct meeting *m);
void meeting_event(struct meeting *m, const struct value *event);
void meeting_close(struct meeting *m);

/*
 * For the joining side: connects to run @number, or with 0 to the only run. Returns a
 * socket, which the caller owns, or a negative errno with @err, which lists the runs.
 */
int meeting_find(pid_t number, struct vbm_error *err);

/*
 * Finds the run in the text of /proc/net/unix, for user @uid. Pure. Any process can take
 * such a name; @is_real (NULL: all are real) finds out whether it is a run.
 */
struct meeting_run {
	uid_t uid;
	pid_t pid;
};
int meeting_choose(const char *table, uid_t uid, pid_t number,
		   bool (*is_real)(const struct meeting_run *run), struct meeting_run *out,
		   struct vbm_error *err);

#endif
