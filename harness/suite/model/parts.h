/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_PARTS_H
#define VBM_MODEL_PARTS_H

#include "model/model.h"

/* Shared by the files of the model. No other room includes this header. */

static inline bool model_excepts(const struct model_world *w, enum model_exception e)
{
	return w->stack.exceptions & 1u << e;
}

static inline bool model_lacks(const struct model_world *w, enum model_lack l)
{
	return w->stack.lacks & 1u << l;
}

static inline struct model_pair *model_peer(struct model_world *w, const struct model_op *op)
{
	return &w->pair[!op->host][op->pair];
}

/* world.c: a pair as it is after it was connected. */
struct model_pair model_connected(void);
/* Adds a completion of @id with one status. The caller may add further statuses. */
struct model_completion *model_done(struct model_prediction *p, int host, int pair, uint64_t id,
				    enum ibv_wc_status status, enum model_rule rule);
void model_or(struct model_completion *c, enum ibv_wc_status status, const char *why);
/* A request that its own side refuses: the exception that hides its status is added. */
struct model_completion *model_fault(const struct model_world *w, struct model_prediction *p, const struct model_op *op,
				     uint64_t id, enum ibv_wc_status status, enum model_rule rule);
/* Adds the members of a completion that a message brings besides its bytes. */
void model_add_message(struct model_completion *c, const struct model_op *op);
/* Moves a pair to ERR and flushes its requests. */
void model_fail_pair(struct model_world *w, struct model_prediction *p, int host, int pair);

/* queue.c: takes the oldest request. A shared queue whose limit is reached disarms it. */
uint64_t model_take(struct model_world *w, int host, int pair);
bool model_can_overflow(const struct model_world *w, const struct model_op *op);
void model_overflow(struct model_world *w, const struct model_op *op, struct model_prediction *p);
bool model_can_resize(const struct model_world *w, const struct model_op *op);
void model_resize(struct model_world *w, const struct model_op *op, struct model_prediction *p);

/* transfer.c: marks of messages, and completions that nobody polls at once. */
bool model_can_mark(const struct model_world *w, const struct model_op *op);
bool model_can_write_message(const struct model_world *w, const struct model_op *op);
bool model_has_left(const struct model_world *w, int pair);
bool model_can_poll(const struct model_world *w, const struct model_op *op);
void model_poll(struct model_world *w, const struct model_op *op, struct model_prediction *p);
/* Completions that were left come before later ones of their queue. */
void model_settle_left(struct model_world *w, const struct model_op *op, struct model_prediction *p);

/* access.c: the access succeeds, and changes the blocks of the region. */
void model_change_memory(struct model_slot *r, const struct model_op *op, struct model_prediction *p);
/* The eight bytes that an atomic operation would find now. */
uint64_t model_word_at(const struct model_world *w, const struct model_op *op);

/* access.c: whether the devices have what the operation needs. */
bool model_is_able(const struct model_world *w, const struct model_op *op);

/* transfer.c: requests over iWARP, whose completions are no answers of the peer. */
bool model_can_stream(const struct model_world *w, const struct model_op *op);
bool model_can_end_stream(const struct model_world *w, const struct model_op *op);

/* queue.c: shared receive queues */
bool model_can_post_srq(const struct model_world *w, const struct model_op *op);
bool model_can_modify_srq(const struct model_world *w, const struct model_op *op);
void model_post_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_modify_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_query_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_destroy_srq(struct model_world *w, const struct model_op *op, struct model_prediction *p);

/* transfer.c: datagrams. */
bool model_can_destroy_ah(const struct model_world *w, const struct model_op *op);
bool model_can_datagram(const struct model_world *w, const struct model_op *op);
void model_create_ah(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_destroy_ah(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_datagram(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p);

/* access.c: attributes that are set alone. */
bool model_can_set_attribute(const struct model_world *w, const struct model_op *op);
void model_set_attribute(struct model_world *w, const struct model_op *op, struct model_prediction *p);

/* window.c: regions. */
bool model_can_reg(const struct model_world *w, const struct model_op *op);
bool model_can_rereg(const struct model_world *w, const struct model_op *op);
void model_rereg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_reg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_dereg_mr(struct model_world *w, const struct model_op *op, struct model_prediction *p);

/* window.c */
void model_alloc_mw(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_dealloc_mw(struct model_world *w, const struct model_op *op, struct model_prediction *p);
/* The first rule that forbids a bind, or the one that allows it. */
enum model_rule model_bind_rule(const struct model_world *w, const struct model_op *op);
void model_bind(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p);
void model_local_inv(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p);
/*
 * Whether the pair of @host may invalidate @key: RULE_INVALIDATE, _ERROR and _AGAIN (it may not),
 * or _FREE and _OTHER (the documents do not say).
 */
enum model_rule model_invalidate_rule(const struct model_world *w, int host, int pair, int key);
void model_invalidate(struct model_world *w, int key);
void model_forget(struct model_world *w, int key);	/* the state of its window is open */

#define MODEL_REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* access.c: RULE_NONE if the key gives the pair of its host this access, or the rule that forbids it. */
enum model_rule model_access_rule(const struct model_world *w, const struct model_op *op, int right);
/* Whether the pair of the key's host lets its peer do this at all. */
bool model_pair_allows(const struct model_world *w, const struct model_op *op, int right);
/* The region that the key leads to. */
int model_region_of(const struct model_world *w, int key);

/* transfer.c */
bool model_answers(const struct model_pair *peer);
void model_transfer(struct model_world *w, const struct model_op *op, uint64_t id, struct model_prediction *p);

/* pair.c */
void model_post_recv(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_modify(struct model_world *w, const struct model_op *op, struct model_prediction *p);
void model_reconnect(struct model_world *w, const struct model_op *op, struct model_prediction *p);
/* Posts a send request: refuses, keeps, executes or flushes it. */
void model_post(struct model_world *w, const struct model_op *op, struct model_prediction *p);

#endif
