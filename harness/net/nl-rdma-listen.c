/* SPDX-License-Identifier: BSD-2-Clause */
#include <rdma/rdma_netlink.h>
#include <stddef.h>

#include "net/nl-talk.h"
#include "net/nl.h"

/* The kernel's RDMA_CM_LISTEN: in no header, but what rdma(8) goes by. */
#define CM_STATE_LISTEN 8

struct visit {
	void (*fn)(int pid, void *arg);
	void *arg;
};

static void read_ids(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry, *state, *pid;
	const struct visit *visit = arg;
	int rem;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_RES_CM_ID])
		return;
	nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_RES_CM_ID], rem) {
		state = nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_STATE);
		/* Those of the kernel have a name instead. */
		pid = nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_PID);
		if (state && pid && nla_get_u8(state) == CM_STATE_LISTEN)
			visit->fn((int)nla_get_u32(pid), visit->arg);
	}
}

int netlink_rdma_listeners(struct netlink *nl, uint32_t index, void (*fn)(int pid, void *arg),
			   void *arg, struct vbm_error *err)
{
	struct nl_msg *msg = nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
							 RDMA_NLDEV_CMD_RES_CM_ID_GET),
					NLM_F_DUMP, NULL, 0);
	struct visit visit = {fn, arg};

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return nl_talk(nl, NL_RDMA, msg, read_ids, &visit, err,
		       "cannot list the connections of RDMA device %u", index);
}
