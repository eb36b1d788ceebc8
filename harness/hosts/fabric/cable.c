/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "net/netns.h"

/*
 * Two hosts share one veth pair, so no switch between them can add or lose packets. With
 * one host or more than two, each host has a veth whose other end is a port of a bridge.
 * The bridge has a namespace of its own, where no rule or address of a host affects it. A
 * router takes the place of the bridge if the hosts have networks of their own.
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

	return remember_link(fabric, &fabric->host[0], err) ?:
	       netlink_veth_add(fabric->nl, &a, &b, fabric->mtu, err);
}

static int make_switch(struct fabric *fabric, int *ifindex, struct vbm_error *err)
{
	struct link bridge;
	int ret = netns_new(&fabric->wire_netns, err) ?:
		  netlink_open(&fabric->wire_nl, fabric->wire_netns, err) ?:
		  netlink_bridge_add(fabric->wire_nl, SWITCH, fabric->mtu, err) ?:
		  netlink_link_get(fabric->wire_nl, SWITCH, &bridge, err);

	if (ret < 0)
		return ret;
	*ifindex = bridge.ifindex;
	return netlink_link_up(fabric->wire_nl, SWITCH, err);
}

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

static int router_make(struct fabric *fabric, struct vbm_error *err)
{
	size_t i;
	int ret;

	ret = netns_new(&fabric->wire_netns, err) ?:
	      netlink_open(&fabric->wire_nl, fabric->wire_netns, err);
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

static int router_connect(struct fabric *fabric, int i, const char *port, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];
	struct link link;

	return netlink_link_get(fabric->wire_nl, port, &link, err) ?:
	       netlink_link_up(fabric->wire_nl, port, err) ?:
	       add_address(fabric, link.ifindex, &host->gateway4, &host->net4, err) ?:
	       add_address(fabric, link.ifindex, &host->gateway6, &host->net6, err);
}

static int router_wait(struct fabric *fabric, const char *port, int i, int64_t deadline_ns, struct vbm_error *err)
{
	struct link link;

	return netlink_link_get(fabric->wire_nl, port, &link, err) ?:
	       netlink_addr_wait(fabric->wire_nl, link.ifindex, &fabric->host[i].gateway6, deadline_ns, err);
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

	port_name(host, name);
	port = (struct link_end){name, fabric->routed ? host->gateway_mac : NULL, fabric->wire_netns, 1000 + i};
	return remember_link(fabric, host, err) ?:
	       netlink_veth_add(fabric->nl, &end, &port, fabric->mtu, err) ?:
	       (fabric->routed ? router_connect(fabric, i, name, err) :
				 netlink_link_enslave(fabric->wire_nl, name, bridge, err));
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

/* Enough for all packets that the hosts have on their way, so that only the loss drops any. */
#define QUEUE_PACKETS 100000

int fabric_set_faults(struct fabric *fabric, int i, const struct cable_faults *faults,
		      struct vbm_error *err)
{
	struct host *host = &fabric->host[i];
	struct netem netem = {
		.loss = (uint32_t)(faults->value[CABLE_LOSS] * UINT32_MAX / 1000000),
		.delay_ns = faults->value[CABLE_DELAY] * 1000,
		.bytes_per_second = (uint64_t)faults->value[CABLE_RATE] / 8,
		.limit = QUEUE_PACKETS,
	};
	int ret;

	cable_faults_text(faults, host->faults);
	if (!host->faults[0])
		return 0;
	ret = netlink_netem_add(host->nl, host->ifindex, &netem, err);
	if (ret == 0)
		snprintf(host->qdisc, sizeof(host->qdisc), "netem");
	host->delay_ms = (int)(faults->value[CABLE_DELAY] / 1000);
	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		return vbm_fail(err, EOPNOTSUPP, "the kernel below the hosts has no netem (CONFIG_NET_SCH_NETEM), which "
				"--loss, --delay and --rate need; lane uml has it");
	return ret;
}

int fabric_dropped(struct fabric *fabric, int i, uint64_t *count, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];

	struct netem_counts counts = {0};
	int ret = host->faults[0] ? netlink_netem_counts(host->nl, host->ifindex, &counts, err) : 0;

	*count = counts.dropped;
	return ret;
}

const char *fabric_faults(const struct fabric *fabric, int i)
{
	return fabric->host[i].faults;
}
