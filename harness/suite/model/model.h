/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_MODEL_H
#define VBM_MODEL_MODEL_H

/*
 * Runs in: any process, in the thread of the caller; no state of its own.
 * Owns:    the values that it returns belong to the caller.
 * Ends:    with the call.
 * Tests:   unit/test_model*; tests/guest/uml-explore.test.
 */

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
 * Each host has MODEL_PAIRS queue pairs in one protection domain. Pairs 0 and 1 are reliable
 * connections with a receive queue of their own. Pair MODEL_SHARED is one that takes its
 * receive requests from a shared receive queue. Connection N joins pair N of host 0 with pair
 * N of host 1. Pair MODEL_DATAGRAM sends datagrams to the same pair of the peer. Each pair
 * has a completion queue for sends and one for receives, so the order of completions in each
 * queue is known.
 */
#define MODEL_HOSTS 2
#define MODEL_PAIRS 4
#define MODEL_SHARED 2
#define MODEL_DATAGRAM 3
#define MODEL_DOMAINS 2		/* a host's: 0 is that of its pairs, 1 is another one */
#define MODEL_SLOTS 96		/* objects that one sequence can make */
#define MODEL_RECEIVES 8	/* receive requests that a queue keeps */
#define MODEL_WAITING 4		/* send requests that a pair keeps in SQD */
#define MODEL_BLOCK 64		/* bytes whose contents the model knows as one value */
#define MODEL_BLOCKS 4		/* of each region */
#define MODEL_OTHER (-1)	/* a block whose bytes the model does not know */
#define MODEL_LEFT 4		/* completions that a queue for receives keeps unpolled */
#define MODEL_STALE 0xee	/* bytes that a read shall replace; no message consists of them */
#define MODEL_BUFFER 16384	/* bytes of the region of each host in which messages begin and end */
#define MODEL_COMPLETIONS 24	/* that one operation can cause */

#define MODEL_ANY (-1)		/* of statuses: the completion comes, and the documents do not say how */

/* Each request has bytes of its own in that region, so that one that waits keeps them. */
#define MODEL_SENT(id) ((int64_t)((id) % 16) * MODEL_BLOCK * MODEL_BLOCKS)
#define MODEL_RECEIVED(id) (MODEL_BUFFER / 2 + (int64_t)((id) % 16) * MODEL_BLOCK * MODEL_BLOCKS)

enum model_verb {
	VERB_REG_MR, VERB_DEREG_MR, VERB_ALLOC_MW, VERB_DEALLOC_MW, VERB_BIND, VERB_LOCAL_INV,
	VERB_POST_RECV, VERB_SEND, VERB_SEND_INV, VERB_WRITE, VERB_READ, VERB_FETCH_ADD, VERB_CMP_SWAP,
	VERB_MODIFY, VERB_RECONNECT,
	VERB_REREG_MR, VERB_SET_ATTRIBUTE, VERB_RESIZE_CQ, VERB_POLL,
	VERB_POST_SRQ, VERB_MODIFY_SRQ, VERB_QUERY_SRQ, VERB_DESTROY_SRQ,
	VERB_CREATE_AH, VERB_DESTROY_AH, VERB_DATAGRAM, VERB_OVERFLOW,
	VERB_COUNT
};

/* The event that the receiver's queue is asked for before a message is sent. */
enum model_notice { NOTICE_NONE, NOTICE_ANY, NOTICE_SOLICITED };

/* How a region is registered. */
enum model_way { WAY_PLAIN, WAY_IOVA, WAY_ZERO_BASED, WAY_ON_DEMAND };

/* The address that a region with a chosen address has for its peers. */
#define MODEL_IOVA(slot) (INT64_C(0x7000000000000) + (int64_t)(slot) * 0x100000)

/*
 * VERB_OVERFLOW makes a completion queue as short as MODEL_SHORT entries and causes one completion more than the queue then
 * has. The requests have the ids from MODEL_OVERFLOW on. At least MODEL_SHORT + 1 of them are carried out.
 */
