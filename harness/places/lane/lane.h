/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_LANE_H
#define VBM_LANE_LANE_H

/*
 * Runs in: the front end, in its main thread.
 * Owns:    the processes of all places, and their lines.
 * Ends:    lanes_close(), which ends them.
 * Tests:   unit/test_lane, test_lane_choice, test_boot; tests/guest/uml-places.test, native.test.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "guest/host.h"
#include "guest/kernel.h"
#include "guest/share.h"
#include "lane/flood.h"
#include "names/device-words.h"

/*
 * A lane starts places in which runner_main() runs: a child process here ("native"), a
 * QEMU guest ("guest"), or a kernel that is a program ("uml"). Its user sees a pair of
 * descriptors and a way to end the place. All strings are borrowed, for as long as the
 * lanes are open.
 */
struct value;

struct lane_options {
	const char *kernel;	/* NAME or path; NULL: the default */
	const char *const *kernels;	/* lane_kernels: those of the hosts, KERNELS_HOSTS of them, in place of @kernel */
	const struct guest_host *host;	/* lane uml: the host that the kernel is; NULL: it has a runner */
	const int *stations;	/* lane native: descriptors to those of the hosts, KERNELS_HOSTS of them; NULL: none */
	struct device_words devices;	/* of the hosts */
	bool machines;		/* the hosts are machines, and the runner only connects to them */
	enum guest_files files_seen;	/* who in a guest sees this machine's files */
	const struct shared_folder *share;	/* @shares entries */
	size_t shares;
	const char *const *see;	/* with @files_seen: paths besides the system's, ending with NULL; NULL: all */
	bool virtual_time;	/* if the place can, its clock jumps over the time in which nothing happens */
	int memory_mb, cpus;	/* of a machine that boots; 0: the lane's default */
	const char *artifacts;	/* folder for the console log, or NULL */
	bool cable_faults;	/* the hosts' cables lose or delay packets, which the kernel must be able to do */
	bool terminal;		/* a second channel carries a raw terminal */
	const char *const *files;	/* host files the runner will need (targets) */
	/*
	 * Variables of the runner, "NAME=VALUE" without blanks and quotes, ending with
	 * NULL; NULL: none. If there are any, the runner is started as a new program, so
	 * that the dynamic linker reads them.
	 */
	const char *const *environment;
	void (*progress)(const char *what, void *arg);	/* may be NULL */
	void *arg;
};

struct lane;

/*
 * The lanes of one run: all of one kind, with the same options. They share the kernel,
 * the image, and the knowledge whether KVM works.
 */
struct lanes {
	const struct lane_ops *ops;
	struct lane_options opts;
	unsigned int users;	/* its lanes, and its owner */
	void *priv;
};

/* The functions of a kind of lane. Only end_cause and stop wait. */
struct lane_ops {
	const char *name;
	const char *doc;	/* "a Debian kernel in QEMU" */
	bool own_kernel;	/* no kernel is booted: it is that of this machine, or of the machines of a hosts file */
	bool jumps;		/* its clock can jump over the time in which nothing happens */
	unsigned boots;		/* bits of enum kernel_kind: those that it boots */
	/*
	 * Returns 0 if the lane would work here; else -errno, and @err says why and what
	 * to do.
	 */
	int (*check)(const struct lane_options *opts, struct vbm_error *err);
	/* How many of these places this machine can run at the same time; at least 1. */
	int (*capacity)(const struct lane_options *opts);
	/* Does what lane_notice() says; NULL: there is never a notice. */
	char *(*notice)(const struct lane_options *opts);
	/*
	 * Make and free the parts that all lanes of a run share; may be NULL. Release is
	 * also called after a failure.
	 */
	int (*prepare)(struct lanes *lanes, struct vbm_error *err);
	void (*release)(struct lanes *lanes);
	/* Start the place's process. */
	int (*begin)(struct lane *lane, struct vbm_error *err);
	/*
	 * Continues the start: returns 1 if the runner lives, 0 if it is too early,
	 * -errno if this place never starts. NULL: a place lives as soon as it has begun.
	 */
	int (*advance)(struct lane *lane, struct vbm_error *err);
	/* The descriptors that @advance waits for, besides lane->deadline_ns. */
	size_t (*wants)(const struct lane *lane, struct pollfd *p);
	/*
	 * After the end of the event stream: why the place ended, for people ("kernel
	 * panic - not syncing: ...", then the last console lines), or NULL if it ended
	 * properly. The caller frees it.
	 */
	char *(*end_cause)(struct lane *lane);
	/* The whole text of its console, which the caller frees. NULL: it has no console. */
	char *(*console)(struct lane *lane);
	/* The text of its consoles since the start, for a place that has several. NULL: the lane knows. */
	char *(*console_later)(struct lane *lane);
	/* For lane_take(); NULL: the files are in the right folder already. */
	void (*take)(struct lane *lane, void (*say)(const char *line, void *arg), void *arg);
	void (*stop)(struct lane *lane);	/* ends it at once; leaves nothing */
};

