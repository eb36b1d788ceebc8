/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "model/parts.h"

uint64_t model_word(int fill)
{
	uint64_t word;

	memset(&word, fill, sizeof(word));
	return word;
}

enum model_rule model_memory_rule(enum model_verb verb)
{
	return verb == VERB_CMP_SWAP ? RULE_COMPARE : verb == VERB_FETCH_ADD ? RULE_ATOMIC : RULE_WRITE;
}

uint64_t model_word_at(const struct model_world *w, const struct model_op *op)
{
	int region = model_region_of(w, op->key);

	return w->slot[region].kind == KIND_REGION && op->first >= 0 && op->first < MODEL_BLOCKS ?
	       w->slot[region].block[op->first].word : 0;
}

static void change_word(struct model_block *b, const struct model_op *op, struct model_prediction *p)
{
	p->original = true;
	if (op->verb == VERB_FETCH_ADD)
		b->word++;
	else if (b->word == op->compare)
		b->word = model_word(op->fill);
}

void model_change_memory(struct model_slot *r, const struct model_op *op, struct model_prediction *p)
{
	struct model_block *b = r->block + op->first;
	int i;

	memcpy(p->read, b, (size_t)op->blocks * sizeof(*b));
	if (op->verb == VERB_FETCH_ADD || op->verb == VERB_CMP_SWAP)
		change_word(b, op, p);
	for (i = 0; op->verb == VERB_WRITE && i < op->blocks; i++)
		b[i] = (struct model_block){op->fill, model_word(op->fill)};
}
