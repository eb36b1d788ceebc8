/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_CM_H
#define VBM_STEP_CM_H

#include "step/step-util.h"

/* What the files of the rdma_cm family share. */

#define P_CHANNEL                                                             \
	P_OBJECT("channel", OBJECT_CHANNEL, "the event channel; default: channel, or the only one")
#define P_ID                                                                  \
	P_OBJECT("id", OBJECT_CM_ID, "the identifier; default: id, or the only one")

struct cm_id_object *cm_arg_id(struct step_ctx *ctx, const struct value *args,
			       struct vbm_error *err);
/* Under "as:" or the usual name. */
struct cm_id_object *cm_keep_id(struct step_ctx *ctx, struct rdma_cm_id *id, bool is_ep);

#endif
