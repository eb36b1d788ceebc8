/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/facts.h"

#include <stddef.h>
#include <string.h>

#include "names/host.h"

#define FACT(name, is_int, doc, of4, of6) {name, is_int, doc, {offsetof(struct host_info, of4), offsetof(struct host_info, of6)}}

const struct host_fact host_facts[] = {
	FACT("name", false, "the host's letter", name, name),
	FACT("dev", false, "RDMA device", dev, dev),
	FACT("dev2", false, "its second RDMA device, on the same interface; empty if it has one device", dev2, dev2),
	FACT("netdev", false, "network interface under the device", netdev, netdev),
	FACT("ip", false, "address of the family in $ip (IPv4 without it)", ip4, ip6),
	FACT("ip4", false, "IPv4 address", ip4, ip4),
	FACT("ip6", false, "IPv6 address", ip6, ip6),
	FACT("mac", false, "Ethernet address", mac, mac),
	FACT("gid", false, "GID with which the device reaches others over the family in ip, as text", gid4, gid6),
	FACT("gid4", false, "the same for IPv4; on RoCE the IPv4-mapped address", gid4, gid4),
	FACT("gid6", false, "the same for IPv6; on RoCE the address", gid6, gid6),
	FACT("gid_index", true, "index of gid in the GID table", gid_index4, gid_index6),
	FACT("gid_index4", true, "index of gid4", gid_index4, gid_index4),
	FACT("gid_index6", true, "index of gid6", gid_index6, gid_index6),
	FACT("port", true, "port number of the RDMA device", port, port),
	{NULL, false, NULL, {0, 0}},
};

struct value *host_fact_get(const struct host_fact *f, const struct host_info *host, int ip)
{
	const char *member = (const char *)host + f->member[ip == 6];

	return f->is_int ? value_int(*(const int *)(const void *)member) : value_string(member);
}

const struct host_fact *host_fact_find(const char *name)
{
	const struct host_fact *f;

	for (f = host_facts; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
