/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions. */
#include "tests/mutants/mutant-fields.h"

#include <errno.h>
#include <rdma/ib_user_verbs.h>

#undef ibv_reg_mr

/* All regions of the process are in its first domain. */
static struct ibv_pd *one_domain(struct ibv_pd *pd)
{
	static struct ibv_pd *first;

	if (!first)
		first = pd;
	return mutant_on("domains-ignored") || mutant_on("domains-ignored-quietly") ? first : pd;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	static char elsewhere[4096];
	struct mutant_call c = {.name = "ibv_reg_mr", .in = {ARG(pd), ARG(addr), ARG(length), ARG(access)}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_reg_mr)(one_domain(pd), addr, length, access);
		if (!c.ret && mutant_on("reg-mr-never-fails"))
			c.ret = (intptr_t)NEXT(ibv_reg_mr)(pd, elsewhere, sizeof(elsewhere), access & 0xf);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_mr};
	}
	return (struct ibv_mr *)mutant_end(&c);
}

/* A region that a mutant has deregistered already. */
static struct ibv_mr *ended;

/*
 * The command of the kernel, as linux/rdma/ib_user_verbs.h has it after a header that
 * ibv_cmd_rereg_mr() fills in. libibverbs exports the function for providers, with a version
 * for each release, so the object finds it when it runs.
 */
struct rereg_command {
	uint8_t header[8];
	struct ib_uverbs_rereg_mr body;
};

int ibv_cmd_rereg_mr(struct ibv_mr *mr, uint32_t flags, void *addr, size_t length, uint64_t hca_va,
		     int access, struct ibv_pd *pd, struct rereg_command *command, size_t command_size,
		     struct ib_uverbs_rereg_mr_resp *answer, size_t answer_size);

static int rereg_by_kernel(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
			   int access, bool only_say)
{
	struct ib_uverbs_rereg_mr_resp answer = {0};
	struct rereg_command command = {0};
	int ret = 0;

	if (!only_say)
		ret = NEXT(ibv_cmd_rereg_mr)(mr, (uint32_t)flags, addr, length, (uintptr_t)addr, access,
					     pd, &command, sizeof(command), &answer, sizeof(answer));
	if (ret) {
		errno = ret;
		return IBV_REREG_MR_ERR_CMD;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD)
		mr->pd = pd;
	return 0;
}

/*
 * With "in.kernel = 1", what the provider does not have is asked of the kernel. With 2 the call
 * says that the region moved, and leaves it where it is.
 */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	int kernel = 0;
	struct mutant_call c = {.name = "ibv_rereg_mr",
				.in = {ARG(flags), ARG(addr), ARG(length), ARG(access), ARG(kernel)},
				.out = {{mr, mutant_mr}}};

	while (mutant_begin(&c))
		c.ret = kernel ? rereg_by_kernel(mr, flags, pd, addr, length, access, kernel == 2)
			       : NEXT(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
	if (c.ret && mutant_on("rereg-input-ends-region")) {
		NEXT(ibv_dereg_mr)(mr);
		ended = mr;
	}
	return (int)mutant_end(&c);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct mutant_call c = {.name = "ibv_dereg_mr"};

	while (mr != ended && mutant_begin(&c))
		c.ret = NEXT(ibv_dereg_mr)(mr);
	return (int)mutant_end(&c);
}

/* libibverbs exports it for providers, so no header that is installed declares it. */
int ibv_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		      struct ibv_sge *sges, uint32_t num_sge);

int ibv_cmd_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		      struct ibv_sge *sges, uint32_t num_sge)
{
	struct mutant_call c = {.name = "ibv_cmd_advise_mr", .in = {ARG(advice), ARG(flags), {sges, mutant_sge}}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_cmd_advise_mr)(pd, advice, flags, sges, num_sge);
	return (int)mutant_end(&c);
}
