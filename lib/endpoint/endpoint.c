/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/endpoint.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/options.h"
#include "lib/qp/qp.h"

void vbm_endpoint_options_init_sized(struct vbm_endpoint_options *options, size_t size)
{
	struct vbm_endpoint_options all = {
		.way = VBM_WAY_RDMA_CM,
		.timeout_ms = 5000,
		.backlog = 128,
		.keepalive_ms = 10000,
	};

	vbm_qp_options_init(&all.qp);
	all.qp.rnr_retry = 6;
	vbm_options_give(options, size, &all, sizeof(all));
}

static int take_options(struct vbm_endpoint_options *to, const struct vbm_endpoint_options *from,
			struct vbm_error *error)
{
	struct vbm_qp_options qp;
	int rc = 0;

	vbm_endpoint_options_init(to);
	qp = to->qp;
	if (from)
		rc = vbm_options_take(to, sizeof(*to), from, "endpoint_options", error);
	if (rc == 0)
		rc = vbm_qp_options_take(&qp, &to->qp, error);
	to->qp = qp;
	return rc;
}

static int check_options(const struct vbm_endpoint_options *o, struct vbm_error *error)
{
	size_t room = vbm_endpoint_room(o->way, o->qp.qp_type, ENDPOINT_REQUEST);
	bool handshake = o->way == VBM_WAY_HANDSHAKE;

	if (!handshake && o->way != VBM_WAY_RDMA_CM)
		return -vbm_fail(error, EINVAL, "way: %d is not a value of enum vbm_way", (int)o->way);
	if (o->private_data_len && !o->private_data)
		return -vbm_fail(error, EINVAL, "private_data_len: %zu, and private_data is NULL",
				 o->private_data_len);
	if (handshake && o->channel)
		return -vbm_fail(error, EOPNOTSUPP, "channel: an endpoint that uses the handshake has no event channel");
	if (!handshake && vbm_qp_options_for_rdma_cm(&o->qp, error) < 0)
		return EOPNOTSUPP;
	if (!handshake && o->authenticate)
		return -vbm_fail(error, EOPNOTSUPP, "authenticate: rdma_cm has no socket over which ends can "
				 "authenticate each other");
	if (o->keepalive_ms >= 0 && o->keepalive_ms < 1000)
		return -vbm_fail(error, EINVAL, "keepalive_ms: %d is less than 1000, and not -1", o->keepalive_ms);
	if (o->retry_ms < 0)
		return -vbm_fail(error, EINVAL, "retry_ms: %d is less than 0", o->retry_ms);
	if (o->private_data_len > room)
		return -vbm_fail(error, EMSGSIZE, "private_data_len: %zu is more than a request has room for, "
				 "%zu", o->private_data_len, room);
	if (o->qp.qp_type != IBV_QPT_RC && o->qp.qp_type != (handshake ? IBV_QPT_UC : IBV_QPT_UD))
		return -vbm_fail(error, EPROTOTYPE, "qp.qp_type: this way connects no queue pairs of type %d",
				 (int)o->qp.qp_type);
	return 0;
}

int vbm_create_endpoint(struct vbm_endpoint **ep, const struct vbm_endpoint_options *options,
			struct vbm_error *error)
{
	struct vbm_endpoint_options own;
	struct endpoint *e;
	int rc;

	if (!ep)
		return -vbm_fail(error, EINVAL, "the pointer to the new endpoint is NULL");
	*ep = NULL;
	rc = take_options(&own, options, error);
	rc = rc ? rc : check_options(&own, error);
	if (rc)
		return rc;
	e = vbm_endpoint_new(&own, own.way == VBM_WAY_HANDSHAKE ? &vbm_endpoint_handshake : &vbm_endpoint_cm);
	if (!e)
		return -vbm_fail(error, ENOMEM, "out of memory");
	rc = vbm_endpoint_open_interrupt(e, error);
	if (rc)
		free(e);
	else
		*ep = &e->pub;
	return rc;
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
		return wrong_state(e, EINVAL, "only a new endpoint can connect");
	vbm_endpoint_begin(e);
	return e->calls->connect(e, node, service);
}

