/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/draw.h"

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "model/parts.h"

#define ALL (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define MR (1u << GROUP_MR)
#define MW (1u << GROUP_MW)
#define QP (1u << GROUP_QP)
#define CQ (1u << GROUP_CQ)
#define SRQ (1u << GROUP_SRQ)
#define UD (1u << GROUP_UD)
#define ODP (1u << GROUP_ODP)
#define FAULT (1u << GROUP_FAULT)
#define POINTS 24	/* allocations and copies of a call; few calls have more */

/* How often each verb is drawn, and the groups that it belongs to. */
static const struct {
	int weight;
	unsigned groups;
} weights[VERB_COUNT] = {
	[VERB_REG_MR] = {6, MR | MW | QP | ODP}, [VERB_DEREG_MR] = {4, MR | MW | ODP},
	[VERB_ALLOC_MW] = {6, MW}, [VERB_DEALLOC_MW] = {3, MW},
	[VERB_BIND] = {14, MW}, [VERB_LOCAL_INV] = {7, MR | MW},
	[VERB_POST_RECV] = {12, MW | QP | CQ | UD}, [VERB_SEND] = {5, QP | CQ | SRQ}, [VERB_SEND_INV] = {7, MR | MW},
	[VERB_WRITE] = {12, MR | MW | QP | ODP}, [VERB_READ] = {8, MR | MW | QP | ODP}, [VERB_FETCH_ADD] = {5, MR | MW | QP | ODP},
	[VERB_CMP_SWAP] = {5, MR | MW | QP | ODP},
	[VERB_MODIFY] = {5, QP | SRQ | UD}, [VERB_RECONNECT] = {1, MR | MW | QP | SRQ | UD | ODP},
	[VERB_REREG_MR] = {5, MR}, [VERB_SET_ATTRIBUTE] = {5, QP | UD}, [VERB_RESIZE_CQ] = {2, CQ}, [VERB_POLL] = {4, QP | CQ | SRQ},
	[VERB_POST_SRQ] = {8, SRQ}, [VERB_MODIFY_SRQ] = {3, SRQ}, [VERB_QUERY_SRQ] = {3, SRQ}, [VERB_DESTROY_SRQ] = {1, SRQ},
	[VERB_CREATE_AH] = {3, UD}, [VERB_DESTROY_AH] = {2, UD}, [VERB_DATAGRAM] = {8, UD},
	[VERB_OVERFLOW] = {1, CQ},
};

const char *model_group_name(size_t i)
{
	static const char *const names[GROUP_COUNT] = {[GROUP_MR] = "mr", [GROUP_MW] = "mw", [GROUP_QP] = "qp", [GROUP_CQ] = "cq",
						       [GROUP_SRQ] = "srq", [GROUP_UD] = "ud", [GROUP_ODP] = "odp",
						       [GROUP_FAULT] = "fault"};

	return i < GROUP_COUNT ? names[i] : NULL;
}

