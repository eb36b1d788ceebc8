/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_UML_H
#define VBM_GUEST_UML_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * Kernels that are programs (user-mode Linux). How one is started is in uml.c
 * and machine.h.
 */

/* The frequency in the text of /proc/cpuinfo, or a plausible one. Pure. */
double uml_mhz(const char *cpuinfo);

struct kernel;

/* A kernel with its debug information has less; one that is stripped has 13 MB. */
#define UML_FILE_MAX (512ul << 20)

/*
 * uml-file.c: whether @path is a whole program that is a kernel with rxe, and what
 * it says of itself: all of @out but its suite and root, which are "" and NULL.
 */
int uml_inspect(struct kernel *out, const char *path, struct vbm_error *err);

/* What the end of a release says: 7.3.4-uml-LABEL-VARIANT. Pure; the caller frees it. */
char *uml_label(const char *release, const char *variant);

/* Whether this is a whole ELF program for this machine. Pure. */
int uml_check_elf(const char *data, size_t len, struct vbm_error *err);

/*
 * uml-add.c: put the kernel @path, or the packed one @path.xz, into the store, and say its
 * release; the caller frees it.
 */
int uml_add(const char *path, char **release, struct vbm_error *err);

/*
 * uml-folder.c: a new folder for what one such kernel keeps while it runs. It is
 * locked by *@lock_fd. Those of runs that were killed go. The caller frees it.
 */
int uml_folder_make(char **path, int *lock_fd, struct vbm_error *err);
void uml_folder_remove(const char *path);

/* Remove the folders that nobody holds any more, or only count them. */
int uml_folders_sweep(bool dry_run);

/*
 * A folder for the memory of a kernel: one that allows programs to be mapped, has
 * @mb megabytes, and is in memory if there is such a one. The caller frees it.
 */
int uml_memory_folder(int mb, char **path, struct vbm_error *err);

/*
 * In the folder @memory one for a single kernel, which goes with its @folder. The
 * caller frees *@path.
 */
int uml_memory_own(const char *folder, const char *memory, char **path, struct vbm_error *err);

#endif
