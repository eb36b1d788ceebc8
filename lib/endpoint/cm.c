/* SPDX-License-Identifier: BSD-2-Clause */
/* Long: events try addresses, and addresses wait for events. */
/*
 * The way by rdma_cm: the addresses of an attempt, what each event does, and the calls of an endpoint.
 * All functions return 0 or a positive errno value.
 */
#include "lib/endpoint/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include <verbatim/resolve.h>

#include "lib/base/fail.h"
#include "lib/qp/qp.h"

#define RESOLVE_MS 5000		/* used when there is no time limit */
#define CONSUMER_DEFINED 28	/* InfiniBand specification, 12.6.7.2: the peer's program rejected */

/* A copy of an event, which has been acknowledged already. */
struct endpoint_news {
	int kind;		/* the event's number in the table */
	struct rdma_cm_event event;
	uint8_t data[PRIVATE_DATA_MAX];	/* the private data of @event */
};

static int fail_endpoint_call(struct endpoint *e, const char *call)
{
	return vbm_endpoint_call_failed(e, call, errno > 0 ? errno : EIO);
}

/* Make an event channel of the endpoint's own, on which its calls wait. */
static int own_channel(struct endpoint *e)
{
	if (e->options.channel || e->own)
		return 0;
	e->own = rdma_create_event_channel();
	if (!e->own)
		return fail_endpoint_call(e, "rdma_create_event_channel");
	fcntl(e->own->fd, F_SETFL, fcntl(e->own->fd, F_GETFL) | O_NONBLOCK);
	fcntl(e->own->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int need_id(struct endpoint *e)
{
	int rc = own_channel(e);

	if (rc || e->pub.id)
		return rc;
	if (vbm_create_id(e->own ? e->own : e->options.channel, &e->pub.id, e,
			  e->options.qp.qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP))
		return fail_endpoint_call(e, "rdma_create_id");
	return 0;
}

/* The queue pair stays, because the program has objects that use it. */
static void drop_id(struct endpoint *e)
{
	if (!e->pub.id)
		return;
	if (e->pub.qp)
		e->pub.qp->id = NULL;
	e->pub.id->qp = NULL;
	vbm_destroy_id(e->pub.id);
	e->pub.id = NULL;
}

/* The operation has failed for good: state FAILED. */
static int give_up(struct endpoint *e, int code)
{
	vbm_endpoint_failed(e, code);
	drop_id(e);
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
		return fail_endpoint_call(e, "rdma_resolve_addr");
	return 0;
}

static int try_next(struct endpoint *e, int code);

/* Try the address @at. If it cannot start, try the addresses after it. */
static int try_address(struct endpoint *e)
{
	int rc;

	if (!e->at)
		return give_up(e, -vbm_fail(&e->pub.error, EADDRNOTAVAIL,
							 "there is no address to connect to"));
	rc = begin_address(e);
	return rc ? try_next(e, rc) : 0;
}

/* Nothing of the attempt is left. EBUSY: the program uses its queue pair. */
static int clear_attempt(struct endpoint *e)
{
	int rc = vbm_endpoint_discard(e);

	if (rc)
		return give_up(e, rc);
	drop_id(e);
	vbm_endpoint_keep_data(e, NULL, 0);
	return 0;
}

/* The present address failed with @code, and the error has the details. */
static int try_next(struct endpoint *e, int code)
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
		return give_up(e, code);
	rc = clear_attempt(e);
	if (rc == 0)
		vbm_endpoint_pause(e);
	return rc;
}

/* The parameters of rdma_connect(3) and rdma_accept(3). */
static void fill_param(const struct endpoint *e, struct rdma_conn_param *param)
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
static void set_options(struct endpoint *e)
{
	struct vbm_qp_options *o = &e->options.qp;

	if (o->qp_type == IBV_QPT_RC)
		rdma_set_option(e->pub.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &o->timeout,
				sizeof(o->timeout));
	if (o->traffic_class)
		rdma_set_option(e->pub.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &o->traffic_class,
				sizeof(o->traffic_class));
}

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

/* Copy @event and acknowledge it. */
static void take_copy(struct endpoint_news *news, struct rdma_cm_event *event)
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
		return give_up(e, fail_endpoint_call(e, "rdma_query_addrinfo"));
	e->at = e->translated;
	return try_address(e);
}

