/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_EVENT_KEY_H
#define VBM_EVENT_KEY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What each line between a front end and its runner begins with, and a blank behind
 * it: a random number for each place that only these two know. The runner has it
 * with its job, so that the hello before and the job itself are without.
 */
#define KEY_LENGTH 32
#define KEY_MEMBER "key"	/* of the job */

/* Fills in hexadecimal digits and the end of the string. */
void key_make(char key[KEY_LENGTH + 1]);

/*
 * Whether @line begins with the key, which is then taken off. Without a key (NULL or
 * empty) every line fits as it is.
 */
bool key_fits(const char *key, const char **line, size_t *len);

#endif
