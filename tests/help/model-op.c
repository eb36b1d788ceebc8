/* SPDX-License-Identifier: BSD-2-Clause */
#include "model-op.h"

#include "../unit/cmocka_all.h"

struct model_op plain(enum model_verb verb, int host)
{
	return (struct model_op){.verb = verb, .host = host, .made = -1, .region = -1, .window = -1, .key = -1, .handle = -1,
				 .blocks = 1, .fill = 0x11};
}

struct model_prediction carry_out(struct model_world *w, struct model_op op)
{
	struct model_prediction p;

	assert_true(model_possible(w, &op));
	model_predict(w, &op, &p);
	return p;
}
