/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/line.h"

#include "base/json.h"

const struct text *event_line_text(struct event_line *l)
{
	if (l->text.len == 0) {
		json_add(&l->text, l->event);
		text_add(&l->text, "\n");
	}
	return &l->text;
}

void event_line_fini(struct event_line *l)
{
	text_fini(&l->text);
}
