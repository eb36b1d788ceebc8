/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/abstract.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

int abstract_address(const char *name, struct sockaddr_un *sa, socklen_t *len)
{
	size_t n = strlen(name);

	if (n == 0 || n >= sizeof(sa->sun_path))
		return -ENAMETOOLONG;
	*sa = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(sa->sun_path + 1, name, n);
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	return 0;
}
