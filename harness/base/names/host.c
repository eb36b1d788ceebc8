/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/host.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void host_name(int host, char name[8])
{
	if (host < 26)
		snprintf(name, 8, "%c", 'a' + host);
	else
		snprintf(name, 8, "%c%c", 'a' + host / 26 - 1, 'a' + host % 26);
}

int host_number(const char *name)
{
	if (!islower((unsigned char)name[0]))
		return -1;
	if (!name[1])
		return name[0] - 'a';
	if (!islower((unsigned char)name[1]) || name[2])
		return -1;
	return (name[0] - 'a' + 1) * 26 + name[1] - 'a';
}

static const char *const layout_names[] = {
	[LAYOUT_AUTO] = "auto",
	[LAYOUT_NETNS] = "netns",
	[LAYOUT_SHARED] = "shared",
	[LAYOUT_MACHINES] = "machines",
};

const char *layout_name(enum layout layout)
{
	return layout_names[layout];
}

const char *layout_nth(size_t i)
{
	return i < LAYOUT_MACHINES ? layout_names[i] : NULL;
}

int layout_parse(const char *name, enum layout *layout)
{
	size_t i;

	for (i = 0; i < LAYOUT_MACHINES; i++)
		if (!strcmp(name, layout_names[i])) {
			*layout = (enum layout)i;
			return 0;
		}
	return -EINVAL;
}
