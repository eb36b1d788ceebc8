/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_BOOT_H
#define VBM_LANE_BOOT_H

#include "guest/kernel.h"
#include "guest/machine.h"
#include "lane/lane.h"
#include "process/task.h"

/* The common parts of lanes guest and uml, whose places boot a kernel. */

/* The parts that all places of a run share. All is owned. */
struct boot_common {
	struct kernel kernel;
	int initrd_fd;
};

/* @c is zeroed; call boot_release() also after a failure. */
int boot_prepare(struct boot_common *c, const struct lane_options *opts, enum kernel_kind kind,
		 struct vbm_error *err);
void boot_release(struct boot_common *c);

/*
 * How long a process waited for a processor. The kernel counts a wait only when it is
 * over, and a wait can last for seconds. So the caller looks at the process again and
 * again, and this counts the open wait: if the process is ready, that is the time
 * since the last look, without the processor time of the process and without the waits
 * that the kernel counted.
 */
struct starved {
	struct process_times last;	/* from the last look */
	int64_t open_ns;	/* the wait that was open then */
	int64_t told_ns;	/* the sum of what starved_more() returned */
};

/* Begins to count; the process has just been started. */
void starved_begin(struct starved *s);

/*
 * How much a deadline has to move since the last call, because waits for a processor do
 * not count.
 */
int64_t starved_more(struct starved *s, const struct process_times *now);

/* One machine and its streams: the first member of what lane->priv points to. */
struct boot {
	struct machine_process process;	/* none before boot_start() */
	const char *called;	/* the program, for people: "QEMU" */
	int console_fd;		/* owned */
	struct starved starved;	/* the time that it waited for a processor, which moves the deadline */
	bool mute;		/* its stream ended before it sent anything */
	char *kept;		/* owned; a folder for the guest's files, or NULL */
	pid_t relay;		/* between the lane's descriptors and its own; 0: none */
};

#define BOOT_NONE {.process = MACHINE_PROCESS_NONE, .console_fd = -1}

/*
 * Starts the machine, with the lane's descriptors. The caller has filled in the members
 * of @m that are special for its kind; this function fills in the others. @how has the
 * functions of the kind.
 */
struct boot_how {
	void (*args)(struct args *a, const struct machine *m);
	bool window;	/* with a relay in between, which keeps to GUEST_WINDOW */
};

int boot_start(struct lane *lane, struct boot *b, const struct boot_common *c, struct machine *m,
	       const struct boot_how *how, struct vbm_error *err);

/*
 * Returns 1 if the runner has sent something, 0 if it still may, -EIO if the machine has
 * ended (or @given_up: its kind knows that it never will), -ETIMEDOUT if the deadline has
 * passed; the error has the reason. Never waits. The time that the machine's process
 * waited for a processor does not count: lane->deadline_ns moves by it.
 */
int boot_look(struct lane *lane, struct boot *b, bool given_up, struct vbm_error *err);

/* Functions of struct lane_ops. */
size_t boot_wants(const struct lane *lane, struct pollfd *p);
char *boot_end_cause(struct lane *lane);
char *boot_console(struct lane *lane);

/* Likewise. The machine has ended afterwards, and the reason can still be asked for. */
void boot_take(struct lane *lane, void (*say)(const char *line, void *arg), void *arg);

/* Removes everything of a failed boot, so that another can follow. */
void boot_drop(struct lane *lane, struct boot *b);

/* Ends the machine; lane_stop() closes the lane's descriptors. */
void boot_end(struct lane *lane, struct boot *b);

#endif
