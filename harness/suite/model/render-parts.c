/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/render-parts.h"

#include <stdio.h>

#include "base/value.h"

const char *render_name(const struct model_world *w, int slot, char name[static 16])
{
	static const char letter[] = {[KIND_REGION] = 'm', [KIND_WINDOW] = 'w', [KIND_BINDING] = 'k', [KIND_HANDLE] = 'h'};

	snprintf(name, 16, "%c%d", letter[w->slot[slot].kind], slot);
	return name;
}

void render_domain(struct value *args, const struct model_op *op)
{
	value_set_string(args, "pd", op->domain ? "other" : "q_pd");
}

void render_request(const struct model_op *op, uint64_t id, struct rendered_call *c)
{
	struct value *flags;

	c->name = "post_send";
	value_set_string(c->args, "qp", render_pair(op->pair));
	value_set_int(c->args, "id", (int64_t)id);
	if (op->solicited) {
		flags = value_list();
		value_append(flags, value_string("SIGNALED"));
		value_append(flags, value_string("SOLICITED"));
		value_set(c->args, "flags", flags);
	}
	if (op->immediate)
		value_set_int(c->args, "imm", model_immediate(op->fill));
}

void render_bytes(struct rendered_call *c, uint64_t id, int bytes, int fill)
{
	value_set_string(c->args, "mr", "q_mr");
	value_set_int(c->args, "offset", MODEL_SENT(id));
	value_set_int(c->args, "length", bytes);
	if (fill != MODEL_OTHER)
		value_set(c->args, "fill", value_format_string("0x%02x", (unsigned)fill));
}
