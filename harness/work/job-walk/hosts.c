/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "lib/base/fail.h"
#include "model/pair-values.h"

#define PAGE 4096
#define QUEUE 64	/* completions; the same sizes as in the fragment "pairs_of_kinds" */
#define REQUESTS 16
#define CM_MS 5000

static int fail_verbs(struct vbm_error *err, int code, const char *call)
{
	code = code > 0 ? code : errno;
	return vbm_fail(err, code ? code : EIO, "%s failed: %s", call, strerror(code));
}

static int open_device(struct walk_host *h, const struct target *t, const struct host_info *info, struct vbm_error *err)
{
	struct ibv_device **list = t->get_device_list(NULL);
	size_t i;

	for (i = 0; list && list[i] && !h->ctx; i++)
		if (!strcmp(t->get_device_name(list[i]), info->dev))
			h->ctx = t->open_device(list[i]);
	if (!h->ctx)
		fail_verbs(err, 0, "ibv_open_device");
	if (list)
		t->free_device_list(list);
	if (!h->ctx)
		return vbm_wrap(err, "host %s has no device '%s'", info->name, info->dev);
	h->port = info->port;
	h->gid_index = info->gid_index4;
	return t->query_gid(h->ctx, (uint8_t)h->port, h->gid_index, &h->gid) ? fail_verbs(err, 0, "ibv_query_gid") : 0;
}

static int make_shared(struct walk_host *h, const struct target *t, struct vbm_error *err)
{
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = REQUESTS, .max_sge = 1}};

	h->srq = t->create_srq(h->pd[0], &attr);
	return h->srq ? 0 : fail_verbs(err, 0, "ibv_create_srq");
}

static int make_qp(struct walk_host *h, int pair, const struct target *t, struct vbm_error *err)
{
	struct walk_pair *p = &h->pair[pair];
	struct ibv_qp_init_attr attr = {
		.qp_type = model_type(pair),
		.srq = pair == MODEL_SHARED ? h->srq : NULL,
		.cap = {.max_send_wr = REQUESTS, .max_recv_wr = REQUESTS, .max_send_sge = 1, .max_recv_sge = 1},
		.send_cq = p->send_cq,
		.recv_cq = p->recv_cq,
	};

	p->qp = t->create_qp(h->pd[0], &attr);
	return p->qp ? 0 : fail_verbs(err, 0, "ibv_create_qp");
}

static int make_pair(struct walk_host *h, int pair, const struct target *t, struct vbm_error *err)
{
	struct walk_pair *p = &h->pair[pair];

	p->send_cq = t->create_cq(h->ctx, QUEUE, NULL, h->channel, 0);
	p->recv_cq = p->send_cq ? t->create_cq(h->ctx, QUEUE, NULL, h->channel, 0) : NULL;
	if (!p->recv_cq)
		return fail_verbs(err, 0, "ibv_create_cq");
	return make_qp(h, pair, t, err);
}

static int make_objects(struct walk_host *h, const struct target *t, bool has_datagrams, struct vbm_error *err)
{
	int i, rc = 0;

	h->memory = mmap(NULL, MODEL_BUFFER + MODEL_SLOTS * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (h->memory == MAP_FAILED)
		return fail_verbs(err, 0, "mmap");
	h->channel = t->create_comp_channel(h->ctx);
	for (i = 0; i < MODEL_DOMAINS; i++)
		h->pd[i] = t->alloc_pd(h->ctx);
	if (!h->channel || !h->pd[0] || !h->pd[1])
		return fail_verbs(err, 0, "ibv_alloc_pd or ibv_create_comp_channel");
	h->messages = t->reg_mr(h->pd[0], h->memory, MODEL_BUFFER, IBV_ACCESS_LOCAL_WRITE);
	if (!h->messages)
		return fail_verbs(err, 0, "ibv_reg_mr");
	rc = make_shared(h, t, err);
	for (i = 0; rc == 0 && i < MODEL_PAIRS; i++)
		rc = i == MODEL_DATAGRAM && !has_datagrams ? 0 : make_pair(h, i, t, err);
	return rc;
}

bool walk_has_pair(const struct walk_hosts *w, int pair)
{
	return pair != MODEL_DATAGRAM || !(w->lacks & 1u << LACK_UD);
}

int walk_hosts_open(struct walk_hosts *w, struct fabric *fabric, const char *target, unsigned lacks, struct vbm_error *err)
{
	int h, n, rc = target_open(&w->target, target, err);

	w->fabric = fabric;
	w->lacks = lacks;

	for (h = 0; rc == 0 && h < MODEL_HOSTS; h++) {
		rc = host_ns_enter(fabric_namespaces(fabric, h), err);
		if (rc == 0)
			rc = open_device(&w->host[h], w->target, fabric_host(fabric, h), err);
		if (rc == 0)
			rc = make_objects(&w->host[h], w->target, walk_has_pair(w, MODEL_DATAGRAM), err);
	}
	for (n = 0; rc == 0 && n < MODEL_PAIRS; n++)
		rc = walk_has_pair(w, n) ? walk_connect(w, n, err) : 0;
	return rc;
}

unsigned char *walk_page(const struct walk_hosts *w, int host, int slot)
{
	return w->host[host].memory + MODEL_BUFFER + (size_t)slot * PAGE;
}

struct ibv_ah_attr walk_path(const struct walk_hosts *w, int host)
{
	const struct walk_host *own = &w->host[host], *peer = &w->host[!host];

	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = (uint8_t)own->port,
		.grh = {.dgid = peer->gid, .sgid_index = (uint8_t)own->gid_index, .hop_limit = 64},
	};
}

