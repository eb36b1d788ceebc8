/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "lib/base/fail.h"

#define LOOK_AGAIN_MS 10

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
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot add the address %s",
		       ip_format(address, text));
}

int netlink_addr_del(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		     struct vbm_error *err)
{
	struct ifaddrmsg ifa = {
		.ifa_family = (uint8_t)address->family,
		.ifa_prefixlen = (uint8_t)address->len,
		.ifa_index = (uint32_t)ifindex,
	};
	struct nl_msg *msg = nl_request(RTM_DELADDR, 0, &ifa, sizeof(ifa));
	char text[IP_TEXT_MAX];

	if (msg) {
		nl_put_ip(msg, IFA_LOCAL, address);
		nl_put_ip(msg, IFA_ADDRESS, address);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot remove the address %s",
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

	return nl_transact(nl, NL_ROUTE, nl_request(RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa)),
		       read_addr, &visit, err, "cannot list the addresses");
}

static void read_route_type(struct nlmsghdr *hdr, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);

	if (hdr->nlmsg_type == RTM_NEWROUTE && nlmsg_valid_hdr(hdr, sizeof(*rtm)))
		*(bool *)arg = rtm->rtm_type == RTN_LOCAL;
}

/* Whether the kernel delivers a packet for @address that arrives on the interface. */
static bool is_delivered(struct netlink *nl, int ifindex, const struct ip_prefix *address)
{
	struct rtmsg rtm = {.rtm_family = AF_INET6, .rtm_dst_len = 128};
	struct nl_msg *msg = nl_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	bool local = false;

	if (msg) {
		nl_put_ip(msg, RTA_DST, address);
		nla_put_u32(msg, RTA_IIF, (uint32_t)ifindex);
	}
	/* While the kernel has no route at all, it answers with an error. */
	return nl_transact(nl, NL_ROUTE, msg, read_route_type, &local, NULL, "look up") == 0 && local;
}

/*
 * The kernel announces a route shortly before a look-up finds it, and on a busy machine
 * that time grows. So after an announcement the route is looked up again after a while.
 */
static int64_t soon(int64_t deadline_ns)
{
	int64_t again_ns = clock_deadline_ms(LOOK_AGAIN_MS);

	return again_ns < deadline_ns ? again_ns : deadline_ns;
}

int netlink_addr_wait(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      int64_t deadline_ns, struct vbm_error *err)
{
	auto_close int changes = -1;
	char text[IP_TEXT_MAX];
	bool last = false;
	int ret;

	if (is_delivered(nl, ifindex, address))
		return 0;
	ret = nl_subscribe(nl, RTNLGRP_IPV6_ROUTE, &changes, err);
	if (ret < 0)
		return ret;
	while (!last) {
		last = clock_left_ms(deadline_ns) == 0;
		if (is_delivered(nl, ifindex, address))
			return 0;
		nl_await_change(changes, soon(deadline_ns));
	}
	return vbm_fail(err, ETIMEDOUT, "the address %s cannot be used yet",
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
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot add the neighbour %s",
		       ip_format(address, text));
}

static void put_hop_limit(struct nl_msg *msg, uint32_t hop_limit)
{
	struct nlattr *metrics = nla_nest_start(msg, RTA_METRICS);

	nla_put_u32(msg, RTAX_HOPLIMIT, hop_limit);
	nla_nest_end(msg, metrics);
}

static int change_route(struct netlink *nl, int type, int flags, const struct route *route, const char *verb,
			struct vbm_error *err)
{
	struct rtmsg rtm = {
		.rtm_family = (uint8_t)route->dst.family,
		.rtm_dst_len = (uint8_t)route->dst.len,
		.rtm_protocol = NETLINK_PROTO,
		.rtm_scope = route->local ? RT_SCOPE_HOST : route->gateway.family ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = route->local ? RTN_LOCAL : RTN_UNICAST,
	};
	struct nl_msg *msg = nl_request(type, flags, &rtm, sizeof(rtm));
	char text[IP_TEXT_MAX];

	if (msg) {
		nla_put_u32(msg, RTA_TABLE, route->table);
		nl_put_ip(msg, RTA_DST, &route->dst);
		nl_put_ip(msg, RTA_PREFSRC, &route->src);
		nl_put_ip(msg, RTA_GATEWAY, &route->gateway);
		nla_put_u32(msg, RTA_OIF, (uint32_t)route->ifindex);
		if (route->hop_limit)
			put_hop_limit(msg, route->hop_limit);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot %s the route to %s", verb,
		       ip_format(&route->dst, text));
}

int netlink_route_add(struct netlink *nl, const struct route *route, struct vbm_error *err)
{
	return change_route(nl, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, route, "add", err);
}

int netlink_route_replace(struct netlink *nl, const struct route *route, struct vbm_error *err)
{
	return change_route(nl, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, route, "change", err);
}

int netlink_route_del(struct netlink *nl, const struct route *route, struct vbm_error *err)
{
	return change_route(nl, RTM_DELROUTE, 0, route, "remove", err);
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
	/* Cached and multicast routes do not show which networks are in use. */
	if (rtm->rtm_flags & RTM_F_CLONED || rtm->rtm_type == RTN_MULTICAST)
		return;
	if (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6)
		return;
	memset(&route, 0, sizeof(route));
	if (!nl_get_ip(tb[RTA_DST], rtm->rtm_family, rtm->rtm_dst_len, &route.dst))
		route.dst.family = rtm->rtm_family;	/* the default route */
	route.table = tb[RTA_TABLE] ? nla_get_u32(tb[RTA_TABLE]) : rtm->rtm_table;
	route.ifindex = tb[RTA_OIF] ? (int)nla_get_u32(tb[RTA_OIF]) : 0;
	nl_get_ip(tb[RTA_GATEWAY], rtm->rtm_family, rtm->rtm_family == AF_INET ? 32 : 128, &route.gateway);
	nl_get_ip(tb[RTA_PREFSRC], rtm->rtm_family, rtm->rtm_family == AF_INET ? 32 : 128, &route.src);
	route.local = rtm->rtm_type == RTN_LOCAL;
	visit->fn(&route, visit->arg);
}

