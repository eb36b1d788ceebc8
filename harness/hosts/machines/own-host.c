/* SPDX-License-Identifier: BSD-2-Clause */
#include "machines/own-host.h"

#include <errno.h>

#include "base/clock.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

#define READY_MS 5000

static int find_link(struct netlink *nl, const char *netdev, struct link *link, struct vbm_error *err)
{
	int ret = netlink_link_get(nl, netdev, link, err);

	if (ret == -ENODEV)
		return vbm_fail(err, ENODEV, "this kernel was built without the driver of the wire, CONFIG_UML_NET_VECTOR, so it "
				"has no %s: remove its folder from the store of kernels, kernels-uml in the cache, and build it "
				"again", netdev);
	return ret;
}

static int add_addresses(struct netlink *nl, int ifindex, int number, struct vbm_error *err)
{
	struct ip_set none = {0};
	struct subnets net;
	struct ip_prefix ip4, ip6, alone;
	int ret = fabric_subnets(&none, &net, err);

	if (ret < 0)
		return ret;
	ip4 = fabric_address(&net.ip4, number);
	ip6 = alone = fabric_address(&net.ip6, number);
	ip4.len = net.ip4.len;
	ip6.len = net.ip6.len;
	ret = netlink_addr_add(nl, ifindex, &ip4, true, err);
	if (ret == 0)
		ret = netlink_addr_add(nl, ifindex, &ip6, true, err);
	return ret < 0 ? ret : netlink_addr_wait(nl, ifindex, &alone, clock_deadline_ms(READY_MS), err);
}

int own_host_make(int number, const char *netdev, const struct device_type *type, struct vbm_error *err)
{
	struct netlink *nl;
	struct link link;
	char name[32];
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	fabric_rdma_name(0, number, name);
	ret = find_link(nl, netdev, &link, err);
	if (ret == 0)
		ret = netlink_link_up(nl, netdev, err);
	if (ret == 0)
		ret = netlink_link_wait(nl, netdev, clock_deadline_ms(READY_MS), err);
	if (ret == 0)
		ret = add_addresses(nl, link.ifindex, number, err);
	if (ret == 0)
		ret = netlink_rdma_add(nl, type, name, netdev, err);
	netlink_close(nl);
	return ret;
}
