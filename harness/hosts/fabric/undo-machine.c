/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "fabric/host-devices.h"
#include "lib/base/fail.h"
#include "names/device-types.h"

/* The entries that put a machine back. An interface that is gone, or that another one of its name follows, is not touched. */

static bool parse_number(const char *word, int *number)
{
	int64_t n;

	if (!number_part(word, strlen(word), 0, INT32_MAX, &n))
		return false;
	*number = (int)n;
	return true;
}

/* Returns 1 if the interface @words[0] with the number @words[1] is there, and 0 if it is gone. */
static int find_interface(struct netlink *nl, char *const *words, struct link *link, struct vbm_error *err)
{
	int ifindex, ret;

	if (strlen(words[0]) >= IFNAMSIZ || !parse_number(words[1], &ifindex))
		return vbm_fail(err, EBADMSG, "not an interface: %s %s", words[0], words[1]);
	ret = netlink_link_get(nl, words[0], link, err);
	if (ret < 0)
		return ret == -ENODEV ? 0 : ret;
	return link->ifindex == ifindex;
}

/* A link whose cable is out does not come up, and was not up before. */
static int bring_up(struct netlink *nl, const char *name, struct vbm_error *err)
{
	return netlink_link_up(nl, name, err) ?:
	       netlink_link_wait(nl, name, clock_deadline_ms(MACHINE_CARRIER_MS), err);
}

int undo_interface(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	bool up = !strcmp(words[2], "up");
	struct link link;
	int mtu, ret;

	(void)run;
	if ((!up && strcmp(words[2], "down") != 0) || !parse_number(words[3], &mtu))
		return vbm_fail(err, EBADMSG, "not a state of an interface: %s %s", words[2], words[3]);
	ret = find_interface(ctx, words, &link, err);
	if (ret <= 0)
		return ret;
	ret = link.mtu == mtu ? 0 : netlink_link_mtu(ctx, words[0], mtu, err);
	if (ret == 0 && up && (!(link.flags & IFF_UP) || !link.ready))
		ret = bring_up(ctx, words[0], err);
	if (ret == 0 && !up && link.flags & IFF_UP)
		ret = netlink_link_down(ctx, words[0], err);
	return ret;
}

/* A setting that is there already stays untouched, because the kernel may have made it again. */
struct same {
	const void *bytes;
	size_t len;
	bool found;
};

static void compare_setting(const struct net_setting *setting, void *arg)
{
	struct same *s = arg;

	s->found |= setting->len == s->len && !memcmp(setting->bytes, s->bytes, s->len);
}

static int put_setting(struct netlink *nl, enum netlink_setting kind, char *const *words, struct vbm_error *err)
{
	auto_free void *bytes = NULL;
	struct same same;
	struct link link;
	size_t len = 0;
	int ret = find_interface(nl, words, &link, err);

	if (ret <= 0)
		return ret;
	bytes = base64_decode(words[3], &len);
	if (!bytes || len > SETTING_MAX)
		return vbm_fail(err, EBADMSG, "not a setting of an interface: %.40s", words[3]);
	same = (struct same){.bytes = bytes, .len = len};
	ret = netlink_setting_each(nl, kind, link.ifindex, compare_setting, &same, err);
	return ret < 0 || same.found ? ret : netlink_setting_put(nl, kind, bytes, len, err);
}

int undo_address(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	return put_setting(ctx, SETTING_ADDRESS, words, err);
}

int undo_neighbour(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	return put_setting(ctx, SETTING_NEIGHBOUR, words, err);
}

int undo_route(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	return put_setting(ctx, SETTING_ROUTE, words, err);
}

/* All settings of one kind that fit. They are removed when the list has ended. */
struct added {
	struct ip_prefix ip;	/* AF_UNSPEC: any */
	uint8_t protocol;	/* of routes; 0: any */
	struct net_setting *found;	/* owned */
	size_t count;
};

static void note_added(const struct net_setting *setting, void *arg)
{
	struct added *a = arg;
	struct ip_prefix ip = setting->ip;

	/* An address is the same one whatever its network is. */
	if (a->ip.family)
		ip.len = a->ip.len;
	if ((a->ip.family && !ip_equal(&ip, &a->ip)) || (a->protocol && setting->protocol != a->protocol))
		return;
	GROW(a->found, a->count);
	a->found[a->count++] = *setting;
}

static int remove_added(struct netlink *nl, enum netlink_setting kind, char *const *words, struct added *a,
			struct vbm_error *err)
{
	struct link link;
	size_t i;
	int ret = find_interface(nl, words, &link, err);

	if (ret > 0)
		ret = netlink_setting_each(nl, kind, link.ifindex, note_added, a, err);
	for (i = 0; ret == 0 && i < a->count; i++)
		ret = netlink_setting_del(nl, kind, a->found[i].bytes, a->found[i].len, err);
	free(a->found);
	return ret;
}

static int remove_address(struct netlink *nl, enum netlink_setting kind, char *const *words, struct vbm_error *err)
{
	struct added a = {0};

	if (!ip_parse(words[2], &a.ip))
		return vbm_fail(err, EBADMSG, "not an address: %s", words[2]);
	return remove_added(nl, kind, words, &a, err);
}

int undo_added_address(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	return remove_address(ctx, SETTING_ADDRESS, words, err);
}

int undo_added_neighbour(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	(void)run;
	return remove_address(ctx, SETTING_NEIGHBOUR, words, err);
}

/* Routes that were there before have their own entries, which are carried out later. */
int undo_added_routes(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	struct added a = {.protocol = NETLINK_PROTO};

	(void)run;
	return remove_added(ctx, SETTING_ROUTE, words, &a, err);
}

/* A device of another type may have its name. */
int undo_device(void *ctx, unsigned run, char *const *words, struct vbm_error *err)
{
	const struct device_type *type = device_type_find(words[2]);
	char now[32];
	uint32_t index;
	int ret;

	(void)run;
	if (!type || strlen(words[0]) >= sizeof(now) || strlen(words[1]) >= IFNAMSIZ)
		return vbm_fail(err, EBADMSG, "not a device that can be made: %s of type %s", words[0], words[2]);
	ret = netlink_rdma_find(ctx, words[0], &index, err);
	if (ret == 0) {
		driver_name(words[0], now, sizeof(now));
		if (!strcmp(now, words[2]))
			return 0;
		ret = netlink_rdma_del(ctx, words[0], err);
	} else if (ret == -ENODEV) {
		ret = 0;
	}
	if (ret == 0)
		ret = netlink_rdma_add(ctx, type, words[0], words[1], err);
	return ret ?: host_devices_show(words[0], NULL, err);
}
