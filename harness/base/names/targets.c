/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/targets.h"

#include "base/xalloc.h"

const char *target_name(size_t i)
{
	static const char *const names[] = {"system", "reference"};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}
