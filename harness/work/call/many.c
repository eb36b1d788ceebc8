/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/many.h"

#include <errno.h>
#include <string.h>

/* All regions are this page. */
static char page[4096] __attribute__((aligned(4096)));

static void *make_pd(const struct making *m, size_t number)
{
	(void)number;
	return m->target->alloc_pd(m->context);
}

static int unmake_pd(const struct making *m, void *pd, size_t number)
{
	(void)number;
	return m->target->dealloc_pd(pd);
}

static void *make_cq(const struct making *m, size_t number)
{
	(void)number;
	return m->target->create_cq(m->context, 1, NULL, NULL, 0);
}

static int unmake_cq(const struct making *m, void *cq, size_t number)
{
	(void)number;
	return m->target->destroy_cq(cq);
}

static void *make_mr(const struct making *m, size_t number)
{
	(void)number;
	return m->target->reg_mr(m->pd, page, sizeof(page), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

static uint32_t mr_lkey(const void *mr)
{
	return ((const struct ibv_mr *)mr)->lkey;
}

static uint32_t mr_rkey(const void *mr)
{
	return ((const struct ibv_mr *)mr)->rkey;
}

static int unmake_mr(const struct making *m, void *mr, size_t number)
{
	(void)number;
	return m->target->dereg_mr(mr);
}

static void *make_mw(const struct making *m, size_t number)
{
	(void)number;
	return ibv_alloc_mw(m->pd, IBV_MW_TYPE_1);
}

static int unmake_mw(const struct making *m, void *mw, size_t number)
{
	(void)number;
	(void)m;
	return ibv_dealloc_mw(mw);
}

static void *make_ah(const struct making *m, size_t number)
{
	struct ibv_ah_attr attr = m->ah;

	(void)number;
	return m->target->create_ah(m->pd, &attr);
}

static int unmake_ah(const struct making *m, void *ah, size_t number)
{
	(void)number;
	return m->target->destroy_ah(ah);
}

static void *make_srq(const struct making *m, size_t number)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = 1, .max_sge = 1}};

	(void)number;
	return m->target->create_srq(m->pd, &init);
}

static int unmake_srq(const struct making *m, void *srq, size_t number)
{
	(void)number;
	return m->target->destroy_srq(srq);
}

static void *make_qp(const struct making *m, size_t number)
{
	struct ibv_qp_init_attr init = {
		.send_cq = m->cq,
		.recv_cq = m->cq,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_UD,
	};

	(void)number;
	return m->target->create_qp(m->pd, &init);
}

static int unmake_qp(const struct making *m, void *qp, size_t number)
{
	(void)number;
	return m->target->destroy_qp(qp);
}

/* The address of group @number, counted from the first group. */
static union ibv_gid group_numbered(const struct making *m, size_t number)
{
	union ibv_gid gid = m->group;

	gid.raw[14] = (uint8_t)(number >> 8);
	gid.raw[15] = (uint8_t)number;
	return gid;
}

static void *make_group(const struct making *m, size_t number)
{
	union ibv_gid gid = group_numbered(m, number);

	errno = m->target->attach_mcast(m->qp, &gid, 0);
	return errno ? NULL : m->qp;
}

static int unmake_group(const struct making *m, void *qp, size_t number)
{
	union ibv_gid gid = group_numbered(m, number);

	return m->target->detach_mcast(qp, &gid, 0);
}

static void *make_member(const struct making *m, size_t number)
{
	void *qp = make_qp(m, number);
	int ret = qp ? m->target->attach_mcast(qp, &m->group, 0) : errno;

	if (ret == 0)
		return qp;
	if (qp)
		m->target->destroy_qp(qp);
	errno = ret;
	return NULL;
}

static int unmake_member(const struct making *m, void *qp, size_t number)
{
	int ret = m->target->detach_mcast(qp, &m->group, 0);

	return ret ? ret : unmake_qp(m, qp, number);
}

static void *make_device(const struct making *m, size_t number)
{
	(void)number;
	return m->target->open_device(m->context->device);
}

static int unmake_device(const struct making *m, void *context, size_t number)
{
	(void)number;
	return m->target->close_device(context);
}

static void *make_comp_channel(const struct making *m, size_t number)
{
	(void)number;
	return m->target->create_comp_channel(m->context);
}

static int unmake_comp_channel(const struct making *m, void *channel, size_t number)
{
	(void)number;
	return m->target->destroy_comp_channel(channel);
}

