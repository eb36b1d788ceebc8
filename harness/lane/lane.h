/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_LANE_H
#define VBM_LANE_LANE_H

#include <stdbool.h>

#include <verbatim/error.h>

/*
 * A lane is a place where runner_main() runs: a child process here ("native"),
 * or a QEMU guest ("guest"). The user of a lane sees a pair of descriptors and
 * a way to end it.
 */
struct lane_options {
	const char *kernel;	/* NAME or path to a vmlinuz; NULL: the default */
	bool host_root;		/* the guest sees this machine's file system */
	const char *share;	/* host folder that stays writable, or NULL */
	const char *artifacts;	/* folder for the console log, or NULL */
	bool terminal;		/* a second channel carries a raw terminal */
	const char *const *files;	/* host files the runner will need (targets) */
	int cancel_fd;		/* readable: the user wants out; start() then
				 * gives up with -EINTR. -1: never. The signals
				 * behind it are blocked: children unblock them */
	void (*progress)(const char *what, void *arg);	/* may be NULL */
	void *arg;
};

struct lane;

struct lane_ops {
	const char *name;
	/* 0 when it would work here; else -errno and @err says why and what to do. */
	int (*check)(const struct lane_options *opts, struct vbm_error *err);
	int (*start)(struct lane *lane, const struct lane_options *opts,
		     struct vbm_error *err);
	/*
	 * The event stream ended: how the place itself went down, for people
	 * ("kernel panic - not syncing: ...", then the last console lines), or
	 * NULL when it ended properly. Caller frees.
	 */
	char *(*obituary)(struct lane *lane);
	void (*stop)(struct lane *lane);	/* ends it at once; leaves nothing */
};

struct lane {
	const struct lane_ops *ops;
	int event_fd;		/* JSON lines from the runner; owned */
	int job_fd;		/* JSON lines to the runner; owned */
	int terminal_fd;	/* raw terminal bytes, or -1; owned */
	int factor;		/* deadlines are multiplied by this */
	char kernel[64];	/* release that runs there */
	char accelerator[16];	/* "kvm", "tcg" or "none" */
	void *priv;
};

extern const struct lane_ops lane_native, lane_guest;

int lane_start(struct lane **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err);
void lane_stop(struct lane *lane);	/* NULL is fine */

/* "auto" (native where it works, else guest), "native", "guest". */
int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err);

#endif
