/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/sequence.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "model/render.h"

void sequence_cut(struct sequence *out, const struct sequence *s, size_t from, size_t count, struct model_stack stack)
{
	auto_value struct value *steps = value_list();
	bool kept[SEQUENCE_MAX];
	size_t i, n = 0;

	*out = *s;
	if (from + count > s->count)
		count = s->count - from;
	memmove(out->op + from, out->op + from + count, (s->count - from - count) * sizeof(out->op[0]));
	out->count -= count;
	model_render(out->op, out->count, stack, steps, kept);
	for (i = 0; i < out->count; i++)
		if (kept[i])
			out->op[n++] = out->op[i];
	out->count = n;
}

static void add_steps(struct text *out, const struct sequence *s, struct model_stack stack, const char *indent)
{
	auto_value struct value *steps = value_list();
	size_t i;

	model_render(s->op, s->count, stack, steps, NULL);
	for (i = 0; i < steps->list.count; i++) {
		auto_free char *step = value_show(steps->list.item[i]);

		text_addf(out, "%s- %s\n", indent, step);
	}
}

char *sequence_file(const struct sequence *s, size_t count, size_t first, struct model_stack stack)
{
	const char *fragment = NULL;
	struct text out = {0};
	size_t i;

	text_add(&out, "scenario: sequences of operations\ncases:\n");
	for (i = 0; i < count; i++) {
		text_addf(&out, "  - case: s%zu\n    _n: %zu\n    steps:\n", first + i, first + i);
		add_steps(&out, &s[i], stack, "      ");
		if (!fragment || strcmp(fragment, "two_pairs") == 0)
			fragment = model_fragment(s[i].op, s[i].count);
	}
	text_addf(&out, "use: %s\nsteps:\n  - steps: $steps\n", fragment);
	return out.s;
}

char *sequence_scenario(const struct sequence *s, struct model_stack stack, const char *head, const char *title)
{
	auto_value struct value *name = value_string(title);
	auto_free char *quoted = json_write(name);	/* which is also YAML, whatever the title has */
	struct text out = {0};

	text_addf(&out, "%sscenario: %s\nuse: %s\nsteps:\n", head, quoted, model_fragment(s->op, s->count));
	add_steps(&out, s, stack, "  ");
	return out.s;
}

struct shrinking {
	struct sequence *s;
	struct sequence *candidate;	/* owned; SHRINK_MAX */
	size_t chunk;
	struct model_stack stack;
	shrink_try *try;
	void *arg;
};

static size_t failing(const struct shrink_tried *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->tried; i++)
		n += t->fails[i];
	return n;
}

/* Leaves out the chunks behind @from that can go, each by itself; only those from number @low to @high - 1 of them. */
static void without(const struct shrinking *k, size_t from, const struct shrink_tried *t, size_t low, size_t high, struct sequence *out)
{
	struct sequence before;
	size_t i, seen = failing(t);

	*out = *k->s;
	/* From the last one on, because what stands before a chunk keeps its place. */
	for (i = t->tried; i-- > 0;) {
		if (!t->fails[i])
			continue;
		seen--;
		before = *out;
		if (seen >= low && seen < high)
			sequence_cut(out, &before, from + i * k->chunk, k->chunk, k->stack);
	}
}

/* Several chunks can go, each by itself: maybe all of them together, or half of them. Returns how many went, or -1: stop. */
static int leave_out_many(struct shrinking *k, size_t from, const struct shrink_tried *t)
{
	size_t n = failing(t), half = n / 2, went[] = {n, half, n - half, 1}, i;
	struct shrink_tried joined = {.tried = 0};

	if (n > 1) {
		without(k, from, t, 0, n, &k->candidate[0]);
		without(k, from, t, 0, half, &k->candidate[1]);
		without(k, from, t, half, n, &k->candidate[2]);
		if (k->try(k->arg, k->candidate, 3, &joined) < 0)
			return -1;
	}
	for (i = 0; i < 3 && !(i < joined.tried && joined.fails[i]); i++)
		;
	if (i == 3)
		without(k, from, t, 0, 1, &k->candidate[3]);
	*k->s = k->candidate[i];
	return (int)went[i];
}

/* Goes through the sequence and leaves out each chunk of operations without which it still fails. 1: it is shorter now. -1: stop. */
static int leave_out(struct shrinking *k)
{
	size_t from = 0, n;
	struct shrink_tried t;
	int went, shorter = 0;

	while (from < k->s->count && k->s->count > 1) {
		for (n = 0; n < SHRINK_MAX && from + n * k->chunk < k->s->count; n++)
			sequence_cut(&k->candidate[n], k->s, from + n * k->chunk, k->chunk, k->stack);
		memset(&t, 0, sizeof(t));
		if (k->try(k->arg, k->candidate, n, &t) < 0)
			return -1;
		went = failing(&t) ? leave_out_many(k, from, &t) : 0;
		if (went < 0)
			return -1;
		shorter |= went > 0;
		/* The chunks before this place were tried already. */
		from += (t.tried ? t.tried - (size_t)went : n) * k->chunk;
	}
	return shorter;
}

void shrink(struct sequence *s, struct model_stack stack, shrink_try *try, void *arg)
{
	auto_free struct sequence *candidate = xcalloc(SHRINK_MAX, sizeof(*candidate));
	struct shrinking k = {.s = s, .candidate = candidate, .chunk = (s->count + 1) / 2, .stack = stack, .try = try, .arg = arg};
	int shorter;

	while (k.chunk && s->count > 1) {
		shorter = leave_out(&k);
		if (shorter < 0)
			return;
		if (!shorter || k.chunk > 1)
			k.chunk /= 2;
	}
}
