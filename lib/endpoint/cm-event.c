/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/endpoint/cm.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/qp/qp.h"

#define CONSUMER_DEFINED 28	/* InfiniBand specification, 12.6.7.2: the peer's program rejected */

static bool is_datagram(const struct endpoint *e)
{
	return e->options.qp.qp_type == IBV_QPT_UD;
}

/*
 * The kernel rejects a request for an address at which the listener does not listen with
 * the status of a program's rejection, and without private data.
 */
static bool has_words(const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < len && !data[i]; i++)
		;
	return i < len;
}

void vbm_endpoint_note(struct endpoint_news *news, struct rdma_cm_event *event)
{
	const struct rdma_cm_event *e = event;
	/* param.ud begins with the same two members. */
	size_t len = e->param.conn.private_data ? e->param.conn.private_data_len : 0;

	news->event = *e;
	news->kind = (int)e->event;
	if (len)
		memcpy(news->data, e->param.conn.private_data, len);
	if (news->kind == RDMA_CM_EVENT_REJECTED && e->status == CONSUMER_DEFINED && has_words(news->data, len))
		news->kind = ENDPOINT_REJECTED_BY_PEER;
	news->event.param.conn.private_data = len ? news->data : NULL;
	news->event.param.conn.private_data_len = (uint8_t)len;
	vbm_ack_cm_event(event);
}

/* Fill in the endpoint's error from the event. Returns its code. */
static int say(struct endpoint *e, const struct endpoint_news *news)
{
	int status = news->event.status, code = vbm_endpoint_code(news->kind, status);
	char address[INET6_ADDRSTRLEN], detail[32] = "";

	if (news->kind == ENDPOINT_ADDRINFO_ERROR)
		code = vbm_gai_errno(status, EIO);
	else if (e->is_passive && code == ECONNREFUSED)
		code = ECONNABORTED;
	e->pub.reason = status;
	vbm_endpoint_keep_data(e, news->event.param.conn.private_data,
			       news->event.param.conn.private_data_len);
	if (news->kind == ENDPOINT_TIMEOUT)
		return -vbm_fail(&e->pub.error, code, "%s does not answer in time",
				 vbm_endpoint_address(e, address));
	if (status)
		snprintf(detail, sizeof(detail), ", status %d", status);
	return -vbm_fail(&e->pub.error, code, "the connection with %s fails: %s%s%s: %s",
			 vbm_endpoint_address(e, address), vbm_event_str(news->event.event), detail,
			 news->kind == ENDPOINT_REJECTED_BY_PEER ? " (by its program)" : "",
			 strerror(code));
}

static int call_fails(struct endpoint *e, const char *call)
{
	char address[INET6_ADDRSTRLEN];
	int code = errno > 0 ? errno : EIO;

	return -vbm_fail(&e->pub.error, code, "%s fails for %s: %s", call,
			 vbm_endpoint_address(e, address), strerror(code));
}

static int ignore(struct endpoint *e, const struct endpoint_news *news)
{
	(void)e;
	(void)news;
	return 0;
}

static int take_list(struct endpoint *e, const struct endpoint_news *news)
{
	(void)news;
	if (vbm_query_addrinfo(e->pub.id, &e->translated))
		return vbm_endpoint_give_up(e, call_fails(e, "rdma_query_addrinfo"));
	e->at = e->translated;
	return vbm_endpoint_try(e);
}

static int try_next(struct endpoint *e, const struct endpoint_news *news)
{
	return vbm_endpoint_try_next(e, say(e, news));
}

static int resolve_route(struct endpoint *e, const struct endpoint_news *news)
{
	int ms = vbm_loop_ms_left(e->step_end);

	(void)news;
	/* The kernel refuses 0 with EINVAL. The next wait sees that the time is over. */
	if (ms == 0)
		ms = 1;
	if (rdma_resolve_route(e->pub.id, ms < 0 ? 5000 : ms))
		return vbm_endpoint_try_next(e, call_fails(e, "rdma_resolve_route"));
	e->pub.state = VBM_ENDPOINT_RESOLVING_ROUTE;
	return 0;
}

