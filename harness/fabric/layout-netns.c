/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"

/*
 * Each host has a namespace with its interface, both addresses and nothing
 * else; the routes to its networks are all it needs.
 */
static int connect_host(struct host *host, const struct subnets *net, struct vbm_error *err)
{
	struct ip_prefix ip4 = host->ip4, ip6 = host->ip6;
	int ret;

	ip4.len = net->ip4.len;
	ip6.len = net->ip6.len;
	ret = netlink_link_up(host->nl, "lo", err);
	if (ret == 0)
		ret = netlink_link_up(host->nl, host->info.netdev, err);
	if (ret == 0)
		ret = netlink_addr_add(host->nl, host->ifindex, &ip4, true, err);
	if (ret == 0)
		ret = netlink_addr_add(host->nl, host->ifindex, &ip6, true, err);
	return ret;
}

static int connect_hosts(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = connect_host(&fabric->host[i], &fabric->net, err);
	return ret;
}

const struct layout_ops layout_netns = {
	.name = "netns",
	.own_netns = true,
	.connect = connect_hosts,
};
