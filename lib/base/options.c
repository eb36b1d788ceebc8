/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/options.h"

#include <errno.h>
#include <string.h>

#include "lib/base/fail.h"

void vbm_options_give(void *to, size_t size, const void *all, size_t known)
{
	if (!to || size < sizeof(size))
		return;
	memset(to, 0, size);
	memcpy(to, all, size < known ? size : known);
	memcpy(to, &size, sizeof(size));
}

int vbm_options_take(void *to, size_t known, const void *from, const char *name,
		     struct vbm_error *error)
{
	const char *byte = from;
	size_t size, i;

	memcpy(&size, from, sizeof(size));
	if (size <= sizeof(size))
		return -vbm_fail(error, EINVAL, "the member size of struct vbm_%s is %zu: call vbm_%s_init() "
				 "first", name, size, name);
	for (i = known; i < size; i++)
		if (byte[i])
			return -vbm_fail(error, EINVAL, "byte %zu of struct vbm_%s has a value, and this "
					 "version of the library knows %zu bytes", i, name, known);
	memcpy((char *)to + sizeof(size), byte + sizeof(size), (size < known ? size : known) - sizeof(size));
	return 0;
}
