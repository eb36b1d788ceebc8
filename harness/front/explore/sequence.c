/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/sequence.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
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
