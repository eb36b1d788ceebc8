/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for both ways to connect: time limits, addresses, private data, the queue pair, and what happens to its
 * device and port.
 */
#include "lib/endpoint/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/mem.h"
#include "lib/qp/qp.h"

#define RETRY_GROWTH 8	/* the longest pause, in pauses of the options */

void vbm_endpoint_begin(struct endpoint *e)
{
	e->deadline = e->step_end = vbm_loop_end_after(e->options.timeout_ms);
}

void vbm_endpoint_share_time(struct endpoint *e)
{
	const struct rdma_addrinfo *ai;
	int64_t now = vbm_loop_now();
	int addresses = 0;

	for (ai = e->at; ai; ai = ai->ai_next)
		addresses++;
	e->step_end = 0;
	if (e->deadline && addresses)
		e->step_end = now + (e->deadline > now ? (e->deadline - now) / addresses : 0);
}

bool vbm_endpoint_is_retried(const struct endpoint *e, int code)
{
	int64_t pause = (e->pause_ms ? e->pause_ms : e->options.retry_ms) * NS_PER_MS;

	return e->options.retry_ms && vbm_endpoint_may_mend(code) &&
	       (!e->deadline || vbm_loop_now() + pause < e->deadline);
}

void vbm_endpoint_pause(struct endpoint *e)
{
	int ms = e->pause_ms ? e->pause_ms : e->options.retry_ms;
	int most = e->options.retry_ms < INT_MAX / RETRY_GROWTH ? RETRY_GROWTH * e->options.retry_ms : INT_MAX;

	e->pause_ms = ms < most / 2 ? 2 * ms : most;
	e->step_end = vbm_loop_end_after(ms);
	e->is_pausing = true;
	e->at = e->options.list ? e->options.list : e->translated;
	e->pub.state = VBM_ENDPOINT_RESOLVING_ADDR;
	memset(&e->before, 0, sizeof(e->before));
	vbm_endpoint_keep_data(e, NULL, 0);
}

int vbm_endpoint_open_interrupt(struct endpoint *e, struct vbm_error *error)
{
	if (!e->options.interruptible)
		return 0;
	e->interruptfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return e->interruptfd >= 0 ? 0 : -vbm_fail(error, errno, "eventfd fails: %s", strerror(errno));
}

int vbm_endpoint_poll(struct endpoint *e, struct pollfd *p, size_t count, int64_t end)
{
	int n, left = vbm_loop_ms_left(end);
	uint64_t times;

	/* An interrupt is for a call that would wait. */
	p[count] = (struct pollfd){.fd = left ? e->interruptfd : -1, .events = POLLIN};
	n = poll(p, count + 1, left);
	if (n < 0)
		return errno == EINTR ? 0 : -vbm_fail(&e->pub.error, errno, "poll fails: %s", strerror(errno));
	if (p[count].revents && read(e->interruptfd, &times, sizeof(times)) > 0)
		return -vbm_fail(&e->pub.error, ECANCELED, "the program has interrupted the call");
	return n == 0 && end && vbm_loop_ms_left(end) == 0 ? ETIMEDOUT : 0;
}

void vbm_endpoint_end_watch(struct endpoint *e)
{
	if (e->watchfd >= 0)
		close(e->watchfd);
	e->watchfd = -1;
}

static void translate_end(struct endpoint *e)
{
	if (e->request)
		vbm_free_request(e->request);
	if (e->resolver)
		vbm_destroy_resolver(e->resolver);
	e->request = NULL;
	e->resolver = NULL;
}

int vbm_endpoint_failed(struct endpoint *e, int code)
{
	e->pub.state = VBM_ENDPOINT_FAILED;
	e->pub.error.code = code;
	e->step_end = 0;
	translate_end(e);
	vbm_qp_to_error(e->pub.qp);
	return code;
}

void vbm_endpoint_note_failure(struct endpoint *e, int code)
{
	struct endpoint_failures *f = &e->before;
	size_t used = strlen(f->told);

	snprintf(f->told + used, sizeof(f->told) - used, "%s%s", used ? "; " : "", e->pub.error.msg);
	if (used && e->pub.state < f->state)
		return;
	f->state = e->pub.state;
	f->code = code;
	f->reason = e->pub.reason;
	f->data_len = e->pub.private_data_len;
	memcpy(f->data, e->peer_data, f->data_len);
}

