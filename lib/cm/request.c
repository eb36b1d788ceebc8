/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"

#define RETRY_NS 10000000LL

/*
 * The requests that wait for the network share an engine, which a thread runs
 * while there are any. Between requests there is neither a thread nor a
 * descriptor.
 */
static struct engine engine;
static bool threaded;			/* the thread is there */
static struct timer retry;		/* for bells that could not be rung */

static void on_retry(struct timer *t)
{
	(void)t;
	vbm_cm_ring_all();
}

static void on_over(struct request *r)
{
	struct cm_request *c = (struct cm_request *)r;

	c->event.event = (enum rdma_cm_event_type)(r->code ? RDMA_CM_EVENT_ADDRINFO_ERROR :
						   RDMA_CM_EVENT_ADDRINFO_RESOLVED);
	c->event.status = r->code;
	ring_remove(&c->node);
	ring_add(&vbm_cm.ready, &c->node);
	pthread_cond_broadcast(&vbm_cm.changed);
	vbm_cm_ring(c);
}

static void close_unused(void)
{
	vbm_timer_disarm(&retry);
	if (!engine.requests)
		vbm_engine_close(&engine);
}

static void *run_engine(void *arg)
{
	bool more = true;

	(void)arg;
	while (more) {
		vbm_loop_wait(&engine.loop, -1);
		pthread_mutex_lock(&vbm_cm.lock);
		vbm_engine_run(&engine);
		more = engine.requests || !vbm_cm_all_rung();
		if (!more) {
			close_unused();
			threaded = false;
		}
		pthread_mutex_unlock(&vbm_cm.lock);
	}
	return NULL;
}

void vbm_cm_nudge(void)
{
	if (!threaded)
		return;
	vbm_timer_arm(&engine.loop, &retry, vbm_loop_now());
	vbm_loop_settle(&engine.loop);
}

/* Signals are for the program's own threads. 0 or an errno. */
static int need_thread(void)
{
	sigset_t all, old;
	pthread_t thread;
	int ret;

	if (threaded || !engine.open)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&thread, NULL, run_engine, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret)
		return ret;
	pthread_detach(thread);
	threaded = true;
	return 0;
}

void vbm_cm_ring_later(void)
{
	if (vbm_engine_open(&engine))
		return;
	vbm_timer_arm(&engine.loop, &retry, vbm_loop_now() + RETRY_NS);
	vbm_loop_settle(&engine.loop);
	if (need_thread())
		close_unused();
}

static void before_fork(void)
{
	pthread_mutex_lock(&vbm_cm.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&vbm_cm.lock);
}

/* The parent has the thread and gets the events: here the requests are gone. */
static void in_child(void)
{
	vbm_engine_cut(&engine);
	while (!ring_empty(&vbm_cm.running))
		vbm_cm_drop_request(container_of(vbm_cm.running.next, struct cm_request, node));
	close_unused();
	threaded = false;
	pthread_cond_init(&vbm_cm.changed, NULL);
	pthread_mutex_unlock(&vbm_cm.lock);
}

static void __attribute__((constructor)) prepare(void)
{
	vbm_engine_init(&engine, &vbm_gai_system);
	retry.fire = on_retry;
	pthread_atfork(before_fork, after_fork, in_child);
}

/* Under the lock, which is given back while the engine of the call runs. */
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
	error = need_thread();
	if (!error || c->request.is_over)
		return 0;
	vbm_cm_drop_request(c);
	close_unused();
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
	if (vbm_request_init(&c->request, &engine, true)) {
		vbm_cm_drop_request(c);
		return ENOMEM;
	}
	c->request.over = on_over;
	ring_add(&vbm_cm.running, &c->node);
	return begin(c, node, service);
}

/* Under the lock, but not while librdmacm has the call: it may wait for an event. */
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
