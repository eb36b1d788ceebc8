/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_UML_H
#define VBM_GUEST_UML_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/* Kernels that are programs (user-mode Linux). uml.c and machine.h start them. */

/* The frequency in the text of /proc/cpuinfo, or a plausible one. Pure. */
double uml_mhz(const char *cpuinfo);

struct kernel;

/* A limit: a kernel with debug information is smaller, a stripped kernel has 13 MB. */
#define UML_FILE_MAX (512ul << 20)

/*
 * uml-file.c: checks that @path is a complete program that is a kernel with rxe, and asks
 * it for the members of @out, except the suite and the root, which are "" and NULL.
 */
int uml_inspect(struct kernel *out, const char *path, struct vbm_error *err);

/*
 * Whether the kernel at @path can make devices of this type. If not, returns -ENODEV, and @err says
 * what to do.
 */
struct device_type;
int uml_check_device(const char *path, const struct device_type *device, struct vbm_error *err);

/* The label in a release 7.3.4-uml-LABEL-VARIANT. Pure; the caller frees it. */
char *uml_label(const char *release, const char *variant);

/* Whether this is a complete ELF program for this machine. Pure. */
int uml_check_elf(const char *data, size_t len, struct vbm_error *err);

/*
 * uml-add.c: puts the kernel @path, or the packed one @path.xz, into the store, and
 * returns its release, which the caller frees.
 */
int uml_add(const char *path, char **release, struct vbm_error *err);

/*
 * uml-folder.c: makes a folder for the files of one such kernel while it runs, locked by
 * *@lock_fd, and removes the folders of runs that were killed. The caller frees the path.
 */
int uml_folder_make(char **path, int *lock_fd, struct vbm_error *err);
void uml_folder_remove(const char *path);

/* Removes the folders that no process has locked, or only counts them. */
int uml_folders_sweep(bool dry_run);

/*
 * Finds a folder for the memory of a kernel: it allows programs to be mapped, has @mb
 * megabytes free, and is in memory if possible. The caller frees the path.
 */
int uml_memory_folder(int mb, char **path, struct vbm_error *err);

/*
 * Makes a folder in @memory for a single kernel, which is removed with its @folder. The
 * caller frees *@path.
 */
int uml_memory_own(const char *folder, const char *memory, char **path, struct vbm_error *err);

#endif
