/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_MACHINE_H
#define VBM_GUEST_MACHINE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "guest/share.h"

/*
 * A machine to boot: a kernel in QEMU, or one that is itself a program
 * (user-mode Linux). All descriptors stay the caller's, strings are borrowed.
 */
struct machine {
	const char *program;	/* path of the emulator, or of the kernel */
	bool kvm;		/* QEMU only */
	const char *modules;	/* host folder of the kernel's modules, or NULL */
	const char *image;	/* QEMU only: boot image or vmlinux */
	const char *folder;	/* user-mode only: for its own files */
	const char *memory_folder;	/* user-mode only: for its memory */
	int hz;			/* user-mode only: ticks a second, or 0 */
	bool virtual_time;	/* user-mode only: its clock jumps over the time in which nothing happens */
	const char *extra;	/* user-mode only: a word for the kernel, or NULL */
	const char *coverage;	/* user-mode only: host folder for what gcov counts, or NULL */
	int memory_mb;
	long tsc_khz;		/* QEMU only: what the kernel takes for its time stamp counter's; 0: it measures */
	int cpus;		/* QEMU only; 0: as many as pay */
	const cpu_set_t *processors;	/* of this machine that it may use; NULL: all of ours */
	int initrd_fd;
	int console_fd;		/* a file; the console's text is appended to it */
	int events_fd;		/* the guest's end of a socket pair */
	int terminal_fd;	/* likewise, or -1 */
	int events_taken_fd;	/* user-mode only: see GUEST_WINDOW */
	int terminal_taken_fd;	/* likewise, or -1 */
	enum guest_files files_seen;
	const struct shared_folder *share;	/* @shares of them */
	size_t shares;
	const char *const *see;	/* with @files_seen: paths, up to a NULL, besides the system's; NULL: all */
	const char *kept;	/* with @files_seen: a host folder for GUEST_KEPT, or NULL */
	const char *const *environment;	/* of init, up to a NULL; or NULL */
	int factor;
};

/* The words of a command line. */
struct args {
	char **item;	/* owned, as each of it; a NULL follows the last one */
	size_t count;
};

void args_add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void args_fini(struct args *a);

/* How each kind is started. Pure, but for the environment's LD_LIBRARY_PATH. */
void qemu_args(struct args *a, const struct machine *m);	/* qemu.c */
void uml_args(struct args *a, const struct machine *m);		/* uml.c */

/*
 * What init reads on the kernel's command line, for @root_type ("9p") as the
 * type of the host's file system. The caller frees it.
 */
char *machine_words(const struct machine *m, const char *root_type);

/* Where the process finds what initrd_fd has. The caller frees it. */
char *machine_initrd(const struct machine *m);

/* Path of the emulator, or -ENOENT with how to install it. Caller frees. */
int qemu_find(char **path, struct vbm_error *err);

/* The process of a machine. */
struct machine_process {
	pid_t pid;		/* 0: none */
	int pid_fd;		/* readable when it has ended */
	int errors_fd;		/* its standard error */
	char *errors;		/* owned; what came from there so far, or NULL */
	size_t errors_len;
	bool ended;
	int status;
};

#define MACHINE_PROCESS_NONE {.pid_fd = -1, .errors_fd = -1}

/*
 * Start the program @a says, confined to what limits.h makes of @m, whose descriptors
 * are open in it.
 */
int machine_start(struct machine_process *p, const struct machine *m, const struct args *a,
		  struct vbm_error *err);

/* Read what it said; true when it has ended. Never blocks. */
bool machine_update(struct machine_process *p);

/* Kill it when it still runs. */
void machine_end(struct machine_process *p);

/* The same, and free everything. */
void machine_stop(struct machine_process *p);

static inline void auto_args_fn(struct args *a)
{
	args_fini(a);
}
#define auto_args __attribute__((cleanup(auto_args_fn)))

#endif
