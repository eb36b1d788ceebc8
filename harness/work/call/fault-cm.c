/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/clock.h"
#include "call/fault-calls.h"

/* Calls of rdma_cm: fault-calls.h. */

#define RESOLVE_MS 2000

/* Waits for the next event that is @type. The events of identifiers that ended are gone with them. */
static int wait_cm(const struct calling *c, enum rdma_cm_event_type type, struct rdma_cm_id **id, struct vbm_error *err)
{
	struct rdma_cm_event *e;
	enum rdma_cm_event_type came;
	int ret = step_wait_readable(&c->channel->fd, 1, c->deadline_ns);

	if (ret < 0)
		return vbm_fail(err, -ret, "no event %s came for a call", c->target->event_str(type));
	if (c->target->get_cm_event(c->channel, &e))
		return vbm_fail(err, errno, "cannot read an event: %s", strerror(errno));
	came = e->event;
	*id = e->id;
	c->target->ack_cm_event(e);
	return came == type ? 0 : vbm_fail(err, EPROTO, "the event %s came, not %s", c->target->event_str(came),
					   c->target->event_str(type));
}

/* @ret: of a call that prepares another one. */
static int prepared(int ret, const char *call, struct vbm_error *err)
{
	return ret == 0 ? 0 : vbm_fail(err, errno ? errno : EIO, "cannot prepare the call: %s failed", call);
}

int fault_prepare_nothing(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	(void)c;
	(void)f;
	(void)err;
	return 0;
}

int fault_create_id(struct calling *c, const struct fault_call *f)
{
	(void)f;
	errno = 0;
	return step_code_of(c->target->create_id(c->channel, &c->id, NULL, RDMA_PS_TCP));
}

int fault_prepare_id(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	return prepared(fault_create_id(c, f), "rdma_create_id", err);
}

int fault_bind_addr(struct calling *c, const struct fault_call *f)
{
	(void)f;
	errno = 0;
	return step_code_of(c->target->bind_addr(c->id, (struct sockaddr *)&c->own));
}

int fault_prepare_bound(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	if (fault_prepare_id(c, f, err) < 0)
		return -err->code;
	return prepared(fault_bind_addr(c, f), "rdma_bind_addr", err);
}

int fault_listen(struct calling *c, const struct fault_call *f)
{
	(void)f;
	errno = 0;
	return step_code_of(c->target->listen(c->id, 1));
}

int fault_resolve_addr(struct calling *c, const struct fault_call *f)
{
	(void)f;
	errno = 0;
	return step_code_of(c->target->resolve_addr(c->id, NULL, (struct sockaddr *)&c->peer, RESOLVE_MS * clock_factor()));
}

int fault_prepare_resolved(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct rdma_cm_id *id;

	if (fault_prepare_id(c, f, err) < 0 || prepared(fault_resolve_addr(c, f), "rdma_resolve_addr", err) < 0)
		return -err->code;
	return wait_cm(c, RDMA_CM_EVENT_ADDR_RESOLVED, &id, err);
}

int fault_resolve_route(struct calling *c, const struct fault_call *f)
{
	(void)f;
	errno = 0;
	return step_code_of(c->target->resolve_route(c->id, RESOLVE_MS * clock_factor()));
}

int fault_create_qp(struct calling *c, const struct fault_call *f)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	int ret;

	(void)f;
	errno = 0;
	ret = step_code_of(c->target->cm_create_qp(c->id, NULL, &init));
	c->id_has_qp = ret == 0;
	return ret;
}

int fault_prepare_connect(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct rdma_cm_id *id;

	if (fault_prepare_resolved(c, f, err) < 0 || prepared(fault_resolve_route(c, f), "rdma_resolve_route", err) < 0 ||
	    wait_cm(c, RDMA_CM_EVENT_ROUTE_RESOLVED, &id, err) < 0)
		return -err->code;
	return prepared(fault_create_qp(c, f), "rdma_create_qp", err);
}

int fault_connect(struct calling *c, const struct fault_call *f)
{
	struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7};

	(void)f;
	errno = 0;
	return step_code_of(c->target->connect(c->id, &param));
}

/* A client and a listener of this host. The new identifier is that of the request. */
int fault_prepare_request(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	if (fault_prepare_bound(c, f, err) < 0 || prepared(fault_listen(c, f), "rdma_listen", err) < 0)
		return -err->code;
	c->listener = c->id;
	c->id = NULL;
	c->peer = c->own;
	((struct sockaddr_in *)&c->peer)->sin_port = c->target->get_src_port(c->listener);
	if (fault_prepare_connect(c, f, err) < 0)
		return -err->code;
	c->client = c->id;
	c->client_has_qp = c->id_has_qp;
	c->id_has_qp = false;
	if (prepared(fault_connect(c, f), "rdma_connect", err) < 0) {
		c->id = NULL;
		return -err->code;
	}
	c->id = NULL;
	if (wait_cm(c, RDMA_CM_EVENT_CONNECT_REQUEST, &c->id, err) < 0)
		return -err->code;
	return prepared(fault_create_qp(c, f), "rdma_create_qp", err);
}

int fault_accept(struct calling *c, const struct fault_call *f)
{
	struct rdma_conn_param param = {.responder_resources = 1, .initiator_depth = 1};

	(void)f;
	errno = 0;
	return step_code_of(c->target->accept(c->id, &param));
}
