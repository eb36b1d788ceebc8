/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "net/nl.h"
#include "machine-station/station-priv.h"

/* Why this machine, or a part of it, must stay as it is, although the run may change machines. */

#define STACK_MAX 8	/* interfaces that are made of others: a VLAN on a bond on a bridge */

/* Whether packets of the interface @upper go through @lower. */
static bool goes_through(const char *upper, const char *lower, int depth)
{
	auto_free char *path = xasprintf("/sys/class/net/%s", upper);
	const struct dirent *entry;
	auto_dir DIR *dir = NULL;

	if (!strcmp(upper, lower))
		return true;
	if (depth == STACK_MAX)
		return false;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "lower_", strlen("lower_")) &&
		    goes_through(entry->d_name + strlen("lower_"), lower, depth + 1))
			return true;
	return false;
}

/*
 * The first and the third word of SSH_CONNECTION: who is connected to which address of this machine. A link-local address has
 * the interface behind it.
 */
static bool carries_connection(struct netlink *nl, const char *netdev, const char *connection, bool *known)
{
	char peer[64], own[64], name[IF_NAMESIZE] = "", *zone;
	struct ip_prefix ip = {0};
	bool local = false;
	int ifindex = 0;

	*known = true;
	if (sscanf(connection, "%63s %*s %63s", peer, own) != 2)
		return false;
	own[strcspn(own, "%")] = '\0';
	zone = strchr(peer, '%');
	if (zone)
		*zone++ = '\0';
	*known = ip_parse(own, &ip) && netlink_route_to(nl, &ip, &ifindex, &local, NULL) == 0;
	/* The connection is one of another network namespace. */
	if (!*known || !local)
		return false;
	if (zone)
		return goes_through(zone, netdev, 0);
	*known = ip_parse(peer, &ip) && netlink_route_to(nl, &ip, &ifindex, &local, NULL) == 0 && if_indextoname((unsigned)ifindex, name);
	return *known && goes_through(name, netdev, 0);
}

/* An MTU that the interface has already is no change, and needs the same right. */
static int try_right(struct netlink *nl, const char *netdev, struct vbm_error *err)
{
	struct link link;
	int ret = netlink_link_get(nl, netdev, &link, err);

	return ret < 0 ? ret : netlink_link_mtu(nl, netdev, link.mtu, err);
}

int station_stays(struct station *s, struct value *answer, struct vbm_error *err)
{
	const struct host_info *info = fabric_host(s->fabric, 0);
	struct netlink *nl;
	bool known = true;
	int ret = netlink_open(&nl, -1, err);

	if (ret < 0)
		return ret;
	if (try_right(nl, info->netdev, err) < 0)
		value_set_string(answer, "no_right", err->msg);
	else if (carries_connection(nl, info->netdev, s->connection, &known))
		value_set(answer, "carries", value_format_string("%s carries the connection to it", info->netdev));
	else if (!known)
		value_set(answer, "carries", value_format_string("whether %s carries the connection to it is not known", info->netdev));
	netlink_close(nl);
	*err = (struct vbm_error){0};
	return 0;
}