int netlink_route_each(struct netlink *nl, void (*fn)(const struct route *route, void *arg),
		       void *arg, struct vbm_error *err)
{
	struct route_visit visit = {fn, arg};
	struct rtmsg rtm = {.rtm_family = AF_UNSPEC};

	return nl_transact(nl, NL_ROUTE, nl_request(RTM_GETROUTE, NLM_F_DUMP, &rtm, sizeof(rtm)),
		       read_route, &visit, err, "cannot list the routes");
}

struct route_way {
	int ifindex;
	bool local;
};

static void read_way(struct nlmsghdr *hdr, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);
	struct nlattr *tb[RTA_MAX + 1];
	struct route_way *way = arg;

	if (hdr->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(hdr, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return;
	way->ifindex = tb[RTA_OIF] ? (int)nla_get_u32(tb[RTA_OIF]) : 0;
	way->local = rtm->rtm_type == RTN_LOCAL;
}

int netlink_route_to(struct netlink *nl, const struct ip_prefix *address, int *ifindex, bool *local,
		     struct vbm_error *err)
{
	struct rtmsg rtm = {.rtm_family = (uint8_t)address->family, .rtm_dst_len = (uint8_t)address->len};
	struct nl_msg *msg = nl_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	struct route_way way = {0};
	char text[IP_TEXT_MAX];
	int ret;

	if (msg)
		nl_put_ip(msg, RTA_DST, address);
	ret = nl_transact(nl, NL_ROUTE, msg, read_way, &way, err, "cannot find the route to %s", ip_format(address, text));
	*ifindex = way.ifindex;
	*local = way.local;
	return ret;
}

static int change_rule(struct netlink *nl, int type, int flags, const struct rule *rule,
		       const char *verb, struct vbm_error *err)
{
	struct fib_rule_hdr frh = {
		.family = (uint8_t)rule->family,
		.src_len = (uint8_t)(rule->from.family ? rule->from.len : 0),
		.dst_len = (uint8_t)(rule->to.family ? rule->to.len : 0),
		.action = FR_ACT_TO_TBL,
	};
	struct nl_msg *msg = nl_request(type, flags, &frh, sizeof(frh));

	if (msg) {
		nla_put_u32(msg, FRA_PRIORITY, rule->pref);
		nla_put_u32(msg, FRA_TABLE, rule->table);
		nla_put_u8(msg, FRA_PROTOCOL, rule->proto);
		nl_put_ip(msg, FRA_SRC, &rule->from);
		nl_put_ip(msg, FRA_DST, &rule->to);
		if (rule->iif[0])
			nla_put_string(msg, FRA_IIFNAME, rule->iif);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err,
		       "cannot %s the IPv%d rule at preference %u to table %u", verb,
		       rule->family == AF_INET ? 4 : 6, rule->pref, rule->table);
}

int netlink_rule_add(struct netlink *nl, const struct rule *rule, struct vbm_error *err)
{
	return change_rule(nl, RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule, "add", err);
}

int netlink_rule_del(struct netlink *nl, const struct rule *rule, struct vbm_error *err)
{
	return change_rule(nl, RTM_DELRULE, 0, rule, "remove", err);
}

struct rule_visit {
	void (*fn)(const struct rule *rule, void *arg);
	void *arg;
};

static void read_rule(struct nlmsghdr *hdr, void *arg)
{
	const struct fib_rule_hdr *frh = nlmsg_data(hdr);
	const struct rule_visit *visit = arg;
	struct nlattr *tb[FRA_MAX + 1];
	struct rule rule;

	if (hdr->nlmsg_type != RTM_NEWRULE || nlmsg_parse(hdr, sizeof(*frh), tb, FRA_MAX, NULL) < 0)
		return;
	if (frh->family != AF_INET && frh->family != AF_INET6)
		return;
	memset(&rule, 0, sizeof(rule));
	rule.family = frh->family;
	rule.pref = tb[FRA_PRIORITY] ? nla_get_u32(tb[FRA_PRIORITY]) : 0;
	rule.table = tb[FRA_TABLE] ? nla_get_u32(tb[FRA_TABLE]) : frh->table;
	rule.proto = tb[FRA_PROTOCOL] ? nla_get_u8(tb[FRA_PROTOCOL]) : 0;
	if (tb[FRA_IIFNAME])
		nla_strlcpy(rule.iif, tb[FRA_IIFNAME], sizeof(rule.iif));
	nl_get_ip(tb[FRA_SRC], frh->family, frh->src_len, &rule.from);
	nl_get_ip(tb[FRA_DST], frh->family, frh->dst_len, &rule.to);
	visit->fn(&rule, visit->arg);
}

int netlink_rule_each(struct netlink *nl, void (*fn)(const struct rule *rule, void *arg),
		      void *arg, struct vbm_error *err)
{
	struct rule_visit visit = {fn, arg};
	struct fib_rule_hdr frh = {.family = AF_UNSPEC};

	return nl_transact(nl, NL_ROUTE, nl_request(RTM_GETRULE, NLM_F_DUMP, &frh, sizeof(frh)),
		       read_rule, &visit, err, "cannot list the policy rules");
}