static int ask(struct endpoint *e, const struct endpoint_news *news)
{
	uint8_t data[PRIVATE_DATA_MAX];
	struct rdma_conn_param param;
	size_t len = 0;
	int rc = vbm_endpoint_connect_data(e, data, &len);

	(void)news;
	if (rc == 0)
		rc = vbm_create_qp_on_id(&e->pub.qp, e->pub.id, &e->options.qp, &e->pub.error);
	if (rc)
		return vbm_endpoint_try_next(e, rc);
	rc = vbm_endpoint_take_qp(e);
	if (rc)
		return vbm_endpoint_give_up(e, rc);
	vbm_endpoint_param(e, &param);
	param.private_data = data;
	param.private_data_len = (uint8_t)len;
	vbm_endpoint_set_options(e);
	if (rdma_connect(e->pub.id, &param))
		return vbm_endpoint_try_next(e, call_fails(e, "rdma_connect"));
	e->pub.state = VBM_ENDPOINT_CONNECTING;
	return 0;
}

static int fail(struct endpoint *e, const struct endpoint_news *news)
{
	return vbm_endpoint_give_up(e, vbm_endpoint_all_failed(e, say(e, news)));
}

static int make_request(struct endpoint *n, const struct endpoint_news *news)
{
	int rc = vbm_endpoint_own_channel(n);

	if (rc == 0 && n->own && vbm_migrate_id(n->pub.id, n->own))
		rc = call_fails(n, "rdma_migrate_id");
	if (rc == 0)
		rc = vbm_create_qp_on_id(&n->pub.qp, n->pub.id, &n->options.qp, &n->pub.error);
	if (rc == 0)
		rc = vbm_endpoint_take_qp(n);
	if (rc == 0 && !is_datagram(n)) {
		n->responder_resources = news->event.param.conn.responder_resources;
		n->initiator_depth = news->event.param.conn.initiator_depth;
	}
	return rc;
}

/* When the peer has given up its request, the kernel sends no event, and calls on the id fail. */
static bool is_given_up(struct rdma_cm_id *id)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT};
	int mask;

	return rdma_init_qp_attr(id, &attr, &mask) != 0;
}

static int take_request(struct endpoint *e, const struct endpoint_news *news)
{
	struct endpoint *n = vbm_endpoint_for_request(e);
	int rc;

	if (!n) {
		rdma_reject(news->event.id, NULL, 0);
		vbm_destroy_id(news->event.id);
		return -vbm_fail(&e->pub.error, ENOMEM, "out of memory");
	}
	n->pub.id = news->event.id;
	n->pub.id->context = n;
	n->pub.state = VBM_ENDPOINT_REQUESTED;
	vbm_endpoint_keep_data(n, news->event.param.conn.private_data,
			       news->event.param.conn.private_data_len);
	rc = make_request(n, news);
	if (rc == 0) {
		e->arrived = &n->pub;
		return 0;
	}
	e->pub.error = n->pub.error;
	vbm_endpoint_undo_qp(n);
	rc = is_given_up(n->pub.id) ? 0 : rc;
	if (rc)
		rdma_reject(n->pub.id, NULL, 0);
	vbm_destroy_endpoint(&n->pub);
	return rc;
}

/* rdma_cm sets these two attributes to fixed values, so the options have to be set again. */
static int set_attributes(struct vbm_qp *q, struct vbm_error *error)
{
	struct ibv_qp_attr attr = {
		.qp_access_flags = (unsigned int)q->options.access,
		.min_rnr_timer = q->options.min_rnr_timer,
	};
	struct ibv_qp_init_attr init;
	int rc = ibv_modify_qp(q->qp, &attr, IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER);

	/*
	 * The call fails when the queue pair is in ERR by now; its completions then report
	 * the cause.
	 */
	if (rc && !ibv_query_qp(q->qp, &attr, IBV_QP_STATE, &init) && attr.qp_state != IBV_QPS_RTS)
		rc = 0;
	return rc ? -vbm_fail(error, rc, "ibv_modify_qp of queue pair %u fails after it was connected: "
			      "%s", q->local.qp_num, strerror(rc)) : 0;
}

