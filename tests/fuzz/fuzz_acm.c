/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/resolve/acm-codec.c lib/resolve/routes.c */
/* Decode any bytes from a path service, and put the result in a list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/resolve/acm-codec.h"
#include "lib/resolve/result.h"
#include "lib/resolve/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rdma_addrinfo *entry(const struct gai_query *q, int family)
{
	struct rdma_addrinfo *r;
	union addr dst;

	if (family == AF_INET)
		vbm_addr_set_in(&dst, INADDR_LOOPBACK, 7471);
	else
		vbm_addr_set_in6(&dst, in6addr_loopback.s6_addr, 7471);
	r = vbm_result_new(q, NULL, &dst, "name");
	if (!r)
		abort();
	return r;
}

static void apply(const struct acm_reply *reply, int family)
{
	struct gai_work work = {.q = {.qp_type = IBV_QPT_RC, .port_space = RDMA_PS_TCP}};
	struct rdma_addrinfo *list = entry(&work.q, family), *r;

	if (vbm_routes_apply(&work, list, reply))
		abort();
	for (r = list; r; r = r->ai_next)
		if (!r->ai_route_len != !r->ai_route || r->ai_route_len % 72 || !r->ai_dst_len)
			abort();
	vbm_result_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);	/* an exact size, so that ASan sees reads beyond it */
	struct acm_reply reply;

	memcpy(exact, data, size);
	if (size >= ACM_HEADER && vbm_acm_length(exact) > ACM_MOST)
		abort();
	if (vbm_acm_decode(exact, size, &reply)) {
		if (reply.paths > ACM_ENTRIES)
			abort();
		apply(&reply, AF_INET);
		apply(&reply, AF_INET6);
	}
	free(exact);
	return 0;
}
