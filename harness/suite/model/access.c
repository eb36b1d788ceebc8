/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

#include <string.h>

int model_region_of(const struct model_world *w, int key)
{
	return w->slot[key].kind == KIND_BINDING ? w->slot[key].region : key;
}

static enum model_rule region_rule(const struct model_slot *r, const struct model_op *op, int right)
{
	if (!r->live)
		return RULE_KEY_GONE;
	if (r->domain)
		return RULE_KEY_DOMAIN;
	if (!(r->access & right))
		return RULE_KEY_RIGHT;
	return op->first + op->blocks + op->over > MODEL_BLOCKS ? RULE_KEY_RANGE : RULE_NONE;
}

static enum model_rule window_rule(const struct model_world *w, const struct model_op *op, int right)
{
	const struct model_slot *m = &w->slot[model_window_of(w, op->key)], *k = &w->slot[op->key];

	if (!m->live)
		return RULE_WINDOW_INVALID;
	if (m->domain)
		return RULE_WINDOW_DOMAIN;
	if (!m->ever)
		return RULE_WINDOW_UNBOUND;
	if (m->binding < 0)
		return RULE_WINDOW_INVALID;
	if (m->binding != op->key)
		return RULE_WINDOW_OLD;
	if (m->type == 2 && k->pair != op->pair)
		return RULE_WINDOW_PAIR;
	if (!(k->access & right))
		return RULE_WINDOW_RIGHT;
	if (op->first < k->first || op->first + op->blocks + op->over > k->first + k->blocks)
		return RULE_WINDOW_RANGE;
	return RULE_NONE;
}

bool model_pair_allows(const struct model_world *w, const struct model_op *op, int right)
{
	return w->pair[!op->host][op->pair].access & right;
}

enum model_rule model_access_rule(const struct model_world *w, const struct model_op *op, int right)
{
	return w->slot[op->key].kind == KIND_REGION ? region_rule(&w->slot[op->key], op, right) :
						      window_rule(w, op, right);
}

bool model_address(const struct model_world *w, int key, int first, int64_t *address)
{
	const struct model_slot *k = &w->slot[key];
	bool zero = k->kind == KIND_BINDING && k->zero;

	if (k->kind != KIND_REGION ? !zero : k->way != WAY_IOVA && k->way != WAY_ZERO_BASED)
		return false;
	*address = (int64_t)(first - (zero ? k->first : 0)) * MODEL_BLOCK;
	if (!zero && k->way == WAY_IOVA)
		*address += MODEL_IOVA(key);
	return true;
}

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
