/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "lib/base/fail.h"

#define CM_MS 5000

static int fail_cm_call(struct vbm_error *err, const char *call)
{
	int code = errno ? errno : EIO;

	return vbm_fail(err, code, "%s failed: %s", call, strerror(code));
}

/* An identifier belongs to the network of the process that makes it. */
static int enter_network(struct walk_hosts *w, int host, struct vbm_error *err)
{
	struct walk_host *h = &w->host[host];
	int rc = host_ns_enter(fabric_namespaces(w->fabric, host), err);

	if (rc < 0 || h->events)
		return rc;
	h->events = w->target->create_event_channel();
	return h->events ? 0 : fail_cm_call(err, "rdma_create_event_channel");
}

static struct sockaddr_in address_of(const struct walk_hosts *w, int host, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = port};

	inet_pton(AF_INET, fabric_host(w->fabric, host)->ip4, &a.sin_addr);
	return a;
}

/* Takes the next event of a host; it has to be of this type. */
static int await_cm_event(struct walk_hosts *w, int host, enum rdma_cm_event_type type, struct rdma_cm_id **id, struct vbm_error *err)
{
	struct pollfd p = {.fd = w->host[host].events->fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(CM_MS);
	struct rdma_cm_event *event;
	enum rdma_cm_event_type got;

	do {
		if (poll(&p, 1, clock_left_ms(deadline)) <= 0 && !clock_stood_still(&deadline))
			return vbm_fail(err, ETIMEDOUT, "no event %s of rdma_cm", w->target->event_str(type));
		if (w->target->get_cm_event(w->host[host].events, &event))
			return fail_cm_call(err, "rdma_get_cm_event");
		got = event->event;
		if (id)
			*id = event->id;
		w->target->ack_cm_event(event);
		/* An earlier connection ended. */
	} while (got == RDMA_CM_EVENT_DISCONNECTED || got == RDMA_CM_EVENT_TIMEWAIT_EXIT);
	return got == type ? 0 : vbm_fail(err, EPROTO, "rdma_cm has the event %s, and not %s", w->target->event_str(got),
					  w->target->event_str(type));
}

static int listen_once(struct walk_hosts *w, struct vbm_error *err)
{
	struct sockaddr_in a = address_of(w, 1, 0);
	int rc = enter_network(w, 1, err);

	if (rc < 0 || w->listener)
		return rc;
	if (w->target->create_id(w->host[1].events, &w->listener, NULL, RDMA_PS_TCP))
		return fail_cm_call(err, "rdma_create_id");
	if (w->target->bind_addr(w->listener, (struct sockaddr *)&a) || w->target->listen(w->listener, MODEL_PAIRS))
		return fail_cm_call(err, "rdma_listen");
	return 0;
}

static struct rdma_conn_param parameters(const struct walk_hosts *w, int host, int pair)
{
	return (struct rdma_conn_param){
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 2, .rnr_retry_count = 1,
		.qp_num = w->host[host].pair[pair].qp->qp_num,
	};
}

static int resolve_peer(struct walk_hosts *w, struct rdma_cm_id *id, struct vbm_error *err)
{
	struct sockaddr_in from = address_of(w, 0, 0), to = address_of(w, 1, w->target->get_src_port(w->listener));
	int rc;

	if (w->target->resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, CM_MS))
		return fail_cm_call(err, "rdma_resolve_addr");
	rc = await_cm_event(w, 0, RDMA_CM_EVENT_ADDR_RESOLVED, NULL, err);
	if (rc == 0 && w->target->resolve_route(id, CM_MS))
		return fail_cm_call(err, "rdma_resolve_route");
	return rc < 0 ? rc : await_cm_event(w, 0, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL, err);
}

static int begin_connection(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	struct rdma_conn_param param = parameters(w, 0, pair);
	struct rdma_cm_id **id = &w->host[0].pair[pair].id;
	int rc = enter_network(w, 0, err);

	if (rc == 0 && w->target->create_id(w->host[0].events, id, NULL, RDMA_PS_TCP))
		return fail_cm_call(err, "rdma_create_id");
	if (rc == 0)
		rc = resolve_peer(w, *id, err);
	if (rc == 0 && w->target->connect(*id, &param))
		return fail_cm_call(err, "rdma_connect");
	return rc;
}

static int accept_connection(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	struct rdma_conn_param param = parameters(w, 1, pair);
	struct rdma_cm_id **id = &w->host[1].pair[pair].id;
	int rc = enter_network(w, 1, err);

	if (rc == 0)
		rc = await_cm_event(w, 1, RDMA_CM_EVENT_CONNECT_REQUEST, id, err);
	if (rc == 0 && w->target->accept(*id, &param))
		return fail_cm_call(err, "rdma_accept");
	if (rc == 0)
		rc = await_cm_event(w, 0, RDMA_CM_EVENT_ESTABLISHED, NULL, err);
	return rc < 0 ? rc : await_cm_event(w, 1, RDMA_CM_EVENT_ESTABLISHED, NULL, err);
}

int walk_cm_connect(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	int rc = listen_once(w, err);

	if (rc == 0)
		rc = begin_connection(w, pair, err);
	return rc < 0 ? rc : accept_connection(w, pair, err);
}

void walk_cm_disconnect(struct walk_hosts *w, int pair)
{
	struct walk_pair *p;
	int h;

	for (h = 0; h < MODEL_HOSTS; h++) {
		p = &w->host[h].pair[pair];
		w->target->disconnect(p->id);
		w->target->destroy_qp(p->qp);
		w->target->destroy_id(p->id);
		p->id = NULL;
		p->qp = NULL;
	}
}
