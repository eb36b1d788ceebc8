/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/cm.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/qp/qp.h"

#define RESOLVE_MS 5000		/* used when there is no time limit */

static int failed(struct endpoint *e, const char *call)
{
	char text[INET6_ADDRSTRLEN];
	int code = errno > 0 ? errno : EIO;

	return -vbm_fail(&e->pub.error, code, "%s fails for %s: %s", call,
			 vbm_endpoint_address(e, text), strerror(code));
}

int vbm_endpoint_own_channel(struct endpoint *e)
{
	if (e->options.channel || e->own)
		return 0;
	e->own = rdma_create_event_channel();
	if (!e->own)
		return failed(e, "rdma_create_event_channel");
	fcntl(e->own->fd, F_SETFL, fcntl(e->own->fd, F_GETFL) | O_NONBLOCK);
	fcntl(e->own->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int need_id(struct endpoint *e)
{
	int rc = vbm_endpoint_own_channel(e);

	if (rc || e->pub.id)
		return rc;
	if (vbm_create_id(e->own ? e->own : e->options.channel, &e->pub.id, e,
			  e->options.qp.qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP))
		return failed(e, "rdma_create_id");
	return 0;
}

/* The queue pair stays, because the program has objects that use it. */
void vbm_endpoint_drop_id(struct endpoint *e)
{
	if (!e->pub.id)
		return;
	if (e->pub.qp)
		e->pub.qp->id = NULL;
	e->pub.id->qp = NULL;
	vbm_destroy_id(e->pub.id);
	e->pub.id = NULL;
}

int vbm_endpoint_give_up(struct endpoint *e, int code)
{
	vbm_endpoint_failed(e, code);
	vbm_endpoint_drop_id(e);
	return code;
}

static int begin_address(struct endpoint *e)
{
	int ms, rc;

	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	e->pub.reason = 0;
	rc = need_id(e);
	if (rc)
		return rc;
	vbm_endpoint_share_time(e);
	ms = vbm_loop_ms_left(e->step_end);
	if (rdma_resolve_addr(e->pub.id, e->at->ai_src_addr, e->at->ai_dst_addr,
			      ms < 0 ? RESOLVE_MS : ms))
		return failed(e, "rdma_resolve_addr");
	return 0;
}

int vbm_endpoint_try(struct endpoint *e)
{
	int rc;

	if (!e->at)
		return vbm_endpoint_give_up(e, -vbm_fail(&e->pub.error, EADDRNOTAVAIL,
							 "there is no address to connect to"));
	rc = begin_address(e);
	return rc ? vbm_endpoint_try_next(e, rc) : 0;
}

/* Nothing of the attempt is left. EBUSY: the program uses its queue pair. */
static int clear_attempt(struct endpoint *e)
{
	int rc = vbm_endpoint_discard(e);

	if (rc)
		return vbm_endpoint_give_up(e, rc);
	vbm_endpoint_drop_id(e);
	vbm_endpoint_keep_data(e, NULL, 0);
	return 0;
}

int vbm_endpoint_try_next(struct endpoint *e, int code)
{
	int rc = 0;

	while (code && e->at->ai_next) {
		vbm_endpoint_note_failure(e, code);
		rc = clear_attempt(e);
		if (rc)
			return rc;
		e->at = e->at->ai_next;
		code = begin_address(e);
	}
	if (!code)
		return 0;
	code = vbm_endpoint_all_failed(e, code);
	if (!vbm_endpoint_is_retried(e, code))
		return vbm_endpoint_give_up(e, code);
	rc = clear_attempt(e);
	if (rc == 0)
		vbm_endpoint_pause(e);
	return rc;
}

void vbm_endpoint_param(const struct endpoint *e, struct rdma_conn_param *param)
{
	const struct vbm_qp_options *o = &e->pub.qp->options;	/* with the limits of the device */

	*param = (struct rdma_conn_param){
		.responder_resources = o->max_dest_rd_atomic,
		.initiator_depth = o->max_rd_atomic,
		.flow_control = 1,
		.retry_count = o->retry_cnt,
		.rnr_retry_count = o->rnr_retry,
	};
	if (e->is_passive && e->responder_resources < param->responder_resources)
		param->responder_resources = e->responder_resources;
	if (e->is_passive && e->initiator_depth < param->initiator_depth)
		param->initiator_depth = e->initiator_depth;
}

/* Kernels before 5.1 lack the option for the ACK timeout; they use a fixed value. */
void vbm_endpoint_set_options(struct endpoint *e)
{
	struct vbm_qp_options *o = &e->options.qp;

	if (o->qp_type == IBV_QPT_RC)
		rdma_set_option(e->pub.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &o->timeout,
				sizeof(o->timeout));
	if (o->traffic_class)
		rdma_set_option(e->pub.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &o->traffic_class,
				sizeof(o->traffic_class));
}

static int cm_connect(struct endpoint *e, const char *node, const char *service)
{
	struct rdma_addrinfo hints;
	int rc = 0;

	e->at = e->options.list;
	if (!e->at && !endpoint_waits(e)) {
		vbm_endpoint_hints(e, false, &hints);
		rc = need_id(e);
		if (rc == 0 && vbm_resolve_addrinfo(e->pub.id, node, service, &hints))
			rc = failed(e, "rdma_resolve_addrinfo");
		if (rc == 0)
			e->pub.state = VBM_ENDPOINT_TRANSLATING;
		return rc ? vbm_endpoint_give_up(e, rc) : 0;
	}
	if (!e->at) {
		rc = vbm_endpoint_translate(e, node, service, false);
		e->at = e->translated;
	}
	rc = rc ? vbm_endpoint_give_up(e, rc) : vbm_endpoint_try(e);
	if (rc || !endpoint_waits(e))
		return rc;
	vbm_endpoint_drive(e);
	return e->pub.state == VBM_ENDPOINT_CONNECTED ? 0 : e->pub.error.code;
}

static int cm_listen(struct endpoint *e, const struct rdma_addrinfo *at)
{
	int rc = need_id(e), off = 0;

	if (rc)
		return rc;
	/* A wildcard of IPv6 is for both families, whatever the host's default is. */
	if (at->ai_src_addr->sa_family == AF_INET6 &&
	    rdma_set_option(e->pub.id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &off, sizeof(off)))
		rc = failed(e, "rdma_set_option");
	else if (rdma_bind_addr(e->pub.id, at->ai_src_addr))
		rc = failed(e, "rdma_bind_addr");
	else if (rdma_listen(e->pub.id, e->options.backlog))
		rc = failed(e, "rdma_listen");
	if (rc)
		vbm_endpoint_drop_id(e);
	return rc;
}

static int cm_get_request(struct endpoint *e, int timeout_ms)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	int rc = 0;

	while (rc == 0 && !e->arrived)
		rc = vbm_endpoint_next_event(e, end);
	return rc;
}

/* The kernel says EINVAL when the peer has given up. */
static int answer_failed(struct endpoint *e, const char *call)
{
	if (errno == EINVAL)
		errno = ECONNABORTED;
	return vbm_endpoint_give_up(e, failed(e, call));
}

static int cm_accept(struct endpoint *e, const void *data, size_t len)
{
	struct rdma_conn_param param;

	vbm_endpoint_param(e, &param);
	param.private_data = data;
	param.private_data_len = (uint8_t)len;
	vbm_endpoint_set_options(e);
	if (rdma_accept(e->pub.id, &param))
		return answer_failed(e, "rdma_accept");
	/* A datagram connection has no third message. */
	e->pub.state = e->options.qp.qp_type == IBV_QPT_UD ? VBM_ENDPOINT_CONNECTED :
							      VBM_ENDPOINT_ACCEPTING;
	if (!endpoint_waits(e))
		return 0;
	vbm_endpoint_drive(e);
	return e->pub.state == VBM_ENDPOINT_CONNECTED ||
	       e->pub.state == VBM_ENDPOINT_DISCONNECTED ? 0 : e->pub.error.code;
}

static int cm_reject(struct endpoint *e, const void *data, size_t len)
{
	if (rdma_reject(e->pub.id, data, (uint8_t)len))
		return answer_failed(e, "rdma_reject");
	vbm_qp_to_error(e->pub.qp);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	return 0;
}

static int cm_disconnect(struct endpoint *e)
{
	if (rdma_disconnect(e->pub.id))
		return failed(e, "rdma_disconnect");
	vbm_qp_to_error(e->pub.qp);
	e->pub.error.code = 0;
	e->pub.state = e->options.qp.qp_type == IBV_QPT_UD ? VBM_ENDPOINT_DISCONNECTED :
							      VBM_ENDPOINT_DISCONNECTING;
	if (!endpoint_waits(e))
		return 0;
	vbm_endpoint_drive(e);
	return e->pub.error.code;
}

/*
 * Events of rdma_cm and, of a connection, those of the device, each of which is reported
 * once. The descriptor stays the same when the endpoint is connected.
 */
static void watch(struct endpoint *e)
{
	struct epoll_event channel = {.events = EPOLLIN}, device = {.events = EPOLLIN | EPOLLET};
	int fd;

	if (e->watchfd < 0) {
		e->watched[1] = -1;
		e->watchfd = epoll_create1(EPOLL_CLOEXEC);
		if (e->watchfd >= 0 && epoll_ctl(e->watchfd, EPOLL_CTL_ADD, e->own->fd, &channel))
			vbm_endpoint_end_watch(e);
	}
	if (e->watchfd < 0 || e->watched[1] >= 0 || e->pub.state != VBM_ENDPOINT_CONNECTED)
		return;
	fd = e->pub.qp->context->async_fd;
	if (epoll_ctl(e->watchfd, EPOLL_CTL_ADD, fd, &device) == 0)
		e->watched[1] = fd;
}

/* The kernel reports a device that goes away by an event of rdma_cm, and the rest does not. */
static int look_at_device(struct endpoint *e)
{
	int rc = e->pub.state == VBM_ENDPOINT_CONNECTED ? vbm_endpoint_look_at_device(e) : 0;

	if (e->pub.state == VBM_ENDPOINT_FAILED && rc)
		rdma_disconnect(e->pub.id);
	return rc;
}

static int cm_wait(struct endpoint *e, int timeout_ms)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	int rc = 0;

	while (rc == 0 && e->pub.state == VBM_ENDPOINT_CONNECTED) {
		rc = vbm_endpoint_next_event(e, end);
		rc = rc ? rc : look_at_device(e);
	}
	return rc;
}

