/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>

static void read_netdev(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) >= 0 && tb[RDMA_NLDEV_ATTR_NDEV_NAME])
		nla_strlcpy(arg, tb[RDMA_NLDEV_ATTR_NDEV_NAME], NETLINK_NETDEV_MAX);
}

int netlink_rdma_netdev(struct netlink *nl, uint32_t index, uint32_t port, char name[NETLINK_NETDEV_MAX],
			struct vbm_error *err)
{
	struct nl_msg *msg = nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_PORT_GET), 0, NULL, 0);

	name[0] = '\0';
	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	}
	return nl_transact(nl, NL_RDMA, msg, read_netdev, name, err,
			   "cannot ask for the interface of RDMA device %u", index);
}
