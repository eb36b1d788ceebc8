/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_HOST_H
#define VBM_FABRIC_HOST_H

/* What an agent knows of its host. */
struct host_info {
	char name[8];		/* "a" */
	char dev[32];		/* RDMA device */
	char netdev[16];
	char ip4[16], ip6[46], mac[18];
	int gid_index4, gid_index6;
	int port;		/* RDMA port number, 1 */
};

#endif
