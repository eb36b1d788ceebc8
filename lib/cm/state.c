/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/resolve/result.h"

struct cm_known vbm_cm = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.running = {&vbm_cm.running, &vbm_cm.running},
	.ready = {&vbm_cm.ready, &vbm_cm.ready},
	.fetched = {&vbm_cm.fetched, &vbm_cm.fetched},
};

static int by_id(const void *a, const void *b)
{
	const struct cm_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

struct cm_id *vbm_cm_find(struct rdma_cm_id *id)
{
	struct cm_id key = {.id = id}, **at = tfind(&key, &vbm_cm.ids, by_id);

	return at ? *at : NULL;
}

struct cm_id *vbm_cm_find_or_make(struct rdma_cm_id *id)
{
	struct cm_id *s = vbm_cm_find(id);

	if (s)
		return s;
	s = vbm_mem_zalloc(sizeof(*s));
	if (!s)
		return NULL;
	s->id = id;
	if (tsearch(s, &vbm_cm.ids, by_id))
		return s;
	free(s);
	errno = ENOMEM;
	return NULL;
}

int vbm_cm_note_waits(struct rdma_cm_id *id)
{
	struct cm_id *s;

	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find_or_make(id);
	if (s)
		s->waits = true;
	pthread_mutex_unlock(&vbm_cm.lock);
	return s ? 0 : -1;
}

void vbm_cm_hand_over(struct cm_request *c)
{
	struct cm_id *s = c->owner;

	s->request = NULL;
	s->result = c->request.list;
	c->request.list = NULL;
	s->state = s->result ? CM_RESOLVED : CM_IDLE;
}

void vbm_cm_free_request(struct cm_request *c)
{
	ring_remove(&c->node);
	vbm_request_clear(&c->request);
	free(c);
}

void vbm_cm_drop_request(struct cm_request *c)
{
	c->owner->request = NULL;
	c->owner->state = CM_IDLE;
	vbm_cm_free_request(c);
}

void vbm_cm_remove(struct cm_id *s)
{
	tdelete(s, &vbm_cm.ids, by_id);
	vbm_result_free(s->result);
	free(s);
}
