/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions and shared receive queues. */
#include "tests/mutants/mutant-fields.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	struct mutant_call c = {.name = "ibv_reg_mr", .in = {ARG(pd), ARG(addr), ARG(length), ARG(access)}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_reg_mr)(pd, addr, length, access);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_mr};
	}
	return (struct ibv_mr *)mutant_end(&c);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	struct mutant_call c = {.name = "ibv_reg_mr_iova",
				.in = {ARG(addr), ARG(length), ARG(iova), ARG(access)}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_reg_mr_iova)(pd, addr, length, iova, access);
		c.out[0] = (struct mutant_part){(void *)c.ret, mutant_mr};
	}
	return (struct ibv_mr *)mutant_end(&c);
}

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
	struct mutant_call c = {.name = "ibv_rereg_mr", .in = {ARG(flags), ARG(addr), ARG(length), ARG(access)},
				.out = {{mr, mutant_mr}}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
	return (int)mutant_end(&c);
}

PASS(int, ibv_dereg_mr, (struct ibv_mr *mr), (mr))

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct mutant_call c = {.name = "ibv_create_srq", .in = {{attr, mutant_srq_init_attr}}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_create_srq)(pd, attr);
		c.out[0] = (struct mutant_part){c.ret ? attr : NULL, mutant_srq_init_attr};
		c.out[1] = (struct mutant_part){(void *)c.ret, mutant_srq};
	}
	return (struct ibv_srq *)mutant_end(&c);
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_srq_attr copy = *attr;
	struct mutant_call c = {.name = "ibv_modify_srq", .in = {{&copy, mutant_srq_attr}, ARG(mask)}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_modify_srq)(srq, &copy, mask);
	return (int)mutant_end(&c);
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct mutant_call c = {.name = "ibv_query_srq"};

	while (mutant_begin(&c)) {
		c.ret = NEXT(ibv_query_srq)(srq, attr);
		c.out[0] = (struct mutant_part){c.ret ? NULL : attr, mutant_srq_attr};
	}
	return (int)mutant_end(&c);
}

PASS(int, ibv_destroy_srq, (struct ibv_srq *srq), (srq))
