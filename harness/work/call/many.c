/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/many.h"

#include <errno.h>
#include <string.h>

/* All regions are this page. */
static char page[4096] __attribute__((aligned(4096)));

#define UNUSED __attribute__((unused))

/* The functions of a kind that one call makes, and one call ends. */
#define MAKE(name, call)                                                      \
	static void *make_##name(const struct making *m, size_t number UNUSED) \
	{                                                                     \
		return call;                                                  \
	}
#define UNMAKE(name, call)                                                    \
	static int unmake_##name(const struct making *m UNUSED, void *thing, size_t number UNUSED) \
	{                                                                     \
		return call;                                                  \
	}

MAKE(pd, m->target->alloc_pd(m->context))
UNMAKE(pd, m->target->dealloc_pd(thing))
MAKE(cq, m->target->create_cq(m->context, 1, NULL, NULL, 0))
UNMAKE(cq, m->target->destroy_cq(thing))
MAKE(mr, m->target->reg_mr(m->pd, page, sizeof(page), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ))
UNMAKE(mr, m->target->dereg_mr(thing))
MAKE(mw, ibv_alloc_mw(m->pd, IBV_MW_TYPE_1))
UNMAKE(mw, ibv_dealloc_mw(thing))
UNMAKE(ah, m->target->destroy_ah(thing))
MAKE(srq, m->target->create_srq(m->pd, &(struct ibv_srq_init_attr){.attr = {.max_wr = 1, .max_sge = 1}}))
UNMAKE(srq, m->target->destroy_srq(thing))
MAKE(qp, m->target->create_qp(m->pd, &(struct ibv_qp_init_attr){
	.send_cq = m->cq,
	.recv_cq = m->cq,
	.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	.qp_type = IBV_QPT_UD,
}))
UNMAKE(qp, m->target->destroy_qp(thing))
MAKE(device, m->target->open_device(m->context->device))
UNMAKE(device, m->target->close_device(thing))
MAKE(comp_channel, m->target->create_comp_channel(m->context))
UNMAKE(comp_channel, m->target->destroy_comp_channel(thing))
MAKE(event_channel, m->target->create_event_channel())

static int unmake_event_channel(const struct making *m, void *channel, size_t number UNUSED)
{
	m->target->destroy_event_channel(channel);
	return 0;
}

static void *make_ah(const struct making *m, size_t number UNUSED)
{
	struct ibv_ah_attr attr = m->ah;

	return m->target->create_ah(m->pd, &attr);
}

static uint32_t mr_lkey(const void *mr)
{
	return ((const struct ibv_mr *)mr)->lkey;
}

static uint32_t mr_rkey(const void *mr)
{
	return ((const struct ibv_mr *)mr)->rkey;
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

#define MANY_KINDS(X)                                                         \
	X(PD, pd, .in_pd = false)                                             \
	X(CQ, cq, .in_pd = false)                                             \
	X(MR, mr, .in_pd = true, .lkey = mr_lkey, .rkey = mr_rkey)            \
	X(MW, mw, .in_pd = true)                                              \
	X(AH, ah, .in_pd = true, .with_ah = true)                             \
	X(SRQ, srq, .in_pd = true)                                            \
	X(QP, qp, .in_pd = true, .with_cq = true)                             \
	X(MEMBER, member, .in_pd = true, .with_cq = true, .with_group = true) \
	X(GROUP, group, .with_qp = true, .with_group = true)                  \
	X(DEVICE, device, .in_pd = false)                                     \
	X(COMP_CHANNEL, comp_channel, .in_pd = false)                         \
	X(EVENT_CHANNEL, event_channel, .in_pd = false)

enum many_what {
#define NUMBER(name, ...) MANY_##name,
	MANY_KINDS(NUMBER)
#undef NUMBER
};

static const struct many_kind kinds[] = {
#define KIND(name, functions, ...) {.make = make_##functions, .unmake = unmake_##functions, __VA_ARGS__},
	MANY_KINDS(KIND)
#undef KIND
};

static const struct const_entry what_entries[] = {
#define ENTRY(name, ...) {#name, MANY_##name},
	MANY_KINDS(ENTRY)
#undef ENTRY
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
