/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/choice.h"

#include <string.h>

#include "base/text.h"

char *choice_text(choice_name *name, const char *rest)
{
	bool more = !strncmp(rest, ", ", 2) || !strncmp(rest, " or ", 4);
	struct text t = {0};
	size_t i;

	for (i = 0; name(i); i++)
		text_addf(&t, "%s%s", i == 0 ? "" : more || name(i + 1) ? ", " : " or ", name(i));
	text_add(&t, rest);
	return t.s;
}

size_t choice_find(choice_name *name, const char *word)
{
	size_t i = 0;

	while (name(i) && strcmp(name(i), word) != 0)
		i++;
	return i;
}

bool choice_has(choice_name *name, const char *word)
{
	return name(choice_find(name, word));
}
