/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_MODEL_OP_H
#define VBM_TESTS_MODEL_OP_H

#include "model/model.h"

/* An operation on one block that makes and names no object. */
struct model_op plain(enum model_verb verb, int host);

/* Asks the model for an operation that must be possible. */
struct model_prediction carry_out(struct model_world *w, struct model_op op);

#endif