/* The options keep what the program wants; the times and retries are those that rdma_cm has set. */
static int learn_peer(struct vbm_qp *q, struct vbm_error *error)
{
	int mask = IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC |
		   IBV_QP_SQ_PSN | IBV_QP_RQ_PSN;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int rc = ibv_query_qp(q->qp, &attr, mask, &init);

	if (rc)
		return -vbm_fail(error, rc, "ibv_query_qp of queue pair %u fails: %s", q->local.qp_num,
				 strerror(rc));
	q->peer.qp_num = attr.dest_qp_num;
	q->peer.lid = attr.ah_attr.dlid;
	q->peer.gid = attr.ah_attr.grh.dgid;
	q->place.gid_index = attr.ah_attr.grh.sgid_index;
	q->options.timeout = attr.timeout;
	q->options.retry_cnt = attr.retry_cnt;
	q->options.rnr_retry = attr.rnr_retry;
	q->terms = (struct vbm_qp_terms){
		.mtu = 128 << (int)attr.path_mtu,
		.sq_psn = attr.sq_psn,
		.rq_psn = attr.rq_psn,
		.max_rd_atomic = attr.max_rd_atomic,
		.max_dest_rd_atomic = attr.max_dest_rd_atomic,
	};
	return 0;
}

static int learn_datagrams(struct endpoint *e, const struct rdma_ud_param *ud)
{
	struct ibv_ah_attr attr = ud->ah_attr;

	errno = 0;
	e->pub.ah = ibv_create_ah(e->pub.qp->pd, &attr);
	if (!e->pub.ah)
		return call_fails(e, "ibv_create_ah");
	e->pub.qp->peer = (struct vbm_qp_address){
		.qp_num = ud->qp_num, .lid = attr.dlid, .gid = attr.grh.dgid,
	};
	e->pub.qp->place.gid_index = attr.grh.sgid_index;
	e->pub.remote_qkey = ud->qkey;
	return 0;
}

static int settle(struct endpoint *e, const struct endpoint_news *news)
{
	int rc;

	if (is_datagram(e)) {
		rc = learn_datagrams(e, &news->event.param.ud);
	} else {
		rc = set_attributes(e->pub.qp, &e->pub.error);
		rc = rc ? rc : learn_peer(e->pub.qp, &e->pub.error);
	}
	if (rc)
		return vbm_endpoint_give_up(e, rc);
	if (!e->is_passive)
		vbm_endpoint_keep_data(e, news->event.param.conn.private_data,
				       news->event.param.conn.private_data_len);
	e->pub.state = VBM_ENDPOINT_CONNECTED;
	e->step_end = 0;
	return 0;
}

static int answer(struct endpoint *e, const struct endpoint_news *news)
{
	(void)news;
	rdma_disconnect(e->pub.id);
	vbm_qp_to_error(e->pub.qp);
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
	return 0;
}

static int end(struct endpoint *e, const struct endpoint_news *news)
{
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
	return news->kind == ENDPOINT_TIMEOUT ? say(e, news) : 0;
}

/* The program still has to destroy the endpoint; only that releases the device. */
static int remove_device(struct endpoint *e, const struct endpoint_news *news)
{
	int code = say(e, news);

	vbm_qp_to_error(e->pub.qp);
	e->pub.state = VBM_ENDPOINT_REMOVED;
	e->step_end = 0;
	return code;
}

static int (*const actions[ENDPOINT_ACTIONS])(struct endpoint *e, const struct endpoint_news *n) = {
	[ENDPOINT_IGNORE] = ignore,
	[ENDPOINT_TAKE_LIST] = take_list,
	[ENDPOINT_RESOLVE_ROUTE] = resolve_route,
	[ENDPOINT_ASK] = ask,
	[ENDPOINT_TRY_NEXT] = try_next,
	[ENDPOINT_FAIL] = fail,
	[ENDPOINT_TAKE_REQUEST] = take_request,
	[ENDPOINT_SETTLE] = settle,
	[ENDPOINT_ANSWER] = answer,
	[ENDPOINT_END] = end,
	[ENDPOINT_REMOVE] = remove_device,
};

int vbm_endpoint_happens(struct endpoint *e, const struct endpoint_news *news)
{
	return actions[vbm_endpoint_action(e->pub.state, news->kind)](e, news);
}

