/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_KEY_H
#define VBM_EVENT_KEY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Each line between a front end and its runner begins with this key and a blank. The key
 * is a random number that only these two processes know; each place has another one. The
 * runner gets it with its job, so the hello before the job and the job itself have no key.
 */
#define KEY_LENGTH 32
#define KEY_MEMBER "key"	/* the member of the job */

/* Write KEY_LENGTH hexadecimal digits and a NUL byte. */
void key_make(char key[KEY_LENGTH + 1]);

/*
 * Whether @line begins with the key. If so, the key is removed from *@line. Without a key
 * (NULL or empty) every line fits and stays as it is.
 */
bool key_fits(const char *key, const char **line, size_t *len);

#endif
