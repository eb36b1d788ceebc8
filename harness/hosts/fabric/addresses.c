/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/fabric-priv.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/fail.h"

static bool is_taken(const struct ip_set *taken, const struct ip_prefix *want)
{
	size_t i;

	for (i = 0; i < taken->count; i++)
		if (taken->items[i].len > 0 && ip_overlap(&taken->items[i], want))
			return true;
	return false;
}

/*
 * The network number counts from 0, so on a quiet machine each run gets the same networks
 * and the logs of two runs can be compared. 86 is the ASCII code of V.
 */
int fabric_subnets(const struct ip_set *taken, struct subnets *out, struct vbm_error *err)
{
	int k;

	for (k = 0; k < 256; k++) {
		out->number = k;
		out->ip4 = (struct ip_prefix){AF_INET, 24, {10, 86, (uint8_t)k, 0}};
		out->ip6 = (struct ip_prefix){
			AF_INET6, 64, {0xfd, 0x86, 0x76, 0x62, 0x6d, 0, 0, (uint8_t)k}};
		if (!is_taken(taken, &out->ip4) && !is_taken(taken, &out->ip6))
			return 0;
	}
	return vbm_fail(err, EADDRNOTAVAIL,
			"this machine already routes all of 10.86.0.0/16 or fd86:7662:6d00::/48, "
			"from which the fabric takes its networks; run it on a machine where they are free");
}

struct ip_prefix fabric_address(const struct ip_prefix *subnet, int host)
{
	struct ip_prefix one = *subnet;

	one.len = one.family == AF_INET ? 32 : 128;
	one.addr[one.len / 8 - 1] = (uint8_t)(one.addr[one.len / 8 - 1] + host + 1);
	return one;
}

struct ip_prefix fabric_part(const struct ip_prefix *subnet, int host)
{
	struct ip_prefix part = *subnet;

	part.len = part.family == AF_INET ? 28 : 80;
	if (part.family == AF_INET)
		part.addr[3] = (uint8_t)(16 * host);
	else
		part.addr[9] = (uint8_t)(host + 1);
	return part;
}

void fabric_netdev_name(unsigned run, int host, char name[16])
{
	char letter[8];

	host_name(host, letter);
	snprintf(name, 16, "vb-%04x-%.2s", run & FABRIC_RUN_MAX, letter);
}

void fabric_rdma_name(unsigned run, int host, char name[32])
{
	char letter[8];

	host_name(host, letter);
	snprintf(name, 32, "vb_%04x_%s", run & FABRIC_RUN_MAX, letter);
}

void fabric_rdma_name2(unsigned run, int host, char name[32])
{
	char first[32];

	fabric_rdma_name(run, host, first);
	snprintf(name, 32, "%.30s2", first);
}

static int run_of_name(const char *name, char sep)
{
	int i, run = 0;

	if (strncmp(name, "vb", 2) || name[2] != sep)
		return -1;
	for (i = 3; i < 7; i++) {
		if (!isdigit((unsigned char)name[i]) && !(name[i] >= 'a' && name[i] <= 'f'))
			return -1;
		run = run * 16 + (isdigit((unsigned char)name[i]) ? name[i] - '0'
								 : name[i] - 'a' + 10);
	}
	if (name[7] != sep || host_number(name + 8) < 0)
		return -1;
	return run;
}

int fabric_run_of_netdev(const char *name)
{
	return run_of_name(name, '-');
}

int fabric_run_of_rdma(const char *name)
{
	char first[32];
	size_t n = strlen(name);

	/* The second device of a host has the name of the first one and a 2. */
	if (n < 2 || n >= sizeof(first) || name[n - 1] != '2' || !islower((unsigned char)name[n - 2]))
		return run_of_name(name, '_');
	snprintf(first, sizeof(first), "%.*s", (int)n - 1, name);
	return run_of_name(first, '_');
}

/* 0x56 ('V'), 2 bits 0, 16 bits of the run, 6 bits of the host. */
uint32_t fabric_table(unsigned run, int host)
{
	return 0x56000000u | (run & FABRIC_RUN_MAX) << 6 | ((unsigned)host & 63);
}

int fabric_run_of_table(uint32_t table)
{
	if (table >> 22 != 0x56000000u >> 22)
		return -1;
	return (int)(table >> 6 & FABRIC_RUN_MAX);
}

static void make_mac(uint8_t of_router, int subnet, int host, uint8_t mac[6])
{
	const uint8_t ours[6] = {0x02, 0x56, 0x42, of_router, (uint8_t)subnet, (uint8_t)(host + 1)};

	memcpy(mac, ours, sizeof(ours));
}

void fabric_mac(int subnet, int host, uint8_t mac[6])
{
	make_mac(0, subnet, host, mac);
}

void fabric_router_mac(int subnet, int host, uint8_t mac[6])
{
	make_mac(1, subnet, host, mac);
}

void fabric_name_gids(struct host_info *info)
{
	snprintf(info->gid4, sizeof(info->gid4), "::ffff:%s", info->ip4);
	snprintf(info->gid6, sizeof(info->gid6), "%s", info->ip6);
}
