/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_MACHINE_H
#define VBM_GUEST_MACHINE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "guest/host.h"
#include "guest/share.h"

/*
 * A machine to boot: a kernel in QEMU, or a kernel that is a program (user-mode Linux).
 * The caller keeps all descriptors; strings are borrowed.
 */
struct machine {
	const char *program;	/* path of the emulator, or of the kernel */
	bool kvm;		/* QEMU only */
	const char *modules;	/* host folder of the kernel's modules, or NULL */
	const char *image;	/* QEMU only: boot image or vmlinux */
	const char *folder;	/* user-mode only: for its own files */
	const char *memory_folder;	/* user-mode only: for its memory */
	int hz;			/* user-mode only: ticks a second, or 0 */
	bool virtual_time;	/* user-mode only: its clock jumps over idle time */
	const char *extra;	/* user-mode only: a word for the kernel, or NULL */
	const struct guest_host *host;	/* user-mode only: the host that it is; NULL: it runs a runner */
	const char *coverage;	/* user-mode only: host folder for the counts of gcov, or NULL */
	int memory_mb;
	long tsc_khz;		/* QEMU only: frequency of the time stamp counter for the kernel; 0: the kernel measures it */
	int cpus;		/* QEMU only; 0: the default */
	const cpu_set_t *processors;	/* processors of this machine that it may use; NULL: all of ours */
	int initrd_fd;
	int console_fd;		/* a file; the console's text is appended to it */
	int events_fd;		/* the guest's end of a socket pair */
	int terminal_fd;	/* likewise, or -1 */
	int events_taken_fd;	/* user-mode only: see GUEST_WINDOW */
	int terminal_taken_fd;	/* likewise, or -1 */
	enum guest_files files_seen;
	const struct shared_folder *share;	/* @shares of them */
	size_t shares;
	const char *const *see;	/* with @files_seen: paths besides the system's, ending with NULL; NULL: all */
	const char *kept;	/* with @files_seen: a host folder for GUEST_KEPT, or NULL */
	const char *const *environment;	/* of init, ending with NULL; or NULL */
	int factor;
};

/* The words of a command line. */
struct args {
	char **item;	/* owned, as each of it; a NULL follows the last one */
	size_t count;
};

void args_add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void args_fini(struct args *a);

/* The command line of each kind. Pure, except for the environment's LD_LIBRARY_PATH. */
void qemu_args(struct args *a, const struct machine *m);	/* qemu.c */
void uml_args(struct args *a, const struct machine *m);		/* uml.c */

/*
 * The words for init on the kernel's command line; @root_type ("9p") is the type of the
 * host's file system. The caller frees them.
 */
char *machine_words(const struct machine *m, const char *root_type);

/* The path by which the process opens the file of initrd_fd. The caller frees it. */
char *machine_initrd(const struct machine *m);

/*
 * Finds the emulator; -ENOENT, with the command that installs it, if there is none. The
 * caller frees the path.
 */
int qemu_find(char **path, struct vbm_error *err);

/* The process of a machine. */
struct machine_process {
	pid_t pid;		/* 0: none */
	int pid_fd;		/* readable when it has ended */
	int errors_fd;		/* its standard error */
	char *errors;		/* owned; its standard error so far, or NULL */
	size_t errors_len;
	bool ended;
	int status;
};

#define MACHINE_PROCESS_NONE {.pid_fd = -1, .errors_fd = -1}

/*
 * Starts the program with the arguments @a, confined by the limits of @m (limits.h). The
 * descriptors of @m are open in it.
 */
int machine_start(struct machine_process *p, const struct machine *m, const struct args *a,
		  struct vbm_error *err);

/* Reads its standard error; returns true if it has ended. Never blocks. */
bool machine_update(struct machine_process *p);

/* Kills it if it still runs. */
void machine_end(struct machine_process *p);

/* Kills it if it still runs, and frees everything. */
void machine_stop(struct machine_process *p);

static inline void auto_args_fn(struct args *a)
{
	args_fini(a);
}
#define auto_args __attribute__((cleanup(auto_args_fn)))

#endif
