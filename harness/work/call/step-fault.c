/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "call/fault.h"
#include "call/many.h"
#include "call/qp-attr.h"
#include "call/step-util.h"
#include "names/host.h"

/* Calls in which the kernel fails on purpose: fault.h. */

/* The arguments of the calls, and the objects of one attempt. */
struct calling {
	const struct target *target;
	int64_t deadline_ns;
	struct ibv_pd *pd;
	struct ibv_cq *for_qps;
	struct rdma_event_channel *channel;
	struct sockaddr_storage own, peer;	/* port 0 and any port */
	struct ibv_ah_attr ah;

	/* Made by prepare() and by the call itself. NULL: not made. */
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct rdma_cm_id *id, *client, *listener;
	bool id_has_qp, client_has_qp;
};

struct fault_call {
	bool of_cm;
	enum ibv_qp_state state;	/* of calls that move a queue pair: the state afterwards */
	/* Makes the objects of an attempt. The caller frees them, also after a failure. */
	int (*prepare)(struct calling *c, const struct fault_call *f, struct vbm_error *err);
	/* Returns 0 or an errno value; -1: an error without one. */
	int (*call)(struct calling *c, const struct fault_call *f);
};

static int made(const void *p, const char *what, struct vbm_error *err)
{
	return p ? 0 : vbm_fail(err, errno ? errno : EIO, "cannot make %s for the call", what);
}

#define CONNECT_MASK (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | \
		      IBV_QP_MIN_RNR_TIMER)
#define SEND_MASK (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* The way of a reliable queue pair through its states, and how far it has to be for the call that leads to a state. */
static const struct {
	enum ibv_qp_state from;
	int mask;
} way[] = {
	[IBV_QPS_INIT] = {IBV_QPS_RESET, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
	[IBV_QPS_RTR] = {IBV_QPS_INIT, CONNECT_MASK},
	[IBV_QPS_RTS] = {IBV_QPS_RTR, SEND_MASK},
	[IBV_QPS_SQD] = {IBV_QPS_RTS, 0},
	[IBV_QPS_ERR] = {IBV_QPS_RTS, 0},
	[IBV_QPS_RESET] = {IBV_QPS_RTS, 0},
};

static int move_qp(const struct calling *c, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = {
		.qp_state = to, .port_num = c->ah.port_num, .ah_attr = c->ah, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = c->qp->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
	};

	return c->target->modify_qp(c->qp, &attr, IBV_QP_STATE | way[to].mask);
}

/* The state @to is RESET only for the call itself: a new queue pair is there already. */
static int move_up_to(const struct calling *c, enum ibv_qp_state to)
{
	int ret = 0;

	if (to == IBV_QPS_RESET)
		return 0;
	ret = move_up_to(c, way[to].from);
	return ret ? ret : move_qp(c, to);
}

static int prepare_qp(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct ibv_qp_init_attr init = {
		.send_cq = c->for_qps, .recv_cq = c->for_qps, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	int ret;

	c->qp = c->target->create_qp(c->pd, &init);
	if (made(c->qp, "a queue pair", err) < 0)
		return -err->code;
	ret = move_up_to(c, way[f->state].from);
	return ret ? vbm_fail(err, ret, "cannot bring a queue pair into the state before the call") : 0;
}

static int call_modify_qp(struct calling *c, const struct fault_call *f)
{
	return move_qp(c, f->state);
}

static int call_query_qp(struct calling *c, const struct fault_call *f)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	(void)f;
	return c->target->query_qp(c->qp, &attr, IBV_QP_STATE, &init);
}

static int prepare_cq(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	(void)f;
	c->cq = c->target->create_cq(c->pd->context, 4, NULL, NULL, 0);
	return made(c->cq, "a completion queue", err);
}

static int call_resize_cq(struct calling *c, const struct fault_call *f)
{
	(void)f;
	return c->target->resize_cq(c->cq, 100);
}

static int prepare_srq(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 4, .max_sge = 1}};

	(void)f;
	c->srq = c->target->create_srq(c->pd, &init);
	return made(c->srq, "a shared receive queue", err);
}

static int call_modify_srq(struct calling *c, const struct fault_call *f)
{
	struct ibv_srq_attr attr = {.max_wr = 100};

	(void)f;
	return c->target->modify_srq(c->srq, &attr, IBV_SRQ_MAX_WR);
}

