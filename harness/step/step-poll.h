/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_POLL_H
#define VBM_STEP_POLL_H

#include "step/step.h"

/* poll_cq, of the data family. */
extern const struct param poll_cq_params[];
extern const struct field poll_cq_fields[];
int run_poll_cq(struct step_ctx *ctx, const struct value *args,
		struct value *result, struct vbm_error *err);

#endif
