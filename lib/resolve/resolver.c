/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/resolver.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"
#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/resolve/request.h"

/* Several threads may call one resolver; one lock guards all of it. */
struct vbm_resolver {
	pthread_mutex_t lock;
	struct engine engine;
	struct watch wake;		/* eventfd: readable while there are ended requests */
	struct ring ended;		/* of struct vbm_request */
	unsigned int requests;		/* requests that have not been freed */
};

struct vbm_request {
	struct request request;		/* first: see on_over() */
	struct vbm_resolver *resolver;
	struct ring node;		/* in the resolver's list of ended requests, until it is fetched */
	void *context;
};

/* The program polls the descriptor; nothing is to be done here. */
static void on_wake(struct watch *w, uint32_t events)
{
	(void)w;
	(void)events;
}

static int open_descriptors(struct vbm_resolver *r)
{
	int ret = vbm_engine_open(&r->engine);

	if (ret)
		return ret;
	r->wake.ready = on_wake;
	r->wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = r->wake.fd < 0 ? -errno : vbm_loop_add(&r->engine.loop, &r->wake, EPOLLIN);
	if (ret && r->wake.fd >= 0)
		close(r->wake.fd);
	if (ret)
		vbm_engine_close(&r->engine);
	return ret;
}

int vbm_resolver_new(const struct gai_config *cfg, struct vbm_resolver **resolver)
{
	struct vbm_resolver *r;
	int ret;

	if (!resolver)
		return vbm_refuse(EINVAL);
	r = vbm_mem_zalloc(sizeof(*r));
	if (!r)
		return vbm_refuse(ENOMEM);
	vbm_engine_init(&r->engine, cfg);
	ret = open_descriptors(r);
	if (ret) {
		free(r);
		return vbm_refuse(-ret);
	}
	pthread_mutex_init(&r->lock, NULL);
	ring_init(&r->ended);
	*resolver = r;
	return 0;
}

int vbm_create_resolver(struct vbm_resolver **resolver)
{
	return vbm_resolver_new(&vbm_gai_system, resolver);
}

int vbm_destroy_resolver(struct vbm_resolver *r)
{
	unsigned int left;

	if (!r)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&r->lock);
	left = r->requests;
	pthread_mutex_unlock(&r->lock);
	if (left)
		return vbm_refuse(EBUSY);
	vbm_engine_close(&r->engine);
	close(r->wake.fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return 0;
}

int vbm_resolver_fd(const struct vbm_resolver *r)
{
	return r ? loop_fd(&r->engine.loop) : vbm_refuse(EINVAL);
}

static void on_over(struct request *request)
{
	struct vbm_request *q = (struct vbm_request *)request;
	struct vbm_resolver *r = q->resolver;

	if (ring_empty(&r->ended))
		vbm_loop_raise(r->wake.fd);
	ring_add(&r->ended, &q->node);
}

static void leave_ended(struct vbm_request *q)
{
	struct vbm_resolver *r = q->resolver;
	uint64_t count;
	ssize_t n = 0;

	if (ring_empty(&q->node))
		return;
	ring_remove(&q->node);
	if (ring_empty(&r->ended))
		n = read(r->wake.fd, &count, sizeof(count));
	(void)n;
}

static int begin_translation(struct vbm_request *q, const char *node, const char *service, int timeout_ms)
{
	struct vbm_resolver *r = q->resolver;

	if (vbm_request_init(&q->request, &r->engine, true)) {
		vbm_request_clear(&q->request);
		return ENOMEM;
	}
	q->request.over = on_over;
	ring_init(&q->node);
	if (timeout_ms > 0)
		q->request.deadline = vbm_loop_end_after(timeout_ms);
	pthread_mutex_lock(&r->lock);
	r->requests++;
	vbm_request_begin(&q->request, node, service);
	pthread_mutex_unlock(&r->lock);
	return 0;
}

int vbm_start_request(struct vbm_resolver *r, const char *node, const char *service,
		      const struct rdma_addrinfo *hints, int timeout_ms, void *context,
		      struct vbm_request **request)
{
	struct vbm_request *q;
	int error;

	if (!r || !request)
		return vbm_refuse(EINVAL);
	q = vbm_mem_zalloc(sizeof(*q));
	if (!q)
		return vbm_refuse(ENOMEM);
	error = vbm_gai_fault_errno(vbm_hints_check(&q->request.work.q, hints));
	if (!error && q->request.work.q.flags & RAI_SA)
		error = ENOTSUP;
	if (!error) {
		q->resolver = r;
		q->context = context;
		error = begin_translation(q, node, service, timeout_ms);
	}
	if (error) {
		free(q);
		return vbm_refuse(error);
	}
	*request = q;
	return 0;
}

/* One round, under the lock. NULL: no request has ended yet. */
static struct vbm_request *try_once(struct vbm_resolver *r)
{
	struct vbm_request *q;

	if (ring_empty(&r->ended))
		vbm_engine_run(&r->engine);
	if (ring_empty(&r->ended))
		return NULL;
	q = container_of(r->ended.next, struct vbm_request, node);
	leave_ended(q);
	return q;
}

int vbm_next_request(struct vbm_resolver *r, int timeout_ms, struct vbm_request **request)
{
	int64_t end = vbm_loop_end_after(timeout_ms);

	if (!r || !request)
		return vbm_refuse(EINVAL);
	for (;;) {
		int left = vbm_loop_ms_left(end);

		pthread_mutex_lock(&r->lock);
		*request = try_once(r);
		pthread_mutex_unlock(&r->lock);
		if (*request)
			return 0;
		if (left == 0)
			return vbm_refuse(EAGAIN);
		if (vbm_loop_wait(&r->engine.loop, left))
			return -1;
	}
}

void *vbm_request_context(const struct vbm_request *q)
{
	if (!q)
		errno = EINVAL;
	return q ? q->context : NULL;
}

int vbm_request_code(const struct vbm_request *q)
{
	int code;

	if (!q)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&q->resolver->lock);
	code = q->request.is_over ? q->request.code : EAI_INPROGRESS;
	if (code == EAI_SYSTEM)
		errno = q->request.error;
	pthread_mutex_unlock(&q->resolver->lock);
	return code;
}

int vbm_request_result(struct vbm_request *q, struct rdma_addrinfo **info)
{
	if (!q || !info)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&q->resolver->lock);
	*info = q->request.is_over ? q->request.list : NULL;
	if (*info)
		q->request.list = NULL;
	pthread_mutex_unlock(&q->resolver->lock);
	return *info ? 0 : vbm_refuse(ENOENT);
}

int vbm_cancel_request(struct vbm_request *q)
{
	bool under_way;

	if (!q)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&q->resolver->lock);
	under_way = !q->request.is_over;
	vbm_request_end(&q->request, EAI_CANCELED, 0);
	vbm_loop_settle(&q->resolver->engine.loop);
	pthread_mutex_unlock(&q->resolver->lock);
	return under_way ? 0 : vbm_refuse(ENOENT);
}

int vbm_free_request(struct vbm_request *q)
{
	struct vbm_resolver *r = q ? q->resolver : NULL;

	if (!q)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&r->lock);
	vbm_request_clear(&q->request);
	leave_ended(q);
	r->requests--;
	vbm_loop_settle(&r->engine.loop);
	pthread_mutex_unlock(&r->lock);
	free(q);
	return 0;
}
