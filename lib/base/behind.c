/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/behind.h"

#include <dlfcn.h>
#include <stddef.h>

void *vbm_behind(struct behind_library *library, const char *symbol)
{
	void *call = dlsym(RTLD_NEXT, symbol);

	if (call)
		return call;
	/* Two threads at once get the same handle. */
	if (!library->handle)
		library->handle = dlopen(library->name, RTLD_LAZY);
	return library->handle ? dlsym(library->handle, symbol) : NULL;
}