static int say_and_try_next(struct endpoint *e, const struct endpoint_news *news)
{
	return try_next(e, say(e, news));
}

static int resolve_route(struct endpoint *e, const struct endpoint_news *news)
{
	int ms = vbm_loop_ms_left(e->step_end);

	(void)news;
	/* The kernel refuses 0 with EINVAL. The next wait sees that the time is over. */
	if (ms == 0)
		ms = 1;
	if (rdma_resolve_route(e->pub.id, ms < 0 ? RESOLVE_MS : ms))
		return try_next(e, fail_endpoint_call(e, "rdma_resolve_route"));
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
		return try_next(e, rc);
	rc = vbm_endpoint_take_qp(e);
	if (rc)
		return give_up(e, rc);
	fill_param(e, &param);
	param.private_data = data;
	param.private_data_len = (uint8_t)len;
	set_options(e);
	if (rdma_connect(e->pub.id, &param))
		return try_next(e, fail_endpoint_call(e, "rdma_connect"));
	e->pub.state = VBM_ENDPOINT_CONNECTING;
	return 0;
}

static int fail(struct endpoint *e, const struct endpoint_news *news)
{
	return give_up(e, vbm_endpoint_all_failed(e, say(e, news)));
}

static int make_request(struct endpoint *n, const struct endpoint_news *news)
{
	int rc = own_channel(n);

	if (rc == 0 && n->own && vbm_migrate_id(n->pub.id, n->own))
		rc = fail_endpoint_call(n, "rdma_migrate_id");
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
		return fail_endpoint_call(e, "ibv_create_ah");
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
		return give_up(e, rc);
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
	[ENDPOINT_TRY_NEXT] = say_and_try_next,
	[ENDPOINT_FAIL] = fail,
	[ENDPOINT_TAKE_REQUEST] = take_request,
	[ENDPOINT_SETTLE] = settle,
	[ENDPOINT_ANSWER] = answer,
	[ENDPOINT_END] = end,
	[ENDPOINT_REMOVE] = remove_device,
};

/* Act on the event as the table says. */
static int act_on(struct endpoint *e, const struct endpoint_news *news)
{
	return actions[vbm_endpoint_action(e->pub.state, news->kind)](e, news);
}

/* Act on the event that has come. 0 also when there is none. */
static int take_event(struct endpoint *e)
{
	struct rdma_cm_event *event;
	struct endpoint_news news;

	if (vbm_get_cm_event(e->own, &event))
		return errno == EAGAIN || errno == EINTR ? 0 : fail_endpoint_call(e, "rdma_get_cm_event");
	take_copy(&news, event);
	return act_on(e, &news);
}

/* Wait for the next event until @until (see vbm_loop_ms_left()), and act on it. */
static int next_event(struct endpoint *e, int64_t until)
{
	struct pollfd p[3] = {
		{.fd = e->own->fd, .events = POLLIN},
		{.fd = e->pub.state == VBM_ENDPOINT_CONNECTED ? vbm_endpoint_device_fd(e) : -1, .events = POLLIN},
	};
	int rc = vbm_endpoint_poll(e, p, 2, until);

	if (rc == ETIMEDOUT)
		return -vbm_note(&e->pub.error, ETIMEDOUT, "no event arrived in time");
	return rc ? rc : take_event(e);
}

static int time_is_up(struct endpoint *e)
{
	static const struct endpoint_news news = {.kind = ENDPOINT_TIMEOUT};

	if (!e->is_pausing)
		return act_on(e, &news);
	if (vbm_loop_ms_left(e->step_end))
		return 0;
	e->is_pausing = false;
	return try_address(e);
}

/* A call that waits cannot go on. The end of a connection is an end in any case. */
static void cut_short(struct endpoint *e, int code)
{
	if (e->pub.state != VBM_ENDPOINT_DISCONNECTING) {
		give_up(e, code);
		return;
	}
	e->pub.state = VBM_ENDPOINT_DISCONNECTED;
	e->step_end = 0;
}

/*
 * Handle events until nothing is under way. Each failure is stored in the endpoint's error, and the endpoint's
 * calls return it.
 */
