/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_QP_COMPLETIONS_H
#define VBM_LIB_QP_COMPLETIONS_H

#include <verbatim/transfer.h>

/* vbm_create_completions() for one queue pair, which vbm_destroy_completions() refuses. */
int vbm_completions_make(struct vbm_completions **completions, struct ibv_context *context, int room,
			 struct vbm_error *error);

/* One of a completion queue that is there (NULL: the caller sets the parts). 0 or ENOMEM. */
int vbm_completions_of_parts(struct vbm_completions **completions, struct ibv_cq *cq);

/* Destroy the completion queue of one queue pair, and what it has made for that. */
int vbm_completions_end(struct vbm_completions *completions);

/* A queue pair uses the completion queue, or does not any more. 0 or ENOMEM. */
int vbm_completions_join(struct vbm_completions *completions, struct vbm_qp *qp);
void vbm_completions_leave(struct vbm_completions *completions, const struct vbm_qp *qp);

/*
 * Wait for an event of the channel until @end (see vbm_loop_ms_left()), and take it.
 * @interrupt is an eventfd + 1, which is then read, or 0. ETIMEDOUT, ECANCELED, EINTR, or
 * the errno of poll(2) or ibv_get_cq_event(3).
 */
int vbm_completions_next_event(struct vbm_completions *completions, int64_t end, unsigned int interrupt);

#endif
