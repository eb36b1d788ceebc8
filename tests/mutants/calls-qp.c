/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs, address handles and multicast. */
#include "tests/mutants/mutant-fields.h"

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct mutant_call c = {.name = "ibv_create_qp", .in = {{attr, mutant_qp_init_attr}}};

	while (mutant_begin(&c)) {
		c.ret = (intptr_t)NEXT(ibv_create_qp)(pd, attr);
		c.out[0] = (struct mutant_part){c.ret ? attr : NULL, mutant_qp_init_attr};
		c.out[1] = (struct mutant_part){(void *)c.ret, mutant_qp};
	}
	return (struct ibv_qp *)mutant_end(&c);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr copy = *attr;
	struct mutant_call c = {.name = "ibv_modify_qp", .in = {{&copy, mutant_qp_attr}, ARG(mask)},
				.out = {{qp, mutant_qp}}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_modify_qp)(qp, &copy, mask);
	return (int)mutant_end(&c);
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct mutant_call c = {.name = "ibv_query_qp", .in = {ARG(mask)}};

	while (mutant_begin(&c)) {
		c.ret = NEXT(ibv_query_qp)(qp, attr, mask, init);
		c.out[0] = (struct mutant_part){c.ret ? NULL : attr, mutant_qp_attr};
		c.out[1] = (struct mutant_part){c.ret ? NULL : init, mutant_qp_init_attr};
	}
	return (int)mutant_end(&c);
}

PASS(int, ibv_destroy_qp, (struct ibv_qp *qp), (qp))

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah_attr copy = *attr;
	struct mutant_call c = {.name = "ibv_create_ah", .in = {{&copy, mutant_ah_attr}}};

	while (mutant_begin(&c))
		c.ret = (intptr_t)NEXT(ibv_create_ah)(pd, &copy);
	return (struct ibv_ah *)mutant_end(&c);
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc,
			struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	struct ibv_grh copy = *grh;
	struct mutant_call c = {.name = "ibv_init_ah_from_wc", .in = {ARG(port), {&copy, mutant_grh}}};

	while (mutant_begin(&c)) {
		c.ret = NEXT(ibv_init_ah_from_wc)(context, port, wc, &copy, attr);
		c.out[0] = (struct mutant_part){c.ret ? NULL : attr, mutant_ah_attr};
	}
	return (int)mutant_end(&c);
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
	struct ibv_grh copy = *grh;
	struct mutant_call c = {.name = "ibv_create_ah_from_wc", .in = {ARG(port), {&copy, mutant_grh}}};

	while (mutant_begin(&c))
		c.ret = (intptr_t)NEXT(ibv_create_ah_from_wc)(pd, wc, &copy, port);
	return (struct ibv_ah *)mutant_end(&c);
}

PASS(int, ibv_destroy_ah, (struct ibv_ah *ah), (ah))

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	union ibv_gid copy = *gid;
	struct mutant_call c = {.name = "ibv_attach_mcast", .in = {{&copy, mutant_gid}, ARG(lid)}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_attach_mcast)(qp, &copy, lid);
	return (int)mutant_end(&c);
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	union ibv_gid copy = *gid;
	struct mutant_call c = {.name = "ibv_detach_mcast", .in = {{&copy, mutant_gid}, ARG(lid)}};

	while (mutant_begin(&c))
		c.ret = NEXT(ibv_detach_mcast)(qp, &copy, lid);
	return (int)mutant_end(&c);
}
