/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous resolution, which the system's library has in newer versions only. */
#include "tests/mutants/mutant-fields.h"

int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			  const struct rdma_addrinfo *hints)
{
	struct rdma_addrinfo copy = hints ? *hints : (struct rdma_addrinfo){0};
	const struct rdma_addrinfo *given = hints ? &copy : NULL;
	int asks = 0;
	struct mutant_call c = {.name = "rdma_resolve_addrinfo", .in = {
		{hints ? &copy : NULL, mutant_addrinfo}, ARG(id), ARG(node), ARG(service), ARG(given), ARG(asks)}};

	while (mutant_begin(&c)) {
		if (asks)
			mutant_ask_name_server();
		c.ret = NEXT(rdma_resolve_addrinfo)(id, node, service, given);
	}
	return (int)mutant_end(&c);
}

int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	struct mutant_call c = {.name = "rdma_query_addrinfo", .out = {ARG(*info)}};

	while (mutant_begin(&c))
		c.ret = NEXT(rdma_query_addrinfo)(id, info);
	if (c.runs > 1 && c.ret == 0) {
		mutant_list(&c, info);
		return (int)c.ret;
	}
	return (int)mutant_end(&c);
}