struct lane {
	struct lanes *lanes;
	bool ready;		/* the runner lives: the descriptors can be used */
	int64_t deadline_ns;	/* deadline of the next advance; INT64_MAX: none */
	int event_fd;		/* JSON lines from the runner; owned */
	int job_fd;		/* JSON lines to the runner; owned */
	int terminal_fd;	/* raw terminal bytes, or -1; owned */
	struct flood flood;	/* of its console */
	size_t booted;		/* bytes on its console when the runner lived */
	const char *kept;	/* the folder in which the runner writes files for the artifacts; NULL: none */
	int factor;		/* deadlines are multiplied by this */
	bool virtual_time;	/* its clock jumps over the time in which nothing happens */
	char kernel[64];	/* release that runs there */
	char accelerator[16];	/* "kvm", "tcg" or "none" */
	void *priv;
};

extern const struct lane_ops lane_native, lane_guest, lane_uml;

/* lane-kernels.c: lane uml with a kernel for each host. It is not among the names of --lane. */
extern const struct lane_ops lane_kernels;

int lanes_open(struct lanes **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err);
void lanes_close(struct lanes *lanes);	/* NULL is fine; its lanes may live on */

/*
 * Starts a place without waiting for it, so several can start at the same time. The
 * caller polls the descriptors of lane_wants(), at most until lane->deadline_ns, and
 * calls lane_advance() after every such wait, until that returns 1 (the runner lives) or
 * fails. Call lane_stop() also after a failure.
 */
#define LANE_WANTS_MAX 8
int lane_begin(struct lane **out, struct lanes *lanes, struct vbm_error *err);
size_t lane_wants(const struct lane *lane, struct pollfd *p);
int lane_advance(struct lane *lane, struct vbm_error *err);
void lane_stop(struct lane *lane);	/* NULL is fine */

/* The whole text of the place's console, or NULL if it has none; the caller frees it. */
char *lane_console(struct lane *lane);

/* The same without what came before the runner lived. */
char *lane_console_later(struct lane *lane);

/*
 * The kernel's first complaint in the text of a console, from its head on; NULL if there
 * is none. The caller frees it.
 */
char *lane_trouble(const char *console);

/* Whether a line of a kernel is the head of a complaint. */
bool lane_is_trouble(const char *line);

/*
 * The same for the first complaint whose first line is not in the list @told; NULL if
 * there is none. The caller frees it.
 */
char *lane_untold(const char *console, const struct value *told);

/*
 * The last lines of the place's kernel if it ended itself, from its first complaint on;
 * NULL if it did not, or if it is this machine's kernel. The caller frees it.
 */
char *lane_crash(struct lane *lane);

/*
 * Ends a place that has done its work, and moves its files at lane->kept to the
 * artifacts; @say is told which files are left out. Afterwards only call lane_stop() and
 * the functions that ask for something.
 */
void lane_take(struct lane *lane, void (*say)(const char *line, void *arg), void *arg);

/* Starts a single place, and returns when the runner lives. */
int lane_start(struct lane **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err);

/*
 * @name is "native" (always with a hosts file), "guest", "uml", or "auto": native if it works, else guest if KVM may
 * work, else uml if there is a user-mode kernel, else guest.
 */
int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err);

/* Whether the lane, or one that "auto" may mean, boots kernels of this kind. */
bool lane_boots(const char *name, enum kernel_kind kind);

/* The values of --lane: "auto", then the lanes. NULL after the last one. */
const char *lane_name(size_t i);

/* -EINVAL with the right names, unless @name is auto or a lane. */
int lane_check_name(const char *name, struct vbm_error *err);

/* One sentence if this machine cannot confine such a place as SECURITY.md says; or NULL. */
const char *lane_warning(const struct lane_ops *ops);

/*
 * A sentence if such a place works but lacks something that @opts asks for; or NULL. The
 * caller frees it.
 */
char *lane_notice(const struct lane_ops *ops, const struct lane_options *opts);

/*
 * Whether KVM has not failed here before. The first guest tries it, and a failure is
 * remembered.
 */
bool lane_kvm_may_work(void);

/* How many places of this kind can work on this machine at the same time. */
int lane_capacity(const struct lane_ops *ops, const struct lane_options *opts);

#endif
