/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"

int fabric_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg,
		     struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	return netlink_rdma_listeners(host->nl, host->rdma_index, fn, arg, err);
}
