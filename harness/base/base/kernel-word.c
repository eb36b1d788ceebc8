/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/kernel-word.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

char *kernel_word(const char *name)
{
	auto_free char *line = NULL;
	char *word, *save = NULL;
	size_t n = strlen(name);

	if (file_read("/proc/cmdline", &line, NULL, NULL) < 0)
		return NULL;
	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (!strncmp(word, name, n) && (word[n] == '=' || !word[n]))
			return xstrdup(word + n + (word[n] == '='));
	return NULL;
}
