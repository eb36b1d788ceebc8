/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_FOLDER_H
#define VBM_TESTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* An empty folder for one test, except for .owner. Each test makes one, and removes it with its contents. */
struct folder {
	char path[64];
};

void folder_make(struct folder *s);
void folder_remove(const struct folder *s);

/* The path of @name in the folder. The caller frees it. */
char *folder_path(const struct folder *s, const char *name);

/* Write the file @name, and make the folders above it. */
void folder_put(const struct folder *s, const char *name, const char *text);
void folder_put_bytes(const struct folder *s, const char *name, const void *data, size_t len);

/* The text of the file @name, which the caller frees; NULL: there is no such file. */
char *folder_text(const struct folder *s, const char *name);

/* Whether @name exists, also as a link to nothing. */
bool folder_has(const struct folder *s, const char *name);

/* Replaces a standard descriptor, such as STDERR_FILENO, by a file in memory. */
struct overheard {
	int fd, saved;
};

void overhear(struct overheard *o, int fd);

/* Restore the descriptor, and return the text that was written to it. The caller frees it. */
char *overheard_text(struct overheard *o);

#endif
