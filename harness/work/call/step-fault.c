/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "call/fault.h"
#include "call/fault-calls.h"
#include "call/many.h"

/* Calls in which the kernel fails on purpose: fault.h. */

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

/* What is tried while a point fails: the making of an object, or a call that changes one. */
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
	 .params = next_params, .fields = errval_fields, .needs = "faults=yes", .run = run_fail_next},
	{NULL},
};

const struct step_family family_fault = {"fault", "Faults that the kernel injects.", steps};