#define RESOLVE_MS 2000

/* Waits for the next event that is @type. The events of identifiers that ended are gone with them. */
static int wait_cm(const struct calling *c, enum rdma_cm_event_type type, struct rdma_cm_id **id, struct vbm_error *err)
{
	struct rdma_cm_event *e;
	enum rdma_cm_event_type came;
	int ret = step_wait_readable(&c->channel->fd, 1, c->deadline_ns);

	if (ret < 0)
		return vbm_fail(err, -ret, "no event %s came for a call", c->target->event_str(type));
	if (c->target->get_cm_event(c->channel, &e))
		return vbm_fail(err, errno, "cannot read an event: %s", strerror(errno));
	came = e->event;
	*id = e->id;
	c->target->ack_cm_event(e);
	return came == type ? 0 : vbm_fail(err, EPROTO, "the event %s came, not %s", c->target->event_str(came),
					   c->target->event_str(type));
}

/* @ret: of a call that prepares another one. */
static int prepared(int ret, const char *call, struct vbm_error *err)
{
	return ret == 0 ? 0 : vbm_fail(err, errno ? errno : EIO, "cannot prepare the call: %s failed", call);
}

static int prepare_nothing(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	(void)c;
	(void)f;
	(void)err;
	return 0;
}

#define CM_CALL(name, made)                                                   \
	static int call_##name(struct calling *c, const struct fault_call *f __attribute__((unused))) \
	{                                                                     \
		errno = 0;                                                    \
		return step_code_of(made);                                    \
	}
CM_CALL(create_id, c->target->create_id(c->channel, &c->id, NULL, RDMA_PS_TCP))
CM_CALL(bind_addr, c->target->bind_addr(c->id, (struct sockaddr *)&c->own))
CM_CALL(listen, c->target->listen(c->id, 1))
CM_CALL(resolve_addr, c->target->resolve_addr(c->id, NULL, (struct sockaddr *)&c->peer, RESOLVE_MS * clock_factor()))
CM_CALL(resolve_route, c->target->resolve_route(c->id, RESOLVE_MS * clock_factor()))
CM_CALL(connect, c->target->connect(c->id, &(struct rdma_conn_param){
	.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
}))
CM_CALL(accept, c->target->accept(c->id, &(struct rdma_conn_param){.responder_resources = 1, .initiator_depth = 1}))

static int prepare_id(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	return prepared(call_create_id(c, f), "rdma_create_id", err);
}

static int prepare_bound(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	if (prepare_id(c, f, err) < 0)
		return -err->code;
	return prepared(call_bind_addr(c, f), "rdma_bind_addr", err);
}

static int prepare_resolved(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct rdma_cm_id *id;

	if (prepare_id(c, f, err) < 0 || prepared(call_resolve_addr(c, f), "rdma_resolve_addr", err) < 0)
		return -err->code;
	return wait_cm(c, RDMA_CM_EVENT_ADDR_RESOLVED, &id, err);
}

static int call_create_qp(struct calling *c, const struct fault_call *f)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	int ret;

	(void)f;
	errno = 0;
	ret = step_code_of(c->target->cm_create_qp(c->id, NULL, &init));
	c->id_has_qp = ret == 0;
	return ret;
}

static int prepare_connect(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	struct rdma_cm_id *id;

	if (prepare_resolved(c, f, err) < 0 || prepared(call_resolve_route(c, f), "rdma_resolve_route", err) < 0 ||
	    wait_cm(c, RDMA_CM_EVENT_ROUTE_RESOLVED, &id, err) < 0)
		return -err->code;
	return prepared(call_create_qp(c, f), "rdma_create_qp", err);
}

