/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/choice.h"

#include "base/text.h"

char *choice_text(choice_name *name, const char *rest)
{
	struct text t = {0};
	size_t i;

	for (i = 0; name(i); i++)
		text_addf(&t, "%s%s", i == 0 ? "" : name(i + 1) ? ", " : " or ", name(i));
	text_add(&t, rest);
	return t.s;
}
