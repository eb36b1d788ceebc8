/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/undo.h"

#include <errno.h>
#include <limits.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

struct entry {
	int count;
	char *words[UNDO_WORDS_MAX];	/* owned */
	int64_t at;			/* of its line in the journal */
};

struct undo {
	struct undo_ops ops;
	unsigned run;
	struct journal *journal;	/* borrowed */
	struct entry *entries;		/* owned */
	size_t count;
};

struct undo *undo_new(const struct undo_ops *ops, unsigned run, struct journal *journal)
{
	struct undo *undo = xcalloc(1, sizeof(*undo));

	undo->ops = *ops;
	undo->run = run;
	undo->journal = journal;
	return undo;
}

static void entry_fini(struct entry *entry)
{
	int i;

	for (i = 0; i < entry->count; i++)
		free(entry->words[i]);
	entry->count = 0;
}

void undo_free(struct undo *undo)
{
	size_t i;

	if (!undo)
		return;
	for (i = 0; i < undo->count; i++)
		entry_fini(&undo->entries[i]);
	free(undo->entries);
	free(undo);
}

int undo_push(struct undo *undo, struct vbm_error *err, const char *kind, ...)
{
	struct entry entry = {0};
	const char *word;
	va_list ap;
	int ret = 0;

	va_start(ap, kind);
	for (word = kind; word && entry.count < UNDO_WORDS_MAX; word = va_arg(ap, const char *))
		entry.words[entry.count++] = xstrdup(word);
	va_end(ap);
	if (undo->journal) {
		entry.at = journal_size(undo->journal);
		ret = journal_add(undo->journal, (const char *const *)entry.words, entry.count, err);
	}
	if (ret < 0) {
		entry_fini(&entry);
		return ret;
	}
	GROW(undo->entries, undo->count);
	undo->entries[undo->count++] = entry;
	return 0;
}

int undo_one(const struct undo_ops *ops, unsigned run, char *const *words, int count,
	     struct vbm_error *err)
{
	const struct undo_kind *kind;

	for (kind = ops->kinds; kind->name; kind++)
		if (count > 0 && !strcmp(kind->name, words[0]))
			break;
	if (!kind->name)
		return vbm_fail(err, EBADMSG, "unknown undo entry '%s'", count > 0 ? words[0] : "");
	if (count - 1 != kind->words)
		return vbm_fail(err, EBADMSG, "undo entry '%s' has %d words and needs %d", kind->name,
				count - 1, kind->words);
	return kind->undo(ops->ctx, run, words + 1, err);
}

size_t undo_count(const struct undo *undo)
{
	return undo->count;
}

int undo_unwind_to(struct undo *undo, size_t count, struct vbm_error *err)
{
	struct vbm_error first = {0}, why;
	struct entry *kept = NULL;
	size_t kept_count = 0, i;
	int64_t end = undo->count > count ? undo->entries[count].at : 0;

	while (undo->count > count) {
		struct entry *entry = &undo->entries[undo->count - 1];

		if (undo_one(&undo->ops, undo->run, entry->words, entry->count, &why) < 0) {
			if (!first.code)
				first = why;
			GROW(kept, kept_count);
			kept[kept_count++] = *entry;
		} else {
			entry_fini(entry);
		}
		undo->count--;
	}
	for (i = kept_count; i > 0; i--) {
		GROW(undo->entries, undo->count);
		undo->entries[undo->count++] = kept[i - 1];
	}
	free(kept);
	if (first.code)
		return vbm_fail(err, first.code, "%s", first.msg);
	if (undo->journal && end)
		journal_shorten(undo->journal, end);
	return 0;
}

int undo_unwind(struct undo *undo, struct vbm_error *err)
{
	return undo_unwind_to(undo, 0, err);
}

/* Undoing succeeds when the thing is gone already. */
static int gone_is_fine(int ret, int gone, int gone_too)
{
	return ret == -gone || ret == -gone_too ? 0 : ret;
}

static int undo_link(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	if (fabric_run_of_netdev(words[0]) != (int)run)
		return vbm_fail(err, EBADMSG, "interface %s does not belong to run %04x", words[0], run);
	return gone_is_fine(netlink_link_del(ctx, words[0], err), ENODEV, ENODEV);
}

static int undo_rdma(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	if (fabric_run_of_rdma(words[0]) != (int)run)
		return vbm_fail(err, EBADMSG, "RDMA device %s does not belong to run %04x", words[0], run);
	return gone_is_fine(netlink_rdma_del(ctx, words[0], err), ENODEV, EPROTONOSUPPORT);
}

