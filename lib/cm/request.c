/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"

static void on_over(struct request *r)
{
	struct cm_request *c = (struct cm_request *)r;

	c->event.event = (enum rdma_cm_event_type)(r->code ? RDMA_CM_EVENT_ADDRINFO_ERROR :
						   RDMA_CM_EVENT_ADDRINFO_RESOLVED);
	c->event.status = r->code;
	ring_remove(&c->node);
	ring_add(&vbm_cm.ready, &c->node);
	pthread_cond_broadcast(&vbm_cm.changed);
	vbm_cm_notify(c);
}

/* Called under the lock, which is released while the call's engine runs. */
static int resolve_and_wait(struct cm_request *c, const char *node, const char *service)
{
	int error;

	pthread_mutex_unlock(&vbm_cm.lock);
	vbm_request_run(&c->request, &vbm_gai_system, node, service);
	error = c->request.code ? vbm_gai_errno(c->request.code, c->request.error) : 0;
	pthread_mutex_lock(&vbm_cm.lock);
	vbm_cm_hand_over(c);
	vbm_cm_free_request(c);
	pthread_cond_broadcast(&vbm_cm.changed);
	return error;
}

static int begin(struct cm_request *c, const char *node, const char *service)
{
	int error;

	vbm_request_begin(&c->request, node, service);
	error = vbm_cm_thread_need();
	if (!error || c->request.is_over)
		return 0;
	vbm_cm_drop_request(c);
	vbm_cm_thread_close();
	return error;
}

static int start(struct cm_id *s, struct cm_request *c, const char *node, const char *service)
{
	ring_init(&c->node);
	c->owner = s;
	c->event.id = s->id;
	s->state = CM_RUNNING;
	s->request = c;
	if (s->waits)
		return resolve_and_wait(c, node, service);
	if (vbm_request_init(&c->request, vbm_cm_engine(), true)) {
		vbm_cm_drop_request(c);
		return ENOMEM;
	}
	c->request.over = on_over;
	ring_add(&vbm_cm.running, &c->node);
	return begin(c, node, service);
}

/*
 * Called under the lock. The lock is released during librdmacm's call, which may wait for
 * an event.
 */
static int resolve_by_sa(struct cm_id *s, const char *node, const char *service,
			 const struct rdma_addrinfo *hints)
{
	int error;

	s->state = CM_SA;
	pthread_mutex_unlock(&vbm_cm.lock);
	error = vbm_sa_resolve(s->id, node, service, hints) ? errno : 0;
	pthread_mutex_lock(&vbm_cm.lock);
	if (error)
		s->state = CM_IDLE;
	return error;
}

int vbm_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			 const struct rdma_addrinfo *hints)
{
	struct cm_request *c;
	struct cm_id *s;
	int error;

	if (!id || !id->channel)
		return vbm_refuse(EINVAL);
	c = vbm_mem_zalloc(sizeof(*c));
	if (!c)
		return vbm_refuse(ENOMEM);
	error = vbm_gai_fault_errno(vbm_hints_check(&c->request.work.q, hints));
	pthread_mutex_lock(&vbm_cm.lock);
	s = error ? NULL : vbm_cm_find_or_make(id);
	if (!error && !s)
		error = ENOMEM;
	else if (!error && s->state != CM_IDLE)
		error = EBUSY;
	if (!error && !(c->request.work.q.flags & RAI_SA)) {
		error = start(s, c, node, service);
		c = NULL;
	} else if (!error) {
		error = resolve_by_sa(s, node, service, hints);
	}
	pthread_mutex_unlock(&vbm_cm.lock);
	free(c);
	return error ? vbm_refuse(error) : 0;
}

int vbm_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	int error = ENOENT;
	struct cm_id *s;

	if (!id || !info)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find(id);
	if (s && s->state == CM_SA) {
		error = vbm_sa_query(id, info) ? errno : 0;
	} else if (s && s->state == CM_RESOLVED) {
		*info = s->result;
		s->result = NULL;
		error = 0;
	}
	if (!error)
		s->state = CM_IDLE;
	pthread_mutex_unlock(&vbm_cm.lock);
	return error ? vbm_refuse(error) : 0;
}

int vbm_cancel(struct rdma_cm_id *id)
{
	struct cm_id *s;
	bool under_way;

	if (!id)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find(id);
	under_way = s && !s->waits && s->request && !s->request->request.is_over;
	if (under_way) {
		vbm_request_end(&s->request->request, EAI_CANCELED, 0);
		vbm_cm_nudge();
	}
	pthread_mutex_unlock(&vbm_cm.lock);
	return under_way ? 0 : vbm_refuse(ENOENT);
}
