/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_MODEL_H
#define VBM_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "model/rules.h"

/*
 * An executable model of the verbs on two hosts: objects and their states, operations, what
 * each call returns, which completions come, and what memory holds afterwards. Pure: it
 * makes no call. An operation is one call and everything that follows from it, so that no
 * two operations overlap.
 *
 * The hosts are connected by MODEL_PAIRS reliable connections; connection N joins pair N of
 * host 0 with pair N of host 1, in one protection domain a host. Each pair has a completion
 * queue for sends and one for receives, so the order of completions in each queue is known.
 */
#define MODEL_HOSTS 2
#define MODEL_PAIRS 2
#define MODEL_DOMAINS 2		/* a host's: 0 is that of its pairs, 1 is another one */
#define MODEL_SLOTS 96		/* objects that one sequence can make */
#define MODEL_RECEIVES 8	/* receive requests that a pair keeps */
#define MODEL_WAITING 4		/* send requests that a pair keeps in SQD */
#define MODEL_BLOCK 64		/* bytes whose contents the model knows as one value */
#define MODEL_BLOCKS 4		/* of each region */
#define MODEL_OTHER (-1)	/* a block whose bytes the model does not know */
#define MODEL_STALE 0xee	/* bytes that a read shall replace; no message consists of them */
#define MODEL_BUFFER 16384	/* bytes of the region of each host in which messages begin and end */
#define MODEL_COMPLETIONS 24	/* that one operation can cause */

/* Each request has bytes of its own in that region, so that one that waits keeps them. */
#define MODEL_SENT(id) ((int64_t)((id) % 16) * MODEL_BLOCK * MODEL_BLOCKS)
#define MODEL_RECEIVED(id) (MODEL_BUFFER / 2 + (int64_t)((id) % 16) * MODEL_BLOCK * MODEL_BLOCKS)

enum model_verb {
	VERB_REG_MR, VERB_DEREG_MR, VERB_ALLOC_MW, VERB_DEALLOC_MW, VERB_BIND, VERB_LOCAL_INV,
	VERB_POST_RECV, VERB_SEND, VERB_SEND_INV, VERB_WRITE, VERB_READ, VERB_FETCH_ADD,
	VERB_MODIFY, VERB_RECONNECT,
	VERB_COUNT
};

/*
 * An operation. @made is the slot of the object or key that it makes; it is the sequence
 * that gives out slots, so a slot keeps its number when operations before it are left out.
 */
struct model_op {
	enum model_verb verb;
	int host, pair;
	int made;
	int region, window, key;	/* slots */
	int domain, access;
	int type;			/* of a window; of a bind: 1 is ibv_bind_mw(), 2 is a request */
	int first, blocks;		/* of a region, in MODEL_BLOCKs */
	int fill;			/* the byte that a message consists of */
	enum ibv_qp_state state;	/* of VERB_MODIFY */
};

enum model_kind { KIND_NONE, KIND_REGION, KIND_WINDOW, KIND_BINDING };

struct model_slot {
	enum model_kind kind;
	int host;
	bool live;		/* region and window: not freed */
	bool known;		/* false: its state depends on what the documents leave open */
	int domain, access;	/* a binding's @access is that of its window */
	int type;		/* window: 1 or 2 */
	int binding;		/* window: the slot of its present binding, or -1 */
	int last;		/* window that was ever bound: the slot of its latest binding */
	bool stale;		/* window: a bind of it failed, and left open which key it has for its owner */
	bool ever, invalid;	/* window: was bound at least once; was invalidated or unbound */
	int window, region, pair, first, blocks;	/* binding */
	int block[MODEL_BLOCKS];	/* region: the byte of each block, or MODEL_OTHER */
};

struct model_pair {
	enum ibv_qp_state state;
	bool known;			/* false: only a reconnection can follow */
	bool used;			/* it sent a request since it was connected, so its packet numbers went on */
	uint64_t receive[MODEL_RECEIVES];	/* ids, oldest first */
	int receives;
	struct model_op waiting[MODEL_WAITING];	/* posted in SQD, oldest first */
	uint64_t waiting_id[MODEL_WAITING];
	int waits;
};

struct model_world {
	struct model_slot slot[MODEL_SLOTS];
	struct model_pair pair[MODEL_HOSTS][MODEL_PAIRS];
	uint64_t id;			/* of the last request */
	unsigned exceptions;		/* bits of enum model_exception */
};

enum model_return { RETURN_OK, RETURN_POINTER, RETURN_NULL, RETURN_EINVAL, RETURN_NOT_OK };

struct model_completion {
	int host, pair;
	bool receive;
	uint64_t id;
	int opcode;			/* enum ibv_wc_opcode, or -1: not said */
	enum ibv_wc_status status[4];	/* one of these */
	int statuses;			/* 0: any except SUCCESS */
	const char *why;		/* if there are several: a sentence */
	enum model_rule rule;
	int bytes;			/* of a message that was received, or -1 */
	int fill;			/* its bytes, or MODEL_OTHER */
};

struct model_prediction {
	enum model_return returns;
	bool may_refuse;		/* the call may also fail, without a completion */
	enum model_rule rule;		/* of what the call returns */
	uint64_t id;			/* of the request that the call posts */
	struct model_completion done[MODEL_COMPLETIONS];
	int count;
	bool settles[MODEL_HOSTS][MODEL_PAIRS];	/* the pair's state changed by itself: wait for it */
	int changed;			/* slot of the region whose memory has to be looked at, or -1 */
	int read[MODEL_BLOCKS];		/* VERB_READ: the bytes that it brings */
};

/* Two connected hosts without any region or window. */
void model_init(struct model_world *w, unsigned exceptions);

/*
 * Whether the model predicts this operation in this state: its objects exist, and their
 * states are known.
 */
bool model_possible(const struct model_world *w, const struct model_op *op);

/* Carries the operation out in the model, and says what a stack has to answer. */
void model_predict(struct model_world *w, const struct model_op *op, struct model_prediction *p);

const char *model_verb_name(enum model_verb verb);

/* Whether the verb posts a send request. */
bool model_posts(enum model_verb verb);

/* Whether the operation uses a key of the peer. */
bool model_is_remote(enum model_verb verb);

/* The slot of the window that a key names: that of its allocation or of a bind. -1: a region's. */
int model_window_of(const struct model_world *w, int key);

#endif
