/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/parts.h"

#include <string.h>

#include <verbatim/qp.h>

#include "base/xalloc.h"

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

/* Verbs that need an ability of the device, in whatever form. */
static const struct {
	enum model_verb verb;
	enum model_lack lack;
} needs[] = {
	{VERB_ALLOC_MW, LACK_WINDOWS}, {VERB_DEALLOC_MW, LACK_WINDOWS}, {VERB_BIND, LACK_WINDOWS},
	/* Without windows no key can be invalidated. */
	{VERB_LOCAL_INV, LACK_WINDOWS}, {VERB_SEND_INV, LACK_WINDOWS},
	{VERB_FETCH_ADD, LACK_ATOMICS}, {VERB_CMP_SWAP, LACK_ATOMICS}, {VERB_REREG_MR, LACK_REREG},
	{VERB_SET_ATTRIBUTE, LACK_BY_HAND}, {VERB_RESIZE_CQ, LACK_RESIZE_CQ}, {VERB_OVERFLOW, LACK_RESIZE_CQ},
	{VERB_QUERY_SRQ, LACK_QUERY_SRQ}, {VERB_CREATE_AH, LACK_AH}, {VERB_DESTROY_AH, LACK_AH},
};

/* Some operations of a verb need more than the others. */
static bool needs_more(const struct model_op *op, enum model_lack lack)
{
	switch (lack) {
	case LACK_UD:
		return op->pair == MODEL_DATAGRAM;
	case LACK_IMMEDIATE:
		return op->immediate;
	case LACK_ON_DEMAND:
		return op->verb == VERB_REG_MR && op->way == WAY_ON_DEMAND;
	case LACK_RESIZE_SRQ:
		return op->verb == VERB_MODIFY_SRQ && op->changes == IBV_SRQ_MAX_WR;
	case LACK_BY_HAND:
		return op->verb == VERB_MODIFY && op->state != IBV_QPS_ERR;
	default:
		return false;
	}
}

bool model_is_able(const struct model_world *w, const struct model_op *op)
{
	size_t i;
	int l;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].verb == op->verb && model_lacks(w, needs[i].lack))
			return false;
	for (l = 0; l < LACK_COUNT; l++)
		if (model_lacks(w, (enum model_lack)l) && needs_more(op, (enum model_lack)l))
			return false;
	return true;
}

/* One attribute in a call that keeps the state. All but the rights, the Q_Key and max_dest_rd_atomic get the value that they have. */
static const int attributes[] = {
	IBV_QP_ACCESS_FLAGS, IBV_QP_QKEY, IBV_QP_MIN_RNR_TIMER, IBV_QP_TIMEOUT, IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY, IBV_QP_PATH_MTU,
	IBV_QP_MAX_QP_RD_ATOMIC, IBV_QP_MAX_DEST_RD_ATOMIC, IBV_QP_RQ_PSN, IBV_QP_SQ_PSN, IBV_QP_DEST_QPN,
};

int model_attribute(size_t i)
{
	return i < ARRAY_SIZE(attributes) ? attributes[i] : 0;
}

static const struct vbm_qp_transition *same_state(const struct model_world *w, const struct model_op *op)
{
	enum ibv_qp_state s = w->pair[op->host][op->pair].state;

	return vbm_qp_transition(model_type(op->pair), s, s);
}

static bool accepts_change(const struct vbm_qp_transition *t, const struct model_op *op)
{
	return t && (t->required | t->optional) & op->changes;
}

bool model_can_set_attribute(const struct model_world *w, const struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair];
	const struct vbm_qp_transition *t = same_state(w, op);
	size_t i;

	for (i = 0; model_attribute(i) && model_attribute(i) != op->changes; i++)
		;
	/* A queue pair in RESET or ERR has a transition to its own state that makes it new, or flushes it again. */
	if (!model_attribute(i) || !q->known || q->state == IBV_QPS_SQE || (t && t->required & ~op->changes))
		return false;
	/* The transition to RTR makes a smaller depth larger again. */
	if (op->changes == IBV_QP_MAX_DEST_RD_ATOMIC && op->size != q->depth && accepts_change(t, op) && model_excepts(w, EXCEPT_DEPTH))
		return false;
	/* The rights of the receiver do not count before it is ready. A request that waits may need the old ones. */
	return !w->pair[!op->host][op->pair].waits;
}

void model_set_attribute(struct model_world *w, const struct model_op *op, struct model_prediction *p)
{
	struct model_pair *q = &w->pair[op->host][op->pair];
	const struct vbm_qp_transition *t = same_state(w, op);

	if (!accepts_change(t, op)) {
		p->returns = RETURN_EINVAL;
		p->rule = RULE_ATTRIBUTE_FOREIGN;
		return;
	}
	p->rule = RULE_ATTRIBUTE;
	if (op->changes == IBV_QP_ACCESS_FLAGS)
		q->access = op->access & MODEL_REMOTE;
	else if (op->changes == IBV_QP_QKEY)
		q->qkey = op->qkey;
	else if (op->changes == IBV_QP_MAX_DEST_RD_ATOMIC)
		q->depth = op->size;
}
