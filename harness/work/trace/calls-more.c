/* SPDX-License-Identifier: BSD-2-Clause */
/* The exported calls that say more, or do more, than those that calls.c makes. */
#include "trace/trace.h"

#include <errno.h>

#include <verbatim/qp.h>

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
	const char *name = NEXT(rdma_event_str)(event->event);

	if (event->status < 0)
		trace_say("rdma_get_cm_event: %s of %s, status %s", name, trace_id(event->id), trace_errno(-event->status));
	else
		trace_say("rdma_get_cm_event: %s of %s, status %d", name, trace_id(event->id), event->status);
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

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = NEXT(ibv_open_device)(device);

	if (!context)
		trace_failed("ibv_open_device", TRACE_NULL, 0, NULL, "%s",
			     device ? device->name : "NULL");
	trace_context(context);
	return context;
}

/* vbm_qp_diagnose() asks the device, which is no call of the program. */
static const char *diagnose(struct ibv_qp *qp, enum ibv_qp_state from,
			    const struct ibv_qp_attr *attr, int mask, struct vbm_qp_report *report)
{
	int saved = errno;

	report->text[0] = '\0';
	trace_quiet++;
	vbm_qp_diagnose(qp, from, attr, mask, report);
	trace_quiet--;
	errno = saved;
	return report->text;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state from = qp->state;
	int ret = NEXT(ibv_modify_qp)(qp, attr, mask);
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	struct vbm_qp_report report;

	if (ret)
		trace_failed("ibv_modify_qp", TRACE_NUMBER, ret,
			     diagnose(qp, from, attr, mask, &report), "qp %u, %s, %s to %s, mask 0x%x",
			     qp->qp_num, trace_qp_type(qp->qp_type), trace_qp_state(from),
			     trace_qp_state(to), (unsigned int)mask);
	return ret;
}
