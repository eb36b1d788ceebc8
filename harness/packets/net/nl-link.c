/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "lib/base/fail.h"

static void put_end(struct nl_msg *msg, const struct link_end *end, int mtu)
{
	nla_put_string(msg, IFLA_IFNAME, end->name);
	nla_put_u32(msg, IFLA_MTU, (uint32_t)mtu);
	if (end->mac)
		nla_put(msg, IFLA_ADDRESS, 6, end->mac);
	if (end->netns_fd >= 0)
		nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)end->netns_fd);
}

int netlink_veth_add(struct netlink *nl, const struct link_end *a, const struct link_end *b,
		     int mtu, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_index = a->ifindex}, peer_ifi = {.ifi_index = b->ifindex};
	struct nl_msg *msg = nl_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	struct nlattr *info, *data, *peer;

	if (msg) {
		put_end(msg, a, mtu);
		info = nla_nest_start(msg, IFLA_LINKINFO);
		nla_put_string(msg, IFLA_INFO_KIND, "veth");
		data = nla_nest_start(msg, IFLA_INFO_DATA);
		peer = nla_nest_start(msg, VETH_INFO_PEER);
		nlmsg_append(msg, &peer_ifi, sizeof(peer_ifi), NLMSG_ALIGNTO);
		put_end(msg, b, mtu);
		nla_nest_end(msg, peer);
		nla_nest_end(msg, data);
		nla_nest_end(msg, info);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot make the veth pair %s and %s",
		       a->name, b->name);
}

int netlink_bridge_add(struct netlink *nl, const char *name, int mtu, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = nl_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	struct nlattr *info, *data;

	if (msg) {
		nla_put_string(msg, IFLA_IFNAME, name);
		nla_put_u32(msg, IFLA_MTU, (uint32_t)mtu);
		info = nla_nest_start(msg, IFLA_LINKINFO);
		nla_put_string(msg, IFLA_INFO_KIND, "bridge");
		data = nla_nest_start(msg, IFLA_INFO_DATA);
		/*
		 * Multicast snooping needs queries, which nobody sends here. Without them
		 * the bridge would drop neighbour solicitations.
		 */
		nla_put_u8(msg, IFLA_BR_MCAST_SNOOPING, 0);
		nla_nest_end(msg, data);
		nla_nest_end(msg, info);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot make the bridge %s", name);
}

static int set_up(struct netlink *nl, const char *name, unsigned up, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_flags = up, .ifi_change = IFF_UP};
	struct nl_msg *msg = nl_request(RTM_NEWLINK, 0, &ifi, sizeof(ifi));

	if (msg)
		nla_put_string(msg, IFLA_IFNAME, name);
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot bring %s %s",
		       up ? "up" : "down", name);
}

int netlink_link_up(struct netlink *nl, const char *name, struct vbm_error *err)
{
	return set_up(nl, name, IFF_UP, err);
}

int netlink_link_down(struct netlink *nl, const char *name, struct vbm_error *err)
{
	return set_up(nl, name, 0, err);
}

int netlink_link_mtu(struct netlink *nl, const char *name, int mtu, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = nl_request(RTM_NEWLINK, 0, &ifi, sizeof(ifi));

	if (msg) {
		nla_put_string(msg, IFLA_IFNAME, name);
		nla_put_u32(msg, IFLA_MTU, (uint32_t)mtu);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot give %s an MTU of %d", name, mtu);
}

int netlink_link_enslave(struct netlink *nl, const char *name, int master, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct nl_msg *msg = nl_request(RTM_NEWLINK, 0, &ifi, sizeof(ifi));

	if (msg) {
		nla_put_string(msg, IFLA_IFNAME, name);
		nla_put_u32(msg, IFLA_MASTER, (uint32_t)master);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot plug %s into the bridge", name);
}

int netlink_link_del(struct netlink *nl, const char *name, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = nl_request(RTM_DELLINK, 0, &ifi, sizeof(ifi));

	if (msg)
		nla_put_string(msg, IFLA_IFNAME, name);
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot remove the interface %s", name);
}

struct link_visit {
	void (*fn)(const struct link *link, void *arg);
	void *arg;
};

/*
 * Some drivers never tell a state, and then the carrier decides. Interfaces of a kind that the kernel makes on
 * request have a state; at first it is unknown for a moment.
 */
static bool is_in_service(struct nlattr *const *tb, unsigned flags)
{
	unsigned state = tb[IFLA_OPERSTATE] ? nla_get_u8(tb[IFLA_OPERSTATE]) : IF_OPER_DOWN;

	return state == IF_OPER_UP || (state == IF_OPER_UNKNOWN && !tb[IFLA_LINKINFO] && flags & IFF_LOWER_UP);
}

static bool is_ready(struct nlattr *const *tb, unsigned flags)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *port[IFLA_BRPORT_MAX + 1];

	if (!is_in_service(tb, flags))
		return false;
	if (!tb[IFLA_LINKINFO] ||
	    nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) < 0 ||
	    !info[IFLA_INFO_SLAVE_KIND] || nla_strcmp(info[IFLA_INFO_SLAVE_KIND], "bridge"))
		return true;
	return info[IFLA_INFO_SLAVE_DATA] &&
	       nla_parse_nested(port, IFLA_BRPORT_MAX, info[IFLA_INFO_SLAVE_DATA], NULL) >= 0 &&
	       port[IFLA_BRPORT_STATE] &&
	       nla_get_u8(port[IFLA_BRPORT_STATE]) == BR_STATE_FORWARDING;
}

