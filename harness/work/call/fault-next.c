/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/fault-next.h"

#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "call/fault.h"
#include "lib/base/fail.h"
#include "step/step.h"

/* The network has a code of its own for a lack of memory. */
bool fault_is_no_memory(int code)
{
	return code == ENOMEM || code == EFAULT || code == ENOBUFS;
}

static bool met_no_memory(const struct value *result)
{
	return fault_is_no_memory((int)value_get_int(result, "return", 0)) ||
	       fault_is_no_memory((int)value_get_int(result, "errno", 0));
}

static int run_call(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	*result = value_map();
	memset(err, 0, sizeof(*err));
	return ctx->kind->run(ctx, args, *result, err);
}

/* The fault of the step that is being carried out. An agent carries out one step at a time. */
static struct {
	const struct fault *fault;	/* NULL: none was asked for */
	int nth;
	bool begun, over, hit;
	struct vbm_error err;
} next;

void fault_next_begin(void)
{
	if (!next.fault || next.begun)
		return;
	next.begun = true;
	if (fault_arm(next.fault, next.nth, &next.err) < 0)
		next.over = true;
}

void fault_next_end(void)
{
	if (!next.begun || next.over)
		return;
	next.over = true;
	next.hit = fault_disarm(next.fault);
}

int fault_next_run(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	int nth = ctx->fail_nth, ret;
	struct fault f;

	if (!nth)
		return run_call(ctx, args, result, err);
	ctx->fail_nth = 0;
	if (fault_open(&f, err) < 0) {
		*result = value_map();
		return -err->code;
	}
	memset(&next, 0, sizeof(next));
	next.fault = &f;
	next.nth = nth;
	ret = run_call(ctx, args, result, err);
	fault_next_end();
	next.fault = NULL;
	fault_close(&f);
	if (next.err.code) {
		*err = next.err;
		return -err->code;
	}
	if (!next.begun && ret == 0)
		return vbm_fail(err, EINVAL, "fail_next cannot hit %s: no fault is possible in its call alone", ctx->kind->name);
	if (!next.hit || (ret == 0 && !met_no_memory(*result)))
		return ret;
	value_free(*result);
	next.begun = next.over = next.hit = false;
	return run_call(ctx, args, result, err);
}
