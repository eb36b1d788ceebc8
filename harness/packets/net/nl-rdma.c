/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

static struct nl_msg *rdma_request(int cmd, int flags)
{
	return nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, cmd), flags, NULL, 0);
}

int netlink_rdma_add(struct netlink *nl, const struct device_type *type, const char *name,
		     const char *netdev, struct vbm_error *err)
{
	struct nl_msg *msg = rdma_request(RDMA_NLDEV_CMD_NEWLINK, 0);
	struct vbm_error inner;
	int ret;

	if (msg) {
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, type->name);
		nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	}
	ret = nl_transact(nl, NL_RDMA, msg, NULL, NULL, &inner, "cannot make the %s device %s on %s",
		      type->name, name, netdev);
	if (ret == 0)
		return 0;
	if (ret == -EINVAL)
		return vbm_fail(err, EINVAL, "%s: is the module there? Try 'modprobe %s'", inner.msg,
				type->module);
	if (ret == -ENOENT && type->first_need)
		return vbm_fail(err, ENOENT, "%s: this kernel's %s needs 'modprobe %s'", inner.msg,
				type->name, type->first_need);
	return vbm_fail(err, -ret, "%s", inner.msg);
}

struct rdma_visit {
	void (*fn)(const struct rdma_dev *dev, void *arg);
	void *arg;
};

static void read_dev(struct nlmsghdr *hdr, void *arg)
{
	const struct rdma_visit *visit = arg;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct rdma_dev dev;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return;
	dev.index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	nla_strlcpy(dev.name, tb[RDMA_NLDEV_ATTR_DEV_NAME], sizeof(dev.name));
	visit->fn(&dev, visit->arg);
}

int netlink_rdma_each(struct netlink *nl, void (*fn)(const struct rdma_dev *dev, void *arg),
		      void *arg, struct vbm_error *err)
{
	struct rdma_visit visit = {fn, arg};

	return nl_transact(nl, NL_RDMA, rdma_request(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), read_dev, &visit,
		       err, "cannot list the RDMA devices");
}

struct find {
	const char *name;
	uint32_t index;
	bool found;
};

static void match_dev(const struct rdma_dev *dev, void *arg)
{
	struct find *find = arg;

	if (strcmp(dev->name, find->name))
		return;
	find->index = dev->index;
	find->found = true;
}

int netlink_rdma_find(struct netlink *nl, const char *name, uint32_t *index,
		      struct vbm_error *err)
{
	struct find find = {.name = name};
	int ret = netlink_rdma_each(nl, match_dev, &find, err);

	if (ret < 0)
		return ret;
	if (!find.found)
		return vbm_fail(err, ENODEV, "there is no RDMA device %s", name);
	*index = find.index;
	return 0;
}

int netlink_rdma_del(struct netlink *nl, const char *name, struct vbm_error *err)
{
	struct nl_msg *msg;
	uint32_t index;
	int ret;

	ret = netlink_rdma_find(nl, name, &index, err);
	if (ret < 0)
		return ret;
	msg = rdma_request(RDMA_NLDEV_CMD_DELLINK, 0);
	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return nl_transact(nl, NL_RDMA, msg, NULL, NULL, err, "cannot remove the RDMA device %s", name);
}

static const struct {
	const char *name;
	size_t offset;
} counter[] = {
	{"qp", offsetof(struct rdma_resources, qp)},
	{"cq", offsetof(struct rdma_resources, cq)},
	{"mr", offsetof(struct rdma_resources, mr)},
	{"pd", offsetof(struct rdma_resources, pd)},
	{"cm_id", offsetof(struct rdma_resources, cm_id)},
	{"ctx", offsetof(struct rdma_resources, ctx)},
	{"srq", offsetof(struct rdma_resources, srq)},
};

static void read_resources(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry, *name, *count;
	struct rdma_resources *res = arg;
	size_t i;
	int rem;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_RES_SUMMARY])
		return;
	nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_RES_SUMMARY], rem) {
		name = nla_find(nla_data(entry), nla_len(entry),
				RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME);
		count = nla_find(nla_data(entry), nla_len(entry),
				 RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR);
		for (i = 0; name && count && i < ARRAY_SIZE(counter); i++)
			if (nla_strcmp(name, counter[i].name) == 0)
				*(unsigned *)((char *)res + counter[i].offset) =
					(unsigned)nla_get_u64(count);
	}
}

int netlink_rdma_resources(struct netlink *nl, uint32_t index, struct rdma_resources *res,
			   struct vbm_error *err)
{
	struct nl_msg *msg = rdma_request(RDMA_NLDEV_CMD_RES_GET, 0);

	memset(res, 0, sizeof(*res));
	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return nl_transact(nl, NL_RDMA, msg, read_resources, res, err,
		       "cannot count the resources of RDMA device %u", index);
}

static void read_mode(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) >= 0 &&
	    tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE])
		*(bool *)arg = nla_get_u8(tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE]) != 0;
}

int netlink_rdma_shared(struct netlink *nl, bool *shared, struct vbm_error *err)
{
	*shared = true;		/* kernels that do not send the attribute have no other mode */
	return nl_transact(nl, NL_RDMA, rdma_request(RDMA_NLDEV_CMD_SYS_GET, 0), read_mode, shared, err,
		       "cannot read the RDMA subsystem's namespace mode");
}

/* The kernel's RDMA_CM_LISTEN. No header has it; rdma(8) uses the number, too. */
#define CM_STATE_LISTEN 8

struct listen_visit {
	void (*fn)(int pid, void *arg);
	void *arg;
};

static void read_ids(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry, *state, *pid;
	const struct listen_visit *visit = arg;
	int rem;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_RES_CM_ID])
		return;
	nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_RES_CM_ID], rem) {
		state = nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_STATE);
		/* An id of the kernel has a name and no process. */
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
	struct listen_visit visit = {fn, arg};

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return nl_transact(nl, NL_RDMA, msg, read_ids, &visit, err,
		       "cannot list the connections of RDMA device %u", index);
}