static bool parse_u32(const char *word, uint32_t *value)
{
	unsigned long long v;
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	v = strtoull(word, &end, 10);
	*value = (uint32_t)v;
	return !*end && v <= UINT32_MAX;
}

static bool parse_family(const char *word, int *family)
{
	*family = !strcmp(word, "4") ? AF_INET : AF_INET6;
	return !strcmp(word, "4") || !strcmp(word, "6");
}

static bool parse_selector(const char *word, int family, struct ip_prefix *prefix)
{
	if (!strcmp(word, "any"))
		return true;
	return ip_parse(word, prefix) && prefix->family == family;
}

static bool parse_rule(char *const *words, struct rule *rule)
{
	uint32_t proto;

	memset(rule, 0, sizeof(*rule));
	if (!parse_family(words[0], &rule->family) || !parse_u32(words[1], &rule->pref) ||
	    !parse_u32(words[2], &rule->table) || !parse_u32(words[3], &proto) ||
	    proto != NETLINK_PROTO || strlen(words[4]) >= sizeof(rule->iif))
		return false;
	rule->proto = NETLINK_PROTO;
	if (strcmp(words[4], "any"))
		snprintf(rule->iif, sizeof(rule->iif), "%s", words[4]);
	return parse_selector(words[5], rule->family, &rule->from) &&
	       parse_selector(words[6], rule->family, &rule->to);
}

static int undo_rule(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	struct rule rule;

	(void)run;
	if (!parse_rule(words, &rule))
		return vbm_fail(err, EBADMSG, "not a rule of Verbatim: pref %s table %s", words[1], words[2]);
	return gone_is_fine(netlink_rule_del(ctx, &rule, err), ENOENT, EAFNOSUPPORT);
}

struct rule rule_default_local(int family)
{
	return (struct rule){.family = family, .table = RT_TABLE_LOCAL, .proto = RTPROT_KERNEL};
}

static int undo_default_rule(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	struct rule rule;
	int family;

	(void)run;
	if (!parse_family(words[0], &family))
		return vbm_fail(err, EBADMSG, "unknown address family: %s", words[0]);
	rule = rule_default_local(family);
	return gone_is_fine(netlink_rule_add(ctx, &rule, err), EEXIST, EAFNOSUPPORT);
}

static int undo_nothing(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)ctx;
	(void)run;
	(void)words;
	(void)err;
	return 0;
}

const struct undo_kind undo_kinds[] = {
	{"link", 1, undo_link},
	{"rdma", 1, undo_rdma},
	{"rule", 7, undo_rule},
	{"default-rule", 1, undo_default_rule},
	{"namespaces", 0, undo_nothing},
	{"place", 1, undo_nothing},
	{"interface", 4, undo_interface},
	{"address", 4, undo_address},
	{"neighbour", 4, undo_neighbour},
	{"route", 4, undo_route},
	{"added-address", 3, undo_added_address},
	{"added-neighbour", 3, undo_added_neighbour},
	{"added-routes", 2, undo_added_routes},
	{"device", 3, undo_device},
	{NULL},
};

int undo_push_rule(struct undo *undo, const struct rule *rule, struct vbm_error *err)
{
	char pref[12], table[12], proto[12], from[IP_TEXT_MAX], to[IP_TEXT_MAX];

	snprintf(pref, sizeof(pref), "%u", rule->pref);
	snprintf(table, sizeof(table), "%u", rule->table);
	snprintf(proto, sizeof(proto), "%u", rule->proto);
	return undo_push(undo, err, "rule", rule->family == AF_INET ? "4" : "6", pref, table, proto,
			 rule->iif[0] ? rule->iif : "any",
			 rule->from.family ? ip_format(&rule->from, from) : "any",
			 rule->to.family ? ip_format(&rule->to, to) : "any", NULL);
}

/* Entries that more than one module writes. */

int undo_push_interface(struct undo *undo, const struct link *link, struct vbm_error *err)
{
	char ifindex[12], mtu[12];

	snprintf(ifindex, sizeof(ifindex), "%d", link->ifindex);
	snprintf(mtu, sizeof(mtu), "%d", link->mtu);
	return undo_push(undo, err, "interface", link->name, ifindex, link->flags & IFF_UP ? "up" : "down", mtu, NULL);
}

int undo_push_added(struct undo *undo, const char *kind, const char *netdev, int ifindex, struct ip_prefix ip,
		    struct vbm_error *err)
{
	char number[12], text[IP_TEXT_MAX];

	snprintf(number, sizeof(number), "%d", ifindex);
	ip.len = ip.family == AF_INET ? 32 : 128;
	return undo_push(undo, err, kind, netdev, number, ip_format(&ip, text), NULL);
}
