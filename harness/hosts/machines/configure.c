/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/value.h"
#include "fabric/fabric-priv.h"
#include "fabric/host-devices.h"
#include "lib/base/fail.h"
#include "machines/found.h"
#include "names/device-types.h"
#include "net/netns.h"

#define MTU_NEEDED 4200		/* for a path MTU of 4096 */
#define READY_MS 5000		/* for the wire of a kernel that is one host */

/* The things that a machine lacks for a run, one after the other: each is told, or done. */
struct configuration {
	struct fabric *fabric;
	const struct configure_options *opts;
	struct link link;
	bool has[2];		/* an address, by family */
	bool has_device;
};

static void report_change(const struct configuration *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void report_change(const struct configuration *c, const char *fmt, ...)
{
	char line[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	c->opts->tell(line, c->opts->arg);
}

static int set_interface(struct configuration *c, struct vbm_error *err)
{
	bool up = c->link.flags & IFF_UP, short_mtu = c->link.mtu < MTU_NEEDED;
	const char *name = c->link.name;
	int ret;

	if (c->opts->tell && !up)
		report_change(c, "sets %s up", name);
	if (c->opts->tell && short_mtu)
		report_change(c, "raises the MTU of %s from %d to %d", name, c->link.mtu, MTU_NEEDED);
	if (c->opts->tell || (up && !short_mtu))
		return 0;
	ret = undo_push_interface(c->fabric->undo, &c->link, err);
	if (ret == 0 && short_mtu)
		ret = netlink_link_mtu(c->fabric->nl, name, MTU_NEEDED, err);
	if (ret == 0 && !up)
		ret = netlink_link_up(c->fabric->nl, name, err);
	return ret ?: netlink_link_wait(c->fabric->nl, name, clock_deadline_ms(MACHINE_CARRIER_MS), err);
}

/* The address of the host in a fabric. */
static int address_of(int host, int v6, struct ip_prefix *ip, struct vbm_error *err)
{
	const struct ip_set none = {0};
	struct subnets net;
	int ret = fabric_subnets(&none, &net, err);

	if (ret < 0)
		return ret;
	*ip = fabric_address(v6 ? &net.ip6 : &net.ip4, host);
	ip->len = v6 ? net.ip6.len : net.ip4.len;
	return 0;
}

/* The address that the hosts file names, or that of the host in a fabric. */
static int choose_address(const struct configuration *c, int v6, struct ip_prefix *ip, struct vbm_error *err)
{
	const char *named = value_get_string(c->opts->wanted, v6 ? "ip6" : "ip4", NULL);

	if (!named || !ip_parse(named, ip))
		return address_of(c->opts->host, v6, ip, err);
	ip->len = v6 ? 64 : 24;
	return 0;
}

static int add_address(struct configuration *c, int v6, struct vbm_error *err)
{
	struct ip_prefix ip, alone;
	char text[IP_TEXT_MAX];
	int ret = c->has[v6] ? 0 : choose_address(c, v6, &ip, err);

	if (ret < 0 || c->has[v6])
		return ret;
	if (c->opts->tell) {
		report_change(c, "adds the address %s to %s", ip_format(&ip, text), c->link.name);
		return 0;
	}
	alone = ip;
	alone.len = v6 ? 128 : 32;
	ret = undo_push_added(c->fabric->undo, "added-address", c->link.name, c->link.ifindex, ip, err) ?:
	      netlink_addr_add(c->fabric->nl, c->link.ifindex, &ip, true, err);
	if (ret == 0 && v6)
		ret = netlink_addr_wait(c->fabric->nl, c->link.ifindex, &alone, clock_deadline_ms(MACHINE_ADDRESS_MS), err);
	return ret;
}

static int make_device(struct configuration *c, struct vbm_error *err)
{
	const char *type = value_get_string(c->opts->wanted, "make", NULL);
	char name[32];

	if (!type || c->has_device)
		return 0;
	if (c->opts->tell) {
		report_change(c, "makes an RDMA device of the type %s on %s", type, c->link.name);
		return 0;
	}
	fabric_rdma_name(c->fabric->run, c->opts->host, name);
	return undo_push(c->fabric->undo, err, "rdma", name, NULL) ?:
	       netlink_rdma_add(c->fabric->nl, device_type_find(type), name, c->link.name, err) ?:
	       host_devices_show(name, NULL, err);
}

static void note_address(const struct ifaddr_info *info, void *arg)
{
	struct configuration *c = arg;
	bool v6 = info->address.family == AF_INET6;
	const char *named = value_get_string(c->opts->wanted, v6 ? "ip6" : "ip4", NULL);
	struct ip_prefix ip = {0};

	if (info->ifindex != c->link.ifindex || info->link_local)
		return;
	if (named && ip_parse(named, &ip))
		ip.len = info->address.len;
	if (!named || ip_equal(&ip, &info->address))
		c->has[v6] = true;
}

struct device_search_on {
	uint32_t index[64];
	size_t count;
};

static void note_device(const struct rdma_dev *dev, void *arg)
{
	struct device_search_on *s = arg;

	if (s->count < sizeof(s->index) / sizeof(s->index[0]))
		s->index[s->count++] = dev->index;
}

static int look_for_device(struct configuration *c, struct vbm_error *err)
{
	struct device_search_on s = {.count = 0};
	char netdev[NETLINK_NETDEV_MAX];
	int ret = netlink_rdma_each(c->fabric->nl, note_device, &s, err);
	size_t i;

	for (i = 0; ret == 0 && i < s.count; i++)
		if (netlink_rdma_netdev(c->fabric->nl, s.index[i], 1, netdev, NULL) == 0 && !strcmp(netdev, c->link.name))
			c->has_device = true;
	return ret;
}

int configure_journal(struct fabric *fabric, struct vbm_error *err)
{
	char place[NETNS_NAME_MAX];
	int ret;

	if (fabric->journal)
		return 0;
	ret = journal_create(&fabric->journal, err);
	if (ret < 0)
		return ret;
	fabric->run = journal_run(fabric->journal);
	fabric->undo = undo_new(&(struct undo_ops){undo_kinds, fabric->nl}, fabric->run, fabric->journal);
	netns_name(place);
	ret = undo_push(fabric->undo, err, "place", place, NULL);
	fabric->kept_from = undo_count(fabric->undo);
	return ret;
}

int configure_machine(struct fabric *fabric, const char *netdev, const struct configure_options *opts,
		      struct vbm_error *err)
{
	struct configuration c = {.fabric = fabric, .opts = opts};
	int ret = netlink_link_get(fabric->nl, netdev, &c.link, err) ?:
		  netlink_addr_each(fabric->nl, note_address, &c, err) ?:
		  look_for_device(&c, err);

	if (ret == 0 && !opts->tell)
		ret = configure_journal(fabric, err);
	if (ret == 0)
		ret = set_interface(&c, err) ?:
		      add_address(&c, 0, err) ?:
		      add_address(&c, 1, err) ?:
		      make_device(&c, err);
	if (ret == 0 && !opts->tell)
		fabric->kept_from = undo_count(fabric->undo);
	return ret;
}

static int find_link(struct netlink *nl, const char *netdev, struct link *link, struct vbm_error *err)
{
	int ret = netlink_link_get(nl, netdev, link, err);

	if (ret == -ENODEV)
		return vbm_fail(err, ENODEV, "this kernel was built without the driver of the wire, CONFIG_UML_NET_VECTOR, so it "
				"has no %s: remove its folder from the store of kernels, kernels-uml in the cache, and build it "
				"again", netdev);
	return ret;
}

static int add_own_addresses(struct netlink *nl, int ifindex, int number, struct vbm_error *err)
{
	struct ip_prefix ip4, ip6, alone;
	int ret = address_of(number, 0, &ip4, err) ?:
		  address_of(number, 1, &ip6, err) ?:
		  netlink_addr_add(nl, ifindex, &ip4, true, err) ?:
		  netlink_addr_add(nl, ifindex, &ip6, true, err);

	if (ret < 0)
		return ret;
	alone = ip6;
	alone.len = 128;
	return netlink_addr_wait(nl, ifindex, &alone, clock_deadline_ms(READY_MS), err);
}

int configure_own_host(int number, const char *netdev, const struct device_type *type, struct vbm_error *err)
{
	struct netlink *nl;
	struct link link;
	char name[32];
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	fabric_rdma_name(0, number, name);
	ret = find_link(nl, netdev, &link, err) ?:
	      netlink_link_up(nl, netdev, err) ?:
	      netlink_link_wait(nl, netdev, clock_deadline_ms(READY_MS), err) ?:
	      add_own_addresses(nl, link.ifindex, number, err) ?:
	      netlink_rdma_add(nl, type, name, netdev, err);
	netlink_close(nl);
	return ret;
}
