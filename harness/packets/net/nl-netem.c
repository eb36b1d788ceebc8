/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "lib/base/fail.h"

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
