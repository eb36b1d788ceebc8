/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_FOLDER_H
#define VBM_TESTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* An empty folder of one test. Each test makes one and removes it with all that is in it. */
struct folder {
	char path[64];
};

void folder_make(struct folder *s);
void folder_remove(const struct folder *s);

/* The path of @name in the folder. The caller frees it. */
char *folder_path(const struct folder *s, const char *name);

/* Writes the file @name, and makes the folders above it. */
void folder_put(const struct folder *s, const char *name, const char *text);
void folder_put_bytes(const struct folder *s, const char *name, const void *data, size_t len);

/* The text of the file @name; NULL when there is no such file. The caller frees it. */
char *folder_text(const struct folder *s, const char *name);

/* Whether there is something called @name, a link to nothing included. */
bool folder_has(const struct folder *s, const char *name);

/* From here on one of the standard descriptors, such as STDERR_FILENO, is a file in memory. */
struct overheard {
	int fd, saved;
};

void overhear(struct overheard *o, int fd);

/* Gives the descriptor back, and returns what was written to it. The caller frees it. */
char *overheard_text(struct overheard *o);

#endif
