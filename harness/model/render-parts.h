/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_RENDER_PARTS_H
#define VBM_MODEL_RENDER_PARTS_H

#include "model/model.h"

struct value;

/* The expectations that follow a call: render-expect.c. Each function returns or appends steps. */
char render_host(int host);			/* 'a' */
const char *render_pair(int pair);		/* "q" */
struct value *render_not(const char *name);	/* {not: OK} */
struct value *render_access(int access);	/* [REMOTE_READ, ...] */
void render_note(struct value *step, enum model_rule rule);
struct value *render_completion(const struct model_completion *c);
void render_states(const struct model_op *op, const struct model_world *after, const struct model_prediction *p,
		   struct value *steps);
void render_read(const struct model_op *op, const struct model_prediction *p, int64_t offset, struct value *steps);
void render_memory(const struct model_world *after, int region, struct value *steps);
void render_empty_queues(const struct model_world *after, struct value *steps);

/* The arguments of ibv_modify_qp() for VERB_MODIFY, and the name of the step. */
const char *render_modify(const struct model_world *before, const struct model_op *op, struct value *args);
void render_reconnect(const struct model_op *op, struct value *steps);

#endif
