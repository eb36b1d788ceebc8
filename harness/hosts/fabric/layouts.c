/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"

/* The way to the fabric's other networks, if there is a router. */
static int add_gateway(const struct host *host, const struct ip_prefix *net, const struct ip_prefix *gateway,
		       uint32_t table, struct vbm_error *err)
{
	struct route route = {
		.dst = *net,
		.gateway = *gateway,
		.src = net->family == AF_INET ? host->ip4 : host->ip6,
		.table = table,
		.ifindex = host->ifindex,
	};

	return gateway->family ? netlink_route_add(host->nl, &route, err) : 0;
}

/*
 * Layout netns: each host has a namespace with its interface and both addresses. The host
 * needs only the routes to its two networks, and to the others if there is a router.
 */
static int connect_namespace(struct host *host, const struct subnets *net, struct vbm_error *err)
{
	struct ip_prefix ip4 = host->ip4, ip6 = host->ip6;

	ip4.len = host->net4.len;
	ip6.len = host->net6.len;
	return netlink_link_up(host->nl, "lo", err) ?:
	       netlink_link_up(host->nl, host->info.netdev, err) ?:
	       netlink_addr_add(host->nl, host->ifindex, &ip4, true, err) ?:
	       netlink_addr_add(host->nl, host->ifindex, &ip6, true, err) ?:
	       add_gateway(host, &net->ip4, &host->gateway4, RT_TABLE_MAIN, err) ?:
	       add_gateway(host, &net->ip6, &host->gateway6, RT_TABLE_MAIN, err);
}

static int connect_namespaces(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = connect_namespace(&fabric->host[i], &fabric->net, err);
	return ret;
}

const struct layout_ops layout_netns = {
	.own_netns = true,
	.connect = connect_namespaces,
};

/*
 * Layout shared: all hosts live in one namespace, where the kernel would deliver
 * a packet for any of their addresses at once, without a wire. Policy rules in
 * front of the "local" table keep the kernel from that:
 *	a packet that came in on a host's interface is local;
 *	a packet from a host's address leaves by that host's interface;
 *	a packet to a host's address, without an address of its sender yet, leaves
 *	by the interface of the first other host;
 *	then comes "local", which the kernel has before everything else.
 * The first three kinds have preference 0, where rules keep the order in which
 * they were added; "local" gets 1. So the machine's own rules keep their order.
 */
#define PREF_OURS 0
#define PREF_LOCAL 1

static const struct {
	const char *name, *value;
} sysctl[] = {
	{"accept_local", "1"},	/* a sender may have an address of this machine */
	{"rp_filter", "0"},
	{"arp_ignore", "1"},	/* answer only for the interface's own addresses */
	{"arp_announce", "2"},
};

static int set_sysctls(const char *netdev, struct vbm_error *err)
{
	char path[96];
	int ret = 0;
	size_t i;

	for (i = 0; ret == 0 && i < ARRAY_SIZE(sysctl); i++) {
		snprintf(path, sizeof(path), "ipv4/conf/%s/%s", netdev, sysctl[i].name);
		ret = netns_sysctl_set(-1, path, sysctl[i].value, err);
	}
	return ret;
}

static int add_rule(struct fabric *fabric, const struct rule *rule, struct vbm_error *err)
{
	return undo_push_rule(fabric->undo, rule, err) ?:
	       netlink_rule_add(fabric->nl, rule, err);
}

static struct rule new_rule(int family, uint32_t pref, uint32_t table)
{
	return (struct rule){
		.family = family, .pref = pref, .table = table, .proto = NETLINK_PROTO};
}

static const struct ip_prefix *host_ip(const struct host *host, int family)
{
	return family == AF_INET ? &host->ip4 : &host->ip6;
}

static int add_incoming(struct fabric *fabric, int family, int i, struct vbm_error *err)
{
	struct rule rule = new_rule(family, PREF_OURS, RT_TABLE_LOCAL);

	snprintf(rule.iif, sizeof(rule.iif), "%s", fabric->host[i].info.netdev);
	return add_rule(fabric, &rule, err);
}

static int add_from(struct fabric *fabric, int family, int i, struct vbm_error *err)
{
	struct rule rule = new_rule(family, PREF_OURS, fabric_table(fabric->run, i));

	rule.from = *host_ip(&fabric->host[i], family);
	rule.to = family == AF_INET ? fabric->net.ip4 : fabric->net.ip6;
	return add_rule(fabric, &rule, err);
}

static int add_to(struct fabric *fabric, int family, int i, struct vbm_error *err)
{
	struct rule rule = new_rule(family, PREF_OURS, fabric_table(fabric->run, i == 0));

	if (fabric->count == 1)
		return 0;	/* no other host's interface is there */
	rule.to = *host_ip(&fabric->host[i], family);
	return add_rule(fabric, &rule, err);
}

/*
 * The table of a host: its own address is local, the rest of its network is behind its
 * interface, and the rest of the fabric behind its gateway.
 */
