/* SPDX-License-Identifier: BSD-2-Clause */
/* Protection domains and completion queues. */
#include "lib/verbs/verbs.h"

#include <errno.h>

struct ibv_pd *vbm_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;
	int saved;

	if (!context) {
		errno = EINVAL;
		return NULL;
	}
	saved = vbm_verbs_begin();
	pd = vbm_verbs_calls.alloc_pd(context);
	vbm_verbs_end(saved, pd);
	return pd;
}

int vbm_dealloc_pd(struct ibv_pd *pd)
{
	int saved, ret;

	if (!pd)
		return EINVAL;
	saved = vbm_verbs_begin();
	ret = vbm_verbs_code(vbm_verbs_calls.dealloc_pd(pd));
	errno = saved;
	return ret;
}

struct ibv_cq *vbm_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq *cq;
	int saved;

	if (!context || cqe < 1 || comp_vector < 0 || comp_vector >= context->num_comp_vectors) {
		errno = EINVAL;
		return NULL;
	}
	saved = vbm_verbs_begin();
	cq = vbm_verbs_calls.create_cq(context, cqe, cq_context, channel, comp_vector);
	vbm_verbs_end(saved, cq);
	return cq;
}

int vbm_destroy_cq(struct ibv_cq *cq)
{
	int saved, ret;

	if (!cq)
		return EINVAL;
	saved = vbm_verbs_begin();
	ret = vbm_verbs_code(vbm_verbs_calls.destroy_cq(cq));
	errno = saved;
	return ret;
}