static int cm_look(struct endpoint *e)
{
	struct pollfd p = {.events = POLLIN};
	struct epoll_event seen[2];
	int rc = 0;

	while (rc == 0 && e->own) {
		p.fd = e->own->fd;
		if (poll(&p, 1, 0) != 1)
			break;
		rc = vbm_endpoint_take_event(e);
	}
	rc = rc ? rc : look_at_device(e);
	if (e->watchfd >= 0) {
		watch(e);
		epoll_wait(e->watchfd, seen, 2, 0);
	}
	if (rc == 0 && vbm_endpoint_is_under_way(e->pub.state) && vbm_loop_ms_left(e->step_end) == 0)
		rc = vbm_endpoint_time_is_up(e);
	return rc;
}

static int cm_fd(struct endpoint *e)
{
	if (!e->own || e->options.channel || e->pub.state == VBM_ENDPOINT_LISTENING)
		return e->options.channel ? e->options.channel->fd : e->own ? e->own->fd : -1;
	watch(e);
	return e->watchfd >= 0 ? e->watchfd : e->own->fd;
}

static int64_t cm_due(const struct endpoint *e)
{
	return vbm_endpoint_is_under_way(e->pub.state) ? e->step_end : 0;
}

static void cm_stop(struct endpoint *e)
{
	(void)e;
}