int vbm_endpoint_take_event(struct endpoint *e)
{
	struct rdma_cm_event *event;
	struct endpoint_news news;

	if (vbm_get_cm_event(e->own, &event))
		return errno == EAGAIN || errno == EINTR ? 0 : call_fails(e, "rdma_get_cm_event");
	vbm_endpoint_note(&news, event);
	return vbm_endpoint_happens(e, &news);
}

int vbm_endpoint_next_event(struct endpoint *e, int64_t until)
{
	struct pollfd p[3] = {
		{.fd = e->own->fd, .events = POLLIN},
		{.fd = e->pub.state == VBM_ENDPOINT_CONNECTED ? vbm_endpoint_device_fd(e) : -1, .events = POLLIN},
	};
	int rc = vbm_endpoint_poll(e, p, 2, until);

	if (rc == ETIMEDOUT)
		return -vbm_note(&e->pub.error, ETIMEDOUT, "no event arrived in time");
	return rc ? rc : vbm_endpoint_take_event(e);
}

int vbm_endpoint_time_is_up(struct endpoint *e)
{
	static const struct endpoint_news time_is_up = {.kind = ENDPOINT_TIMEOUT};

	if (!e->is_pausing)
		return vbm_endpoint_happens(e, &time_is_up);
	if (vbm_loop_ms_left(e->step_end))
		return 0;
	e->is_pausing = false;
	return vbm_endpoint_try(e);
}

/* A call that waits cannot go on. The end of a connection is an end in any case. */
static void cut_short(struct endpoint *e, int code)
{
	if (e->pub.state != VBM_ENDPOINT_DISCONNECTING) {
		vbm_endpoint_give_up(e, code);
		return;
	}
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
}

/* Each failure is stored in the endpoint's error, and the endpoint's calls return it. */
void vbm_endpoint_drive(struct endpoint *e)
{
	int rc;

	while (vbm_endpoint_is_under_way(e->pub.state)) {
		if (vbm_loop_ms_left(e->step_end) == 0)
			vbm_endpoint_time_is_up(e);
		rc = vbm_endpoint_is_under_way(e->pub.state) ?
			vbm_endpoint_next_event(e, e->step_end) : 0;
		if (rc && rc != ETIMEDOUT && vbm_endpoint_is_under_way(e->pub.state))
			cut_short(e, rc);
	}
}

/*
 * For an endpoint without a channel of the program: handle the events that have come,
 * without waiting.
 */
static int look(struct endpoint *e)
{
	struct vbm_error before = e->pub.error;
	int rc;

	e->arrived = NULL;
	if (e->pub.state != VBM_ENDPOINT_LISTENING) {
		rc = e->calls->look(e);
		return e->pub.state == VBM_ENDPOINT_REMOVED || e->pub.state == VBM_ENDPOINT_FAILED ?
			e->pub.error.code : rc;
	}
	rc = e->calls->get_request(e, 0);
	if (rc != ETIMEDOUT)
		return rc;
	e->pub.error = before;
	return 0;
}

int vbm_endpoint_event(struct vbm_endpoint *ep, struct rdma_cm_event *event,
		       struct vbm_endpoint **request)
{
	struct endpoint *e = endpoint_of(ep);
	struct endpoint_news news;
	int rc;

	if (request)
		*request = NULL;
	if (!ep)
		return EINVAL;
	if (!event && !request && ep->state == VBM_ENDPOINT_LISTENING && !e->options.channel)
		return -vbm_fail(&ep->error, EINVAL, "the pointer to the listener's request is NULL");
	if (event && (event->event == RDMA_CM_EVENT_CONNECT_REQUEST ?
		      event->listen_id != ep->id || !request : event->id != ep->id))
		return -vbm_fail(&ep->error, EINVAL, "the event is not for this endpoint");
	if (event)
		vbm_endpoint_note(&news, event);
	e->arrived = NULL;
	if (event)
		rc = vbm_endpoint_happens(e, &news);
	else
		rc = e->options.channel ? vbm_endpoint_time_is_up(e) : look(e);
	if (request)
		*request = e->arrived;
	return rc;
}
