/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_PROGRAM_H
#define VBM_PROCESS_PROGRAM_H

#include <stddef.h>

#include <verbatim/error.h>

struct string_list;

/*
 * Run @argv (found in PATH) and read its standard output; a NUL comes after it, which @len
 * does not count. Its other streams are /dev/null. Fails if the program cannot be run
 * (-ENOENT), does not end with status 0 (-EIO), or writes more than @max bytes (-EFBIG);
 * the program is then killed.
 */
int program_output(char *const *argv, size_t max, char **data, size_t *len,
		   struct vbm_error *err);

/* The same, to the file @fd, a piece at a time. */
int program_fill(char *const *argv, size_t max, int fd, struct vbm_error *err);

/*
 * Run @argv and read its standard output and standard error, whatever its status: *@status
 * as of waitpid(2). Fails only if no process can be made, or if it writes more than
 * PROGRAM_SAYS_MAX bytes.
 */
#define PROGRAM_SAYS_MAX (16 << 20)
int program_says(char *const *argv, char **data, int *status, struct vbm_error *err);

/*
 * Add the shared objects that @path, a program or a shared object, needs, and the loader,
 * as the dynamic loader finds them. A file that is not a dynamic ELF file adds nothing.
 */
int program_libraries(const char *path, struct string_list *out, struct vbm_error *err);

/* The paths in the output of the loader's --list; -ENOENT if it has "not found". */
int program_parse_loader_list(char *text, struct string_list *out, struct vbm_error *err);

#endif
