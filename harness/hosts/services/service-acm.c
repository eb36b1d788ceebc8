/* SPDX-License-Identifier: BSD-2-Clause */
#include "acm/answer.h"
#include "services/service.h"

static void check_acm(const struct value *v, int hosts, struct diagnostics *diag)
{
	struct acm_answer answer;

	(void)hosts;
	acm_answer_read(&answer, v, diag);
}

/* The agent of each host runs the service, with a /run of its own. */
static int start_acm(struct serving *s, const struct value *v, void **state, struct vbm_error *err)
{
	int i;

	(void)state;
	(void)err;
	for (i = 0; i < s->setup.hosts; i++)
		s->files[i].acm = v;
	return 0;
}

const struct service service_acm = {
	.key = "acm",
	.doc = "A path service on every host, and its answers.",
	.steps = "acm_",
	.what = "path service",
	.check = check_acm,
	.start = start_acm,
};
