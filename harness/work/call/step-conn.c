/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "call/numbering.h"
#include "call/qp-attr.h"
#include "call/step-util.h"

static const char *const conn_params[] = {
	"private_data", "responder_resources", "initiator_depth", "flow_control",
	"retry_count", "rnr_retry_count", "srq", "qp_num",
};

static bool has_conn(const struct value *args)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(conn_params); i++)
		if (arg_given(args, conn_params[i]))
			return true;
	return false;
}

static void fill_conn(struct rdma_conn_param *p, const struct value *args, const uint8_t *data,
		      size_t len)
{
	memset(p, 0, sizeof(*p));
	p->private_data = data;
	p->private_data_len = (uint8_t)len;
	p->responder_resources = (uint8_t)value_get_int(args, "responder_resources", 1);
	p->initiator_depth = (uint8_t)value_get_int(args, "initiator_depth", 1);
	p->flow_control = value_get_bool(args, "flow_control", false);
	p->retry_count = (uint8_t)value_get_int(args, "retry_count", 7);
	p->rnr_retry_count = (uint8_t)value_get_int(args, "rnr_retry_count", 7);
	p->srq = value_get_bool(args, "srq", false);
	p->qp_num = (uint32_t)value_get_int(args, "qp_num", 0);
}

static int with_conn(struct step_ctx *ctx, const struct value *args, struct value *result,
		     int (*call)(struct rdma_cm_id *id, struct rdma_conn_param *param),
		     struct vbm_error *err)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	auto_free uint8_t *data = NULL;
	struct rdma_conn_param p;
	size_t len;

	if (!id || arg_bytes(args, "private_data", &data, &len, err) < 0)
		return -err->code;
	fill_conn(&p, args, data, len);
	call_begins(ctx);
	/* Without parameters the argument is NULL. */
	put_minus1(result, call(id, has_conn(args) ? &p : NULL));
	return 0;
}

STEP(run_connect)
{
	return with_conn(ctx, args, result, ctx->target->connect, err);
}

STEP(run_accept)
{
	return with_conn(ctx, args, result, ctx->target->accept, err);
}

STEP(run_reject)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);
	auto_free uint8_t *data = NULL;
	size_t len;

	if (!id || arg_bytes(args, "private_data", &data, &len, err) < 0)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->reject(id, data, (uint8_t)len));
	return 0;
}

STEP(run_disconnect)
{
	struct rdma_cm_id *id = cm_arg_id(ctx, args, err);

	if (!id)
		return -err->code;
	errno = 0;
	put_minus1(result, ctx->target->disconnect(id));
	return 0;
}

static void put_id_name(struct step_ctx *ctx, struct value *result, const char *field,
			const struct rdma_cm_id *id)
{
	struct object *o = NULL;

	while (id && (o = objects_next(ctx->objects, o, OBJECT_CM_ID)))
		if (o->id == id && o->name)
			value_set_string(result, field, o->name);
}

/* The CM adds zero bytes after the data. */
static void put_private_data(struct value *result, const uint8_t *data, uint8_t len)
{
	size_t used = data ? len : 0;

	while (used && !data[used - 1])
		used--;
	value_set(result, "private_data", bytes_to_value(data, used));
	value_set_int(result, "private_data_len", len);
}

static bool carries_conn(enum rdma_cm_event_type type)
{
	return type == RDMA_CM_EVENT_CONNECT_REQUEST || type == RDMA_CM_EVENT_CONNECT_RESPONSE ||
	       type == RDMA_CM_EVENT_ESTABLISHED || type == RDMA_CM_EVENT_REJECTED;
}

static bool of_multicast(enum rdma_cm_event_type type)
{
	return type == RDMA_CM_EVENT_MULTICAST_JOIN || type == RDMA_CM_EVENT_MULTICAST_ERROR;
}

static bool is_ud(const struct rdma_cm_id *id)
{
	return id && id->qp_type == IBV_QPT_UD;
}

/* Adds the destination of datagrams to the peer or the group. */
static void put_ud(struct value *result, const struct rdma_ud_param *ud)
{
	value_set_int(result, "qp_num", ud->qp_num);
	value_set_int(result, "qkey", ud->qkey);
	if (!ud->ah_attr.is_global)
		return;
	value_set(result, "dest_gid", step_gid_to_value(&ud->ah_attr.grh.dgid));
	value_set_int(result, "gid_index", ud->ah_attr.grh.sgid_index);
	value_set_int(result, "hop_limit", ud->ah_attr.grh.hop_limit);
	value_set_int(result, "av_port", ud->ah_attr.port_num);
}

