/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/target.h"

#include <errno.h>
#include <stdlib.h>

#include <verbatim/resolve.h>

#include "base/xalloc.h"

struct resolver {
	struct vbm_channel *channel;	/* owned */
	struct vbm_id *id;		/* owned */
	struct rdma_event_channel *cm_channel;	/* owned; NULL when not bound */
	struct rdma_cm_id *cm_id;	/* owned; NULL when not bound */
};

static void reference_destroy(struct resolver *r)
{
	vbm_destroy_id(r->id, NULL);
	vbm_destroy_channel(r->channel, NULL);
	if (r->cm_id)
		rdma_destroy_id(r->cm_id);
	if (r->cm_channel)
		rdma_destroy_event_channel(r->cm_channel);
	free(r);
}

/* The library's -errno as the -1 with errno of its sibling. */
static int minus1(int rc)
{
	if (rc >= 0)
		return 0;
	errno = -rc;
	return -1;
}

static int make_bound(struct resolver *r, const struct sockaddr *bind)
{
	union {
		const struct sockaddr *in;
		struct sockaddr *out;
	} address = {bind};

	r->cm_channel = rdma_create_event_channel();
	if (!r->cm_channel || rdma_create_id(r->cm_channel, &r->cm_id, NULL, RDMA_PS_TCP) < 0)
		return -1;
	if (rdma_bind_addr(r->cm_id, address.out) < 0)
		return -1;
	return minus1(vbm_wrap_id(r->channel, r->cm_id, NULL, &r->id, NULL));
}

static int reference_create(struct resolver **out, const struct sockaddr *bind)
{
	struct resolver *r = xcalloc(1, sizeof(*r));
	int ret, saved;

	ret = minus1(vbm_create_channel(&r->channel, NULL));
	if (ret == 0 && bind)
		ret = make_bound(r, bind);
	else if (ret == 0)
		ret = minus1(vbm_create_id(r->channel, NULL, &r->id, NULL));
	if (ret < 0) {
		saved = errno;
		reference_destroy(r);
		errno = saved;
		return -1;
	}
	*out = r;
	return 0;
}

static int reference_fd(const struct resolver *r)
{
	return vbm_channel_fd(r->channel);
}

static int reference_resolve(struct resolver *r, const char *node, const char *service,
			     const struct rdma_addrinfo *hints)
{
	return vbm_resolve_addrinfo(r ? r->id : NULL, node, service, hints);
}

static int reference_next(struct resolver *r, int *event, int *status)
{
	struct vbm_event *e;
	int rc = vbm_get_event(r->channel, &e, 0, NULL);

	if (rc < 0)
		return minus1(rc);
	*event = e->event;
	*status = e->status;
	vbm_ack_event(e);
	return 0;
}

static int reference_query(struct resolver *r, struct rdma_addrinfo **info)
{
	return vbm_query_addrinfo(r->id, info);
}

static int reference_cancel(struct resolver *r)
{
	return minus1(vbm_cancel(r->id));
}

const struct async_ops async_reference = {
	.create = reference_create,
	.fd = reference_fd,
	.resolve = reference_resolve,
	.next = reference_next,
	.query = reference_query,
	.cancel = reference_cancel,
	.destroy = reference_destroy,
};
