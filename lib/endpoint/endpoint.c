/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/mem.h"
#include "lib/qp/qp.h"

void vbm_endpoint_options_init(struct vbm_endpoint_options *options)
{
	if (!options)
		return;
	*options = (struct vbm_endpoint_options){
		.way = VBM_WAY_RDMA_CM,
		.timeout_ms = 5000,
		.backlog = 128,
	};
	vbm_qp_options_init(&options->qp);
	options->qp.rnr_retry = 6;
}

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
	if (e->deadline && addresses)
		e->step_end = now + (e->deadline > now ? (e->deadline - now) / addresses : 0);
}

int vbm_endpoint_failed(struct endpoint *e, int code)
{
	e->pub.state = VBM_ENDPOINT_FAILED;
	e->pub.error.code = code;
	e->step_end = 0;
	vbm_qp_to_error(e->pub.qp);
	return code;
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

/* A resolver of the call's own, since only that has a time limit. */
int vbm_endpoint_translate(struct endpoint *e, const char *node, const char *service,
			   bool passive)
{
	struct vbm_request *request = NULL;
	struct vbm_resolver *resolver;
	struct rdma_addrinfo hints;
	int code = 0, rc = 0;

	vbm_endpoint_hints(e, passive, &hints);
	if (vbm_create_resolver(&resolver))
		return -vbm_fail(&e->pub.error, errno, "cannot translate a name: %s", strerror(errno));
	if (vbm_start_request(resolver, node, service, &hints, e->options.timeout_ms, NULL, &request))
		rc = errno;
	while (rc == 0 && vbm_next_request(resolver, -1, &request))
		rc = errno == EINTR ? 0 : errno;
	if (rc == 0)
		code = vbm_request_code(request);
	if (code)
		rc = vbm_gai_errno(code, errno);
	else if (rc == 0 && vbm_request_result(request, &e->translated))
		rc = errno;
	if (rc)
		vbm_fail(&e->pub.error, rc, "cannot translate %s, service %s: %s",
			 node ? node : "no node", service ? service : "none",
			 code ? vbm_gai_strerror(code) : strerror(rc));
	if (request)
		vbm_free_request(request);
	vbm_destroy_resolver(resolver);
	return rc;
}

int vbm_endpoint_prepare(struct endpoint *e)
{
	int rc = e->options.prepare ? e->options.prepare(&e->pub) : 0;

	return rc <= 0 ? 0 : -vbm_fail(&e->pub.error, rc, "the program could not prepare the queue "
				       "pair: %s", strerror(rc));
}

int vbm_endpoint_discard(struct endpoint *e)
{
	struct vbm_qp *qp = e->pub.qp;
	int rc;

	if (!qp)
		return 0;
	vbm_qp_to_error(qp);
	if (e->options.discard)
		e->options.discard(&e->pub);
	rc = vbm_destroy_qp(qp);
	if (rc)
		return -vbm_fail(&e->pub.error, rc, "the next address cannot be tried, as the program "
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

static int check(const struct vbm_endpoint_options *o, struct vbm_error *error)
{
	size_t room = vbm_endpoint_room(o->way, o->qp.qp_type, ENDPOINT_REQUEST);
	bool handshake = o->way == VBM_WAY_HANDSHAKE;

	if (!handshake && o->way != VBM_WAY_RDMA_CM)
		return -vbm_fail(error, EINVAL, "%d is no way to connect", (int)o->way);
	if (o->private_data_len && !o->private_data)
		return -vbm_fail(error, EINVAL, "private data have a length and no address");
	if (handshake && o->channel)
		return -vbm_fail(error, EOPNOTSUPP, "the handshake has no event channel");
	if (o->private_data_len > room)
		return -vbm_fail(error, EMSGSIZE, "a request has room for %zu bytes of private data, "
				 "not %zu", room, o->private_data_len);
	if (o->qp.qp_type != IBV_QPT_RC && o->qp.qp_type != (handshake ? IBV_QPT_UC : IBV_QPT_UD))
		return -vbm_fail(error, EPROTOTYPE, "this way connects no queue pairs of type %d",
				 (int)o->qp.qp_type);
	return 0;
}

static struct endpoint *alloc(const struct vbm_endpoint_options *options)
{
	struct endpoint *e = vbm_mem_zalloc(sizeof(*e));

	if (!e)
		return NULL;
	e->options = *options;
	e->calls = options->way == VBM_WAY_HANDSHAKE ? &vbm_endpoint_handshake : &vbm_endpoint_cm;
	e->pub.socket = -1;
	e->pub.context = options->context;
	if (options->private_data_len)
		memcpy(e->request_data, options->private_data, options->private_data_len);
	e->options.private_data = NULL;	/* a copy is here now */
	return e;
}

struct endpoint *vbm_endpoint_for_request(const struct endpoint *listener)
{
	struct vbm_endpoint_options o = listener->options;
	struct endpoint *e;

	o.private_data_len = 0;
	e = alloc(&o);
	if (!e)
		return NULL;
	e->is_passive = true;
	e->pub.context = listener->pub.context;
	return e;
}

int vbm_create_endpoint(struct vbm_endpoint **ep, const struct vbm_endpoint_options *options,
			struct vbm_error *error)
{
	struct vbm_endpoint_options defaults;
	struct endpoint *e;
	int rc;

	if (!ep)
		return -vbm_fail(error, EINVAL, "a place to put the endpoint is needed");
	*ep = NULL;
	if (!options) {
		vbm_endpoint_options_init(&defaults);
		options = &defaults;
	}
	rc = check(options, error);
	if (rc)
		return rc;
	e = alloc(options);
	if (!e)
		return -vbm_fail(error, ENOMEM, "out of memory");
	*ep = &e->pub;
	return 0;
}

int vbm_destroy_endpoint(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);
	int rc;

	if (!ep)
		return 0;
	if (ep->ah && ibv_destroy_ah(ep->ah) == 0)
		ep->ah = NULL;
	rc = ep->qp ? vbm_destroy_qp(ep->qp) : 0;
	if (rc)
		return -vbm_fail(&ep->error, rc, "the endpoint cannot be ended: %s",
				 ep->qp->error.msg);
	ep->qp = NULL;
	e->calls->end(e);
	vbm_freeaddrinfo(e->translated);
	free(e);
	return 0;
}

static int wrong_state(struct endpoint *e, int code, const char *what)
{
	return -vbm_fail(&e->pub.error, code, "%s", what);
}

int vbm_connect(struct vbm_endpoint *ep, const char *node, const char *service)
{
	struct endpoint *e = endpoint_of(ep);

	if (!ep)
		return EINVAL;
	if (ep->state != VBM_ENDPOINT_IDLE)
		return wrong_state(e, EINVAL, "an endpoint connects once, before anything else");
	vbm_endpoint_begin(e);
	return e->calls->connect(e, node, service);
}

/* The wildcard of IPv6 serves both families: it goes first. */
static const struct rdma_addrinfo *next_local(const struct rdma_addrinfo *list, bool wildcard,
					      const struct rdma_addrinfo *last)
{
	const struct rdma_addrinfo *ai = last ? last->ai_next : list;
	const struct rdma_addrinfo *six = list;

	if (!wildcard)
		return ai;
	while (six && six->ai_family != AF_INET6)
		six = six->ai_next;
	if (!last && six)
		return six;
	ai = last == six ? list : ai;
	return ai && ai == six ? ai->ai_next : ai;
}

int vbm_listen(struct vbm_endpoint *ep, const char *node, const char *service)
{
	const struct rdma_addrinfo *list, *ai = NULL;
	struct endpoint *e = endpoint_of(ep);
	int rc = 0;

	if (!ep)
		return EINVAL;
	if (ep->state != VBM_ENDPOINT_IDLE)
		return wrong_state(e, EINVAL, "an endpoint listens once, before anything else");
	vbm_endpoint_begin(e);
	if (!e->options.list)
		rc = vbm_endpoint_translate(e, node, service, true);
	if (rc)
		return vbm_endpoint_failed(e, rc);
	list = e->options.list ? e->options.list : e->translated;
	rc = EADDRNOTAVAIL;
	while ((ai = next_local(list, !node && !e->options.list, ai))) {
		e->at = ai;
		rc = e->calls->listen(e, ai);
		if (rc != EADDRNOTAVAIL && rc != EAFNOSUPPORT && rc != ENODEV)
			break;
	}
	if (rc)
		return vbm_endpoint_failed(e, rc);
	ep->state = VBM_ENDPOINT_LISTENING;
	e->step_end = 0;
	return 0;
}

int vbm_get_request(struct vbm_endpoint *listener, struct vbm_endpoint **ep, int timeout_ms)
{
	struct endpoint *e = endpoint_of(listener);
	int rc;

	if (ep)
		*ep = NULL;
	if (!listener || !ep)
		return EINVAL;
	if (listener->state == VBM_ENDPOINT_REMOVED)
		return wrong_state(e, ENODEV, "the device of the listener has gone");
	if (listener->state != VBM_ENDPOINT_LISTENING || e->options.channel)
		return wrong_state(e, EINVAL, "requests are for an endpoint that listens, and whose "
				   "calls wait");
	e->arrived = NULL;
	rc = e->calls->get_request(e, timeout_ms);
	*ep = rc ? NULL : e->arrived;
	return rc;
}

static int answer(struct endpoint *e, enum endpoint_message message, const void *data, size_t len)
{
	size_t room = vbm_endpoint_room(e->options.way, e->options.qp.qp_type, message);

	if (len && !data)
		return wrong_state(e, EINVAL, "private data have a length and no address");
	if (len > room)
		return -vbm_fail(&e->pub.error, EMSGSIZE, "the answer has room for %zu bytes of private "
				 "data, not %zu", room, len);
	e->calls->look(e);
	if (e->pub.state == VBM_ENDPOINT_FAILED || e->pub.state == VBM_ENDPOINT_REMOVED)
		return e->pub.error.code;
	if (e->pub.state != VBM_ENDPOINT_REQUESTED)
		return wrong_state(e, EINVAL, "there is no request to answer");
	vbm_endpoint_begin(e);
	return message == ENDPOINT_REJECTION ? e->calls->reject(e, data, len) :
					       e->calls->accept(e, data, len);
}

int vbm_accept(struct vbm_endpoint *ep, const void *private_data, size_t len)
{
	return ep ? answer(endpoint_of(ep), ENDPOINT_ACCEPTANCE, private_data, len) : EINVAL;
}

int vbm_reject(struct vbm_endpoint *ep, const void *private_data, size_t len)
{
	return ep ? answer(endpoint_of(ep), ENDPOINT_REJECTION, private_data, len) : EINVAL;
}

/* 0: there is a connection. -1: it has ended. Else the code to return. */
static int connection(struct endpoint *e)
{
	e->calls->look(e);
	switch (e->pub.state) {
	case VBM_ENDPOINT_CONNECTED:
		return 0;
	case VBM_ENDPOINT_DISCONNECTED:
		return -1;
	case VBM_ENDPOINT_REMOVED:
		return wrong_state(e, ENODEV, "the device of the connection has gone");
	default:
		return wrong_state(e, ENOTCONN, "there is no connection");
	}
}

int vbm_disconnect(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);
	int rc;

	if (!ep)
		return EINVAL;
	rc = connection(e);
	if (rc)
		return rc < 0 ? 0 : rc;
	vbm_endpoint_begin(e);
	return e->calls->disconnect(e);
}

int vbm_wait_disconnect(struct vbm_endpoint *ep, int timeout_ms)
{
	struct endpoint *e = endpoint_of(ep);
	int rc;

	if (!ep)
		return EINVAL;
	if (e->options.channel)
		return wrong_state(e, EINVAL, "the events of this endpoint come by the program's "
				   "channel");
	rc = connection(e);
	if (rc)
		return rc < 0 ? 0 : rc;
	return e->calls->wait(e, timeout_ms);
}

int vbm_endpoint_timeout(const struct vbm_endpoint *ep)
{
	const struct endpoint *e = (const struct endpoint *)ep;

	return ep ? vbm_loop_ms_left(e->calls->due(e)) : -1;
}

int vbm_endpoint_fd(const struct vbm_endpoint *ep)
{
	const struct endpoint *e = (const struct endpoint *)ep;

	return ep ? e->calls->fd(e) : -1;
}
