/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "compile/compile.h"
#include "plan/require.h"

bool compile_is_need(struct compiler *c, const char *text, struct pos pos)
{
	struct vbm_error err = {0};
	struct require req;

	if (require_parse(&req, text, &err) < 0)
		diag_add(c->diag, pos, NULL, "%s", err.msg);
	else if (!strcmp(req.capability->name, "device"))
		diag_add(c->diag, pos, NULL, "a scenario does not ask for a type of devices, but for what they "
			 "can do, for example 'can=ud'");
	else
		return true;
	return false;
}