int vbm_endpoint_all_failed(struct endpoint *e, int code)
{
	struct endpoint_failures *f = &e->before;

	if (!f->told[0])
		return code;
	vbm_endpoint_note_failure(e, code);
	e->pub.reason = f->reason;
	vbm_endpoint_keep_data(e, f->data, f->data_len);
	return -vbm_note(&e->pub.error, f->code, "%s", f->told);
}

const char *vbm_endpoint_address(const struct endpoint *e, char *text)
{
	const struct sockaddr *to = e->at ? e->at->ai_dst_addr : NULL;
	const struct sockaddr *a = e->at && !to ? e->at->ai_src_addr : to;
	const void *bytes = NULL;

	if (a && a->sa_family == AF_INET)
		bytes = &((const struct sockaddr_in *)(const void *)a)->sin_addr;
	else if (a && a->sa_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
	if (!bytes || !inet_ntop(a->sa_family, bytes, text, INET6_ADDRSTRLEN))
		strcpy(text, "the peer");
	return text;
}

int vbm_endpoint_call_failed(struct endpoint *e, const char *call, int code)
{
	char text[INET6_ADDRSTRLEN];

	return -vbm_fail(&e->pub.error, code, "%s fails for %s: %s", call,
			 vbm_endpoint_address(e, text), strerror(code));
}

void vbm_endpoint_keep_data(struct endpoint *e, const void *data, size_t len)
{
	len = !data ? 0 : len < sizeof(e->peer_data) ? len : sizeof(e->peer_data);
	if (len)
		memcpy(e->peer_data, data, len);
	e->pub.private_data = len ? e->peer_data : NULL;
	e->pub.private_data_len = len;
}

void vbm_endpoint_hints(const struct endpoint *e, bool passive, struct rdma_addrinfo *hints)
{
	*hints = (struct rdma_addrinfo){
		.ai_flags = passive ? RAI_PASSIVE : 0,
		.ai_qp_type = e->options.qp.qp_type == IBV_QPT_UD ? IBV_QPT_UD : IBV_QPT_RC,
		.ai_port_space = e->options.qp.qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP,
	};
}

/* A resolver of its own, because only a resolver has a time limit. */
int vbm_endpoint_translate_begin(struct endpoint *e, const char *node, const char *service,
				 bool passive)
{
	struct rdma_addrinfo hints;
	int rc = 0;

	snprintf(e->names, sizeof(e->names), "%s, service %s", node ? node : "no node",
		 service ? service : "none");
	vbm_endpoint_hints(e, passive, &hints);
	if (vbm_create_resolver(&e->resolver)) {
		e->resolver = NULL;
		return -vbm_fail(&e->pub.error, errno, "cannot translate a name: %s", strerror(errno));
	}
	if (vbm_start_request(e->resolver, node, service, &hints, e->options.timeout_ms, NULL, &e->request)) {
		e->request = NULL;
		rc = -vbm_fail(&e->pub.error, errno, "cannot translate %s: %s", e->names, strerror(errno));
		translate_end(e);
	}
	return rc;
}

int vbm_endpoint_translate_go(struct endpoint *e, bool *is_over)
{
	struct vbm_request *ended;
	int code, rc = 0;

	*is_over = false;
	if (vbm_next_request(e->resolver, 0, &ended)) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		rc = errno;
	}
	*is_over = true;
	code = rc ? 0 : vbm_request_code(e->request);
	if (code)
		rc = vbm_gai_errno(code, errno);
	else if (rc == 0 && vbm_request_result(e->request, &e->translated))
		rc = errno;
	if (rc)
		vbm_fail(&e->pub.error, rc, "cannot translate %s: %s", e->names,
			 code ? vbm_gai_strerror(code) : strerror(rc));
	translate_end(e);
	return rc;
}

int vbm_endpoint_translate(struct endpoint *e, const char *node, const char *service,
			   bool passive)
{
	bool is_over = false;
	int rc = vbm_endpoint_translate_begin(e, node, service, passive);

	while (rc == 0 && !is_over) {
		struct pollfd p[2] = {{.fd = vbm_resolver_fd(e->resolver), .events = POLLIN}};

		rc = vbm_endpoint_poll(e, p, 1, 0);
		if (rc == 0)
			rc = vbm_endpoint_translate_go(e, &is_over);
	}
	translate_end(e);
	return rc;
}