static void put_event(struct step_ctx *ctx, struct value *result, const struct rdma_cm_event *e)
{
	const struct rdma_conn_param *c = &e->param.conn;

	value_set_int(result, "event", e->event);
	value_set_int(result, "status", e->status);
	put_id_name(ctx, result, "id", e->id);
	put_id_name(ctx, result, "listen_id", e->listen_id);
	if (of_multicast(e->event))
		put_ud(result, &e->param.ud);
	if (e->event == RDMA_CM_EVENT_UNREACHABLE && is_ud(e->id))
		put_private_data(result, e->param.ud.private_data, e->param.ud.private_data_len);
	if (!carries_conn(e->event))
		return;
	if (is_ud(e->id)) {
		put_private_data(result, e->param.ud.private_data, e->param.ud.private_data_len);
		put_ud(result, &e->param.ud);
		return;
	}
	put_private_data(result, c->private_data, c->private_data_len);
	value_set_int(result, "responder_resources", c->responder_resources);
	value_set_int(result, "initiator_depth", c->initiator_depth);
	value_set_int(result, "retry_count", c->retry_count);
	value_set_int(result, "rnr_retry_count", c->rnr_retry_count);
	value_set_int(result, "qp_num", c->qp_num);
}

/* librdmacm may consume an event itself and return none. Then this waits again. */
static int next_event(struct step_ctx *ctx, struct rdma_event_channel *channel, bool wait,
		      struct rdma_cm_event **e, struct vbm_error *err)
{
	int ret;

	for (;;) {
		if (wait && step_await(ctx, channel->fd, "connection event", err) < 0)
			return -err->code;
		errno = 0;
		ret = ctx->target->get_cm_event(channel, e);
		if (ret == 0 || errno != EAGAIN || !wait)
			return ret ? 1 : 0;
	}
}

STEP(run_get_cm_event)
{
	struct rdma_event_channel *c = arg_handle(ctx, args, "channel", OBJECT_CHANNEL, err);
	struct rdma_cm_event *e = NULL;
	int ret;

	if (!c)
		return -err->code;
	ret = next_event(ctx, c, value_get_bool(args, "wait", true), &e, err);
	if (ret < 0)
		return ret;
	put_minus1(result, ret ? -1 : 0);
	if (ret)
		return 0;
	if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		cm_keep_id(ctx, e->id, false);
	put_event(ctx, result, e);
	ctx->target->ack_cm_event(e);
	return 0;
}

/* Names the domain that librdmacm chose for @id. librdmacm still owns it. */
static void name_pd(struct step_ctx *ctx, const struct object *id)
{
	struct object *o = xcalloc(1, sizeof(*o));

	o->pd = id->id->qp->pd;
	o->release = pd_release;
	o->part_of = id;
	step_keep_also(ctx, o, OBJECT_PD, OBJECT_QP, "pd");
}

/* The completion queue for a new queue pair: "cq:", or a new one. */
static struct cq_object *cq_for_id(struct step_ctx *ctx, const struct value *args,
				   struct ibv_context *verbs, struct vbm_error *err)
{
	struct cq_object *c;

	if (arg_given(args, "cq"))
		return (struct cq_object *)arg_object(ctx, args, "cq", OBJECT_CQ, err);
	c = cq_make(ctx->target, verbs, 64, true, 0);
	if (!c) {
		vbm_fail(err, errno ? errno : EIO, "cannot make a completion queue for the queue pair");
		return NULL;
	}
	step_keep_also(ctx, &c->base, OBJECT_CQ, OBJECT_QP, "cq");
	return c;
}

STEP(run_cm_create_qp)
{
	struct object *i = arg_object(ctx, args, "id", OBJECT_CM_ID, err);
	struct ibv_qp_init_attr init;
	struct qp_object *q;
	struct cq_object *cq;
	struct object *pd;
	int ret;

	if (!i || arg_object_opt(ctx, args, "pd", OBJECT_PD, &pd, err) < 0)
		return -err->code;
	if (!i->id->verbs)
		return vbm_fail(err, EINVAL, "'%s' is not bound to a device yet: bind_addr or resolve_addr must come first",
				i->name);
	cq = cq_for_id(ctx, args, i->id->verbs, err);
	if (!cq)
		return -err->code;
	qp_init_from_args(&init, args);
	if (!arg_given(args, "qp_type"))
		init.qp_type = i->id->qp_type;
	init.send_cq = init.recv_cq = cq->base.cq;
	numbering_before_qp(ctx, pd ? pd->pd : i->id->pd, cq->base.cq);
	errno = 0;
	ret = ctx->target->cm_create_qp(i->id, pd ? pd->pd : NULL, &init);
	put_minus1(result, ret);
	if (ret) {
		numbering_failed(ctx->numbering, NUMBER_QP);
		return 0;
	}
	numbering_made(ctx->numbering, NUMBER_QP, i->id->qp->qp_num);
	value_set_int(result, "qp_num", i->id->qp->qp_num);
	qp_put_caps(result, &init.cap);
	if (!pd)
		name_pd(ctx, i);
	q = qp_object_new(i->id->qp, init.qp_type, cq->base.serial, cq->base.serial);
	q->cm_id = i->id;
	step_keep_object(ctx, &q->base, OBJECT_QP);
	return 0;
}

