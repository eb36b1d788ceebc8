/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/abilities.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *what;
} table[] = {
#define ROW(id, name, lacks) [ABILITY_##id] = {name, lacks},
	ABILITIES(ROW)
#undef ROW
};

const char *ability_name(enum ability ability)
{
	return table[ability].name;
}

const char *ability_what(const char *name)
{
	size_t i;

	for (i = 0; i < ABILITY_COUNT; i++)
		if (!strcmp(table[i].name, name))
			return table[i].what;
	return NULL;
}
