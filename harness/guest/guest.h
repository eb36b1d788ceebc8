/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_GUEST_H
#define VBM_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct value;

/*
 * A virtual machine, from both sides: what starts and watches it here, and what
 * this program does as the first process inside. Where its kernel comes from is
 * in kernel.h, where its files come from in image.h.
 */

/* What the two sides agree on. Names of the virtio-serial ports: */
#define GUEST_PORT_EVENTS "verbatim.events"
#define GUEST_PORT_TERMINAL "verbatim.terminal"

/* Names of the shared folders (9p mount tags); a number follows the second. */
#define GUEST_TAG_ROOT "root"
#define GUEST_TAG_SHARE "share"
#define GUEST_TAG_KEPT "kept"

/* Where a guest that sees the host's files has the folder for what is kept of the run. */
#define GUEST_KEPT "/run/verbatim-kept"

/*
 * Kernel command line: verbatim.NAME=VALUE. A line to the outside is named by its
 * virtio-serial port, or by the paths of two devices, "LINE,TAKEN".
 *
 * The latter are terminals of a user-mode kernel. That never reads a line again
 * whose buffer of 4 KB was once full (found in 7.3). So no more than GUEST_WINDOW
 * bytes are ever under way to init, and init says on the second device how much
 * it took: a byte for each GUEST_WINDOW_STEP. And that kernel reads a byte by
 * each read(2): what goes to the runner is shortened (base/deflate.h), as plans
 * are long and repeat themselves.
 */
#define GUEST_WINDOW 3072
#define GUEST_WINDOW_STEP 1024
#define GUEST_ARG_EVENTS "verbatim.events"
#define GUEST_ARG_ROOT "verbatim.root"
#define GUEST_ARG_SHARE "verbatim.share"
/* With this one the runner itself stays in the image. */
#define GUEST_ARG_SEEN_BY "verbatim.seen-by"
#define GUEST_SEEN_BY_PROGRAMS "programs"
#define GUEST_ARG_KEPT "verbatim.kept"
#define GUEST_ARG_TERMINAL "verbatim.terminal"
#define GUEST_ARG_FACTOR "verbatim.factor"
#define GUEST_ARG_MODULES "verbatim.modules"
#define GUEST_ARG_MHZ "verbatim.mhz"
#define GUEST_ARG_COVERAGE "verbatim.coverage"
/* verbatim.share0=rw:PATH, verbatim.share1=ro:PATH and so on: the shared folders. */
/* What ends the machine, as reboot(2) knows it: "halt"; else a restart does. */
#define GUEST_ARG_END "verbatim.end"

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

/*
 * console.c: what is known of a guest when its event stream has ended or has
 * stopped. Pure.
 */
struct guest_end {
	const char *program;	/* what runs it, for people: "QEMU" */
	const char *console;	/* all that came on its console */
	const char *errors;	/* what the program itself said */
	int running;		/* the program has not ended */
	int status;		/* of waitpid(2), when it has */
};

/*
 * One line that says why the guest ended, then what console_crash() finds or else
 * the last lines of the console; NULL when it ended properly. The caller frees it.
 */
char *console_obituary(const struct guest_end *end);

/* The kernel's first complaint, from its head on; NULL when there is none. */
char *console_trouble(const char *console);

/* Whether @line is the head of a complaint. */
bool console_is_trouble(const char *line);

/* The first complaint whose head ends with none of the texts in the list @told; likewise. */
char *console_untold(const char *console, const struct value *told);

/*
 * What a kernel that ended itself (a panic) said on the way: from its first complaint
 * on, lines of the console's end. NULL when it did not. The caller frees it.
 */
char *console_crash(const char *console);

/* init.c: this program as process 1 of a guest. */
int guest_init_main(int argc, char **argv) __attribute__((noreturn));

/* init-steps.c: what it does first. */
int init_mount_basics(struct vbm_error *err);
int init_load_modules(struct vbm_error *err);
int init_loopback_up(struct vbm_error *err);

/* Over /proc/cpuinfo of a kernel that does not say the frequency: one that does. */
int init_mount_cpuinfo(const char *mhz, struct vbm_error *err);

/*
 * init-lines.c: open the line to the outside that has this name on the command
 * line. It may be another descriptor for each direction (@out NULL: it may not).
 */
int init_open_line(const char *name, int *in, int *out, struct vbm_error *err);

/*
 * init-host.c: mount the host's file system at INIT_HOST_ROOT, ready for
 * chroot(2). @type is that of its file system here: "9p" or "hostfs". A layer in
 * memory takes all writing. init_mount_share() then puts the shared folder @number
 * ("rw:PATH" or "ro:PATH") in its place.
 */
#define INIT_HOST_ROOT "/host"
int init_mount_host(const char *type, struct vbm_error *err);
int init_mount_share(const char *type, int number, const char *share, struct vbm_error *err);

/*
 * GUEST_KEPT, where the host's folder @path takes what is kept of a run. Before
 * init_mount_host(), so that it is there before and after chroot(2).
 */
int init_mount_kept(const char *type, const char *path, struct vbm_error *err);

/*
 * init-core.c: a program that dies by a signal leaves, in a folder of GUEST_KEPT with
 * its host's name, NAME.PID.core (its first 512 MB) and NAME.PID.txt,
 * which says what it was in lines "NAME: VALUE". init_keep_cores() tells the kernel to start
 * GUEST_CORE_HANDLER "core" HOST PID SIGNAL PROGRAM, and the rest of these words are
 * @argv. Nothing where the kernel writes no cores.
 */
#define GUEST_CORE_HANDLER "/proc/1/exe"
int init_keep_cores(struct vbm_error *err);
int guest_core_main(char **argv);

/* Below INIT_HOST_ROOT: the kernel's modules are @dir of the host. */
int init_show_modules(const char *dir, struct vbm_error *err);

/*
 * The host's folder @dir, over hostfs, for what gcov counts. In it is a folder for
 * this start, which COUNTED_FOLDER and, for programs, GCOV_PREFIX name.
 */
int init_mount_coverage(const char *dir, struct vbm_error *err);

#endif
