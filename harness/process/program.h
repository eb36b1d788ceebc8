/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_PROGRAM_H
#define VBM_PROCESS_PROGRAM_H

#include <stddef.h>

#include <verbatim/error.h>

struct string_list;

/*
 * What @argv (found in PATH) writes to its standard output, with a NUL after
 * it that @len does not count; its other streams are /dev/null. Fails when it
 * cannot be run (-ENOENT), does not end with status 0 (-EIO) or writes more than
 * @max bytes (-EFBIG), and is killed then.
 */
int program_output(char *const *argv, size_t max, char **data, size_t *len,
		   struct vbm_error *err);

/* The same into the file @fd, a piece at a time. */
int program_fill(char *const *argv, size_t max, int fd, struct vbm_error *err);

/*
 * What it writes to standard output and standard error, whatever it ends with:
 * *@status as of waitpid(2). Fails only when there can be no process, or when it
 * writes more than PROGRAM_SAYS_MAX bytes.
 */
#define PROGRAM_SAYS_MAX (16 << 20)
int program_says(char *const *argv, char **data, int *status, struct vbm_error *err);

/*
 * Add the shared objects that @path, a program or a shared object, needs, and
 * the loader itself, as the dynamic loader finds them. Nothing to add when it
 * is no dynamic ELF file.
 */
int program_libraries(const char *path, struct string_list *out, struct vbm_error *err);

/* The paths in what the loader's --list printed; -ENOENT for "not found". */
int parse_loader_list(char *text, struct string_list *out, struct vbm_error *err);

#endif
