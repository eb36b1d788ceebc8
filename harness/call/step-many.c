/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call/qp-attr.h"
#include "call/step-util.h"

/*
 * Makes many objects of one kind, to reach a limit of the device. No other object
 * refers to one of them, so their numbers are not kept apart (numbering.h).
 */

/* The arguments of the calls. Those that a kind does not need are NULL. */
struct making {
	const struct target *target;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah_attr ah;
	union ibv_gid group;
};

struct many_kind {
	bool in_pd, with_cq, with_ah, with_qp, with_group;
	void *(*make)(const struct making *m, size_t number);
	int (*unmake)(const struct making *m, void *thing, size_t number);
	uint32_t (*lkey)(const void *thing), (*rkey)(const void *thing);
};

struct many_object {
	struct object base;
	struct making making;
	const struct many_kind *kind;
	void **thing;		/* owned */
	size_t count;
};

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
};

static const struct const_set what_set = {
	.name = "things",
	.prefix = "",
	.entry = what_entries,
	.count = ARRAY_SIZE(what_entries),
};

static const struct many_kind *arg_kind(const struct value *args, struct vbm_error *err)
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
	struct object *o;

	if (k->with_qp) {
		o = arg_object(ctx, args, "qp", OBJECT_QP, err);
		m->qp = o ? ((struct qp_object *)o)->qp : NULL;
	} else if (k->in_pd) {
		o = arg_object(ctx, args, "pd", OBJECT_PD, err);
		m->pd = o ? ((struct pd_object *)o)->pd : NULL;
	} else {
		o = arg_object(ctx, args, "ctx", OBJECT_CONTEXT, err);
		m->context = o ? ((struct context_object *)o)->context : NULL;
	}
	return o;
}

static int arg_making(struct step_ctx *ctx, const struct value *args, const struct many_kind *k,
		      struct making *m, struct vbm_error *err)
{
	struct object *cq;

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
	cq = arg_object(ctx, args, "cq", OBJECT_CQ, err);
	m->cq = cq ? ((struct cq_object *)cq)->cq : NULL;
	return cq ? 0 : -err->code;
}

/* Destroys the objects, newest first. Stops at the first error and returns it. */
static int unmake_all(struct many_object *o)
{
	int ret = 0;

	while (o->count && ret == 0) {
		ret = o->kind->unmake(&o->making, o->thing[o->count - 1], o->count - 1);
		if (ret == 0)
			o->count--;
	}
	return ret;
}

static void many_release(struct object *o)
{
	unmake_all((struct many_object *)o);
}

static void many_discard(struct object *o)
{
	free(((struct many_object *)o)->thing);
}

static int compare_keys(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* How many different keys the things have. */
static int64_t count_keys(const struct many_object *o, uint32_t (*key)(const void *thing))
{
	uint32_t *keys = xcalloc(o->count + 1, sizeof(*keys));
	int64_t different = o->count > 0;
	size_t i;

	for (i = 0; i < o->count; i++)
		keys[i] = key(o->thing[i]);
	qsort(keys, o->count, sizeof(*keys), compare_keys);
	for (i = 1; i < o->count; i++)
		different += keys[i] != keys[i - 1];
	free(keys);
	return different;
}

static int run_make_many(struct step_ctx *ctx, const struct value *args,
			 struct value *result, struct vbm_error *err)
{
	const struct many_kind *kind = arg_kind(args, err);
	size_t n = (size_t)value_get_int(args, "count", 1);
	struct many_object *o;
	struct making m;
	void *thing = NULL;

	if (!kind || arg_making(ctx, args, kind, &m, err) < 0)
		return -err->code;
	o = xcalloc(1, sizeof(*o));
	o->making = m;
	o->kind = kind;
	o->thing = xcalloc(n, sizeof(*o->thing));
	o->base.release = many_release;
	o->base.discard = many_discard;
	do {
		errno = 0;
		thing = kind->make(&m, o->count);
		if (thing)
			o->thing[o->count++] = thing;
	} while (thing && o->count < n);
	put_pointer(result, thing);
	value_set_int(result, "made", (int64_t)o->count);
	if (kind->lkey)
		value_set_int(result, "lkeys", count_keys(o, kind->lkey));
	if (kind->rkey)
		value_set_int(result, "rkeys", count_keys(o, kind->rkey));
	step_keep_object(ctx, &o->base, OBJECT_MANY);
	return 0;
}

static int run_destroy_many(struct step_ctx *ctx, const struct value *args,
			    struct value *result, struct vbm_error *err)
{
	struct many_object *o = (struct many_object *)arg_object(ctx, args, "many", OBJECT_MANY, err);
	int ret;

	if (!o)
		return -err->code;
	ret = unmake_all(o);
	put_errval(result, ret);
	value_set_int(result, "left", (int64_t)o->count);
	if (ret == 0)
		objects_forget(ctx->objects, &o->base);
	return 0;
}

#define COUNT_MAX (1 << 20)
#define DEADLINE_MANY_MS 30000

static const struct param make_params[] = {
	{.name = "what", .type = PARAM_CONST, .set = &what_set, .required = true,
	 .doc = "PD, CQ, MR, MW, AH, SRQ or QP (UD), each of the smallest size; MEMBER: a queue pair that "
			"is attached to the group; GROUP: a group to which qp is attached"},
	P_INT("count", 1, COUNT_MAX, "how many objects; default 1"),
	P_OBJECT("ctx", OBJECT_CONTEXT, "the open device, for PD and CQ; default: ctx, or the only one"),
	P_OBJECT("pd", OBJECT_PD, "the protection domain, for most others; default: pd, or the only one"),
	P_OBJECT("cq", OBJECT_CQ, "the completion queue, for QP and MEMBER; default: cq, or the only one"),
	P_OBJECT("qp", OBJECT_QP, "the queue pair, for GROUP; default: qp, or the only one"),
	P_STRING("gid", "for MEMBER the multicast group, for GROUP the first one; default ff0e::1:0"),
	P_AV,
	{NULL},
};
static const struct field make_fields[] = {
	F_CONST("return", &const_pointer, "whether the last call returned a pointer or NULL"),
	F_ERRNO,
	F_INT("made", "how many objects were made: all, or those before the first failure"),
	F_INT("lkeys", "how many different lkeys the regions have; absent for other kinds"),
	F_INT("rkeys", "how many different rkeys the regions have; absent for other kinds"),
	{NULL},
};
static const struct param destroy_params[] = {
	P_OBJECT("many", OBJECT_MANY, "the objects; default: many, or the only ones"),
	{NULL},
};
static const struct field destroy_fields[] = {
	F_CONST("return", &const_errno, "0, or the errno value of the first call that failed"),
	F_INT("left", "how many objects could not be destroyed"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "make_many", .call = "ibv_query_device(3)",
	 .doc = "Make many objects of a kind, until there are enough or a call fails.",
	 .params = make_params, .fields = make_fields, .makes = OBJECT_MANY, .ok = 1,
	 .deadline_ms = DEADLINE_MANY_MS, .run = run_make_many},
	{.name = "destroy_many", .call = "ibv_query_device(3)",
	 .doc = "Destroy the objects that make_many made.", .params = destroy_params,
	 .fields = destroy_fields, .deadline_ms = DEADLINE_MANY_MS, .run = run_destroy_many},
	{NULL},
};

const struct step_family family_many = {
	"many", "Many objects of a kind, to reach the limits of a device.", steps
};
