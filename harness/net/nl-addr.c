/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "net/nl-talk.h"
#include "fail.h"

int netlink_addr_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		     bool on_link, struct vbm_error *err)
{
	uint32_t flags = IFA_F_NODAD | (on_link ? 0 : IFA_F_NOPREFIXROUTE);
	struct ifaddrmsg ifa = {
		.ifa_family = (uint8_t)address->family,
		.ifa_prefixlen = (uint8_t)address->len,
		.ifa_scope = RT_SCOPE_UNIVERSE,
		.ifa_index = (uint32_t)ifindex,
	};
	struct nl_msg *msg = nl_request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &ifa, sizeof(ifa));
	char text[IP_TEXT_MAX];

	if (msg) {
		nl_put_ip(msg, IFA_LOCAL, address);
		nl_put_ip(msg, IFA_ADDRESS, address);
		nla_put_u32(msg, IFA_FLAGS, flags);
	}
	return nl_talk(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot add the address %s",
		       ip_format(address, text));
}

struct addr_visit {
	void (*fn)(const struct ifaddr_info *info, void *arg);
	void *arg;
};

static void read_addr(struct nlmsghdr *hdr, void *arg)
{
	const struct ifaddrmsg *ifa = nlmsg_data(hdr);
	const struct addr_visit *visit = arg;
	struct nlattr *tb[IFA_MAX + 1];
	struct ifaddr_info info;
	uint32_t flags;

	if (hdr->nlmsg_type != RTM_NEWADDR || nlmsg_parse(hdr, sizeof(*ifa), tb, IFA_MAX, NULL) < 0)
		return;
	memset(&info, 0, sizeof(info));
	if (!nl_get_ip(tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS], ifa->ifa_family,
		       ifa->ifa_prefixlen, &info.address))
		return;
	flags = tb[IFA_FLAGS] ? nla_get_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	info.ifindex = (int)ifa->ifa_index;
	info.link_local = ifa->ifa_scope == RT_SCOPE_LINK;
	info.tentative = flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED);
	visit->fn(&info, visit->arg);
}

int netlink_addr_each(struct netlink *nl, void (*fn)(const struct ifaddr_info *info, void *arg),
		      void *arg, struct vbm_error *err)
{
	struct addr_visit visit = {fn, arg};
	struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};

	return nl_talk(nl, NL_ROUTE, nl_request(RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa)),
		       read_addr, &visit, err, "cannot list the addresses");
}

static void read_route_type(struct nlmsghdr *hdr, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);

	if (hdr->nlmsg_type == RTM_NEWROUTE && nlmsg_valid_hdr(hdr, sizeof(*rtm)))
		*(bool *)arg = rtm->rtm_type == RTN_LOCAL;
}

/* Where a packet to the address goes that comes in by the interface. */
static bool is_delivered(struct netlink *nl, int ifindex, const struct ip_prefix *address)
{
	struct rtmsg rtm = {.rtm_family = AF_INET6, .rtm_dst_len = 128};
	struct nl_msg *msg = nl_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	bool local = false;

	if (msg) {
		nl_put_ip(msg, RTA_DST, address);
		nla_put_u32(msg, RTA_IIF, (uint32_t)ifindex);
	}
	/* that there is no route at all yet is an error to the kernel */
	return nl_talk(nl, NL_ROUTE, msg, read_route_type, &local, NULL, "look up") == 0 && local;
}

int netlink_addr_wait(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      int64_t deadline_ns, struct vbm_error *err)
{
	auto_close int changes = -1;
	char text[IP_TEXT_MAX];
	int ret;

	if (is_delivered(nl, ifindex, address))
		return 0;
	ret = nl_subscribe(nl, RTNLGRP_IPV6_ROUTE, &changes, err);
	if (ret < 0)
		return ret;
	do {
		if (is_delivered(nl, ifindex, address))
			return 0;
	} while (nl_await_change(changes, deadline_ns) == 0);
	return vbm_fail(err, ETIMEDOUT, "the address %s did not come into use",
			ip_format(address, text));
}

int netlink_neigh_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      const uint8_t mac[6], struct vbm_error *err)
{
	struct ndmsg nd = {
		.ndm_family = (uint8_t)address->family,
		.ndm_ifindex = ifindex,
		.ndm_state = NUD_PERMANENT,
	};
	struct nl_msg *msg = nl_request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &nd, sizeof(nd));
	char text[IP_TEXT_MAX];

	if (msg) {
		nl_put_ip(msg, NDA_DST, address);
		nla_put(msg, NDA_LLADDR, 6, mac);
	}
	return nl_talk(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot add the neighbour %s",
		       ip_format(address, text));
}

int netlink_route_add(struct netlink *nl, const struct route *route, struct vbm_error *err)
{
	struct rtmsg rtm = {
		.rtm_family = (uint8_t)route->dst.family,
		.rtm_dst_len = (uint8_t)route->dst.len,
		.rtm_protocol = NETLINK_PROTO,
		.rtm_scope = route->local ? RT_SCOPE_HOST : RT_SCOPE_LINK,
		.rtm_type = route->local ? RTN_LOCAL : RTN_UNICAST,
	};
	struct nl_msg *msg = nl_request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &rtm, sizeof(rtm));
	char text[IP_TEXT_MAX];

	if (msg) {
		nla_put_u32(msg, RTA_TABLE, route->table);
		nl_put_ip(msg, RTA_DST, &route->dst);
		nl_put_ip(msg, RTA_PREFSRC, &route->src);
		nla_put_u32(msg, RTA_OIF, (uint32_t)route->ifindex);
	}
	return nl_talk(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot add the route to %s",
		       ip_format(&route->dst, text));
}

struct route_visit {
	void (*fn)(const struct route *route, void *arg);
	void *arg;
};

static void read_route(struct nlmsghdr *hdr, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);
	const struct route_visit *visit = arg;
	struct nlattr *tb[RTA_MAX + 1];
	struct route route;

	if (hdr->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(hdr, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return;
	/* cached answers and multicast say nothing about networks in use */
	if (rtm->rtm_flags & RTM_F_CLONED || rtm->rtm_type == RTN_MULTICAST)
		return;
	if (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6)
		return;
	memset(&route, 0, sizeof(route));
	if (!nl_get_ip(tb[RTA_DST], rtm->rtm_family, rtm->rtm_dst_len, &route.dst))
		route.dst.family = rtm->rtm_family;	/* the default route */
	route.table = tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table;
	route.ifindex = tb[RTA_OIF] ? (int)nla_get_u32(tb[RTA_OIF]) : 0;
	route.local = rtm->rtm_type == RTN_LOCAL;
	visit->fn(&route, visit->arg);
}

int netlink_route_each(struct netlink *nl, void (*fn)(const struct route *route, void *arg),
		       void *arg, struct vbm_error *err)
{
	struct route_visit visit = {fn, arg};
	struct rtmsg rtm = {.rtm_family = AF_UNSPEC};

	return nl_talk(nl, NL_ROUTE, nl_request(RTM_GETROUTE, NLM_F_DUMP, &rtm, sizeof(rtm)),
		       read_route, &visit, err, "cannot list the routes");
}
