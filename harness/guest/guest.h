/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_GUEST_H
#define VBM_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <verbatim/error.h>

/*
 * A virtual machine, from both sides: what starts and watches it here, and what
 * this program does as the first process inside. Where its kernel comes from is
 * in kernel.h, where its files come from in image.h.
 */

/* What the two sides agree on. Names of the virtio-serial ports: */
#define GUEST_PORT_EVENTS "verbatim.events"
#define GUEST_PORT_TERMINAL "verbatim.terminal"

/* Names of the shared folders (9p mount tags). */
#define GUEST_TAG_ROOT "root"
#define GUEST_TAG_SHARE "share"

/* Kernel command line: verbatim.NAME=VALUE. */
#define GUEST_ARG_ROOT "verbatim.root"
#define GUEST_ARG_SHARE "verbatim.share"
#define GUEST_ARG_TERMINAL "verbatim.terminal"

/* The variable that gives the runner the terminal's device. */
#define GUEST_ENV_TERMINAL "VERBATIM_TERMINAL"

/*
 * Where init finds the modules, and the lists that give their order. No module
 * of one list needs a module of the other, so init loads both at the same time.
 */
#define GUEST_MODULES "/verbatim/modules"
#define GUEST_MODULE_LIST "/verbatim/module-list"
#define GUEST_MODULE_LIST2 "/verbatim/module-list-2"

/* What init says on the console; console_obituary() looks for it. */
#define GUEST_SAYS "verbatim: "
#define GUEST_SAYS_ENDED GUEST_SAYS "the runner ended with status "
#define GUEST_SAYS_KILLED GUEST_SAYS "the runner was killed by signal "
#define GUEST_SAYS_FAILED GUEST_SAYS "init failed: "

/*
 * accel.c: whether KVM boots guests here. A /dev/kvm that can be opened may
 * still never boot one (nested, paravirtual); only a try tells. The cache keeps
 * for some days that a try failed with this host kernel, processor and QEMU.
 */
int accel_kvm_check(struct vbm_error *err);	/* 0: may be tried */
char *accel_key(const char *qemu);		/* caller frees */
bool accel_is_broken(const char *key);
void accel_remember(const char *key, bool broken);

/* Pure: the memory is lines of "TIME KEY". The caller frees the new memory. */
bool accel_memory_has(const char *text, const char *key, long long now);
char *accel_memory_set(const char *text, const char *key, bool broken, long long now);

#define GUEST_MEMORY_MB 512

/* qemu.c: a machine to boot. All descriptors stay the caller's. */
struct machine {
	const char *qemu;	/* path of the emulator */
	bool kvm;
	const char *image;	/* boot image or vmlinux */
	int initrd_fd;
	int console_fd;		/* a file; the console's text is appended to it */
	int events_fd;		/* the guest's end of a socket pair */
	int terminal_fd;	/* likewise, or -1 */
	bool host_root;
	const char *share;	/* or NULL */
	const char *const *environment;	/* of init, up to a NULL; or NULL */
	int factor;
};

struct qemu {
	pid_t pid;		/* 0: none */
	int pid_fd;		/* readable when QEMU has ended */
	int errors_fd;		/* QEMU's standard error */
	char *errors;		/* owned; what came from there so far */
	size_t errors_len;
	bool ended;
	int status;
};

/* Path of the emulator, or -ENOENT with how to install it. Caller frees. */
int qemu_find(char **path, struct vbm_error *err);
int qemu_start(struct qemu *q, const struct machine *m, struct vbm_error *err);

/* Read what QEMU said; true when it has ended. Never blocks. */
bool qemu_update(struct qemu *q);

/* Kill QEMU when it still runs, and free everything. */
void qemu_stop(struct qemu *q);

/*
 * console.c: what is known of a guest when its event stream has ended or has
 * stopped. Pure.
 */
struct guest_end {
	const char *console;	/* all that came on its console */
	const char *errors;	/* what QEMU itself said */
	int running;		/* QEMU has not ended */
	int status;		/* of waitpid(2), when it has */
};

/*
 * One line that says why the guest ended, then the last lines of the console;
 * NULL when it ended properly. The caller frees it.
 */
char *console_obituary(const struct guest_end *end);

/* init.c: this program as process 1 of a guest. */
int guest_init_main(int argc, char **argv) __attribute__((noreturn));

/* init-steps.c: what it does first. */
int init_mount_basics(struct vbm_error *err);
int init_load_modules(struct vbm_error *err);
int init_loopback_up(struct vbm_error *err);

/* Wait until the virtio-serial port @name is there; write its device's path. */
int init_find_port(const char *name, char *dev, unsigned int size, struct vbm_error *err);

/*
 * Mount the host's file system at INIT_HOST_ROOT, ready for chroot(2). A layer
 * in memory takes all writing, except below @share (or NULL).
 */
#define INIT_HOST_ROOT "/host"
int init_mount_host(const char *share, struct vbm_error *err);

#endif
