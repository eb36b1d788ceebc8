/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/nl.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "net/nl-talk.h"

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
	return nl_talk(nl, NL_ROUTE, msg, NULL, NULL, err,
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

	return nl_talk(nl, NL_ROUTE, nl_request(RTM_GETRULE, NLM_F_DUMP, &frh, sizeof(frh)),
		       read_rule, &visit, err, "cannot list the policy rules");
}