static void *make_event_channel(const struct making *m, size_t number)
{
	(void)number;
	return m->target->create_event_channel();
}

static int unmake_event_channel(const struct making *m, void *channel, size_t number)
{
	(void)number;
	m->target->destroy_event_channel(channel);
	return 0;
}

enum many_what {
	MANY_PD,
	MANY_CQ,
	MANY_MR,
	MANY_MW,
	MANY_AH,
	MANY_SRQ,
	MANY_QP,
	MANY_MEMBER,
	MANY_GROUP,
	MANY_DEVICE,
	MANY_COMP_CHANNEL,
	MANY_EVENT_CHANNEL,
};

static const struct many_kind kinds[] = {
	[MANY_PD] = {.make = make_pd, .unmake = unmake_pd},
	[MANY_CQ] = {.make = make_cq, .unmake = unmake_cq},
	[MANY_MR] = {.in_pd = true, .make = make_mr, .unmake = unmake_mr, .lkey = mr_lkey, .rkey = mr_rkey},
	[MANY_MW] = {.in_pd = true, .make = make_mw, .unmake = unmake_mw},
	[MANY_AH] = {.in_pd = true, .with_ah = true, .make = make_ah, .unmake = unmake_ah},
	[MANY_SRQ] = {.in_pd = true, .make = make_srq, .unmake = unmake_srq},
	[MANY_QP] = {.in_pd = true, .with_cq = true, .make = make_qp, .unmake = unmake_qp},
	[MANY_MEMBER] = {.in_pd = true, .with_cq = true, .with_group = true,
			 .make = make_member, .unmake = unmake_member},
	[MANY_GROUP] = {.with_qp = true, .with_group = true,
			.make = make_group, .unmake = unmake_group},
	[MANY_DEVICE] = {.make = make_device, .unmake = unmake_device},
	[MANY_COMP_CHANNEL] = {.make = make_comp_channel, .unmake = unmake_comp_channel},
	[MANY_EVENT_CHANNEL] = {.make = make_event_channel, .unmake = unmake_event_channel},
};

static const struct const_entry what_entries[] = {
	{"PD", MANY_PD},
	{"CQ", MANY_CQ},
	{"MR", MANY_MR},
	{"MW", MANY_MW},
	{"AH", MANY_AH},
	{"SRQ", MANY_SRQ},
	{"QP", MANY_QP},
	{"MEMBER", MANY_MEMBER},
	{"GROUP", MANY_GROUP},
	{"DEVICE", MANY_DEVICE},
	{"COMP_CHANNEL", MANY_COMP_CHANNEL},
	{"EVENT_CHANNEL", MANY_EVENT_CHANNEL},
};

const struct const_set many_set = {
	.name = "things",
	.prefix = "",
	.entry = what_entries,
	.count = ARRAY_SIZE(what_entries),
};

const struct many_kind *many_arg_kind(const struct value *args, struct vbm_error *err)
{
	int64_t what = value_get_int(args, "what", MANY_PD);

	if (what >= 0 && what < (int64_t)ARRAY_SIZE(kinds))
		return &kinds[what];
	vbm_fail(err, EINVAL, "what: there is no kind of object with the number %lld", (long long)what);
	return NULL;
}

/* Reads the object that the calls need: a queue pair, a protection domain or an open device. */
static bool arg_where(struct step_ctx *ctx, const struct value *args, const struct many_kind *k,
		      struct making *m, struct vbm_error *err)
{
	if (k->with_qp)
		return (m->qp = arg_handle(ctx, args, "qp", OBJECT_QP, err));
	if (k->in_pd)
		return (m->pd = arg_handle(ctx, args, "pd", OBJECT_PD, err));
	return (m->context = arg_handle(ctx, args, "ctx", OBJECT_CONTEXT, err));
}

int many_arg_making(struct step_ctx *ctx, const struct value *args, const struct many_kind *k,
		      struct making *m, struct vbm_error *err)
{
	memset(m, 0, sizeof(*m));
	m->target = ctx->target;
	if (!arg_where(ctx, args, k, m, err))
		return -err->code;
	if (k->with_ah && qp_av_from_args(ctx, args, &m->ah, err) < 0)
		return -err->code;
	if (k->with_group &&
	    step_gid_parse(&m->group, value_get_string(args, "gid", "ff0e::1:0"), err) < 0)
		return -err->code;
	if (!k->with_cq)
		return 0;
	m->cq = arg_handle(ctx, args, "cq", OBJECT_CQ, err);
	return m->cq ? 0 : -err->code;
}
