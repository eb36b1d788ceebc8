/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/getaddrinfo.h"

#include <errno.h>

#include "lib/base/fail.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/request.h"
#include "lib/resolve/result.h"

int vbm_gai_translate(const struct gai_config *cfg, const char *node,
		      const char *service, const struct rdma_addrinfo *hints,
		      struct rdma_addrinfo **res)
{
	struct request request;
	enum gai_fault fault;

	if (!res)
		return vbm_refuse(EINVAL);
	*res = NULL;
	fault = vbm_hints_check(&request.work.q, hints);
	if (fault)
		return vbm_gai_fault_code(fault);
	if (request.work.q.flags & RAI_SA)
		return vbm_refuse(ENOTSUP);
	vbm_request_run(&request, cfg, node, service);
	*res = request.list;
	request.list = NULL;
	vbm_request_clear(&request);
	if (request.code == EAI_SYSTEM)
		errno = request.error;
	return request.code;
}

int vbm_getaddrinfo(const char *node, const char *service,
		    const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	return vbm_gai_translate(&vbm_gai_system, node, service, hints, res);
}

void vbm_freeaddrinfo(struct rdma_addrinfo *res)
{
	vbm_result_free(res);
}
