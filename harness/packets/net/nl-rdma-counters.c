/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#include "lib/base/fail.h"

/* The counters of a port that its driver keeps, as "rdma statistic show" prints them. */
struct counter_visit {
	void (*fn)(const char *name, uint64_t value, void *arg);
	void *arg;
};

static void read_counters(struct nlmsghdr *hdr, void *arg)
{
	const struct counter_visit *visit = arg;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry, *name, *value;
	int rem;

	if (nlmsg_parse(hdr, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0 ||
	    !tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS])
		return;
	nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_STAT_HWCOUNTERS], rem) {
		name = nla_find(nla_data(entry), nla_len(entry),
				RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME);
		value = nla_find(nla_data(entry), nla_len(entry),
				 RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
		if (name && value)
			visit->fn(nla_get_string(name), nla_get_u64(value), visit->arg);
	}
}

int netlink_rdma_counters(struct netlink *nl, uint32_t index, uint32_t port,
			  void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			  struct vbm_error *err)
{
	struct nl_msg *msg = nl_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET),
					0, NULL, 0);
	struct counter_visit visit = {fn, arg};

	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	}
	return nl_transact(nl, NL_RDMA, msg, read_counters, &visit, err,
		       "cannot read the counters of RDMA device %u", index);
}

/* The first counter with a given name. */
struct nl_rdma_counters_wanted {
	const char *name;
	uint64_t value;
	bool found;
};

static void match_counter_name(const char *name, uint64_t value, void *arg)
{
	struct nl_rdma_counters_wanted *w = arg;

	if (strcmp(name, w->name) != 0)
		return;
	w->value = value;
	w->found = true;
}

int netlink_rdma_counter(struct netlink *nl, uint32_t index, uint32_t port, const char *name,
			 uint64_t *value, struct vbm_error *err)
{
	struct nl_rdma_counters_wanted w = {.name = name};
	int ret = netlink_rdma_counters(nl, index, port, match_counter_name, &w, err);

	if (ret < 0)
		return ret;
	*value = w.value;
	return w.found ? 0 : vbm_fail(err, ENOENT, "RDMA device %u has no counter '%s'", index, name);
}
