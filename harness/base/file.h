/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_FILE_H
#define VBM_BASE_FILE_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * Make the folder where it is missing. -EPERM unless it belongs to this user
 * and nobody else can write in it.
 */
int private_dir(const char *path);

/* mkdir -p */
int make_dirs(const char *path, struct vbm_error *err);

/*
 * Open a file that somebody else may have made, for reading: a regular one (those
 * of /proc and /sys are), so that a FIFO or a device neither hangs the program nor
 * fills its memory. The descriptor, or a negative errno with "PATH: why".
 */
int file_open(const char *path, struct vbm_error *err);

/*
 * The whole file, with a NUL after it that @len (may be NULL) does not count. It is
 * opened as above. -EFBIG when there are more than @max bytes.
 */
int file_read_max(const char *path, size_t max, char **data, size_t *len, struct vbm_error *err);

/* The same with a bound for whatever there is, kernels with their symbols too. */
#define FILE_MAX ((size_t)1 << 30)
int file_read(const char *path, char **data, size_t *len, struct vbm_error *err);

/*
 * The same of a descriptor: what is left of a file, a pipe or a socket, or all
 * of a file wherever its descriptor stands. 0 or a negative errno: -EFBIG when
 * there are more than @max bytes.
 */
int fd_read_rest(int fd, size_t max, char **data, size_t *len);
int fd_read_whole(int fd, size_t max, char **data, size_t *len);

/*
 * What is left of @in goes to the end of @out. 0 or a negative errno: -EFBIG when
 * there are more than @max bytes. Both must block.
 */
int fd_copy(int in, size_t max, int out);

/* All of @data: 0 or a negative errno. @fd must block. */
int file_write(int fd, const void *data, size_t len);

/* Replace @path with @text, whole or not at all. */
int file_replace(const char *path, const char *text, struct vbm_error *err);

/* The next line of the text at *@pos, cut in place; NULL at the end. */
char *next_line(char **pos);

#endif
