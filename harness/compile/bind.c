/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/cleanup.h"
#include "fail.h"
#include "compile/fit.h"

static int bind_args(const struct plan_step *step, const struct env *env,
		     struct value **out, struct diagnostics *diag, struct vbm_error *err)
{
	int ret = env_resolve(env, step->args, out, err);

	if (ret)
		return ret;
	fit_args(&(struct fit){.diag = diag, .host = step->host}, step->kind->name,
		 step->kind->params, *out, step->pos);
	return 0;
}

static int bind_expect(const struct plan_step *step, const struct env *env,
		       struct value **out, struct diagnostics *diag, struct vbm_error *err)
{
	int ret;

	if (!step->expect)
		return 0;
	ret = env_resolve(env, step->expect, out, err);
	if (ret)
		return ret;
	fit_expect(&(struct fit){.diag = diag, .host = step->host}, step->kind->name,
		   step->kind->fields, *out);
	return 0;
}

int plan_bind(const struct plan_step *step, const struct env *env, struct value **args,
	      struct value **expect, struct vbm_error *err)
{
	auto_value struct value *a = NULL, *e = NULL;
	struct diagnostics diag = {0};
	int ret = bind_args(step, env, &a, &diag, err);

	if (ret == 0)
		ret = bind_expect(step, env, &e, &diag, err);
	if (ret == 0 && diag.count) {
		diagnostics_sort(&diag);
		ret = diagnostics_fail(&diag, err);
	}
	diagnostics_fini(&diag);
	if (ret)
		return ret;
	*args = steal(&a);
	*expect = steal(&e);
	return 0;
}