static int datagram_mask(enum ibv_qp_state state, enum ibv_qp_state from)
{
	if (state == IBV_QPS_INIT)
		return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
	return IBV_QP_STATE | (state == IBV_QPS_RTS && from <= IBV_QPS_RTR ? IBV_QP_SQ_PSN : 0);
}

int walk_attributes(const struct walk_hosts *w, int host, int pair, enum ibv_qp_state state, enum ibv_qp_state from,
		    struct ibv_qp_attr *attr)
{
	const struct walk_host *own = &w->host[host], *peer = &w->host[!host];

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	attr->port_num = (uint8_t)own->port;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	attr->path_mtu = IBV_MTU_1024;
	attr->rq_psn = attr->sq_psn = PAIR_PSN;
	attr->dest_qp_num = peer->pair[pair].qp->qp_num;
	attr->max_dest_rd_atomic = attr->max_rd_atomic = PAIR_RD_ATOMIC;
	attr->min_rnr_timer = PAIR_MIN_RNR_TIMER;
	attr->timeout = PAIR_TIMEOUT;
	attr->retry_cnt = PAIR_RETRY_CNT;
	attr->rnr_retry = PAIR_RNR_RETRY;
	attr->qkey = model_qkey(0);
	attr->ah_attr = walk_path(w, host);
	if (pair == MODEL_DATAGRAM)
		return datagram_mask(state, from);
	if (state == IBV_QPS_INIT)
		return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	if (state == IBV_QPS_RTR)
		return IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (state == IBV_QPS_RTS && from <= IBV_QPS_RTR)
		return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	return IBV_QP_STATE;
}

/* Completions of requests whose end the documents leave open may have come late. */
static void drain_queue(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
}

/* An identifier belongs to the network of the process that makes it. */
static int enter_network(struct walk_hosts *w, int host, struct vbm_error *err)
{
	struct walk_host *h = &w->host[host];
	int rc = host_ns_enter(fabric_namespaces(w->fabric, host), err);

	if (rc < 0 || h->events)
		return rc;
	h->events = w->target->create_event_channel();
	return h->events ? 0 : fail_verbs(err, 0, "rdma_create_event_channel");
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
			return fail_verbs(err, 0, "rdma_get_cm_event");
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
		return fail_verbs(err, 0, "rdma_create_id");
	if (w->target->bind_addr(w->listener, (struct sockaddr *)&a) || w->target->listen(w->listener, MODEL_PAIRS))
		return fail_verbs(err, 0, "rdma_listen");
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
		return fail_verbs(err, 0, "rdma_resolve_addr");
	rc = await_cm_event(w, 0, RDMA_CM_EVENT_ADDR_RESOLVED, NULL, err);
	if (rc == 0 && w->target->resolve_route(id, CM_MS))
		return fail_verbs(err, 0, "rdma_resolve_route");
	return rc < 0 ? rc : await_cm_event(w, 0, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL, err);
}

static int begin_connection(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	struct rdma_conn_param param = parameters(w, 0, pair);
	struct rdma_cm_id **id = &w->host[0].pair[pair].id;
	int rc = enter_network(w, 0, err);

	if (rc == 0 && w->target->create_id(w->host[0].events, id, NULL, RDMA_PS_TCP))
		return fail_verbs(err, 0, "rdma_create_id");
	if (rc == 0)
		rc = resolve_peer(w, *id, err);
	if (rc == 0 && w->target->connect(*id, &param))
		return fail_verbs(err, 0, "rdma_connect");
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
		return fail_verbs(err, 0, "rdma_accept");
	if (rc == 0)
		rc = await_cm_event(w, 0, RDMA_CM_EVENT_ESTABLISHED, NULL, err);
	return rc < 0 ? rc : await_cm_event(w, 1, RDMA_CM_EVENT_ESTABLISHED, NULL, err);
}

/* Connects the queue pairs of a pair, which are in INIT, by rdma_cm. Host 0 connects, and host 1 listens. */
static int walk_cm_connect(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	int rc = listen_once(w, err);

	if (rc == 0)
		rc = begin_connection(w, pair, err);
	return rc < 0 ? rc : accept_connection(w, pair, err);
}

