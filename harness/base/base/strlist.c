/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/strlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void string_list_add(struct string_list *l, const char *s)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->item[i], s))
			return;
	GROW(l->item, l->count);
	l->item[l->count++] = xstrdup(s);
}

void string_list_fini(struct string_list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		free(l->item[i]);
	free(l->item);
	memset(l, 0, sizeof(*l));
}