#define MODEL_SHORT 3
#define MODEL_OVERFLOW 1000000

/*
 * An operation. @made is the slot of the object or key that it makes; it is the sequence
 * that gives out slots, so a slot keeps its number when operations before it are left out.
 */
struct model_op {
	enum model_verb verb;
	int host, pair;
	int made;
	int region, window, key, handle;	/* slots */
	int domain, access;
	int type;			/* of a window; of a bind: 1 is ibv_bind_mw(), 2 is a request */
	int first, blocks;		/* of a region, in MODEL_BLOCKs */
	bool zero;			/* of VERB_BIND: the window is zero-based */
	int fill;			/* the byte that a message consists of */
	enum ibv_qp_state state;	/* of VERB_MODIFY */
	enum model_way way;		/* of VERB_REG_MR */
	int changes;			/* of VERB_REREG_MR: bits of IBV_REREG_MR_CHANGE_; of VERB_SET_ATTRIBUTE: a bit of IBV_QP_ */
	bool receive;			/* of VERB_RESIZE_CQ and VERB_OVERFLOW: the queue for receives */
	int size;			/* of VERB_RESIZE_CQ: entries; of VERB_MODIFY_SRQ: the limit or the length; of VERB_SET_ATTRIBUTE: max_dest_rd_atomic */
	int qkey;			/* of VERB_DATAGRAM and VERB_SET_ATTRIBUTE: an index into model_qkey() */
	bool over;			/* of VERB_WRITE and VERB_READ: one byte more than its blocks */
	uint64_t compare;		/* of VERB_CMP_SWAP */
	int fail;			/* a point at which the kernel has no memory for the call, which is made again; 0: none */
	bool immediate;			/* of VERB_SEND, VERB_WRITE and VERB_DATAGRAM: with immediate data */
	/* Of VERB_SEND and VERB_DATAGRAM: */
	bool solicited;			/* the sender asks for an event of the receiver */
	enum model_notice notice;
	bool leave;			/* nobody polls the receiver's completion before a later operation */
};

enum model_kind { KIND_NONE, KIND_REGION, KIND_WINDOW, KIND_BINDING, KIND_HANDLE };

/* Eight bytes are apart, because atomic operations change only those. */
struct model_block {
	int fill;		/* of its bytes, or MODEL_OTHER */
	uint64_t word;		/* its first eight bytes */
};

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
	bool zero;		/* binding */
	struct model_block block[MODEL_BLOCKS];	/* region */
	enum model_way way;	/* region */
	bool again;		/* region: its key comes from a call of ibv_rereg_mr() */
};

/* Receive requests, oldest first. */
struct model_queue {
	uint64_t id[MODEL_RECEIVES];
	int count;
};

/* A shared receive queue. */
struct model_srq {
	struct model_queue queue;
	int limit;			/* 0: none is armed */
};

struct model_completion {
	int host, pair;
	bool receive;
	uint64_t id;
	int opcode;			/* enum ibv_wc_opcode, or -1: not said */
	enum ibv_wc_status status[4];	/* one of these */
	int statuses;			/* 0: any except SUCCESS; MODEL_ANY: any */
	const char *why;		/* if there are several: a sentence */
	enum model_rule rule;
	int bytes;			/* of a message that was received, or -1 */
	int fill;			/* its bytes, or MODEL_OTHER */
	int64_t immediate;		/* or -1 */
};

