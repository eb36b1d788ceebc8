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

static void count(struct tally *t, bool hit, bool made, int code)
{
	t->hit += hit;
	t->failed += !made;
	if (!made && !t->odd && !is_usual(code))
		t->odd = code ? code : -1;
}

/* Makes an object while the @nth point fails, and frees it. Returns whether the call was hit; *@ret is 0 or the error of the free. */
static int make_one(const struct fault *f, const struct many_kind *kind, const struct making *m, int nth, struct tally *t,
		    int *ret, struct vbm_error *err)
{
	void *thing;
	bool hit;

	if (fault_arm(f, nth, err) < 0)
		return -err->code;
	errno = 0;
	thing = kind->make(m, 0);
	hit = fault_disarm(f);
	count(t, hit, thing, errno);
	*ret = thing ? kind->unmake(m, thing, 0) : 0;
	return hit;
}

#define POINTS_MAX 2000

static int run_fail_each(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	const struct many_kind *kind = many_arg_kind(args, err);
	struct tally t = {0};
	struct making m;
	struct fault f;
	int nth, hit = 1, ret = 0;

	if (!kind || many_arg_making(ctx, args, kind, &m, err) < 0 || fault_open(&f, err) < 0)
		return -err->code;
	for (nth = 1; hit > 0 && ret == 0 && nth <= POINTS_MAX; nth++)
		hit = make_one(&f, kind, &m, nth, &t, &ret, err);
	fault_close(&f);
	if (hit < 0)
		return hit;
	put_errval(result, ret);
	value_set_int(result, "points", t.hit);
	value_set_int(result, "failed", t.failed);
	value_set_int(result, "odd", t.odd);
	return 0;
}

/* Makes the objects of a call, calls while the @nth point fails, once more if that failed and is a call of verbs, and frees the objects. */
static int call_one(const struct fault *f, const struct fault_call *call, struct calling *c, int nth, struct tally *t,
		    int *ret, struct vbm_error *err)
{
	bool hit = false;
	int code;

	if (call->prepare(c, call, err) < 0 || fault_arm(f, nth, err) < 0) {
		fault_call_end(c);
		return -err->code;
	}
	code = call->call(c, call);
	hit = fault_disarm(f);
	count(t, hit, code == 0, code > 0 ? code : 0);
	if (code != 0 && !call->of_cm)
		t->again += call->call(c, call) != 0;
	*ret = fault_call_end(c);
	return hit;
}

static int run_fail_each_call(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	const struct fault_call *call = fault_call_of(args, err);
	struct tally t = {0};
	struct calling c;
	struct fault f;
	int nth, hit = 1, ret = 0;

	if (!call || fault_call_args(ctx, args, call, &c, err) < 0 || fault_open(&f, err) < 0)
		return -err->code;
	for (nth = 1; hit > 0 && ret == 0 && nth <= POINTS_MAX; nth++)
		hit = call_one(&f, call, &c, nth, &t, &ret, err);
	fault_close(&f);
	if (hit < 0)
		return hit;
	put_errval(result, ret);
	value_set_int(result, "points", t.hit);
	value_set_int(result, "failed", t.failed);
	value_set_int(result, "again", t.again);
	value_set_int(result, "odd", t.odd);
	return 0;
}

#define DEADLINE_FAULT_MS 30000

static const struct param each_params[] = {
	P_MANY("the kind of object, as for make_many"),
	{NULL},
};
static const struct field each_fields[] = {
	F_CONST("return", &const_errno, "0, or the errno value of the first free that failed"),
	F_INT("points", "how many calls were hit"),
	F_INT("failed", "how many of them failed"),
	F_CONST("odd", &const_errno, "the first error that was neither ENOMEM nor EFAULT, or OK; -1: an error without errno"),
	{NULL},
};

static const struct param call_params[] = {
	P_FAULT_CALL,
	{NULL},
};
static const struct field call_fields[] = {
	F_CONST("return", &const_errno, "0, or the errno value of the first free that failed"),
	F_INT("points", "how many calls were hit"),
	F_INT("failed", "how many of them failed"),
	F_INT("again", "how many of those failed once more, without a fault; calls of rdma_cm are not repeated"),
	F_CONST("odd", &const_errno, "the first error that was neither ENOMEM nor EFAULT, or OK; -1: an error without errno"),
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
	{NULL},
};

const struct step_family family_fault = {"fault", "Faults that the kernel injects.", steps};