static void read_link(struct nlmsghdr *hdr, void *arg)
{
	const struct ifinfomsg *ifi = nlmsg_data(hdr);
	const struct link_visit *visit = arg;
	struct rtnl_link_stats64 stats;
	struct nlattr *tb[IFLA_MAX + 1];
	struct link link;

	if (hdr->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(hdr, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 || !tb[IFLA_IFNAME])
		return;
	memset(&link, 0, sizeof(link));
	nla_strlcpy(link.name, tb[IFLA_IFNAME], sizeof(link.name));
	link.ifindex = ifi->ifi_index;
	link.flags = ifi->ifi_flags;
	if (tb[IFLA_MTU])
		link.mtu = (int)nla_get_u32(tb[IFLA_MTU]);
	if (tb[IFLA_QDISC])
		nla_strlcpy(link.qdisc, tb[IFLA_QDISC], sizeof(link.qdisc));
	link.ready = is_ready(tb, link.flags);
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == 6)
		memcpy(link.mac, nla_data(tb[IFLA_ADDRESS]), 6);
	memset(&stats, 0, sizeof(stats));
	nla_memcpy(&stats, tb[IFLA_STATS64], sizeof(stats));
	link.rx_bytes = stats.rx_bytes;
	link.tx_bytes = stats.tx_bytes;
	visit->fn(&link, visit->arg);
}

static void keep_link(const struct link *link, void *arg)
{
	*(struct link *)arg = *link;
}

int netlink_link_get(struct netlink *nl, const char *name, struct link *link,
		     struct vbm_error *err)
{
	struct link_visit visit = {keep_link, link};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = nl_request(RTM_GETLINK, 0, &ifi, sizeof(ifi));

	if (msg)
		nla_put_string(msg, IFLA_IFNAME, name);
	return nl_transact(nl, NL_ROUTE, msg, read_link, &visit, err, "cannot look at the interface %s",
		       name);
}

int netlink_link_wait(struct netlink *nl, const char *name, int64_t deadline_ns,
		      struct vbm_error *err)
{
	auto_close int changes = -1;
	struct link link;
	bool last = false;
	int ret;

	ret = netlink_link_get(nl, name, &link, err);
	if (ret < 0 || link.ready)
		return ret;
	ret = nl_subscribe(nl, RTNLGRP_LINK, &changes, err);
	if (ret < 0)
		return ret;
	while (!last) {
		last = clock_left_ms(deadline_ns) == 0;
		ret = netlink_link_get(nl, name, &link, err);
		if (ret < 0 || link.ready)
			return ret;
		nl_await_change(changes, deadline_ns);
	}
	return vbm_fail(err, ETIMEDOUT, "the interface %s did not come up", name);
}

int netlink_link_each(struct netlink *nl, void (*fn)(const struct link *link, void *arg),
		      void *arg, struct vbm_error *err)
{
	struct link_visit visit = {fn, arg};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = nl_request(RTM_GETLINK, NLM_F_DUMP, &ifi, sizeof(ifi));

	return nl_transact(nl, NL_ROUTE, msg, read_link, &visit, err, "cannot list the interfaces");
}
