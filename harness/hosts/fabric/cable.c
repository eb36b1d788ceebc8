/* SPDX-License-Identifier: BSD-2-Clause */
#include <net/if.h>
#include <stdio.h>

#include "base/clock.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"

/*
 * Two hosts share one veth pair, so no switch between them can add or lose packets. With
 * one host or more than two, each host has a veth whose other end is a port of a bridge.
 * The bridge has a namespace of its own, where no rule or address of a host affects it. A
 * router (router.c) takes the place of the bridge if the hosts have networks of their own.
 */
#define SWITCH "switch"
#define LINK_DEADLINE_MS 5000

static int remember_link(struct fabric *fabric, const struct host *host, struct vbm_error *err)
{
	/* The kernel removes the interface together with its namespace. */
	if (host->netns >= 0)
		return 0;
	return undo_push(fabric->undo, err, "link", host->info.netdev, NULL);
}

/*
 * Each host and each port gets an interface index of its own. When the two ends of a veth
 * have the same index in their namespaces, the kernel does not recognise the veth as one
 * and leaves it out of service for up to a second.
 */
static struct link_end host_end(const struct host *host, int i)
{
	int ifindex = host->netns >= 0 ? 10 + i : 0;

	return (struct link_end){host->info.netdev, host->mac, host->netns, ifindex};
}

static int lay_pair(struct fabric *fabric, struct vbm_error *err)
{
	struct link_end a = host_end(&fabric->host[0], 0), b = host_end(&fabric->host[1], 1);
	int ret;

	ret = remember_link(fabric, &fabric->host[0], err);
	if (ret < 0)
		return ret;
	return netlink_veth_add(fabric->nl, &a, &b, fabric->mtu, err);
}

static int make_switch(struct fabric *fabric, int *ifindex, struct vbm_error *err)
{
	struct link bridge;
	int ret;

	ret = netns_new(&fabric->wire_netns, err);
	if (ret < 0)
		return ret;
	ret = netlink_open(&fabric->wire_nl, fabric->wire_netns, err);
	if (ret < 0)
		return ret;
	ret = netlink_bridge_add(fabric->wire_nl, SWITCH, fabric->mtu, err);
	if (ret < 0)
		return ret;
	ret = netlink_link_get(fabric->wire_nl, SWITCH, &bridge, err);
	if (ret < 0)
		return ret;
	*ifindex = bridge.ifindex;
	return netlink_link_up(fabric->wire_nl, SWITCH, err);
}

static void port_name(const struct host *host, char name[16])
{
	snprintf(name, 16, "port-%s", host->info.name);
}

static int plug_in(struct fabric *fabric, int i, int bridge, struct vbm_error *err)
{
	struct host *host = &fabric->host[i];
	struct link_end end = host_end(host, i), port;
	char name[16];
	int ret;

	port_name(host, name);
	port = (struct link_end){name, fabric->routed ? host->gateway_mac : NULL, fabric->wire_netns, 1000 + i};
	ret = remember_link(fabric, host, err);
	if (ret < 0)
		return ret;
	ret = netlink_veth_add(fabric->nl, &end, &port, fabric->mtu, err);
	if (ret < 0)
		return ret;
	if (fabric->routed)
		return router_connect(fabric, i, name, err);
	return netlink_link_enslave(fabric->wire_nl, name, bridge, err);
}

bool fabric_has_middle(const struct fabric *fabric)
{
	return fabric->count != 2 || fabric->routed;
}

int cable_lay(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret, bridge = 0;

	if (!fabric_has_middle(fabric))
		return lay_pair(fabric, err);
	ret = fabric->routed ? router_make(fabric, err) : make_switch(fabric, &bridge, err);
	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = plug_in(fabric, i, bridge, err);
	return ret;
}

int cable_wait(struct fabric *fabric, struct vbm_error *err)
{
	int64_t deadline_ns = clock_deadline_ms(LINK_DEADLINE_MS);
	char name[16];
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++) {
		struct host *host = &fabric->host[i];

		ret = netlink_link_wait(host->nl, host->info.netdev, deadline_ns, err);
		if (ret < 0 || !fabric->wire_nl)
			continue;
		port_name(host, name);
		ret = netlink_link_wait(fabric->wire_nl, name, deadline_ns, err);
		if (ret == 0 && fabric->routed)
			ret = router_wait(fabric, name, i, deadline_ns, err);
	}
	return ret;
}
