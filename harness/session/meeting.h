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
 * Where others join a run: an abstract socket that has the number of the run (its
 * process) in its name, and so ends with it. Who connects before there are hosts is
 * kept waiting. Lines of theirs go to the runner with a number added, events
 * "terminal" of that number come back to them (commands/join.h has both).
 */
struct meeting;

/* A run can do without: NULL when there cannot be one. */
struct meeting *meeting_open(void);

/* The hosts are there: those who wait are let in. */
void meeting_begin(struct meeting *m, struct worker *w);

struct pollfd meeting_wants(const struct meeting *m);	/* @m may be NULL, here and below */
void meeting_act(struct meeting *m);
void meeting_event(struct meeting *m, const struct value *event);
void meeting_close(struct meeting *m);

/*
 * The other side: the socket of run @number, or with 0 of the only one there is; the
 * caller owns it. A negative errno with @err, which says what runs there are.
 */
int meeting_find(pid_t number, struct vbm_error *err);

/*
 * Pure: which run that is, by the text of /proc/net/unix, for user @uid. Anybody can
 * take such a name: @is_real (NULL: all are) tells a run from that.
 */
struct meeting_run {
	uid_t uid;
	pid_t pid;
};
int meeting_choose(const char *table, uid_t uid, pid_t number,
		   bool (*is_real)(const struct meeting_run *run), struct meeting_run *out,
		   struct vbm_error *err);

#endif