static void drive(struct endpoint *e)
{
	int rc;

	while (vbm_endpoint_is_under_way(e->pub.state)) {
		if (vbm_loop_ms_left(e->step_end) == 0)
			time_is_up(e);
		rc = vbm_endpoint_is_under_way(e->pub.state) ?
			next_event(e, e->step_end) : 0;
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
		take_copy(&news, event);
	e->arrived = NULL;
	if (event)
		rc = act_on(e, &news);
	else
		rc = e->options.channel ? time_is_up(e) : look(e);
	if (request)
		*request = e->arrived;
	return rc;
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
			rc = fail_endpoint_call(e, "rdma_resolve_addrinfo");
		if (rc == 0)
			e->pub.state = VBM_ENDPOINT_TRANSLATING;
		return rc ? give_up(e, rc) : 0;
	}
	if (!e->at) {
		rc = vbm_endpoint_translate(e, node, service, false);
		e->at = e->translated;
	}
	rc = rc ? give_up(e, rc) : try_address(e);
	if (rc || !endpoint_waits(e))
		return rc;
	drive(e);
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
		rc = fail_endpoint_call(e, "rdma_set_option");
	else if (rdma_bind_addr(e->pub.id, at->ai_src_addr))
		rc = fail_endpoint_call(e, "rdma_bind_addr");
	else if (rdma_listen(e->pub.id, e->options.backlog))
		rc = fail_endpoint_call(e, "rdma_listen");
	if (rc)
		drop_id(e);
	return rc;
}

static int cm_get_request(struct endpoint *e, int timeout_ms)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	int rc = 0;

	while (rc == 0 && !e->arrived)
		rc = next_event(e, end);
	return rc;
}

/* The kernel says EINVAL when the peer has given up. */
static int answer_failed(struct endpoint *e, const char *call)
{
	if (errno == EINVAL)
		errno = ECONNABORTED;
	return give_up(e, fail_endpoint_call(e, call));
}

static int cm_accept(struct endpoint *e, const void *data, size_t len)
{
	struct rdma_conn_param param;

	fill_param(e, &param);
	param.private_data = data;
	param.private_data_len = (uint8_t)len;
	set_options(e);
	if (rdma_accept(e->pub.id, &param))
		return answer_failed(e, "rdma_accept");
	/* A datagram connection has no third message. */
	e->pub.state = e->options.qp.qp_type == IBV_QPT_UD ? VBM_ENDPOINT_CONNECTED :
							      VBM_ENDPOINT_ACCEPTING;
	if (!endpoint_waits(e))
		return 0;
	drive(e);
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
		return fail_endpoint_call(e, "rdma_disconnect");
	vbm_qp_to_error(e->pub.qp);
	e->pub.error.code = 0;
	e->pub.state = e->options.qp.qp_type == IBV_QPT_UD ? VBM_ENDPOINT_DISCONNECTED :
							      VBM_ENDPOINT_DISCONNECTING;
	if (!endpoint_waits(e))
		return 0;
	drive(e);
	return e->pub.error.code;
}

/*
 * Events of rdma_cm and, of a connection, those of the device, each of which is reported
 * once. The descriptor stays the same when the endpoint is connected.
 */
static void watch_channel(struct endpoint *e)
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
		rc = next_event(e, end);
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
		rc = take_event(e);
	}
	rc = rc ? rc : look_at_device(e);
	if (e->watchfd >= 0) {
		watch_channel(e);
		epoll_wait(e->watchfd, seen, 2, 0);
	}
	if (rc == 0 && vbm_endpoint_is_under_way(e->pub.state) && vbm_loop_ms_left(e->step_end) == 0)
		rc = time_is_up(e);
	return rc;
}

static int cm_fd(struct endpoint *e)
{
	if (!e->own || e->options.channel || e->pub.state == VBM_ENDPOINT_LISTENING)
		return e->options.channel ? e->options.channel->fd : e->own ? e->own->fd : -1;
	watch_channel(e);
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
	drop_id(e);
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
	rc = own_channel(e);
	if (rc == 0 && ep->id && vbm_migrate_id(ep->id, e->own ? e->own : channel))
		rc = fail_endpoint_call(e, "rdma_migrate_id");
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
