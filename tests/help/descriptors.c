/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptors.h"

#include <dirent.h>
#include <stddef.h>

/* With "." and "..", as in any other count. */
static int entries(const char *folder)
{
	DIR *dir = opendir(folder);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* The folder's own is one of them. */
int open_descriptors(void)
{
	return entries("/proc/self/fd");
}

int running_threads(void)
{
	return entries("/proc/self/task");
}
