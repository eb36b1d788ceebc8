/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_RENDER_PARTS_H
#define VBM_MODEL_RENDER_PARTS_H

#include "model/model.h"

struct value;

/* The steps of one operation begin with its call. */
struct rendered_call {
	char host;
	const char *name;
	struct value *args;	/* owned by the step */
	char as[16];
};

/* render-expect.c: the name of an object or key, such as "m3"; the argument pd; a send request; its bytes. */
const char *render_name(const struct model_world *w, int slot, char name[static 16]);
void render_domain(struct value *args, const struct model_op *op);
void render_request(const struct model_op *op, uint64_t id, struct rendered_call *c);
void render_bytes(struct rendered_call *c, uint64_t id, int bytes, int fill);

/* render-queue.c: calls on queues, attributes and address handles. False: the verb is none of those. */
bool render_queue_call(const struct model_world *w, const struct model_op *op, uint64_t id, struct rendered_call *c);

/* render-queue.c: all steps of VERB_OVERFLOW. */
void render_overflow(const struct model_op *op, const struct model_prediction *p, struct value *steps);

/* The expectations that follow a call: render-expect.c. Each function returns or appends steps. */
char render_host(int host);			/* 'a' */
const char *render_pair(int pair);		/* "q" */
struct value *render_not(const char *name);	/* {not: OK} */
struct value *render_access(int access);	/* [REMOTE_READ, ...] */
/* A step HOST.CALL without the other keys. */
struct value *render_step(int host, const char *call, struct value *args);
void render_note(struct value *step, enum model_rule rule);
struct value *render_completion(const struct model_completion *c);
void render_states(const struct model_op *op, const struct model_world *after, const struct model_prediction *p,
		   struct value *steps);
void render_read(const struct model_op *op, const struct model_prediction *p, int64_t offset, struct value *steps);
void render_original(const struct model_op *op, const struct model_prediction *p, int64_t offset, struct value *steps);
void render_ask(const struct model_op *op, struct value *steps);	/* for an event of the receiver's queue */
void render_event(const struct model_op *op, struct value *steps);
void render_memory(const struct model_world *after, int region, enum model_rule rule, struct value *steps);
void render_empty_queues(const struct model_world *after, const bool *used, struct value *steps);

/* The arguments of ibv_modify_qp() for VERB_MODIFY, and the name of the step. */
const char *render_modify(const struct model_world *before, const struct model_op *op, struct value *args);
void render_reconnect(const struct model_op *op, struct value *steps);

#endif
