/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_HOST_H
#define VBM_NAMES_HOST_H

#include <stddef.h>

struct device_type;

/* The words for hosts, which rooms without a fabric use, too. Pure. */

/* The properties of a host that its programs use. */
struct host_info {
	char name[8];		/* "a" */
	char dev[32];		/* RDMA device; "": it has none */
	char dev2[32];		/* its second one, on the same interface; "": it has none */
	char netdev[16];
	char ip4[16], ip6[46], mac[18];
	char gid4[46], gid6[46];	/* the GIDs with which its device reaches others over IPv4 and IPv6 */
	int gid_index4, gid_index6;	/* their positions in its table */
	int port;		/* RDMA port number, 1 */
	const struct device_type *type;	/* borrowed; of its RDMA device */
};

/* Hosts are numbered from 0 and called "a".."z", then "aa".."zz". */
void host_name(int host, char name[8]);
int host_number(const char *name);	/* -1: no such name */

enum layout {
	LAYOUT_AUTO,	/* netns if the device carries traffic there and hosts are few
			 * (its cost grows with their square), else shared */
	LAYOUT_NETNS,	/* a namespace with a device for each host */
	LAYOUT_SHARED,	/* all devices in one namespace, policy routing */
	LAYOUT_MACHINES,	/* each host is a machine of --hosts; --layout does not take it */
};

#define FABRIC_HOSTS_MAX 64
#define FABRIC_ROUTED_MIN 2
#define FABRIC_ROUTED_MAX 16

/* "netns" | "shared" | "auto"; layout_parse() returns -EINVAL for another word. */
const char *layout_name(enum layout layout);
int layout_parse(const char *name, enum layout *layout);
const char *layout_nth(size_t i);	/* of these names; NULL behind the last one */

#endif
