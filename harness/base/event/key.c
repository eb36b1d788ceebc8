/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void key_make(char key[KEY_LENGTH + 1])
{
	unsigned char bytes[KEY_LENGTH / 2];
	size_t i;

	/*
	 * getrandom() waits until the kernel has random numbers. It never returns only a
	 * part of a request as small as this one.
	 */
	while (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		if (errno != EINTR)
			abort();
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(key + 2 * i, 3, "%02x", bytes[i]);
}

bool key_fits(const char *key, const char **line, size_t *len)
{
	size_t n = key ? strlen(key) : 0;

	if (!n)
		return true;
	if (*len <= n || memcmp(*line, key, n) != 0 || (*line)[n] != ' ')
		return false;
	*line += n + 1;
	*len -= n + 1;
	return true;
}