/* The length has eight bits in rdma_cm. */
#define P_PRIVATE_DATA                                                        \
	P_BYTES("private_data", UINT8_MAX, "bytes that the peer gets; default none")
#define P_CONN                                                                \
	P_PRIVATE_DATA,                                                       \
	P_INT("responder_resources", 0, 255, "RDMA reads and atomics that this side answers at the same time; default 1"), \
	P_INT("initiator_depth", 0, 255, "RDMA reads and atomics that this side starts at the same time; default 1"), \
	P_BOOL("flow_control", "hardware flow control; default false"),       \
	P_INT("retry_count", 0, 255, "retries after a timeout; default 7"),   \
	P_INT("rnr_retry_count", 0, 255, "retries after receiver not ready; default 7"), \
	P_BOOL("srq", "whether a shared receive queue is used; default false"), \
	P_INT("qp_num", 0, UINT32_MAX, "number of a queue pair that was made without rdma_cm; default 0")

static const struct param conn_step_params[] = {P_ID, P_CONN, {NULL}};
static const struct param reject_params[] = {
	P_ID,
	P_PRIVATE_DATA,
	{NULL},
};
static const struct param event_params[] = {
	P_CHANNEL,
	P_BOOL("wait", "false returns EAGAIN when there is no event now; default true"),
	{NULL},
};
static const struct field event_fields[] = {
	F_MINUS1,
	F_CONST("event", &const_cm_event, "kind of the event"),
	F_INT("status", "0, a negative errno value, or the reason of a rejection"),
	F_STRING("id", "name of the identifier of the event; for a CONNECT_REQUEST, the name that as: gives"),
	F_STRING("listen_id", "name of the listening identifier, for a CONNECT_REQUEST"),
	F_BYTES("private_data", "the peer's private data without the zero bytes at its end"),
	F_INT("private_data_len", "its length with padding"),
	F_INT("responder_resources", "RDMA reads and atomics that the receiver of the event may answer at the same time"),
	F_INT("initiator_depth", "RDMA reads and atomics that it may start at the same time"),
	F_INT("retry_count", "retries after a timeout"),
	F_INT("rnr_retry_count", "retries after receiver not ready"),
	F_INT("qp_num", "number of the peer's queue pair, or of the group's"),
	F_INT("qkey", "Q_Key of datagrams to the peer, or to the group"),
	F_STRING("dest_gid", "destination GID of these datagrams; absent for connections"),
	F_INT("gid_index", "index of this side's GID for them; absent for connections"),
	F_INT("hop_limit", "their hop limit; absent for connections"),
	F_INT("av_port", "the port that sends them; absent for connections"),
	F_INT("elapsed_ms", "milliseconds from the beginning of the step to the event"),
	{NULL},
};
static const struct param create_qp_params[] = {
	P_ID,
	P_OBJECT("pd", OBJECT_PD, "protection domain; default: NULL, so rdma_cm uses its own, which gets the name AS_pd"),
	P_OBJECT("cq", OBJECT_CQ, "completion queue; default: a new one, which gets the name AS_cq"),
	P_QP_INIT,
	{NULL},
};
static const struct field create_qp_fields[] = {
	F_MINUS1,
	F_INT("qp_num", "number of the queue pair"),
	F_QP_CAPS,
	{NULL},
};
static const struct step_also create_qp_also[] = {
	{"cq", OBJECT_CQ},
	{"pd", OBJECT_PD},
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "rdma_create_qp", .call = "rdma_create_qp(3)",
	 .doc = "Create the queue pair of an identifier.", .params = create_qp_params,
	 .fields = create_qp_fields, .makes = OBJECT_QP, .also = create_qp_also,
	 .run = run_cm_create_qp},
	{.name = "connect", .call = "rdma_connect(3)",
	 .doc = "Send a connection request; without parameters conn_param is NULL.",
	 .params = conn_step_params, .fields = step_minus1_elapsed_fields,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_connect},
	{.name = "accept", .call = "rdma_accept(3)",
	 .doc = "Accept a connection request; without parameters conn_param is NULL.",
	 .params = conn_step_params, .fields = step_minus1_elapsed_fields,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_accept},
	{.name = "reject", .call = "rdma_reject(3)", .doc = "Reject a connection request.",
	 .params = reject_params, .fields = step_minus1_fields, .run = run_reject},
	{.name = "disconnect", .call = "rdma_disconnect(3)", .doc = "Disconnect.",
	 .params = step_id_params, .fields = step_minus1_elapsed_fields,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_disconnect},
	{.name = "get_cm_event", .call = "rdma_get_cm_event(3)",
	 .doc = "Wait for the next connection event, take it and acknowledge it.",
	 .params = event_params, .fields = event_fields, .makes = OBJECT_CM_ID, .waits = true,
	 .deadline_ms = DEADLINE_CONNECT_MS, .run = run_get_cm_event},
	{NULL},
};

const struct step_family family_conn = {"conn", "Connections by rdma_cm.", steps};
