/* SPDX-License-Identifier: BSD-2-Clause */
#include "names/consts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/xalloc.h"

static bool entry_named(const struct const_set *set, const char *name, int64_t *value)
{
	size_t i;

	for (i = 0; i < set->count; i++) {
		if (strcmp(set->entry[i].name, name) == 0) {
			*value = set->entry[i].value;
			return true;
		}
	}
	return false;
}

bool const_lookup(const struct const_set *set, const char *name, int64_t *value)
{
	size_t n = strlen(set->prefix);

	if (entry_named(set, name, value))
		return true;
	return n && strncmp(name, set->prefix, n) == 0 && entry_named(set, name + n, value);
}

const char *const_name(const struct const_set *set, int64_t value)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (set->entry[i].value == value)
			return set->entry[i].name;
	return NULL;
}

static char *show_flags(const struct const_set *set, int64_t value)
{
	char *s = NULL;
	size_t n = 0, i;
	FILE *f = open_memstream(&s, &n);
	const char *sep = "";

	if (!f)
		return xasprintf("%" PRId64, value);
	for (i = 0; i < set->count; i++) {
		if (!set->entry[i].value || (value & set->entry[i].value) != set->entry[i].value)
			continue;
		fprintf(f, "%s%s", sep, set->entry[i].name);
		value &= ~set->entry[i].value;
		sep = "|";
	}
	if (value || !*sep)
		fprintf(f, "%s0x%" PRIx64, sep, (uint64_t)value);
	fclose(f);
	return s;
}

char *const_show(const struct const_set *set, int64_t value)
{
	const char *name = const_name(set, value);

	if (name)
		return xstrdup(name);
	if (set->flags)
		return show_flags(set, value);
	return xasprintf("%" PRId64, value);
}

const char *const_suggest(const struct const_set *set, const char *name)
{
	struct suggestion s;
	size_t i, n = strlen(set->prefix);

	if (n && strncmp(name, set->prefix, n) == 0)
		name += n;
	suggest_init(&s, name);
	for (i = 0; i < set->count; i++)
		suggest_offer(&s, set->entry[i].name);
	return suggest_best(&s);
}