/* A listener on the IPv6 wildcard serves both families, so that address is tried first. */
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
		return wrong_state(e, EINVAL, "only a new endpoint can listen");
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
		return wrong_state(e, EINVAL, "the endpoint does not listen, or its requests arrive on "
				   "the program's channel");
	e->arrived = NULL;
	rc = e->calls->get_request(e, timeout_ms);
	*ep = rc ? NULL : e->arrived;
	return rc;
}

/* vbm_get_request() takes the requests of a listener: see calls->look(). */
static int handle_news(struct endpoint *e)
{
	return e->pub.state == VBM_ENDPOINT_LISTENING ? 0 : e->calls->look(e);
}

static int answer_request(struct endpoint *e, enum endpoint_message message, const void *data, size_t len)
{
	size_t room = vbm_endpoint_room(e->options.way, e->options.qp.qp_type, message);

	if (len && !data)
		return wrong_state(e, EINVAL, "the private data have a length, and their pointer is NULL");
	if (len > room)
		return -vbm_fail(&e->pub.error, EMSGSIZE, "the answer has room for %zu bytes of private "
				 "data, not %zu", room, len);
	handle_news(e);
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
	return ep ? answer_request(endpoint_of(ep), ENDPOINT_ACCEPTANCE, private_data, len) : EINVAL;
}

int vbm_reject(struct vbm_endpoint *ep, const void *private_data, size_t len)
{
	return ep ? answer_request(endpoint_of(ep), ENDPOINT_REJECTION, private_data, len) : EINVAL;
}

/* 0: connected. -1: the connection has ended. Otherwise the code to return. *@news: see calls->look(). */
static int connection(struct endpoint *e, int *news)
{
	*news = handle_news(e);
	switch (e->pub.state) {
	case VBM_ENDPOINT_CONNECTED:
		return 0;
	case VBM_ENDPOINT_DISCONNECTED:
		return -1;
	case VBM_ENDPOINT_REMOVED:
		return wrong_state(e, ENODEV, "the device of the connection has gone");
	default:
		return *news ? *news : wrong_state(e, ENOTCONN, "there is no connection");
	}
}

int vbm_disconnect(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);
	int rc, news;

	if (!ep)
		return EINVAL;
	rc = connection(e, &news);
	if (rc)
		return rc < 0 ? 0 : rc;
	vbm_endpoint_begin(e);
	return e->calls->disconnect(e);
}

int vbm_wait_disconnect(struct vbm_endpoint *ep, int timeout_ms)
{
	struct endpoint *e = endpoint_of(ep);
	int rc, news;

	if (!ep)
		return EINVAL;
	if (e->options.channel)
		return wrong_state(e, EINVAL, "the events of this endpoint arrive on the program's "
				   "channel");
	rc = connection(e, &news);
	if (rc)
		return rc < 0 ? 0 : rc;
	return news ? news : e->calls->wait(e, timeout_ms);
}

int vbm_endpoint_timeout(const struct vbm_endpoint *ep)
{
	const struct endpoint *e = (const struct endpoint *)ep;

	return ep ? vbm_loop_ms_left(e->calls->due(e)) : -1;
}

int vbm_endpoint_fd(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);

	return ep ? e->calls->fd(e) : -1;
}

/* Other threads use the endpoint, and errno may be that of the interrupted code. */
int vbm_interrupt_endpoint(struct vbm_endpoint *ep)
{
	struct endpoint *e = endpoint_of(ep);
	int before = errno;

	if (!ep)
		return EINVAL;
	if (e->interruptfd < 0)
		return EOPNOTSUPP;
	vbm_loop_raise(e->interruptfd);
	errno = before;
	return 0;
}