/* Ends the connection, and destroys its identifiers. The queue pairs have to be made anew. */
static void walk_cm_disconnect(struct walk_hosts *w, int pair)
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

/* A device whose queue pairs only rdma_cm connects moves them to RTS by itself, and never back. */
static int connect_anew(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	struct ibv_qp_attr attr;
	int h, mask, rc;

	if (w->host[0].pair[pair].id)
		walk_cm_disconnect(w, pair);
	rc = w->host[0].pair[pair].qp && w->host[1].pair[pair].qp ? 0 : walk_renew_pair(w, pair, err);
	if (rc < 0)
		return rc;
	for (h = 0; h < MODEL_HOSTS; h++) {
		mask = walk_attributes(w, h, pair, IBV_QPS_INIT, IBV_QPS_RESET, &attr);
		rc = w->target->modify_qp(w->host[h].pair[pair].qp, &attr, mask);
		if (rc)
			return fail_verbs(err, rc, "ibv_modify_qp");
	}
	return walk_cm_connect(w, pair, err);
}

int walk_connect(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	static const enum ibv_qp_state way[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS};
	struct ibv_qp_attr attr;
	struct walk_pair *p;
	int h, mask, rc;
	size_t i;

	if (w->lacks & 1u << LACK_BY_HAND)
		return connect_anew(w, pair, err);
	for (i = 0; i < ARRAY_SIZE(way); i++)
		for (h = 0; h < MODEL_HOSTS; h++) {
			p = &w->host[h].pair[pair];
			mask = walk_attributes(w, h, pair, way[i], i ? way[i - 1] : IBV_QPS_UNKNOWN, &attr);
			rc = w->target->modify_qp(p->qp, &attr, mask);
			if (rc)
				return fail_verbs(err, rc, "ibv_modify_qp");
			if (way[i] == IBV_QPS_RESET) {
				drain_queue(p->send_cq);
				drain_queue(p->recv_cq);
			}
		}
	return 0;
}

int walk_flush(struct walk_hosts *w, int host, int pair, struct vbm_error *err)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	int rc = w->target->modify_qp(w->host[host].pair[pair].qp, &attr, IBV_QP_STATE);

	return rc ? fail_verbs(err, rc, "ibv_modify_qp") : 0;
}

/* A completion queue that overflowed is of no use any more, and so is its queue pair. */
int walk_renew_pair(struct walk_hosts *w, int pair, struct vbm_error *err)
{
	struct walk_pair *p;
	int h, rc = 0;

	for (h = 0; rc == 0 && h < MODEL_HOSTS; h++) {
		p = &w->host[h].pair[pair];
		rc = p->qp ? w->target->destroy_qp(p->qp) : 0;
		if (rc)
			return fail_verbs(err, rc, "ibv_destroy_qp");
		rc = w->target->destroy_cq(p->send_cq);
		if (rc == 0)
			rc = w->target->destroy_cq(p->recv_cq);
		if (rc)
			return fail_verbs(err, rc, "ibv_destroy_cq");
		rc = make_pair(&w->host[h], pair, w->target, err);
	}
	return rc;
}

int walk_renew_shared(struct walk_hosts *w, int host, struct vbm_error *err)
{
	struct walk_host *h = &w->host[host];
	struct walk_pair *p = &h->pair[MODEL_SHARED];
	int rc;

	if (p->id)
		walk_cm_disconnect(w, MODEL_SHARED);
	rc = p->qp ? w->target->destroy_qp(p->qp) : 0;
	if (rc)
		return fail_verbs(err, rc, "ibv_destroy_qp");
	rc = w->target->destroy_srq(h->srq);
	if (rc)
		return fail_verbs(err, rc, "ibv_destroy_srq");
	drain_queue(p->send_cq);
	drain_queue(p->recv_cq);
	rc = make_shared(h, w->target, err);
	return rc < 0 ? rc : make_qp(h, MODEL_SHARED, w->target, err);
}

int walk_clear(struct walk_hosts *w, struct vbm_error *err)
{
	int i, rc = 0;

	for (i = 0; rc == 0 && i < MODEL_SLOTS; i++)
		rc = w->object[i].mw ? ibv_dealloc_mw(w->object[i].mw) : 0;
	if (rc)
		return fail_verbs(err, rc, "ibv_dealloc_mw at the end of the sequence");
	for (i = 0; rc == 0 && i < MODEL_SLOTS; i++)
		rc = w->object[i].ah ? w->target->destroy_ah(w->object[i].ah) : 0;
	if (rc)
		return fail_verbs(err, rc, "ibv_destroy_ah at the end of the sequence");
	for (i = 0; rc == 0 && i < MODEL_SLOTS; i++)
		rc = w->object[i].mr ? w->target->dereg_mr(w->object[i].mr) : 0;
	memset(w->object, 0, sizeof(w->object));
	return rc ? fail_verbs(err, rc, "ibv_dereg_mr at the end of the sequence") : 0;
}
