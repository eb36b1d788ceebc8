/* SPDX-License-Identifier: BSD-2-Clause */
/* rdma_cm. */
#include "trace/trace.h"

#include <errno.h>

POINTER_CALL(struct rdma_event_channel *, rdma_create_event_channel, (void), (), "%s", "")

NUMBER_CALL(rdma_create_id,
	    (struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
	     enum rdma_port_space ps),
	    (channel, id, context, ps), "%s", trace_port_space(ps))
NUMBER_CALL(rdma_destroy_id, (struct rdma_cm_id *id), (id), "%p", (void *)id)
NUMBER_CALL(rdma_migrate_id, (struct rdma_cm_id *id, struct rdma_event_channel *channel),
	    (id, channel), "%s", trace_id(id))
NUMBER_CALL(rdma_bind_addr, (struct rdma_cm_id *id, struct sockaddr *addr), (id, addr), "%s",
	    trace_address(addr))
NUMBER_CALL(rdma_resolve_addr,
	    (struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst, int timeout_ms),
	    (id, src, dst, timeout_ms), "from %s to %s, %d ms", trace_address(src),
	    trace_address(dst), timeout_ms)
NUMBER_CALL(rdma_resolve_route, (struct rdma_cm_id *id, int timeout_ms), (id, timeout_ms),
	    "%s, %d ms", trace_id(id), timeout_ms)
NUMBER_CALL(rdma_create_qp,
	    (struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr),
	    (id, pd, attr), "%s, %s", trace_id(id), attr ? trace_qp_type(attr->qp_type) : "NULL")
NUMBER_CALL(rdma_create_qp_ex, (struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr),
	    (id, attr), "%s, %s", trace_id(id), attr ? trace_qp_type(attr->qp_type) : "NULL")
NUMBER_CALL(rdma_listen, (struct rdma_cm_id *id, int backlog), (id, backlog), "%s, backlog %d",
	    trace_id(id), backlog)
NUMBER_CALL(rdma_connect, (struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param), "%s",
	    trace_id(id))
NUMBER_CALL(rdma_accept, (struct rdma_cm_id *id, struct rdma_conn_param *param), (id, param), "%s",
	    trace_id(id))
NUMBER_CALL(rdma_reject, (struct rdma_cm_id *id, const void *data, uint8_t len), (id, data, len),
	    "%s, %u bytes", trace_id(id), len)
NUMBER_CALL(rdma_disconnect, (struct rdma_cm_id *id), (id), "%s", trace_id(id))
NUMBER_CALL(rdma_establish, (struct rdma_cm_id *id), (id), "%s", trace_id(id))
NUMBER_CALL(rdma_notify, (struct rdma_cm_id *id, enum ibv_event_type event), (id, event),
	    "%s, event %d", trace_id(id), event)
NUMBER_CALL(rdma_set_option,
	    (struct rdma_cm_id *id, int level, int name, void *value, size_t len),
	    (id, level, name, value, len), "%s, level %d, option %d, %zu bytes", trace_id(id), level,
	    name, len)
NUMBER_CALL(rdma_join_multicast, (struct rdma_cm_id *id, struct sockaddr *addr, void *context),
	    (id, addr, context), "%s, %s", trace_id(id), trace_address(addr))
NUMBER_CALL(rdma_join_multicast_ex,
	    (struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context),
	    (id, attr, context), "%s, %s", trace_id(id), attr ? trace_address(attr->addr) : "NULL")
NUMBER_CALL(rdma_leave_multicast, (struct rdma_cm_id *id, struct sockaddr *addr), (id, addr),
	    "%s, %s", trace_id(id), trace_address(addr))
NUMBER_CALL(rdma_get_request, (struct rdma_cm_id *listen, struct rdma_cm_id **id), (listen, id),
	    "%s", trace_id(listen))
NUMBER_CALL(rdma_create_ep,
	    (struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
	     struct ibv_qp_init_attr *attr),
	    (id, res, pd, attr), "to %s", res ? trace_address(res->ai_dst_addr) : "NULL")

/* Its result is -1 with errno, or a code of getaddrinfo(3). */
int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	int ret = NEXT(rdma_getaddrinfo)(node, service, hints, res);

	if (ret == -1)
		trace_failed("rdma_getaddrinfo", TRACE_NUMBER, ret, NULL, "%s, %s",
			     node ? node : "NULL", service ? service : "NULL");
	else if (ret)
		trace_say("rdma_getaddrinfo(%s, %s) = %d", node ? node : "NULL",
			  service ? service : "NULL", ret);
	return ret;
}

static bool is_bad(const struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		return true;
	default:
		return event->status != 0;
	}
}

/* The status of such an event is a negative errno, or a code of the peer's. */
static void say_event(const struct rdma_cm_event *event)
{
	if (event->status < 0)
		trace_say("rdma_get_cm_event: %s of %s, status %s", trace_cm_event((int)event->event),
			  trace_id(event->id), trace_errno(-event->status));
	else
		trace_say("rdma_get_cm_event: %s of %s, status %d", trace_cm_event((int)event->event),
			  trace_id(event->id), event->status);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	int ret = NEXT(rdma_get_cm_event)(channel, event);

	/* No event yet, on a channel that does not wait. */
	if (ret && errno != EAGAIN && errno != EINTR)
		trace_failed("rdma_get_cm_event", TRACE_NUMBER, ret, NULL, "%s", "");
	if (!ret && is_bad(*event))
		say_event(*event);
	return ret;
}

NUMBER_CALL(rdma_ack_cm_event, (struct rdma_cm_event *event), (event), "%p", (void *)event)
