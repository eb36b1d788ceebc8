/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "channel.h"

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* What a code means where only errno can be returned. */
static int errno_of(const struct vbm_event *e)
{
	static const struct {
		int code, error;
	} map[] = {
		{EAI_ADDRFAMILY, EADDRNOTAVAIL},
		{EAI_AGAIN, EAGAIN},
		{EAI_FAIL, EREMOTEIO},
		{EAI_MEMORY, ENOMEM},
		{EAI_NODATA, ENODATA},
		{EAI_NONAME, ENOENT},
		{EAI_SERVICE, EPROTONOSUPPORT},
		{EAI_CANCELED, ECANCELED},
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].code == e->status)
			return map[i].error;
	return e->error ? e->error : EIO;
}

static int wait_for(struct vbm_id *id)
{
	struct vbm_event *e;
	int ret = vbm_get_event(id->channel, &e, -1, NULL), error;

	if (ret)
		return refuse(-ret);
	error = e->status ? errno_of(e) : 0;
	vbm_ack_event(e);
	return error ? refuse(error) : 0;
}

static int start(struct vbm_id *id, const char *node, const char *service,
		 const struct rdma_addrinfo *hints, const struct gai_query *q)
{
	int ret;

	if (id->state != ID_IDLE)
		return refuse(EBUSY);
	if (q->flags & RAI_SA)
		return vbm_sa_resolve(id, node, service, hints);
	ret = vbm_request_start(id, node, service, q);
	return ret ? refuse(-ret) : 0;
}

int vbm_resolve_addrinfo(struct vbm_id *id, const char *node, const char *service,
			 const struct rdma_addrinfo *hints)
{
	enum gai_fault fault;
	struct gai_query q;
	int ret, saved;

	if (!id)
		return refuse(EINVAL);
	fault = vbm_hints_check(&q, hints, GAI_ASYNC_FLAGS, !node && !service);
	if (vbm_gai_fault_errno(fault))
		return refuse(vbm_gai_fault_errno(fault));
	pthread_mutex_lock(&id->channel->lock);
	ret = start(id, node, service, hints, &q);
	saved = errno;
	vbm_resolver_sweep(id->channel);
	pthread_mutex_unlock(&id->channel->lock);
	errno = saved;
	return ret || !id->own_channel ? ret : wait_for(id);
}

static int take(struct vbm_id *id, struct rdma_addrinfo **info)
{
	if (id->state == ID_SA)
		return vbm_sa_query(id, info);
	if (id->state != ID_RESOLVED)
		return refuse(ENOENT);
	*info = id->result;
	id->result = NULL;
	id->state = ID_IDLE;
	return 0;
}

int vbm_query_addrinfo(struct vbm_id *id, struct rdma_addrinfo **info)
{
	int ret, saved;

	if (!id || !info)
		return refuse(EINVAL);
	pthread_mutex_lock(&id->channel->lock);
	ret = take(id, info);
	saved = errno;
	pthread_mutex_unlock(&id->channel->lock);
	errno = saved;
	return ret;
}

int vbm_cancel(struct vbm_id *id)
{
	int ret = -ENOENT;

	pthread_mutex_lock(&id->channel->lock);
	if (id->request && !id->request->over) {
		vbm_request_end(id->request, EAI_CANCELED, 0);
		ret = 0;
	}
	vbm_resolver_sweep(id->channel);
	vbm_loop_settle(&id->channel->loop);
	pthread_mutex_unlock(&id->channel->lock);
	return ret;
}
