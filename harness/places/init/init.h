/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_INIT_INIT_H
#define VBM_INIT_INIT_H

/*
 * Runs in: process 1 of a guest or of a user-mode kernel.
 * Owns:    mounts, modules, the lines to the front end.
 * Ends:    turns the machine off when the runner or the station has ended.
 * Tests:   tests/guest/boot.test, exec-host.test.
 */

#include <verbatim/error.h>

/* init.c: this program as process 1 of a guest. */
int init_main(int argc, char **argv) __attribute__((noreturn));

/* init-steps.c: the first steps of init. */
int init_mount_basics(struct vbm_error *err);
int init_load_modules(struct vbm_error *err);
int init_loopback_up(struct vbm_error *err);

/* Mounts a file with the frequency over /proc/cpuinfo, for a kernel that does not tell it. */
int init_mount_cpuinfo(const char *mhz, struct vbm_error *err);

/*
 * init-lines.c: opens the line to the outside that has this name on the command line.
 * Each direction may have its own descriptor, unless @out is NULL.
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
 * Mounts the host's folder @path, for the files to keep, at GUEST_KEPT. Call this before
 * init_mount_host(), so that it is there before and after chroot(2).
 */
int init_mount_kept(const char *type, const char *path, struct vbm_error *err);

/*
 * init-core.c: a program that dies by a signal leaves, in a folder of GUEST_KEPT with its
 * host's name, NAME.PID.core (its first 512 MB) and NAME.PID.txt, which describes it in
 * lines "NAME: VALUE". init_keep_cores() tells the kernel to start GUEST_CORE_HANDLER
 * "core" HOST PID SIGNAL PROGRAM; @argv begins at HOST. It does nothing if the kernel
 * writes no cores.
 */
#define GUEST_CORE_HANDLER "/proc/1/exe"
int init_keep_cores(struct vbm_error *err);
int init_core_main(char **argv);

/* Shows the host's folder @dir as the kernel's modules, below INIT_HOST_ROOT. */
int init_show_modules(const char *dir, struct vbm_error *err);

/*
 * Mounts the host's folder @dir, over hostfs, for the counts of gcov. It gets a folder
 * for this start of the kernel, which COUNTED_FOLDER and, for programs, GCOV_PREFIX name.
 */
int init_mount_coverage(const char *dir, struct vbm_error *err);

#endif
