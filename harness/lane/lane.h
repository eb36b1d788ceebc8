/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_LANE_H
#define VBM_LANE_LANE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "guest/share.h"
#include "lane/flood.h"

/*
 * A lane is a place where runner_main() runs: a child process here ("native"),
 * a QEMU guest ("guest"), or below a kernel that is a program ("uml"). The user of a lane sees a pair of descriptors and
 * a way to end it. All strings are borrowed, for as long as the lanes are open.
 */
struct value;

struct lane_options {
	const char *kernel;	/* NAME or path; NULL: the default */
	enum guest_files files_seen;	/* of this machine, by a guest */
	const struct shared_folder *share;	/* @shares of them */
	size_t shares;
	const char *const *see;	/* with @files_seen: paths, up to a NULL, besides the system's; NULL: all */
	bool virtual_time;	/* where the place can: its clock jumps over the time in which nothing happens */
	int memory_mb, cpus;	/* of a machine that boots; 0: what its kind takes */
	const char *artifacts;	/* folder for the console log, or NULL */
	bool terminal;		/* a second channel carries a raw terminal */
	const char *const *files;	/* host files the runner will need (targets) */
	/*
	 * Variables of the runner, "NAME=VALUE" without blanks and quotes, up to a
	 * NULL; NULL: none. The dynamic linker heeds them: where there are any, the
	 * runner is started as a program of its own.
	 */
	const char *const *environment;
	void (*progress)(const char *what, void *arg);	/* may be NULL */
	void *arg;
};

struct lane;

/*
 * The lanes of one run: all of one kind, with the same options. What they have
 * in common (kernel, image, whether KVM works) is found once and shared.
 */
struct lanes {
	const struct lane_ops *ops;
	struct lane_options opts;
	unsigned int users;	/* its lanes, and its owner */
	void *priv;
};

/* What a lane offers. Only end_cause and stop wait for anything. */
struct lane_ops {
	const char *name;
	const char *doc;	/* "a Debian kernel in QEMU" */
	/* 0 when it would work here; else -errno and @err says why and what to do. */
	int (*check)(const struct lane_options *opts, struct vbm_error *err);
	/* How many of these places this machine carries at once; at least 1. */
	int (*capacity)(const struct lane_options *opts);
	/* As lane_notice(); NULL: there is nothing to say. */
	char *(*notice)(const struct lane_options *opts);
	/* What all lanes of a run share; NULL: nothing. Release also follows a failure. */
	int (*prepare)(struct lanes *lanes, struct vbm_error *err);
	void (*release)(struct lanes *lanes);
	/* Start the place's process. */
	int (*begin)(struct lane *lane, struct vbm_error *err);
	/*
	 * See how far the start has come: 1 when the runner lives, 0 when it is
	 * too early to say, -errno when this place never starts. NULL: a place
	 * lives once it has begun.
	 */
	int (*advance)(struct lane *lane, struct vbm_error *err);
	/* What @advance waits for, besides lane->deadline_ns. */
	size_t (*wants)(const struct lane *lane, struct pollfd *p);
	/*
	 * The event stream ended: how the place itself went down, for people
	 * ("kernel panic - not syncing: ...", then the last console lines), or
	 * NULL when it ended properly. Caller frees.
	 */
	char *(*end_cause)(struct lane *lane);
	/* All that its console has; the caller frees. NULL: it has none. */
	char *(*console)(struct lane *lane);
	/* As lane_take(); NULL: what is kept is there already. */
	void (*take)(struct lane *lane, void (*say)(const char *line, void *arg), void *arg);
	void (*stop)(struct lane *lane);	/* ends it at once; leaves nothing */
};

struct lane {
	struct lanes *lanes;
	bool ready;		/* the runner lives: the descriptors can be used */
	int64_t deadline_ns;	/* of the next advance; INT64_MAX: none */
	int event_fd;		/* JSON lines from the runner; owned */
	int job_fd;		/* JSON lines to the runner; owned */
	int terminal_fd;	/* raw terminal bytes, or -1; owned */
	struct flood flood;	/* of its console */
	const char *kept;	/* where the runner writes what belongs to the artifacts; NULL: nowhere */
	int factor;		/* deadlines are multiplied by this */
	bool virtual_time;	/* its clock jumps over the time in which nothing happens */
	char kernel[64];	/* release that runs there */
	char accelerator[16];	/* "kvm", "tcg" or "none" */
	void *priv;
};

extern const struct lane_ops lane_native, lane_guest, lane_uml;

int lanes_open(struct lanes **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err);
void lanes_close(struct lanes *lanes);	/* NULL is fine; its lanes may live on */

/*
 * Start a place without waiting for it: several can start at once. The caller
 * polls what lane_wants() says, at most until lane->deadline_ns, and calls
 * lane_advance() after every such wait, until that says 1 (the runner lives)
 * or fails. After a failure there is still lane_stop() to call.
 */
#define LANE_WANTS_MAX 4
int lane_begin(struct lane **out, struct lanes *lanes, struct vbm_error *err);
size_t lane_wants(const struct lane *lane, struct pollfd *p);
int lane_advance(struct lane *lane, struct vbm_error *err);
void lane_stop(struct lane *lane);	/* NULL is fine */

/* All that the place's console has, or NULL where it has none; the caller frees. */
char *lane_console(struct lane *lane);

/*
 * Of the text of a console: from the head of the kernel's first complaint on, as
 * far as that goes; NULL when there is none. The caller frees.
 */
char *lane_trouble(const char *console);

/* Whether a line of a kernel is the head of a complaint. */
bool lane_is_trouble(const char *line);

/*
 * The same from the head of the first complaint on whose first line is not in the
 * list @told; NULL when there is none. The caller frees.
 */
char *lane_untold(const char *console, const struct value *told);

/*
 * What the place's kernel said when it ended itself, from its first complaint on;
 * NULL when it did not, or when it is this machine's. The caller frees.
 */
char *lane_crash(struct lane *lane);

/*
 * The place's work is done: end it, and bring what it wrote at lane->kept to the artifacts.
 * What is left out @say hears. Nothing but lane_stop() and questions follow.
 */
void lane_take(struct lane *lane, void (*say)(const char *line, void *arg), void *arg);

/* All of that for a single place: returns when the runner lives. */
int lane_start(struct lane **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err);

/*
 * "native", "guest", "uml"; or "auto": native where it works, else guest where
 * KVM may work, else uml where a user-mode kernel is there, else guest.
 */
int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err);

/* All that --lane takes: "auto", then the lanes. NULL behind the last one. */
const char *lane_name(size_t i);

/* One sentence where what runs there is not held off this machine as SECURITY.md says; or NULL. */
const char *lane_warning(const struct lane_ops *ops);

/* One sentence where such a place lacks what @opts asks for and works all the same; or NULL. The caller frees it. */
char *lane_notice(const struct lane_ops *ops, const struct lane_options *opts);

/* Nobody has seen KVM fail here: the first guest finds out, and that is remembered. */
bool lane_kvm_may_work(void);

/* How many places of this kind can work at the same time on this machine. */
int lane_capacity(const struct lane_ops *ops, const struct lane_options *opts);

#endif
