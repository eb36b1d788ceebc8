/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/plan.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fail.h"

static int full_len(int family)
{
	return family == AF_INET ? 32 : 128;
}

bool ip_parse(const char *text, struct ip_prefix *prefix)
{
	char host[IP_TEXT_MAX];
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	char *end;
	long len;

	if (n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	memset(prefix, 0, sizeof(*prefix));
	prefix->family = strchr(host, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(prefix->family, host, prefix->addr) != 1)
		return false;
	prefix->len = full_len(prefix->family);
	if (!slash)
		return true;
	if (!isdigit((unsigned char)slash[1]))
		return false;
	len = strtol(slash + 1, &end, 10);
	if (*end || len > prefix->len)
		return false;
	prefix->len = (int)len;
	return true;
}

const char *ip_format(const struct ip_prefix *prefix, char text[IP_TEXT_MAX])
{
	size_t n;

	if (!inet_ntop(prefix->family, prefix->addr, text, IP_TEXT_MAX))
		snprintf(text, IP_TEXT_MAX, "none");
	else if (prefix->len != full_len(prefix->family)) {
		n = strlen(text);
		snprintf(text + n, IP_TEXT_MAX - n, "/%d", prefix->len);
	}
	return text;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, int bits)
{
	int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, (size_t)bytes))
		return false;
	return !rest || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

bool ip_equal(const struct ip_prefix *a, const struct ip_prefix *b)
{
	return a->family == b->family && a->len == b->len &&
	       same_bits(a->addr, b->addr, full_len(a->family));
}

bool ip_overlap(const struct ip_prefix *a, const struct ip_prefix *b)
{
	return a->family == b->family &&
	       same_bits(a->addr, b->addr, a->len < b->len ? a->len : b->len);
}

void ip_set_add(struct ip_set *set, const struct ip_prefix *prefix)
{
	GROW(set->items, set->count);
	set->items[set->count++] = *prefix;
}

void ip_set_fini(struct ip_set *set)
{
	free(set->items);
	memset(set, 0, sizeof(*set));
}

static bool is_taken(const struct ip_set *taken, const struct ip_prefix *want)
{
	size_t i;

	for (i = 0; i < taken->count; i++)
		if (taken->items[i].len > 0 && ip_overlap(&taken->items[i], want))
			return true;
	return false;
}

/*
 * 86 is the ASCII code of V. The same networks come out each time on a quiet
 * machine, so logs of two runs compare.
 */
int plan_subnets(const struct ip_set *taken, struct subnets *out, struct vbm_error *err)
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
			"where the fabric takes its networks from; run where they are free");
}

struct ip_prefix plan_address(const struct ip_prefix *subnet, int host)
{
	struct ip_prefix one = *subnet;

	one.len = full_len(one.family);
	one.addr[one.len / 8 - 1] = (uint8_t)(host + 1);
	return one;
}

void plan_host_name(int host, char name[8])
{
	if (host < 26)
		snprintf(name, 8, "%c", 'a' + host);
	else
		snprintf(name, 8, "%c%c", 'a' + host / 26 - 1, 'a' + host % 26);
}

int plan_host_number(const char *name)
{
	if (!islower((unsigned char)name[0]))
		return -1;
	if (!name[1])
		return name[0] - 'a';
	if (!islower((unsigned char)name[1]) || name[2])
		return -1;
	return (name[0] - 'a' + 1) * 26 + name[1] - 'a';
}

void plan_netdev_name(unsigned run, int host, char name[16])
{
	char letter[8];

	plan_host_name(host, letter);
	snprintf(name, 16, "vb-%04x-%.2s", run & PLAN_RUN_MAX, letter);
}

void plan_rdma_name(unsigned run, int host, char name[32])
{
	char letter[8];

	plan_host_name(host, letter);
	snprintf(name, 32, "vb_%04x_%s", run & PLAN_RUN_MAX, letter);
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
	if (name[7] != sep || plan_host_number(name + 8) < 0)
		return -1;
	return run;
}

int plan_run_of_netdev(const char *name)
{
	return run_of_name(name, '-');
}

int plan_run_of_rdma(const char *name)
{
	return run_of_name(name, '_');
}

/* 0x56 ('V'), 2 bits 0, 16 bits run, 6 bits host. */
uint32_t plan_table(unsigned run, int host)
{
	return 0x56000000u | (run & PLAN_RUN_MAX) << 6 | ((unsigned)host & 63);
}

int plan_run_of_table(uint32_t table)
{
	if (table >> 22 != 0x56000000u >> 22)
		return -1;
	return (int)(table >> 6 & PLAN_RUN_MAX);
}

void plan_mac(int subnet, int host, uint8_t mac[6])
{
	const uint8_t ours[6] = {0x02, 0x56, 0x42, 0x00, (uint8_t)subnet, (uint8_t)(host + 1)};

	memcpy(mac, ours, sizeof(ours));
}