static void cm_end(struct endpoint *e)
{
	vbm_endpoint_leave_device(e);
	vbm_endpoint_end_watch(e);
	vbm_endpoint_drop_id(e);
	if (e->own)
		rdma_destroy_event_channel(e->own);
	e->own = NULL;
}

const struct endpoint_calls vbm_endpoint_cm = {
	.connect = cm_connect,
	.listen = cm_listen,
	.get_request = cm_get_request,
	.accept = cm_accept,
	.reject = cm_reject,
	.disconnect = cm_disconnect,
	.wait = cm_wait,
	.look = cm_look,
	.fd = cm_fd,
	.due = cm_due,
	.stop = cm_stop,
	.end = cm_end,
};

int vbm_migrate_endpoint(struct vbm_endpoint *ep, struct rdma_event_channel *channel)
{
	struct endpoint *e = (struct endpoint *)ep;
	struct rdma_event_channel *before = e ? e->options.channel : NULL, *own;
	int rc;

	if (!e)
		return EINVAL;
	if (e->options.way == VBM_WAY_HANDSHAKE)
		return -vbm_fail(&ep->error, EOPNOTSUPP, "an endpoint that uses the handshake has no event channel");
	if (!channel && vbm_endpoint_is_under_way(ep->state))
		return -vbm_fail(&ep->error, EBUSY, "an operation is under way; its end is reported by the "
				 "program's channel");
	own = e->own;
	if (!channel && own)
		return 0;
	vbm_endpoint_end_watch(e);
	e->options.channel = channel;
	e->own = NULL;
	rc = vbm_endpoint_own_channel(e);
	if (rc == 0 && ep->id && vbm_migrate_id(ep->id, e->own ? e->own : channel))
		rc = failed(e, "rdma_migrate_id");
	if (rc == 0) {
		if (own)
			rdma_destroy_event_channel(own);
		return 0;
	}
	if (e->own)
		rdma_destroy_event_channel(e->own);
	e->options.channel = before;
	e->own = own;
	return rc;
}