/* A client and a listener of this host. The new identifier is that of the request. */
static int prepare_request(struct calling *c, const struct fault_call *f, struct vbm_error *err)
{
	if (prepare_bound(c, f, err) < 0 || prepared(call_listen(c, f), "rdma_listen", err) < 0)
		return -err->code;
	c->listener = c->id;
	c->id = NULL;
	c->peer = c->own;
	((struct sockaddr_in *)&c->peer)->sin_port = c->target->get_src_port(c->listener);
	if (prepare_connect(c, f, err) < 0)
		return -err->code;
	c->client = c->id;
	c->client_has_qp = c->id_has_qp;
	c->id_has_qp = false;
	if (prepared(call_connect(c, f), "rdma_connect", err) < 0) {
		c->id = NULL;
		return -err->code;
	}
	c->id = NULL;
	if (wait_cm(c, RDMA_CM_EVENT_CONNECT_REQUEST, &c->id, err) < 0)
		return -err->code;
	return prepared(call_create_qp(c, f), "rdma_create_qp", err);
}

/* A line for each call: its name, of verbs or of rdma_cm, the state of a queue pair, and the two functions. */
#define FAULT_CALLS(X)                                                        \
	X(QP_INIT, false, IBV_QPS_INIT, prepare_qp, call_modify_qp)    \
	X(QP_RTR, false, IBV_QPS_RTR, prepare_qp, call_modify_qp)      \
	X(QP_RTS, false, IBV_QPS_RTS, prepare_qp, call_modify_qp)      \
	X(QP_SQD, false, IBV_QPS_SQD, prepare_qp, call_modify_qp)      \
	X(QP_ERR, false, IBV_QPS_ERR, prepare_qp, call_modify_qp)      \
	X(QP_RESET, false, IBV_QPS_RESET, prepare_qp, call_modify_qp)  \
	X(QUERY_QP, false, IBV_QPS_RTS, prepare_qp, call_query_qp)     \
	X(RESIZE_CQ, false, 0, prepare_cq, call_resize_cq)             \
	X(MODIFY_SRQ, false, 0, prepare_srq, call_modify_srq)          \
	X(CREATE_ID, true, 0, prepare_nothing, call_create_id)         \
	X(BIND_ADDR, true, 0, prepare_id, call_bind_addr)              \
	X(LISTEN, true, 0, prepare_bound, call_listen)                 \
	X(RESOLVE_ADDR, true, 0, prepare_id, call_resolve_addr)        \
	X(RESOLVE_ROUTE, true, 0, prepare_resolved, call_resolve_route) \
	X(CREATE_QP, true, 0, prepare_resolved, call_create_qp)        \
	X(CONNECT, true, 0, prepare_connect, call_connect)             \
	X(ACCEPT, true, 0, prepare_request, call_accept)

enum call_number {
#define NUMBER(name, cm, state, prepare, call) CALL_##name,
	FAULT_CALLS(NUMBER)
#undef NUMBER
};

static const struct fault_call calls[] = {
#define LINE(name, cm, state, prepare, call) {cm, state, prepare, call},
	FAULT_CALLS(LINE)
#undef LINE
};

static const struct const_entry call_entries[] = {
#define ENTRY(name, cm, state, prepare, call) {#name, CALL_##name},
	FAULT_CALLS(ENTRY)
#undef ENTRY
};

static const struct const_set fault_call_set = {
	.name = "fault calls",
	.prefix = "",
	.entry = call_entries,
	.count = ARRAY_SIZE(call_entries),
};

static const struct fault_call *fault_call_of(const struct value *args, struct vbm_error *err)
{
	int64_t call = value_get_int(args, "call", 0);

	if (call >= 0 && call < (int64_t)ARRAY_SIZE(calls))
		return &calls[call];
	vbm_fail(err, EINVAL, "call: there is no call with the number %lld", (long long)call);
	return NULL;
}

static int cm_args(struct step_ctx *ctx, const struct value *args, struct calling *c, struct vbm_error *err)
{
	c->channel = arg_handle(ctx, args, "channel", OBJECT_CHANNEL, err);
	if (!c->channel || step_address_parse(&c->own, ctx->host->ip4, 0, err) < 0)
		return -err->code;
	/* Nobody listens at the port. */
	return step_address_parse(&c->peer, value_get_string(args, "dst_addr", ctx->host->ip4), 7471, err);
}

static int fault_call_args(struct step_ctx *ctx, const struct value *args, const struct fault_call *f, struct calling *c,
		    struct vbm_error *err)
{
	memset(c, 0, sizeof(*c));
	c->target = ctx->target;
	c->deadline_ns = ctx->deadline_ns;
	if (f->of_cm)
		return cm_args(ctx, args, c, err);
	c->pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	c->for_qps = c->pd ? arg_handle(ctx, args, "cq", OBJECT_CQ, err) : NULL;
	if (!c->for_qps)
		return -err->code;
	return qp_av_from_args(ctx, args, &c->ah, err);
}

