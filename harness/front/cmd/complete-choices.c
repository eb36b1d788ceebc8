/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* No help text has this. */
#define MARK "\001"

static char *filtered(const struct complete_option *o, const char *text)
{
	if (!o->argp->help_filter)
		return xstrdup(text);
	return o->argp->help_filter(o->line->key, text, NULL);
}

char *complete_text(const struct complete_option *o)
{
	return filtered(o, o->line->doc ? o->line->doc : "");
}

/* The filter puts the names before the text, as a phrase: "tap, junit or json". */
void complete_choices(const struct complete_option *o, struct string_list *out)
{
	auto_free char *text = filtered(o, MARK);
	char *name, *end, *next;

	end = text ? strstr(text, MARK) : NULL;
	if (!end || end == text)
		return;
	*end = '\0';
	for (name = text; name; name = next) {
		next = strpbrk(name, ", ");
		if (next) {
			*next++ = '\0';
			next += strspn(next, " ");
		}
		if (*name && strcmp(name, "or") != 0)
			string_list_add(out, name);
	}
}
