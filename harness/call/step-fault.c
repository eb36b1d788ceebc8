/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "call/fault.h"
#include "call/many.h"

/* Calls in which the kernel fails on purpose: fault.h. */

struct tally {
	int hit, failed;
	int odd;	/* the first errno that no lack of memory gives */
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

static const struct step_kind steps[] = {
	{.name = "fail_each", .call = "ibv_create_cq(3)",
	 .doc = "Make an object and free it, again and again, while in the kernel the first, the second ... allocation or copy of "
		"the call fails, until none is left.",
	 .params = each_params, .fields = each_fields, .deadline_ms = DEADLINE_FAULT_MS, .needs = "faults=yes", .run = run_fail_each},
	{NULL},
};

const struct step_family family_fault = {"fault", "Faults that the kernel injects.", steps};
