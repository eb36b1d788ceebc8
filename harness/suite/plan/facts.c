/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/facts.h"
#include "names/host.h"

#include <string.h>

static struct value *get_name(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->name);
}

static struct value *get_dev(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->dev);
}

static struct value *get_dev2(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->dev2);
}

static struct value *get_netdev(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->netdev);
}

static struct value *get_mac(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->mac);
}

static struct value *get_port(const struct host_info *h, int ip)
{
	(void)ip;
	return value_int(h->port);
}

static struct value *get_ip4(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->ip4);
}

static struct value *get_ip6(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->ip6);
}

static struct value *get_ip(const struct host_info *h, int ip)
{
	return value_string(ip == 6 ? h->ip6 : h->ip4);
}

static struct value *get_gid4(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->gid4);
}

static struct value *get_gid6(const struct host_info *h, int ip)
{
	(void)ip;
	return value_string(h->gid6);
}

static struct value *get_gid(const struct host_info *h, int ip)
{
	return value_string(ip == 6 ? h->gid6 : h->gid4);
}

static struct value *get_gid_index4(const struct host_info *h, int ip)
{
	(void)ip;
	return value_int(h->gid_index4);
}

static struct value *get_gid_index6(const struct host_info *h, int ip)
{
	(void)ip;
	return value_int(h->gid_index6);
}

static struct value *get_gid_index(const struct host_info *h, int ip)
{
	return value_int(ip == 6 ? h->gid_index6 : h->gid_index4);
}

const struct host_fact host_facts[] = {
	{"name", false, "the host's letter", get_name},
	{"dev", false, "RDMA device", get_dev},
	{"dev2", false, "its second RDMA device, on the same interface; empty if it has one device", get_dev2},
	{"netdev", false, "network interface under the device", get_netdev},
	{"ip", false, "address of the family in $ip (IPv4 without it)", get_ip},
	{"ip4", false, "IPv4 address", get_ip4},
	{"ip6", false, "IPv6 address", get_ip6},
	{"mac", false, "Ethernet address", get_mac},
	{"gid", false, "GID with which the device reaches others over the family in ip, as text", get_gid},
	{"gid4", false, "the same for IPv4; on RoCE the IPv4-mapped address", get_gid4},
	{"gid6", false, "the same for IPv6; on RoCE the address", get_gid6},
	{"gid_index", true, "index of gid in the GID table", get_gid_index},
	{"gid_index4", true, "index of gid4", get_gid_index4},
	{"gid_index6", true, "index of gid6", get_gid_index6},
	{"port", true, "port number of the RDMA device", get_port},
	{NULL, false, NULL, NULL},
};

const struct host_fact *host_fact_find(const char *name)
{
	const struct host_fact *f;

	for (f = host_facts; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