static int add_routes(struct fabric *fabric, int family, int i, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];
	struct route route = {
		.dst = family == AF_INET ? host->net4 : host->net6,
		.src = *host_ip(host, family),
		.table = fabric_table(fabric->run, i),
		.ifindex = host->ifindex,
	};
	int ret;

	ret = netlink_route_add(fabric->nl, &route, err);
	if (ret < 0)
		return ret;
	route.dst = *host_ip(host, family);
	route.local = true;
	ret = netlink_route_add(fabric->nl, &route, err);
	if (ret < 0)
		return ret;
	return add_gateway(host, family == AF_INET ? &fabric->net.ip4 : &fabric->net.ip6,
			   family == AF_INET ? &host->gateway4 : &host->gateway6, route.table, err);
}

static int add_neighbours(struct fabric *fabric, int family, int i, struct vbm_error *err)
{
	const struct host *host = &fabric->host[i];
	int k, ret = 0;

	if (fabric->routed)
		return netlink_neigh_add(fabric->nl, host->ifindex, family == AF_INET ? &host->gateway4 :
					 &host->gateway6, host->gateway_mac, err);
	for (k = 0; ret == 0 && k < fabric->count; k++)
		if (k != i)
			ret = netlink_neigh_add(fabric->nl, fabric->host[i].ifindex,
						host_ip(&fabric->host[k], family),
						fabric->host[k].mac, err);
	return ret;
}

/* Another run may have removed the rule already, and then restores it. */
static int move_local(struct fabric *fabric, int family, struct vbm_error *err)
{
	struct rule local = new_rule(family, PREF_LOCAL, RT_TABLE_LOCAL);
	struct rule first = rule_default_local(family);
	int ret;

	ret = add_rule(fabric, &local, err);
	if (ret == -EEXIST)
		ret = 0;
	if (ret < 0)
		return ret;
	ret = undo_push(fabric->undo, err, "default-rule", family == AF_INET ? "4" : "6", NULL);
	if (ret < 0)
		return ret;
	ret = netlink_rule_del(fabric->nl, &first, err);
	return ret == -ENOENT ? 0 : ret;
}

static int connect_family(struct fabric *fabric, int family, struct vbm_error *err)
{
	static int (*const pass[])(struct fabric *, int, int, struct vbm_error *) = {
		add_routes, add_neighbours, add_incoming, add_from, add_to,
	};
	size_t p;
	int i, ret;

	for (i = 0; i < fabric->count; i++) {
		ret = netlink_addr_add(fabric->nl, fabric->host[i].ifindex,
				       host_ip(&fabric->host[i], family), false, err);
		if (ret < 0)
			return ret;
	}
	for (p = 0; p < ARRAY_SIZE(pass); p++)
		for (i = 0; i < fabric->count; i++) {
			ret = pass[p](fabric, family, i, err);
			if (ret < 0)
				return ret;
		}
	return move_local(fabric, family, err);
}

static int connect_shared(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++) {
		ret = set_sysctls(fabric->host[i].info.netdev, err) ?:
		      netlink_link_up(fabric->nl, fabric->host[i].info.netdev, err);
	}
	if (ret == 0)
		ret = connect_family(fabric, AF_INET, err);
	if (ret == 0)
		ret = connect_family(fabric, AF_INET6, err);
	return ret;
}

const struct layout_ops layout_shared = {
	.connect = connect_shared,
};

/* For fabrics without and with a device that has to listen in its host's namespace. */
static enum layout known[2] = {LAYOUT_AUTO, LAYOUT_AUTO};

/* A device of the fabric that has to listen; NULL: there is none. */
static const struct device_ops *listener(const struct device_words *devices, int hosts)
{
	const struct device_type *type;
	size_t i;

	for (i = 0; (type = device_type_nth(i)); i++)
		if (device_words_have(devices, hosts, type) && device_ops_of(type)->listens)
			return device_ops_of(type);
	return NULL;
}

void layout_note(const struct device_words *devices, int hosts, enum layout layout)
{
	known[listener(devices, hosts) != NULL] = layout;
}

static void count_dev(const struct rdma_dev *dev, void *arg)
{
	(void)dev;
	++*(int *)arg;
}

/*
 * Two signs show, without making anything, that only layout shared works. In exclusive
 * mode a process outside a device's namespace cannot use the device. And a driver that
 * listens although there is no device has one socket for the whole machine, so it does not
 * serve other namespaces.
 */
static int look_for_signs(struct netlink *nl, const struct device_ops *device, bool *shared_only,
			  struct vbm_error *err)
{
	bool visible, listens = false;
	int devices = 0, ret;

	ret = netlink_rdma_shared(nl, &visible, err) ?:
	      netlink_rdma_each(nl, count_dev, &devices, err);
	if (ret == 0 && device)
		ret = device->listens(-1, &listens, err);
	if (ret == 0)
		*shared_only = !visible || (listens && devices == 0);
	return ret;
}

int layout_guess(const struct device_words *devices, int hosts, enum layout *layout, struct vbm_error *err)
{
	const struct device_ops *device = listener(devices, hosts);
	bool shared_only = false;
	struct netlink *nl;
	int ret;

	if (known[device != NULL] == LAYOUT_AUTO) {
		ret = netlink_open(&nl, -1, err);
		if (ret < 0)
			return ret;
		ret = look_for_signs(nl, device, &shared_only, err);
		netlink_close(nl);
		if (ret < 0)
			return ret;
		if (shared_only)
			known[device != NULL] = LAYOUT_SHARED;
	}
	*layout = known[device != NULL];
	return 0;
}
