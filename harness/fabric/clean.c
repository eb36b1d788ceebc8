/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/*
 * The kernel frees some objects of a dead process in the background, without an
 * announcement. So the check is repeated for this time.
 */
#define SETTLE_MS 300
#define SETTLE_STEP_MAX_MS 10

static const struct {
	const char *name;
	size_t offset;
} kinds[] = {
	{"queue pairs", offsetof(struct rdma_resources, qp)},
	{"connections", offsetof(struct rdma_resources, cm_id)},
	{"memory regions", offsetof(struct rdma_resources, mr)},
	{"completion queues", offsetof(struct rdma_resources, cq)},
	{"shared receive queues", offsetof(struct rdma_resources, srq)},
	{"protection domains", offsetof(struct rdma_resources, pd)},
	{"open devices", offsetof(struct rdma_resources, ctx)},
};

static unsigned count_of(const struct rdma_resources *res, size_t kind)
{
	return *(const unsigned *)((const char *)res + kinds[kind].offset);
}

int clean_baseline(struct fabric *fabric, struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < fabric->count; i++)
		ret = netlink_rdma_resources(fabric->host[i].nl, fabric->host[i].rdma_index,
					     &fabric->host[i].idle, err);
	return ret;
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
			return vbm_fail(err, EBUSY, "host %s still has %u %s on %s", host->info.name,
					count_of(&now, k) - count_of(&host->idle, k),
					kinds[k].name, host->info.dev);
	return 0;
}

static int settle_resources(const struct host *host, struct vbm_error *err)
{
	int64_t deadline_ns = clock_deadline_ms(SETTLE_MS);
	int step_ms = 1, ret;

	for (;;) {
		ret = compare_resources(host, err);
		if (ret != -EBUSY || clock_now_ns() >= deadline_ns)
			return ret;
		poll(NULL, 0, step_ms);
		step_ms = step_ms * 2 < SETTLE_STEP_MAX_MS ? step_ms * 2 : SETTLE_STEP_MAX_MS;
	}
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

static int compare_host(const struct host *host, int mtu, struct vbm_error *err)
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
	if (link.mtu != mtu)
		return vbm_fail(err, EBUSY, "the interface of host %s has MTU %d, not %d",
				host->info.name, link.mtu, mtu);
	ret = netlink_addr_each(host->nl, note_address, &a, err);
	if (ret < 0)
		return ret;
	if (!a.ip4 || !a.ip6)
		return vbm_fail(err, EADDRNOTAVAIL, "host %s lost its address %s", host->info.name,
				a.ip4 ? host->info.ip6 : host->info.ip4);
	if (a.stranger.family)
		return vbm_fail(err, EBUSY, "host %s has an additional address: %s", host->info.name,
				ip_format(&a.stranger, text));
	return 0;
}

bool fabric_is_clean(struct fabric *fabric, struct vbm_error *err)
{
	int i;

	for (i = 0; i < fabric->count; i++) {
		if (compare_host(&fabric->host[i], fabric->mtu, err) < 0)
			return false;
		if (fabric->rdma && settle_resources(&fabric->host[i], err) < 0)
			return false;
	}
	return true;
}
