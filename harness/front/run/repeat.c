/* SPDX-License-Identifier: BSD-2-Clause */
#include "run/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"

char *repeat_name(const char *name, int time)
{
	return time > 1 ? xasprintf("%s#%d", name, time) : xstrdup(name);
}

char *repeat_plain(const char *name)
{
	const char *mark = strrchr(name, '#');
	size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;

	return digits && !mark[1 + digits] ? xstrndup(name, (size_t)(mark - name)) : xstrdup(name);
}

/* A variant is copied as it is handed to a runner. */
static void copy(struct selection *sel, size_t from, int time)
{
	auto_value struct value *v = variant_to_value(&sel->plan.item[from]);
	struct variant *to;

	GROW(sel->root_of, sel->plan.count);
	sel->root_of[sel->plan.count] = sel->root_of[from];
	GROW(sel->plan.item, sel->plan.count);
	to = &sel->plan.item[sel->plan.count];
	*to = (struct variant){0};
	if (variant_from_value(to, v, NULL) < 0)
		abort();
	to->number = sel->plan.count++;
	free(to->name);
	to->name = repeat_name(sel->plan.item[from].name, time);
}

void repeat_add(struct selection *sel, int times)
{
	size_t i, once = sel->plan.count;
	int time;

	for (time = 2; time <= times; time++)
		for (i = 0; i < once; i++)
			copy(sel, i, time);
}

/* The verdict of a repetition; the order of the variants may have changed. */
static enum verdict verdict_of(const struct selection *sel, const enum verdict *verdict, const char *name)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (!strcmp(sel->plan.item[i].name, name))
			return verdict[i];
	return VERDICT_COUNT;
}

static void add_verdict(struct text *t, const enum verdict *of, int times, enum verdict v)
{
	struct text which auto_text = {0};
	int i, n = 0;

	for (i = 0; i < times; i++) {
		if (of[i] != v)
			continue;
		text_addf(&which, "%s#%d", n++ ? ", " : "", i + 1);
	}
	if (n == 0)
		return;
	text_addf(t, "%s%s %d time%s", t->len ? ", " : "", verdict_name(v), n, n == 1 ? "" : "s");
	/* Name the rounds only if they are the minority. */
	if (2 * n <= times)
		text_addf(t, " (%s)", which.s);
}

static void tell_one(const struct selection *sel, const enum verdict *verdict, int times, const char *name,
		     FILE *out)
{
	auto_free enum verdict *of = xcalloc((size_t)times, sizeof(*of));
	struct text line auto_text = {0};
	bool differs = false;
	int i, v;

	for (i = 0; i < times; i++) {
		auto_free char *one = repeat_name(name, i + 1);

		of[i] = verdict_of(sel, verdict, one);
		differs |= i && of[i] != VERDICT_COUNT && of[0] != VERDICT_COUNT && of[i] != of[0];
	}
	if (!differs)
		return;
	for (v = 0; v < VERDICT_COUNT; v++)
		add_verdict(&line, of, times, (enum verdict)v);
	fprintf(out, "verbatim: %s: %s\n", name, line.s);
}

void repeat_tell(const struct selection *sel, const enum verdict *verdict, int times, FILE *out)
{
	size_t i;

	for (i = 0; times > 1 && i < sel->plan.count; i++) {
		auto_free char *plain = repeat_plain(sel->plan.item[i].name);

		if (!strcmp(plain, sel->plan.item[i].name))
			tell_one(sel, verdict, times, plain, out);
	}
}
