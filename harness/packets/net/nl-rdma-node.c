/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>

#include "lib/base/fail.h"

static void read_node(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct rdma_node *node = arg;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_CHARDEV] || !tb[RDMA_NLDEV_ATTR_CHARDEV_NAME])
		return;
	node->number = (dev_t)nla_get_u64(tb[RDMA_NLDEV_ATTR_CHARDEV]);
	nla_strlcpy(node->name, tb[RDMA_NLDEV_ATTR_CHARDEV_NAME], sizeof(node->name));
}

int netlink_rdma_node(struct netlink *nl, const char *client, const struct rdma_port *of,
		      struct rdma_node *node, struct vbm_error *err)
{
	struct nl_msg *msg = nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV),
					0, NULL, 0);
	int ret;

	*node = (struct rdma_node){0};
	if (msg)
		nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, client);
	if (msg && of)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, of->device);
	if (msg && of && of->port)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, of->port);
	ret = nl_transact(nl, NL_RDMA, msg, read_node, node, err, "cannot find the node of %s", client);
	if (ret == 0 && !node->name[0])
		ret = vbm_fail(err, ENOENT, "%s has no node", client);
	return ret;
}
