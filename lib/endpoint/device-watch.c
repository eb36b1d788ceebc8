/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens to the device, the port and the queue pair of a connection, by both ways alike. */
#include "lib/endpoint/endpoint.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/qp/qp.h"

int vbm_endpoint_device_fd(struct endpoint *e)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	if (e->devicefd >= 0 || !e->pub.qp)
		return e->devicefd;
	e->devicefd = epoll_create1(EPOLL_CLOEXEC);
	if (e->devicefd >= 0 && epoll_ctl(e->devicefd, EPOLL_CTL_ADD, e->pub.qp->context->async_fd, &event))
		vbm_endpoint_leave_device(e);
	return e->devicefd;
}

void vbm_endpoint_leave_device(struct endpoint *e)
{
	if (e->devicefd >= 0)
		close(e->devicefd);
	e->devicefd = -1;
}

/* The kernel keeps events until the program reads them, so one that is there may be an old one. */
static bool has_event(const struct endpoint *e)
{
	struct pollfd p = {.fd = e->pub.qp->context->async_fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static bool qp_has_failed(const struct vbm_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(q->qp, &attr, IBV_QP_STATE, &init) == 0 &&
	       (attr.qp_state == IBV_QPS_ERR || attr.qp_state == IBV_QPS_SQE);
}

static bool port_is_up(const struct vbm_qp *q)
{
	struct ibv_port_attr port;

	return ibv_query_port(q->context, q->place.port_num, &port) || port.state == IBV_PORT_ACTIVE ||
	       port.state == IBV_PORT_ACTIVE_DEFER;
}

/* The connection stays: requests are repeated, and may outlive a port that is down for a moment. */
static int tell_port(struct endpoint *e)
{
	const struct vbm_qp *q = e->pub.qp;
	bool was_down = e->port_is_down;

	e->port_is_down = !port_is_up(q);
	if (e->port_is_down == was_down)
		return 0;
	e->pub.reason = e->port_is_down ? IBV_EVENT_PORT_ERR : IBV_EVENT_PORT_ACTIVE;
	return !e->port_is_down ? 0 : -vbm_fail(&e->pub.error, ENETDOWN, "port %d of the device %s is down; the "
						"connection is kept", q->place.port_num, q->place.device);
}

int vbm_endpoint_look_at_device(struct endpoint *e)
{
	char text[INET6_ADDRSTRLEN];
	struct epoll_event seen;

	if (e->devicefd >= 0)
		epoll_wait(e->devicefd, &seen, 1, 0);
	if (e->pub.state != VBM_ENDPOINT_CONNECTED || !has_event(e))
		return 0;
	if (!qp_has_failed(e->pub.qp))
		return tell_port(e);
	e->pub.reason = IBV_EVENT_QP_FATAL;
	vbm_fail(&e->pub.error, EIO, "the connection with %s fails: queue pair %u of the device %s is in ERR",
		 vbm_endpoint_address(e, text), e->pub.qp->local.qp_num, e->pub.qp->place.device);
	return vbm_endpoint_failed(e, EIO);
}
