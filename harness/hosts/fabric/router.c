/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/socket.h>

#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"
#include "lib/base/fail.h"

/*
 * The router is a namespace with one port for each host. Its kernel forwards packets, and
 * answers the hosts' questions for its hardware address, like that of any router. It
 * announces nothing: the hosts have their routes from us.
 */
static const struct {
	const char *name, *value;
} sysctl[] = {
	{"ipv4/ip_forward", "1"},
	{"ipv6/conf/default/disable_ipv6", "0"},
	{"ipv6/conf/default/accept_dad", "0"},
	{"ipv6/conf/all/forwarding", "1"},
};

int router_make(struct fabric *fabric, struct vbm_error *err)
{
	size_t i;
	int ret;

	ret = netns_new(&fabric->wire_netns, err);
	if (ret == 0)
		ret = netlink_open(&fabric->wire_nl, fabric->wire_netns, err);
	for (i = 0; ret == 0 && i < ARRAY_SIZE(sysctl); i++)
		ret = netns_sysctl_set(fabric->wire_netns, sysctl[i].name, sysctl[i].value, err);
	return ret < 0 ? vbm_wrap(err, "cannot make the router") : 0;
}

static int add_address(struct fabric *fabric, int ifindex, const struct ip_prefix *gateway,
		       const struct ip_prefix *net, struct vbm_error *err)
{
	struct ip_prefix address = *gateway;

	address.len = net->len;
	return netlink_addr_add(fabric->wire_nl, ifindex, &address, true, err);
}

int router_connect(struct fabric *fabric, int i, const char *port, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];
	struct link link;
	int ret;

	ret = netlink_link_get(fabric->wire_nl, port, &link, err);
	if (ret == 0)
		ret = netlink_link_up(fabric->wire_nl, port, err);
	if (ret == 0)
		ret = add_address(fabric, link.ifindex, &host->gateway4, &host->net4, err);
	if (ret == 0)
		ret = add_address(fabric, link.ifindex, &host->gateway6, &host->net6, err);
	return ret;
}

int router_wait(struct fabric *fabric, const char *port, int i, int64_t deadline_ns, struct vbm_error *err)
{
	struct link link;
	int ret = netlink_link_get(fabric->wire_nl, port, &link, err);

	if (ret < 0)
		return ret;
	return netlink_addr_wait(fabric->wire_nl, link.ifindex, &fabric->host[i].gateway6, deadline_ns, err);
}
