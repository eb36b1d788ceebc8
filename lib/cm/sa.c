/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cm/cm.h"
#include "lib/base/fail.h"

#define SERVICE_NAME_MOST 63

/*
 * Only the kernel can ask the subnet administrator, and librdmacm has calls for that since
 * rdma-core 60. They are looked up at run time, so that an older librdmacm is enough for
 * everything else. They are looked up by version, because a preloaded library may define
 * the same names.
 */
typedef int resolve_call(struct rdma_cm_id *, const char *, const char *,
			 const struct rdma_addrinfo *);
typedef int query_call(struct rdma_cm_id *, struct rdma_addrinfo **);

static void *system_call(const char *name)
{
	void *librdmacm = dlopen("librdmacm.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *call;

	if (!librdmacm)
		return NULL;
	call = dlvsym(librdmacm, name, "RDMACM_1.4");
	dlclose(librdmacm);
	return call;
}

static bool is_number(const char *service)
{
	char *end;

	errno = 0;
	strtoull(service, &end, 0);
	return end != service && !*end && !errno;
}

static int check_service(const char *service)
{
	if (!service)
		return EINVAL;
	if (!is_number(service) && strnlen(service, SERVICE_NAME_MOST + 1) > SERVICE_NAME_MOST)
		return EINVAL;
	return 0;
}

static int check_port(const struct rdma_cm_id *id)
{
	struct ibv_port_attr attr;

	if (!id->verbs)
		return EINVAL;
	if (ibv_query_port(id->verbs, id->port_num, &attr))
		return EINVAL;
	return attr.link_layer == IBV_LINK_LAYER_INFINIBAND ? 0 : ENOTSUP;
}

int vbm_sa_resolve(struct rdma_cm_id *id, const char *node, const char *service,
		   const struct rdma_addrinfo *hints)
{
	resolve_call *call;
	int error;

	if (node)
		return vbm_refuse(ENOTSUP);
	error = check_service(service);
	if (!error)
		error = check_port(id);
	if (error)
		return vbm_refuse(error);
	call = (resolve_call *)system_call("rdma_resolve_addrinfo");
	if (!call)
		return vbm_refuse(ENOTSUP);
	if (call(id, NULL, service, hints))
		return errno > 0 ? -1 : vbm_refuse(EIO);
	return 0;
}

int vbm_sa_query(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	query_call *call = (query_call *)system_call("rdma_query_addrinfo");

	return call ? call(id, info) : vbm_refuse(ENOENT);
}
