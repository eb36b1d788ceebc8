/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/plan-kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "plan/plan.h"

static const char wants[] = "kernel_";

/* "kernel_a=6.12" and "kernel_b=7.3" as "a=6.12,b=7.3"; "" if there is neither. */
static char *of_variant(const struct variant *v)
{
	struct text text = {0};
	const char *need;
	size_t i;

	text_add(&text, "");
	for (i = 0; i < v->needs->list.count; i++) {
		need = v->needs->list.item[i]->s;
		if (strncmp(need, wants, sizeof(wants) - 1) == 0 && need[sizeof(wants)] == '=')
			text_addf(&text, "%s%s", text.len ? "," : "", need + sizeof(wants) - 1);
	}
	return text.s;
}

char *plan_kernels(const struct plan *plan)
{
	char *first = plan->count ? of_variant(&plan->item[0]) : NULL;
	bool same = first && *first;
	size_t i;

	for (i = 1; same && i < plan->count; i++) {
		char *other = of_variant(&plan->item[i]);

		same = strcmp(other, first) == 0;
		free(other);
	}
	if (same)
		return first;
	free(first);
	return NULL;
}