/* splitmix64. */
static uint64_t mixed(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void model_draw_init(struct model_draw *d, uint64_t seed, unsigned groups)
{
	d->state = mixed(seed ^ UINT64_C(0x5851f42d4c957f2d));
	d->groups = groups;
	d->key = -1;
}

/* A number below @below. */
static int draw(struct model_draw *d, int below)
{
	d->state += UINT64_C(0x9e3779b97f4a7c15);
	return (int)(mixed(d->state) % (uint64_t)below);
}

static enum model_verb draw_verb(struct model_draw *d)
{
	int sum = 0, at, v;

	for (v = 0; v < VERB_COUNT; v++)
		sum += weights[v].groups & d->groups ? weights[v].weight : 0;
	at = draw(d, sum);
	for (v = 0; v < VERB_COUNT - 1; v++) {
		at -= weights[v].groups & d->groups ? weights[v].weight : 0;
		if (at < 0)
			break;
	}
	return (enum model_verb)v;
}

/* One of the slots of @host with @kind (KIND_NONE: any), more often a late one. -1: there is none. */
static int draw_slot(struct model_draw *d, const struct model_world *w, enum model_kind kind, int host)
{
	int found = -1, i;

	for (i = 0; i < MODEL_SLOTS; i++)
		if (w->slot[i].kind != KIND_NONE && w->slot[i].host == host && (kind == KIND_NONE || w->slot[i].kind == kind) &&
		    (found < 0 || draw(d, 3)))
			found = i;
	return found;
}

static int draw_access(struct model_draw *d, int usual)
{
	static const int unusual[] = {0, IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_MW_BIND,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, IBV_ACCESS_REMOTE_ATOMIC};

	return draw(d, 4) ? usual : unusual[draw(d, ARRAY_SIZE(unusual))];
}

/* A part of a region; sometimes of no block, or beyond the end. */
static void draw_part(struct model_draw *d, struct model_op *op)
{
	op->first = draw(d, MODEL_BLOCKS);
	op->blocks = draw(d, 12) ? 1 + draw(d, MODEL_BLOCKS - op->first) : draw(d, MODEL_BLOCKS + 2);
	if (op->verb == VERB_FETCH_ADD || op->verb == VERB_CMP_SWAP)
		op->blocks = 1;
}

/* A connection that is broken comes back after a few operations. */
static bool is_broken(const struct model_world *w, int pair)
{
	return !w->pair[0][pair].known || !w->pair[1][pair].known || w->pair[0][pair].state != IBV_QPS_RTS ||
	       w->pair[1][pair].state != IBV_QPS_RTS;
}

/* The first pair often, so that operations meet. Pairs with other queues or of another type only if their groups are drawn. */
static int draw_pair(struct model_draw *d, enum model_verb verb)
{
	bool both = verb == VERB_POST_RECV || verb == VERB_MODIFY || verb == VERB_RECONNECT || verb == VERB_SET_ATTRIBUTE;

	if (verb == VERB_DATAGRAM || (both && d->groups & UD && draw(d, 4) == 0))
		return MODEL_DATAGRAM;
	if (verb >= VERB_POST_SRQ && verb <= VERB_DESTROY_SRQ)
		return MODEL_SHARED;
	if (d->groups & SRQ && draw(d, verb == VERB_SEND ? 2 : 6) == 0)
		return MODEL_SHARED;
	return draw(d, 3) == 0;
}

/* Draws the other members of an access. */
static void draw_access_rest(struct model_draw *d, const struct model_world *w, struct model_op *op)
{
	const struct model_slot *k = op->key >= 0 ? &w->slot[op->key] : NULL;
	bool part = op->verb == VERB_WRITE || op->verb == VERB_READ;
	int end = !k ? 0 : k->kind == KIND_BINDING ? k->first + k->blocks : MODEL_BLOCKS;

	if (part && draw(d, 8) == 0 && op->first < end) {
		op->over = true;
		op->blocks = end - op->first;
	}
	if (op->verb == VERB_CMP_SWAP && k)
		op->compare = draw(d, 3) ? model_word_at(w, op) : ~model_word_at(w, op);
}

static void draw_message(struct model_draw *d, struct model_op *op)
{
	bool message = op->verb == VERB_SEND || op->verb == VERB_DATAGRAM;

	op->immediate = (message || op->verb == VERB_WRITE) && draw(d, 4) == 0;
	if (!message)
		return;
	op->solicited = draw(d, 2);
	op->notice = draw(d, 3) ? NOTICE_NONE : draw(d, 3) ? NOTICE_SOLICITED : NOTICE_ANY;
	op->leave = op->verb == VERB_SEND && draw(d, 3) == 0;
}

/* Draws the members that only the newer verbs need. */
static void draw_rest(struct model_draw *d, const struct model_world *w, struct model_op *op)
{
	static const int sizes[] = {0, 64, 64, 100, 1000, INT32_MAX}, lengths[] = {1, MODEL_RECEIVES, 16, 64, INT32_MAX},
			 depths[] = {0, 0, 1, 2, 128};
	size_t n = 0;

	op->handle = draw_slot(d, w, KIND_HANDLE, op->host);
	op->qkey = draw(d, 4) == 0;
	if (op->verb == VERB_REG_MR)
		op->way = d->groups & ODP && draw(d, 2) ? WAY_ON_DEMAND : draw(d, 5) ? WAY_PLAIN : draw(d, 3) ? WAY_IOVA : WAY_ZERO_BASED;
	if (op->verb == VERB_REREG_MR)
		op->changes = 1 << (1 + draw(d, 2));
	if (op->verb == VERB_SET_ATTRIBUTE) {
		while (model_attribute(n))
			n++;
		/* The rights, the Q_Key and, in SQD, the resources for reads change what follows. */
		op->changes = model_attribute(draw(d, 3) ? (size_t)(op->pair == MODEL_DATAGRAM) : (size_t)draw(d, (int)n));
		if (w->pair[op->host][op->pair].state == IBV_QPS_SQD && op->pair != MODEL_DATAGRAM && draw(d, 4))
			op->changes = IBV_QP_MAX_DEST_RD_ATOMIC;
		op->access = draw(d, 2) ? ALL : draw_access(d, 0) & ALL;
		op->size = depths[draw(d, ARRAY_SIZE(depths))];
	}
	op->receive = (op->verb == VERB_RESIZE_CQ || op->verb == VERB_OVERFLOW) && draw(d, 2);
	if (op->verb == VERB_RESIZE_CQ)
		op->size = sizes[draw(d, ARRAY_SIZE(sizes))];
	if (op->verb == VERB_MODIFY_SRQ) {
		op->changes = draw(d, 3) ? IBV_SRQ_LIMIT : IBV_SRQ_MAX_WR;
		op->size = op->changes == IBV_SRQ_LIMIT && draw(d, 6) ? draw(d, MODEL_RECEIVES) : lengths[draw(d, ARRAY_SIZE(lengths))];
	}
}

/* A pair that is drained often goes on, else requests would never wait; another one comes back. */
static void draw_mending(struct model_draw *d, const struct model_world *w, struct model_op *op)
{
	const struct model_pair *q = &w->pair[op->host][op->pair];
	bool waits = q->state == IBV_QPS_SQD;

	op->verb = waits ? VERB_MODIFY : model_has_left(w, op->pair) ? VERB_POLL : VERB_RECONNECT;
	op->state = draw(d, 4) ? IBV_QPS_RTS : IBV_QPS_ERR;
	/* Some attributes can change only now. */
	if (waits && d->groups & QP && draw(d, 4) == 0)
		op->verb = VERB_SET_ATTRIBUTE;
}

static struct model_op draw_any(struct model_draw *d, const struct model_world *w, int slot)
{
	struct model_op op = {.made = slot};
	bool remote;

	op.verb = draw_verb(d);
	op.state = draw(d, 3) ? (enum ibv_qp_state)draw(d, IBV_QPS_ERR + 1) : IBV_QPS_SQD;
	op.host = draw(d, 2);
	op.pair = draw_pair(d, op.verb);
	if (is_broken(w, op.pair) && draw(d, 3) == 0)
		draw_mending(d, w, &op);
	remote = model_is_remote(op.verb);
	op.region = draw_slot(d, w, KIND_REGION, op.host);
	op.window = draw_slot(d, w, KIND_WINDOW, op.host);
	/* The same key again finds more than another one. */
	op.key = d->key >= 0 && draw(d, 3) ? d->key : draw_slot(d, w, draw(d, 3) ? KIND_NONE : draw(d, 2) ? KIND_BINDING : KIND_REGION, remote ? !op.host : op.host);
	op.domain = draw(d, 8) == 0;
	op.access = draw_access(d, op.verb == VERB_BIND ? ALL : ALL | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	/* The other rights are no rights of a window. */
	if (op.verb == VERB_BIND)
		op.access &= ALL;
	op.type = 1 + draw(d, 2);
	if (op.verb == VERB_BIND && op.window >= 0 && draw(d, 8))
		op.type = w->slot[op.window].type;
	op.zero = op.verb == VERB_BIND && draw(d, op.type == 2 ? 3 : 12) == 0;
	draw_part(d, &op);
	op.fill = 1 + draw(d, 0xed);
	draw_rest(d, w, &op);
	draw_access_rest(d, w, &op);
	draw_message(d, &op);
	if (d->groups & FAULT && model_enters_kernel(op.verb) && draw(d, 2))
		op.fail = 1 + draw(d, POINTS);
	return op;
}

/* Only what the verb uses, so that no operation seems to use an object that it leaves alone. */
static void keep_used(struct model_op *op)
{
	if (op->verb != VERB_REG_MR && op->verb != VERB_ALLOC_MW && op->verb != VERB_BIND && op->verb != VERB_CREATE_AH)
		op->made = -1;
	if (op->verb != VERB_DEREG_MR && op->verb != VERB_BIND && op->verb != VERB_REREG_MR)
		op->region = -1;
	if (op->verb != VERB_DEALLOC_MW && op->verb != VERB_BIND)
		op->window = -1;
	if (op->verb != VERB_LOCAL_INV && !model_is_remote(op->verb))
		op->key = -1;
	if (op->verb != VERB_DATAGRAM && op->verb != VERB_DESTROY_AH)
		op->handle = -1;
}

#define ATTEMPTS 1000

bool model_draw_op(struct model_draw *d, const struct model_world *w, int slot, struct model_op *op)
{
	int i;

	for (i = 0; i < ATTEMPTS; i++) {
		*op = draw_any(d, w, slot);
		if (!model_possible(w, op))
			continue;
		keep_used(op);
		d->key = op->verb == VERB_BIND ? op->made : op->key >= 0 ? op->key : d->key;
		return true;
	}
	return false;
}

void sequence_draw(struct sequence *s, uint64_t seed, unsigned groups, struct model_stack stack, size_t steps)
{
	auto_free struct model_world *w = xcalloc(1, sizeof(*w));
	struct model_prediction p;
	struct model_draw d;
	int slot = 0;

	model_init(w, stack);
	model_draw_init(&d, seed, groups);
	for (s->count = 0; s->count < steps && s->count < SEQUENCE_MAX && slot < MODEL_SLOTS; s->count++) {
		if (!model_draw_op(&d, w, slot, &s->op[s->count]))
			return;
		model_predict(w, &s->op[s->count], &p);
		/* Also a bind that fails keeps its slot, so no name has two meanings. */
		slot += s->op[s->count].made >= 0;
	}
}

uint64_t sequence_seed(uint64_t seed, uint64_t number)
{
	return seed * UINT64_C(1000003) + number;
}
