/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_BOOT_H
#define VBM_LANE_BOOT_H

#include "guest/kernel.h"
#include "guest/machine.h"
#include "lane/lane.h"
#include "lane/starved.h"

/* What places that boot a kernel have in common: lanes guest and uml. */

/* What the places of a run share. All is owned. */
struct boot_common {
	struct kernel kernel;
	int initrd_fd;
};

/* For a boot_common of zeroes; boot_release() also follows a failure. */
int boot_prepare(struct boot_common *c, const struct lane_options *opts, enum kernel_kind kind,
		 struct vbm_error *err);
void boot_release(struct boot_common *c);

/* One machine and what comes from it. */
struct boot {
	struct machine_process process;	/* none before boot_start() */
	const char *called;	/* the program, for people: "QEMU" */
	int console_fd;		/* owned */
	struct starved starved;	/* its waits for a processor make the deadline later */
	bool mute;		/* its stream ended before it said a word */
	char *kept;		/* owned; a folder for what the guest writes, or NULL */
	pid_t relay;		/* between the lane's descriptors and its own; 0: none */
};

#define BOOT_NONE {.process = MACHINE_PROCESS_NONE, .console_fd = -1}

/*
 * Start it, with the lane's descriptors for it. @m says what is its kind's own;
 * what all have in common is filled in. How its kind does the rest is in @how.
 */
struct boot_how {
	void (*args)(struct args *a, const struct machine *m);
	bool window;	/* between there is a relay, which keeps to GUEST_WINDOW */
};

int boot_start(struct lane *lane, struct boot *b, const struct boot_common *c, struct machine *m,
	       const struct boot_how *how, struct vbm_error *err);

/*
 * How far it is: 1 when its runner spoke, 0 when it may still. With what is known
 * where it never will: -EIO (it ended, or @given_up: its kind knows so), -ETIMEDOUT
 * (it runs, and the deadline passed). Never waits. The time that the
 * machine's process waited for a processor does not count: lane->deadline_ns moves by it.
 */
int boot_look(struct lane *lane, struct boot *b, bool given_up, struct vbm_error *err);

/* As the functions of struct lane_ops. */
size_t boot_wants(const struct lane *lane, const struct boot *b, struct pollfd *p);
char *boot_end_cause(struct boot *b);
char *boot_console(struct boot *b);

/* As lane_take(). The machine has ended then, and can still be asked why. */
void boot_take(struct lane *lane, struct boot *b, void (*say)(const char *line, void *arg), void *arg);

/* What a boot that failed leaves goes; another may follow. */
void boot_drop(struct lane *lane, struct boot *b);

/* The lane's descriptors are closed by their owner, lane_stop(). */
void boot_end(struct lane *lane, struct boot *b);

#endif
