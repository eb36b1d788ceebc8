/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/not-begun.h"

#include "base/text.h"

#define NAMED_MAX 3

static void add_step(struct text *out, const struct variant *v, size_t at)
{
	const struct item *it = &v->items[at];

	text_addf(out, "%s.%s (line %d)", v->actors[it->actor].name, it->kind->name,
		  it->origin.pos.line);
}

char *not_begun_say(const struct variant *v, size_t waited, size_t from, size_t to)
{
	struct text out = {0};
	size_t i, n = 0;

	for (i = from; i < to; i++) {
		if (v->items[i].actor == v->items[waited].actor)
			continue;
		if (n < NAMED_MAX) {
			text_add(&out, n ? ", " : "; ");
			add_step(&out, v, i);
		}
		n++;
	}
	if (!n)
		return NULL;
	if (n > NAMED_MAX)
		text_addf(&out, " and %zu more", n - NAMED_MAX);
	text_addf(&out, " had not begun: %s after ", n == 1 ? "it comes" : "they come");
	add_step(&out, v, from);
	text_addf(&out, ", which waits for line %d", v->items[waited].origin.pos.line);
	return out.s;
}
