/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "net/nl.h"

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

/* A request about the interface @name. */
static struct nl_msg *link_request(int type, const struct ifinfomsg *ifi, const char *name)
{
	struct nl_msg *msg = nl_request(type, 0, ifi, sizeof(*ifi));

	if (msg)
		nla_put_string(msg, IFLA_IFNAME, name);
	return msg;
}

static int set_up(struct netlink *nl, const char *name, unsigned up, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_flags = up, .ifi_change = IFF_UP};

	return nl_transact(nl, NL_ROUTE, link_request(RTM_NEWLINK, &ifi, name), NULL, NULL, err, "cannot bring %s %s",
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
	struct nl_msg *msg = link_request(RTM_NEWLINK, &ifi, name);

	if (msg)
		nla_put_u32(msg, IFLA_MTU, (uint32_t)mtu);
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot give %s an MTU of %d", name, mtu);
}

int netlink_link_enslave(struct netlink *nl, const char *name, int master, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP};
	struct nl_msg *msg = link_request(RTM_NEWLINK, &ifi, name);

	if (msg)
		nla_put_u32(msg, IFLA_MASTER, (uint32_t)master);
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot plug %s into the bridge", name);
}

int netlink_link_del(struct netlink *nl, const char *name, struct vbm_error *err)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};

	return nl_transact(nl, NL_ROUTE, link_request(RTM_DELLINK, &ifi, name), NULL, NULL, err,
			   "cannot remove the interface %s", name);
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

	return nl_transact(nl, NL_ROUTE, link_request(RTM_GETLINK, &ifi, name), read_link, &visit, err,
			   "cannot look at the interface %s", name);
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

/* An attribute that begins with a struct, which other attributes follow. */
static void put_options(struct nl_msg *msg, const struct netem *netem)
{
	struct tc_netem_qopt opt = {.limit = netem->limit, .loss = netem->loss};
	struct tc_netem_rate rate = {
		.rate = netem->bytes_per_second > UINT32_MAX ? UINT32_MAX : (uint32_t)netem->bytes_per_second,
	};
	struct nlattr *options = nla_nest_start(msg, TCA_OPTIONS);

	nlmsg_append(msg, &opt, sizeof(opt), NLMSG_ALIGNTO);
	if (netem->delay_ns)
		nla_put_s64(msg, TCA_NETEM_LATENCY64, netem->delay_ns);
	if (netem->bytes_per_second) {
		nla_put(msg, TCA_NETEM_RATE, sizeof(rate), &rate);
		nla_put_u64(msg, TCA_NETEM_RATE64, netem->bytes_per_second);
	}
	nla_nest_end(msg, options);
}

int netlink_netem_add(struct netlink *nl, int ifindex, const struct netem *netem, struct vbm_error *err)
{
	struct tcmsg tcm = {.tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex, .tcm_parent = TC_H_ROOT};
	struct nl_msg *msg = nl_request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &tcm, sizeof(tcm));

	if (msg) {
		nla_put_string(msg, TCA_KIND, "netem");
		put_options(msg, netem);
	}
	return nl_transact(nl, NL_ROUTE, msg, NULL, NULL, err, "cannot give interface %d a netem queue", ifindex);
}

struct nl_netem_look {
	int ifindex;
	struct netem_counts counts;
	bool found;
};

static void read_counts(struct nlmsghdr *hdr, void *arg)
{
	struct nl_netem_look *look = arg;
	const struct tcmsg *tcm = nlmsg_data(hdr);
	struct nlattr *tb[TCA_MAX + 1], *queue;
	struct gnet_stats_queue stats = {0};

	if (nlmsg_parse(hdr, sizeof(*tcm), tb, TCA_MAX, NULL) < 0 || tcm->tcm_ifindex != look->ifindex ||
	    !tb[TCA_KIND] || strcmp(nla_get_string(tb[TCA_KIND]), "netem") != 0 || !tb[TCA_STATS2])
		return;
	queue = nla_find(nla_data(tb[TCA_STATS2]), nla_len(tb[TCA_STATS2]), TCA_STATS_QUEUE);
	if (!queue)
		return;
	nla_memcpy(&stats, queue, sizeof(stats));
	look->counts = (struct netem_counts){.dropped = stats.drops, .queued = stats.qlen};
	look->found = true;
}

int netlink_netem_counts(struct netlink *nl, int ifindex, struct netem_counts *counts, struct vbm_error *err)
{
	struct tcmsg tcm = {.tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex};
	struct nl_msg *msg = nl_request(RTM_GETQDISC, NLM_F_DUMP, &tcm, sizeof(tcm));
	struct nl_netem_look look = {.ifindex = ifindex};
	int ret = nl_transact(nl, NL_ROUTE, msg, read_counts, &look, err,
			      "cannot read the queue of interface %d", ifindex);

	if (ret == 0 && !look.found)
		return vbm_fail(err, ENOENT, "interface %d has no netem queue any more", ifindex);
	*counts = look.counts;
	return ret;
}

struct nft_visit {
	void (*fn)(const char *name, void *arg);
	void *arg;
};

static void read_table(struct nlmsghdr *hdr, void *arg)
{
	const struct nlattr *name = nlmsg_find_attr(hdr, sizeof(struct nfgenmsg), NFTA_TABLE_NAME);
	const struct nft_visit *visit = arg;

	if (name)
		visit->fn(nla_get_string(name), visit->arg);
}

/*
 * Sets *@arg if netfilter's netlink is there. The kernel then has a socket of this protocol
 * in each namespace. A socket of our own would make the kernel load its module.
 */
static int look_for_netfilter(void *arg, struct vbm_error *err)
{
	auto_free char *text = NULL;
	bool *there = arg;
	char *pos, *line;
	int protocol;

	if (file_read("/proc/thread-self/net/netlink", &text, NULL, err) < 0)
		return 0;
	for (pos = text; (line = file_next_line(&pos));)
		*there |= sscanf(line, "%*s %d", &protocol) == 1 && protocol == NETLINK_NETFILTER;
	return 0;
}

int netlink_nft_tables(struct netlink *nl, void (*fn)(const char *name, void *arg), void *arg,
		       struct vbm_error *err)
{
	struct nft_visit visit = {fn, arg};
	struct nfgenmsg any = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
	struct nl_msg *msg;
	bool there = false;
	int rc;

	if (netns_call(nl_netns(nl), look_for_netfilter, &there, err) < 0 || !there)
		return 0;
	msg = nl_request(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETTABLE, NLM_F_DUMP, &any, sizeof(any));
	rc = nl_transact(nl, NL_NETFILTER, msg, read_table, &visit, err,
			 "cannot list the tables of packet rules");
	/* The kernel says that it has netfilter, but not nf_tables. */
	return rc == -EINVAL ? 0 : rc;
}