struct model_pair {
	enum ibv_qp_state state;
	bool known;			/* false: only a reconnection can follow */
	bool lost;			/* one of its completion queues overflowed, so that it cannot even be connected again */
	bool used;			/* it sent a request since it was connected, so its packet numbers went on */
	struct model_queue own;		/* its receive queue; empty in MODEL_SHARED */
	int access;			/* what it allows its peer */
	int qkey;			/* of MODEL_DATAGRAM */
	int depth;			/* the resources that it has for reads and atomic operations of its peer */
	struct model_op waiting[MODEL_WAITING];	/* posted in SQD, oldest first */
	uint64_t waiting_id[MODEL_WAITING];
	int waits;
	struct model_completion left[MODEL_LEFT];	/* in its queue for receives, oldest first */
	int lefts;
};

struct model_world {
	struct model_slot slot[MODEL_SLOTS];
	struct model_pair pair[MODEL_HOSTS][MODEL_PAIRS];
	struct model_srq shared[MODEL_HOSTS];
	uint64_t id;			/* of the last request */
	struct model_stack stack;
};

enum model_return { RETURN_OK, RETURN_POINTER, RETURN_NULL, RETURN_EINVAL, RETURN_NOT_OK, RETURN_NOT_SUPPORTED };

struct model_prediction {
	enum model_return returns;
	bool may_refuse;		/* the call may also fail, without a completion */
	enum model_rule rule;		/* of what the call returns */
	uint64_t id;			/* of the request that the call posts */
	struct model_completion done[MODEL_COMPLETIONS];
	int count;
	int limit;			/* VERB_QUERY_SRQ: the limit that it reads */
	bool settles[MODEL_HOSTS][MODEL_PAIRS];	/* the pair's state changed by itself: wait for it */
	int changed;			/* slot of the region whose memory has to be looked at, or -1 */
	struct model_block read[MODEL_BLOCKS];	/* VERB_READ: the bytes that it brings */
	bool original;			/* an atomic operation brings read[0].word */
	bool overflow;			/* a completion queue overflowed */
	bool event;			/* the operation that asked for one gets an event */
};

/* Two connected hosts without any region or window. */
void model_init(struct model_world *w, struct model_stack stack);

/*
 * Whether the model predicts this operation in this state: its objects exist, and their
 * states are known.
 */
bool model_possible(const struct model_world *w, const struct model_op *op);

/* Carries the operation out in the model, and says what a stack has to answer. */
void model_predict(struct model_world *w, const struct model_op *op, struct model_prediction *p);

const char *model_verb_name(enum model_verb verb);

/* Whether the verb is one call that always enters the kernel. */
bool model_enters_kernel(enum model_verb verb);

/* Whether the verb posts a send request. */
bool model_posts(enum model_verb verb);

/* Whether the operation uses a key of the peer. */
bool model_is_remote(enum model_verb verb);

/* Whether the operation uses the object or key in @slot. */
bool model_uses(const struct model_op *op, int slot);

/* The address of a key's block @first, if the key has addresses of its own. False: it has those of its owner. */
bool model_address(const struct model_world *w, int key, int first, int64_t *address);

/* Rights that no region may have. */
bool model_rights_forbidden(int access);

enum ibv_qp_type model_type(int pair);

/* The queue from which a pair takes its receive requests. */
struct model_queue *model_queue_of(struct model_world *w, int host, int pair);

/* The first eight bytes of a block that consists of one byte. */
uint64_t model_word(int fill);

/* The rule that says what an operation does to the memory of a region. */
enum model_rule model_memory_rule(enum model_verb verb);

/* The immediate data of a message of these bytes. */
uint32_t model_immediate(int fill);

/* Two Q_Keys; pairs begin with the first one. */
uint32_t model_qkey(int index);

/* The attributes that VERB_SET_ATTRIBUTE changes, as bits of enum ibv_qp_attr_mask; 0 after the last one. */
int model_attribute(size_t i);

/* Bytes of a message, as a pair receives it: a datagram has a header of forty bytes before it. */
#define MODEL_HEADER 40
int model_received_bytes(int pair);

/* The slot of the window that a key names: that of its allocation or of a bind. -1: a region's. */
int model_window_of(const struct model_world *w, int key);

#endif
