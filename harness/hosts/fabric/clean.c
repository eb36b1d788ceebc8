/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/*
 * The kernel frees some objects of a dead process in the background, without an
 * announcement, and a cable with a delay has packets. So the check is repeated for this time.
 */
#define SETTLE_MS 300
#define SETTLE_STEP_MAX_MS 10

static const struct {
	const char *name;
	size_t offset;
} kinds[] = {
	{"queue pair", offsetof(struct rdma_resources, qp)},
	{"connection", offsetof(struct rdma_resources, cm_id)},
	{"memory region", offsetof(struct rdma_resources, mr)},
	{"completion queue", offsetof(struct rdma_resources, cq)},
	{"shared receive queue", offsetof(struct rdma_resources, srq)},
	{"protection domain", offsetof(struct rdma_resources, pd)},
	{"open device", offsetof(struct rdma_resources, ctx)},
};

static unsigned count_of(const struct rdma_resources *res, size_t kind)
{
	return *(const unsigned *)((const char *)res + kinds[kind].offset);
}

static int compare_resources(const struct host *host, struct vbm_error *err)
{
	struct rdma_resources now;
	size_t k;
	int ret;

	ret = netlink_rdma_resources(host->nl, host->rdma_index, &now, err);
	if (ret < 0)
		return ret;
	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		if (count_of(&now, k) > count_of(&host->idle, k))
			return vbm_fail(err, EBUSY, "host %s still has %u %s%s on %s", host->info.name,
					count_of(&now, k) - count_of(&host->idle, k), kinds[k].name,
					count_of(&now, k) - count_of(&host->idle, k) == 1 ? "" : "s",
					host->info.dev);
	return 0;
}

/* A packet that is still on its way would cross the next scenario. */
static int compare_queue(const struct host *host, struct vbm_error *err)
{
	struct netem_counts counts = {0};
	int ret = host->faults[0] ? netlink_netem_counts(host->nl, host->ifindex, &counts, err) : 0;

	if (ret == 0 && counts.queued)
		return vbm_fail(err, EBUSY, "the cable of host %s still has %u packet%s", host->info.name, counts.queued,
				counts.queued == 1 ? "" : "s");
	return ret;
}

/* Repeats the comparison for @ms while it finds something. */
static int await_clean(const struct host *host, int (*compare)(const struct host *host, struct vbm_error *err), int ms,
		       struct vbm_error *err)
{
	int step_ms = 1, ret = compare(host, err);
	int64_t deadline_ns = ret == -EBUSY ? clock_deadline_ms(ms) : 0;

	while (ret == -EBUSY && clock_now_ns() < deadline_ns) {
		poll(NULL, 0, step_ms);
		step_ms = step_ms * 2 < SETTLE_STEP_MAX_MS ? step_ms * 2 : SETTLE_STEP_MAX_MS;
		ret = compare(host, err);
	}
	return ret;
}

struct addresses {
	const struct host *host;
	bool ip4, ip6;
	struct ip_prefix stranger;
};

static bool same_address(const struct ip_prefix *a, const struct ip_prefix *b)
{
	struct ip_prefix x = *a;

	x.len = b->len;
	return ip_equal(&x, b);
}

static void note_address(const struct ifaddr_info *info, void *arg)
{
	struct addresses *a = arg;

	if (info->ifindex != a->host->ifindex || info->link_local)
		return;
	if (same_address(&info->address, &a->host->ip4))
		a->ip4 = true;
	else if (same_address(&info->address, &a->host->ip6))
		a->ip6 = true;
	else
		a->stranger = info->address;
}

static int compare_interface(const struct fabric *fabric, const struct host *host, struct vbm_error *err)
{
	struct addresses a = {.host = host};
	char text[IP_TEXT_MAX];
	struct link link;
	int ret;

	ret = netlink_link_get(host->nl, host->info.netdev, &link, err);
	if (ret < 0)
		return ret;
	if (!(link.flags & IFF_UP) || !link.ready)
		return vbm_fail(err, ENETDOWN, "the interface of host %s is down", host->info.name);
	if (link.mtu != fabric->mtu)
		return vbm_fail(err, EBUSY, "the interface of host %s has MTU %d, not %d",
				host->info.name, link.mtu, fabric->mtu);
	if (strcmp(link.qdisc, host->qdisc) != 0)
		return vbm_fail(err, EBUSY, "the interface of host %s has the queueing discipline %s, not %s",
				host->info.name, link.qdisc, host->qdisc);
	ret = await_clean(host, compare_queue, SETTLE_MS + host->delay_ms, err) ?:
	      netlink_addr_each(host->nl, note_address, &a, err);
	if (ret < 0)
		return ret;
	if (!a.ip4 || !a.ip6)
		return vbm_fail(err, EADDRNOTAVAIL, "host %s lost its address %s", host->info.name,
				a.ip4 ? host->info.ip6 : host->info.ip4);
	if (a.stranger.family && !fabric->found)
		return vbm_fail(err, EBUSY, "host %s has an additional address: %s", host->info.name,
				ip_format(&a.stranger, text));
	return 0;
}

