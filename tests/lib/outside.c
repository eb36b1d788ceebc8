/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled outside the tree, as C and as C++. */
#include <verbatim/addrinfo.h>
#include <verbatim/error.h>
#include <verbatim/resolve.h>

#include <stdio.h>
#include <string.h>

typedef int getaddrinfo_call(const char *, const char *, const struct rdma_addrinfo *,
			     struct rdma_addrinfo **);

static int asynchronous(void)
{
	struct vbm_resolver *resolver;
	struct vbm_request *request, *ended;
	int failed;

	if (vbm_create_resolver(&resolver))
		return 1;
	failed = vbm_start_request(resolver, "192.0.2.1", "7471", NULL, 1000, NULL, &request) ||
		vbm_next_request(resolver, 1000, &ended) || vbm_request_code(ended) ||
		vbm_free_request(ended);
	return failed || vbm_destroy_resolver(resolver);
}

int main(void)
{
	getaddrinfo_call *call = vbm_getaddrinfo;
	struct rdma_addrinfo hints, *res;
	int ret;

	memset(&hints, 0, sizeof(hints));
	hints.ai_qp_type = IBV_QPT_UD;
	hints.ai_port_space = RDMA_PS_TCP;
	ret = call("192.0.2.1", "7471", &hints, &res);
	if (ret != EAI_QPTYPE || res)
		return 1;
	hints.ai_port_space = RDMA_PS_UDP;
	if (call("192.0.2.1", "7471", &hints, &res))
		return 1;
	printf("%s\n", res->ai_dst_canonname);
	vbm_freeaddrinfo(res);
	return asynchronous();
}
