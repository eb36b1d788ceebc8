/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "machines/found.h"
#include "lib/base/fail.h"

/*
 * The last entry is undone first, so each function pushes its entries in the reverse order: the interface has
 * to be up before it takes addresses, and a route needs the addresses and the routes to its gateway.
 */

static bool is_kept(const struct fabric *fabric)
{
	return fabric->undo && undo_count(fabric->undo) > fabric->kept_from;
}

/* The settings of one kind, in the order of the kernel's list. */
struct kept_settings {
	struct net_setting *item;	/* owned */
	size_t count;
};

static void keep_setting(const struct net_setting *setting, void *arg)
{
	struct kept_settings *k = arg;

	GROW(k->item, k->count);
	k->item[k->count++] = *setting;
}

static int push_setting(struct fabric *fabric, const char *kind, const struct net_setting *s, struct vbm_error *err)
{
	auto_free char *bytes = base64_encode(s->bytes, s->len);
	char ifindex[12], ip[IP_TEXT_MAX];

	snprintf(ifindex, sizeof(ifindex), "%d", fabric->host[0].ifindex);
	return undo_push(fabric->undo, err, kind, fabric->host[0].info.netdev, ifindex, ip_format(&s->ip, ip), bytes, NULL);
}

/* A setting that needs others comes back after them. */
static int push_settings(struct fabric *fabric, enum netlink_setting number, const char *kind, struct vbm_error *err)
{
	struct kept_settings k = {NULL, 0};
	size_t i;
	int direct, ret = netlink_setting_each(fabric->nl, number, fabric->host[0].ifindex, keep_setting, &k, err);

	for (direct = 0; direct <= 1; direct++)
		for (i = k.count; ret == 0 && i > 0; i--)
			if (k.item[i - 1].direct == direct)
				ret = push_setting(fabric, kind, &k.item[i - 1], err);
	free(k.item);
	return ret;
}

static int push_interface(struct fabric *fabric, struct vbm_error *err)
{
	const char *name = fabric->host[0].info.netdev;
	char ifindex[12];
	struct link link;
	int ret = netlink_link_get(fabric->nl, name, &link, err);

	if (ret < 0)
		return ret;
	ret = undo_push_interface(fabric->undo, &link, err);
	snprintf(ifindex, sizeof(ifindex), "%d", link.ifindex);
	return ret < 0 ? ret : undo_push(fabric->undo, err, "added-routes", name, ifindex, NULL);
}

/* Only a device in software can be made again. */
static int push_device(struct fabric *fabric, struct vbm_error *err)
{
	const struct host_info *info = &fabric->host[0].info;

	return info->type ? undo_push(fabric->undo, err, "device", info->dev, info->netdev, info->type->name, NULL) : 0;
}

int keep_machine(struct fabric *fabric, struct vbm_error *err)
{
	if (is_kept(fabric))
		return 0;
	return configure_journal(fabric, err) ?:
	       push_device(fabric, err) ?:
	       push_settings(fabric, SETTING_NEIGHBOUR, "neighbour", err) ?:
	       push_settings(fabric, SETTING_ROUTE, "route", err) ?:
	       push_settings(fabric, SETTING_ADDRESS, "address", err) ?:
	       push_interface(fabric, err);
}

static int push_added(struct fabric *fabric, const char *kind, const char *address, struct vbm_error *err)
{
	const struct host *host = &fabric->host[0];
	struct ip_prefix ip;

	/* The step refuses a text that is no address. */
	if (!ip_parse(address, &ip))
		return 0;
	return undo_push_added(fabric->undo, kind, host->info.netdev, host->ifindex, ip, err);
}

int keep_added_address(struct fabric *fabric, const char *address, struct vbm_error *err)
{
	return push_added(fabric, "added-address", address, err);
}

int keep_added_neighbour(struct fabric *fabric, const char *address, struct vbm_error *err)
{
	return push_added(fabric, "added-neighbour", address, err);
}

int keep_put_back(struct fabric *fabric, struct vbm_error *err)
{
	int ret;

	if (!is_kept(fabric))
		return 0;
	ret = undo_unwind_to(fabric->undo, fabric->kept_from, err);
	return ret < 0 ? vbm_wrap(err, "the machine could not be put back; 'verbatim doctor --sweep' there tries again") :
			 found_again(fabric, err);
}
