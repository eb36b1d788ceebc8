/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_FILE_H
#define VBM_BASE_FILE_H

#include <stddef.h>

#include <verbatim/error.h>

/*
 * Make the folder if it does not exist. -EPERM unless this user owns it and no other user
 * can write in it.
 */
int file_private_dir(const char *path);

/* mkdir -p */
int file_make_dirs(const char *path, struct vbm_error *err);

/*
 * Open a file for reading that another user may have made. Only a regular file is accepted
 * (files of /proc and /sys are), so that a FIFO or a device can neither hang the program
 * nor fill its memory. The descriptor, or a negative errno with "PATH: why".
 */
int file_open(const char *path, struct vbm_error *err);

/*
 * Read the whole file, which is opened by file_open(). A NUL comes after its contents,
 * which @len (may be NULL) does not count. -EFBIG: the file has more than @max bytes.
 */
int file_read_max(const char *path, size_t max, char **data, size_t *len, struct vbm_error *err);

/* The same, with a limit that is enough for all files, even for kernels with symbols. */
#define FILE_MAX ((size_t)1 << 30)
int file_read(const char *path, char **data, size_t *len, struct vbm_error *err);

/*
 * Read the rest of a file, a pipe or a socket; or a whole file, whatever the position of
 * its descriptor. 0 or a negative errno. -EFBIG: there are more than @max bytes.
 */
int file_fd_read_rest(int fd, size_t max, char **data, size_t *len);
int file_fd_read_whole(int fd, size_t max, char **data, size_t *len);

/*
 * Append the rest of @in to @out. 0 or a negative errno. -EFBIG: there are more than @max
 * bytes. Both descriptors must be blocking.
 */
int file_fd_copy(int in, size_t max, int out);

/* Write all of @data: 0 or a negative errno. @fd must be blocking. */
int file_write(int fd, const void *data, size_t len);

/*
 * Holds the folder, open at @fd, until the last copy of @fd is closed. -EBUSY if another process holds @dir. A file
 * system without locks is no obstacle.
 */
int file_hold_folder(int fd, const char *dir, struct vbm_error *err);

/* Replace @path with @text atomically. */
int file_replace(const char *path, const char *text, struct vbm_error *err);

/* The next line of the text at *@pos; its newline becomes a NUL. NULL at the end. */
char *file_next_line(char **pos);

/*
 * The value of the word @name of the kernel's command line: "VALUE" of NAME=VALUE, "" of NAME alone,
 * NULL if the word is not there. The caller frees it.
 */
char *file_kernel_word(const char *name);

#endif
