/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/* The answers of hosts that this kernel has. */

int answer_host_counters(const struct host *host, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		  struct vbm_error *err)
{
	int ret;

	if (!host_has_device(host))
		return 0;
	ret = netlink_rdma_counters(host->nl, host->rdma_index, (uint32_t)host->info.port, fn, arg, err);
	/* The kernel's answer if a driver keeps no counters; this device and its port are there. */
	if (ret != -EINVAL)
		return ret;
	if (err)
		*err = (struct vbm_error){0};
	return 0;
}

int answer_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	return host_has_device(host) ? netlink_rdma_listeners(host->nl, host->rdma_index, fn, arg, err) : 0;
}

int answer_objects(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
			struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	return host_has_device(host) ? netlink_rdma_objects(host->nl, host->rdma_index, fn, arg, err) : 0;
}

int answer_counters(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			 struct vbm_error *err)
{
	return answer_host_counters(&fabric->host[i], fn, arg, err);
}

int answer_counter(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	if (!host_has_device(host))
		return vbm_fail(err, ENOENT, "host %s has no RDMA device", host->info.name);
	return netlink_rdma_counter(host->nl, host->rdma_index, (uint32_t)host->info.port, name, value, err);
}
