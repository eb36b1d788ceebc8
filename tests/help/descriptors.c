/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptors.h"

#include <dirent.h>
#include <stddef.h>

/* The number of entries, with "." and "..". */
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

/* One of them is the descriptor of the folder itself. */
int open_descriptors(void)
{
	return entries("/proc/self/fd");
}

int running_threads(void)
{
	return entries("/proc/self/task");
}
