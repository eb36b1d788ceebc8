/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "net/netns.h"

struct nft_visit {
	void (*fn)(const char *name, void *arg);
	void *arg;
};

static void read_table(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[NFTA_TABLE_MAX + 1];
	const struct nft_visit *visit = arg;

	if (nlmsg_parse(hdr, sizeof(struct nfgenmsg), tb, NFTA_TABLE_MAX, NULL) >= 0 &&
	    tb[NFTA_TABLE_NAME])
		visit->fn(nla_get_string(tb[NFTA_TABLE_NAME]), visit->arg);
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