static int end_id(const struct target *t, struct rdma_cm_id **id, bool *has_qp)
{
	int ret;

	if (!*id)
		return 0;
	if (*has_qp)
		t->cm_destroy_qp(*id);
	*has_qp = false;
	errno = 0;
	ret = t->destroy_id(*id);
	*id = NULL;
	return step_code_of(ret);
}

/* Frees the objects of an attempt. Returns 0, or the error of the first call that failed. */
static int fault_call_end(struct calling *c)
{
	const struct target *t = c->target;
	bool none = false;
	int ret[6] = {0};
	size_t i;

	ret[0] = c->qp ? t->destroy_qp(c->qp) : 0;
	ret[1] = c->cq ? t->destroy_cq(c->cq) : 0;
	ret[2] = c->srq ? t->destroy_srq(c->srq) : 0;
	c->qp = NULL;
	c->cq = NULL;
	c->srq = NULL;
	ret[3] = end_id(t, &c->id, &c->id_has_qp);
	ret[4] = end_id(t, &c->client, &c->client_has_qp);
	ret[5] = end_id(t, &c->listener, &none);
	for (i = 0; i < ARRAY_SIZE(ret); i++)
		if (ret[i])
			return ret[i];
	return 0;
}

struct tally {
	int hit, failed;
	int odd;	/* the first errno that no lack of memory gives */
	int again;	/* failed once more without a fault */
};

static bool is_usual(int code)
{
	return code == ENOMEM || code == EFAULT;
}

static void count_call(struct tally *t, bool hit, bool made, int code)
{
	t->hit += hit;
	t->failed += !made;
	if (!made && !t->odd && !is_usual(code))
		t->odd = code ? code : -1;
}

/* A point fails while this is tried: the making of an object, or a call that changes one. */
struct attempt {
	/* Tries while the @nth point fails, and frees the objects. Returns whether the call was hit; *@ret is 0 or the error of the free. */
	int (*one)(const struct fault *f, struct attempt *a, int nth, int *ret, struct vbm_error *err);
	struct tally tally;
	const struct many_kind *kind;	/* of an object that is made */
	struct making making;
	const struct fault_call *call;	/* of a call */
	struct calling calling;
};

static int make_one(const struct fault *f, struct attempt *a, int nth, int *ret, struct vbm_error *err)
{
	void *thing;
	bool hit;

	if (fault_arm(f, nth, err) < 0)
		return -err->code;
	errno = 0;
	thing = a->kind->make(&a->making, 0);
	hit = fault_disarm(f);
	count_call(&a->tally, hit, thing, errno);
	*ret = thing ? a->kind->unmake(&a->making, thing, 0) : 0;
	return hit;
}

/* A call of verbs that failed is made once more. */
static int call_one(const struct fault *f, struct attempt *a, int nth, int *ret, struct vbm_error *err)
{
	struct calling *c = &a->calling;
	bool hit = false;
	int code;

	if (a->call->prepare(c, a->call, err) < 0 || fault_arm(f, nth, err) < 0) {
		fault_call_end(c);
		return -err->code;
	}
	code = a->call->call(c, a->call);
	hit = fault_disarm(f);
	count_call(&a->tally, hit, code == 0, code > 0 ? code : 0);
	if (code != 0 && !a->call->of_cm)
		a->tally.again += a->call->call(c, a->call) != 0;
	*ret = fault_call_end(c);
	return hit;
}

#define POINTS_MAX 2000

static int try_each(struct attempt *a, struct value *result, struct vbm_error *err)
{
	struct fault f;
	int nth, hit = 1, ret = 0;

	if (fault_open(&f, err) < 0)
		return -err->code;
	for (nth = 1; hit > 0 && ret == 0 && nth <= POINTS_MAX; nth++)
		hit = a->one(&f, a, nth, &ret, err);
	fault_close(&f);
	if (hit < 0)
		return hit;
	put_errval(result, ret);
	value_set_int(result, "points", a->tally.hit);
	value_set_int(result, "failed", a->tally.failed);
	if (a->call)
		value_set_int(result, "again", a->tally.again);
	value_set_int(result, "odd", a->tally.odd);
	return 0;
}