/* The interfaces of a namespace, or its tables of packet rules. */
struct census {
	const struct host *host;
	unsigned count;
	int newest;		/* the interface that came last, without the host's own */
	char name[64];		/* its name, or that of the last table */
};

static void count_link(const struct link *link, void *arg)
{
	struct census *c = arg;

	c->count++;
	if (link->ifindex <= c->newest || link->ifindex == c->host->ifindex)
		return;
	c->newest = link->ifindex;
	snprintf(c->name, sizeof(c->name), "%s", link->name);
}

static void count_table(const char *name, void *arg)
{
	struct census *c = arg;

	c->count++;
	snprintf(c->name, sizeof(c->name), "%s", name);
}

static int take_census(const struct host *host, struct census *links, struct census *tables,
		       struct vbm_error *err)
{
	return netlink_link_each(host->nl, count_link, links, err) ?:
	       netlink_nft_tables(host->nl, count_table, tables, err);
}

static int compare_namespace(const struct host *host, struct vbm_error *err)
{
	struct census links = {.host = host}, tables = {.host = host};
	int ret = take_census(host, &links, &tables, err);

	if (ret < 0)
		return ret;
	if (links.count > host->links)
		return vbm_fail(err, EBUSY, "host %s has an additional interface: %s", host->info.name,
				links.name);
	if (tables.count > host->tables)
		return vbm_fail(err, EBUSY, "host %s has packet rules in the table %s", host->info.name,
				tables.name);
	return 0;
}

static int remember_host(struct host *host, struct vbm_error *err)
{
	struct census links = {.host = host}, tables = {.host = host};
	struct link link;
	int ret = 0;

	if (host_has_device(host))
		ret = netlink_rdma_resources(host->nl, host->rdma_index, &host->idle, err);
	if (ret == 0 && host->second)
		ret = netlink_rdma_resources(host->nl, host->second->rdma_index, &host->second->idle, err);
	if (ret == 0)
		ret = netlink_link_get(host->nl, host->info.netdev, &link, err);
	if (ret < 0)
		return ret;
	snprintf(host->qdisc, sizeof(host->qdisc), "%s", link.qdisc);
	if (host->netns >= 0)
		ret = take_census(host, &links, &tables, err);
	host->links = links.count;
	host->tables = tables.count;
	return ret;
}

int clean_baseline(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = remember_host(&fabric->host[i], err);
	return ret;
}

/* A device that is gone has no objects; whether it may be gone is a matter of the interfaces. */
static int compare_objects(const struct host *host, unsigned parts, struct vbm_error *err)
{
	int ret = await_clean(host, compare_resources, parts & FABRIC_NOW ? 0 : SETTLE_MS, err);

	return ret == -EBUSY || parts & FABRIC_INTERFACES ? ret : 0;
}

/* @ret is the answer of a comparison; a difference is added to @left. */
static bool is_as_before(int ret, const struct vbm_error *err, struct value *left)
{
	if (ret < 0 && left)
		value_append(left, value_string(err->msg));
	return ret == 0;
}

bool clean_hosts(struct fabric *fabric, unsigned parts, struct value *left)
{
	struct vbm_error err = {0};
	bool clean = true;
	int i;

	for (i = 0; i < fabric->count; i++) {
		const struct host *host = &fabric->host[i];

		if (parts & FABRIC_INTERFACES)
			clean &= is_as_before(compare_interface(fabric, host, &err), &err, left);
		if (parts & FABRIC_NAMESPACES && host->netns >= 0)
			clean &= is_as_before(compare_namespace(host, &err), &err, left);
		if (parts & FABRIC_OBJECTS && host_has_device(host))
			clean &= is_as_before(compare_objects(host, parts, &err), &err, left);
		if (parts & FABRIC_OBJECTS && host->second)
			clean &= is_as_before(compare_objects(host->second, parts, &err), &err, left);
	}
	return clean;
}

bool fabric_is_clean(struct fabric *fabric, unsigned parts, struct value *left)
{
	return fabric->hosts->is_clean(fabric, parts, left);
}