int vbm_endpoint_take_qp(struct endpoint *e)
{
	int rc;

	e->pub.qp->interrupt = (unsigned int)(e->interruptfd + 1);
	if (!e->options.prepare)
		return 0;
	e->in_program = true;
	rc = e->options.prepare(&e->pub);
	e->in_program = false;
	if (rc < 0)
		return -vbm_fail(&e->pub.error, rc, "the program could not prepare the queue pair: its "
				 "function returned %d", rc);
	return rc == 0 ? 0 : -vbm_fail(&e->pub.error, rc, "the program could not prepare the queue "
				       "pair: %s", strerror(rc));
}

void vbm_endpoint_undo_qp(struct endpoint *e)
{
	if (!e->pub.qp)
		return;
	vbm_qp_to_error(e->pub.qp);
	e->in_program = true;
	if (e->options.discard)
		e->options.discard(&e->pub);
	e->in_program = false;
}

int vbm_endpoint_discard(struct endpoint *e)
{
	struct vbm_qp *qp = e->pub.qp;
	int rc;

	if (!qp)
		return 0;
	vbm_endpoint_undo_qp(e);
	rc = vbm_destroy_qp(qp);
	if (rc)
		return -vbm_fail(&e->pub.error, rc, "the next address cannot be tried, because the program "
				 "uses the queue pair of this one: %s", qp->error.msg);
	e->pub.qp = NULL;
	return 0;
}

int vbm_endpoint_connect_data(struct endpoint *e, uint8_t *data, size_t *len)
{
	size_t room = vbm_endpoint_room(e->options.way, e->options.qp.qp_type, ENDPOINT_REQUEST);
	size_t first = e->at->ai_connect ? e->at->ai_connect_len : 0;

	if (first > room || e->options.private_data_len > room - first)
		return -vbm_fail(&e->pub.error, EMSGSIZE, "a request has room for %zu bytes of private "
				 "data, not %zu of the address and %zu of the program", room, first,
				 e->options.private_data_len);
	if (first)
		memcpy(data, e->at->ai_connect, first);
	memcpy(data + first, e->request_data, e->options.private_data_len);
	*len = first + e->options.private_data_len;
	return 0;
}

struct endpoint *vbm_endpoint_new(const struct vbm_endpoint_options *options,
				  const struct endpoint_calls *calls)
{
	struct endpoint *e = vbm_mem_zalloc(sizeof(*e));

	if (!e)
		return NULL;
	e->options = *options;
	e->calls = calls;
	e->pub.socket = e->watchfd = e->interruptfd = e->devicefd = -1;
	e->pub.context = options->context;
	e->options.qp.user = &e->pub;
	if (options->private_data_len)
		memcpy(e->request_data, options->private_data, options->private_data_len);
	e->options.private_data = NULL;	/* the private data were copied */
	return e;
}

struct endpoint *vbm_endpoint_for_request(const struct endpoint *listener)
{
	struct vbm_endpoint_options o = listener->options;
	struct endpoint *e;

	o.private_data_len = 0;
	e = vbm_endpoint_new(&o, listener->calls);
	if (!e)
		return NULL;
	if (vbm_endpoint_open_interrupt(e, NULL)) {
		free(e);
		return NULL;
	}
	e->is_passive = true;
	e->pub.context = listener->pub.context;
	return e;
}

int vbm_destroy_endpoint(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);
	int rc;

	if (!ep)
		return 0;
	if (e->in_program)
		return -vbm_fail(&ep->error, EBUSY, "an endpoint cannot be destroyed by its own function "
				 "prepare or discard");
	e->calls->stop(e);
	translate_end(e);
	if (ep->ah && ibv_destroy_ah(ep->ah) == 0)
		ep->ah = NULL;
	rc = ep->qp ? vbm_destroy_qp(ep->qp) : 0;
	if (rc)
		return -vbm_fail(&ep->error, rc, "the endpoint cannot be ended: %s",
				 ep->qp->error.msg);
	ep->qp = NULL;
	e->calls->end(e);
	if (e->interruptfd >= 0)
		close(e->interruptfd);
	vbm_freeaddrinfo(e->translated);
	free(e);
	return 0;
}

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