STEP(run_fail_each)
{
	struct attempt a = {.one = make_one, .kind = many_arg_kind(args, err)};

	if (!a.kind || many_arg_making(ctx, args, a.kind, &a.making, err) < 0)
		return -err->code;
	return try_each(&a, result, err);
}

STEP(run_fail_each_call)
{
	struct attempt a = {.one = call_one, .call = fault_call_of(args, err)};

	if (!a.call || fault_call_args(ctx, args, a.call, &a.calling, err) < 0)
		return -err->code;
	return try_each(&a, result, err);
}

STEP(run_fail_next)
{
	put_errval(result, 0);
	ctx->fail_nth = (int)value_get_int(args, "nth", 1);
	return 0;
}

#define DEADLINE_FAULT_MS 30000

static const struct param each_params[] = {
	P_MANY("the kind of object, as for make_many"),
	{NULL},
};
#define F_POINTS \
	F_CONST("return", &const_errno, "0, or the errno value of the first free that failed"), \
	F_INT("points", "how many calls were hit"), \
	F_INT("failed", "how many of them failed"), \
	F_CONST("odd", &const_errno, "the first error that was neither ENOMEM nor EFAULT, or OK; -1: an error without errno")

static const struct field each_fields[] = {
	F_POINTS,
	{NULL},
};

#define P_FAULT_CALL                                                          \
	{.name = "call", .type = PARAM_CONST, .set = &fault_call_set, .required = true, \
	 .doc = "the call; QP_INIT to QP_RESET are those of ibv_modify_qp(3) that lead to the state"}, \
	P_OBJECT("pd", OBJECT_PD, "the protection domain, for calls of verbs; default: pd, or the only one"), \
	P_OBJECT("cq", OBJECT_CQ, "the completion queue of queue pairs, for calls of verbs; default: cq, or the only one"), \
	P_OBJECT("channel", OBJECT_CHANNEL, "the event channel, for calls of rdma_cm; default: channel, or the only one"), \
	P_ADDRESS("dst_addr", "for RESOLVE_ADDR, RESOLVE_ROUTE and CONNECT, IP:PORT of the peer; default: a port of this host"), \
	P_AV

static const struct param call_params[] = {
	P_FAULT_CALL,
	{NULL},
};
static const struct field call_fields[] = {
	F_POINTS,
	F_INT("again", "how many of those that failed did so once more, without a fault; calls of rdma_cm are not repeated"),
	{NULL},
};

static const struct param next_params[] = {
	{.name = "nth", .type = PARAM_INT, .min = 1, .max = POINTS_MAX, .required = true,
	 .doc = "the point that fails: the first, the second ... allocation or copy that the kernel makes for the call"},
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "fail_each", .call = "ibv_create_cq(3)",
	 .doc = "Make an object and free it, again and again, while in the kernel the first, the second ... allocation or copy of "
		"the call fails, until none is left.",
	 .params = each_params, .fields = each_fields, .deadline_ms = DEADLINE_FAULT_MS, .needs = "faults=yes", .run = run_fail_each},
	{.name = "fail_each_call", .call = "ibv_modify_qp(3)",
	 .doc = "Make an object, call, and free the object, again and again, while in the kernel the first, the second ... "
		"allocation or copy of the call fails, until none is left. A call of verbs that failed is repeated without a fault.",
	 .params = call_params, .fields = call_fields, .deadline_ms = DEADLINE_FAULT_MS, .needs = "faults=yes",
	 .run = run_fail_each_call},
	{.name = "fail_next", .call = "ibv_reg_mr(3)",
	 .doc = "Let an allocation or copy in the kernel fail in the call of the next step of this host, which works on an object of libibverbs. If that step fails for lack of "
		"memory, it is made once more without a fault, and only that answer counts: a call that failed has changed nothing.",
	 .params = next_params, .fields = step_errval_fields, .needs = "faults=yes", .run = run_fail_next},
	{NULL},
};

const struct step_family family_fault = {"fault", "Faults that the kernel injects.", steps, .only_objects = true};
