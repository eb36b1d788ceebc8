/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_QEMU_H
#define VBM_GUEST_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

#define GUEST_MEMORY_MB 512

/* A machine to boot. All descriptors stay the caller's. */
struct machine {
	const char *qemu;	/* path of the emulator */
	bool kvm;
	const char *image;	/* boot image or vmlinux */
	int initrd_fd;
	int console_fd;		/* a file that what the console says is added to */
	int events_fd;		/* the guest's end of a socket pair */
	int terminal_fd;	/* likewise, or -1 */
	bool host_root;
	const char *share;	/* or NULL */
	int factor;
};

struct qemu {
	pid_t pid;		/* 0: none */
	int pid_fd;		/* readable when it has ended */
	int errors_fd;		/* what it says on its standard error; -1 at its end */
	char *errors;		/* owned; what it said so far */
	size_t errors_len;
	bool ended;
	int status;
};

/* Path of the emulator, or -ENOENT with how to install it. Caller frees. */
int qemu_find(char **path, struct vbm_error *err);
int qemu_start(struct qemu *q, const struct machine *m, struct vbm_error *err);

/* Take in what it said; true when it ended. Never blocks. */
bool qemu_update(struct qemu *q);

/* Kills it when it still runs, and frees everything. */
void qemu_stop(struct qemu *q);

#endif
