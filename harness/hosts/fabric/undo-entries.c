/* SPDX-License-Identifier: BSD-2-Clause */
#include <net/if.h>
#include <stdio.h>

#include "fabric/fabric-priv.h"

/* Entries that more than one module writes; undo-machine.c carries them out. */

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
