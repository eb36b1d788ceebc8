/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/fault-next.h"

#include <errno.h>
#include <string.h>

#include "base/value.h"
#include "call/fault.h"
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

static int run(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	*result = value_map();
	memset(err, 0, sizeof(*err));
	return ctx->kind->run(ctx, args, *result, err);
}

int fault_next_run(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	int nth = ctx->fail_nth, ret;
	struct fault f;
	bool hit;

	if (!nth)
		return run(ctx, args, result, err);
	ctx->fail_nth = 0;
	if (fault_open(&f, err) < 0 || fault_arm(&f, nth, err) < 0) {
		*result = value_map();
		return -err->code;
	}
	ret = run(ctx, args, result, err);
	hit = fault_disarm(&f);
	fault_close(&f);
	if (!hit || (ret == 0 && !met_no_memory(*result)))
		return ret;
	value_free(*result);
	return run(ctx, args, result, err);
}
