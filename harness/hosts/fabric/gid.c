/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/* The GIDs of devices, as sysfs shows them. */

#define GID_INDEX_MAX 32	/* the addresses of a host come after the default entry */

static bool read_line(const char *path, char *line, int size)
{
	auto_file FILE *f = fopen(path, "re");

	if (!f || !fgets(line, size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static void gid_of(const struct ip_prefix *ip, uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (ip->family == AF_INET6) {
		memcpy(gid, ip->addr, 16);
		return;
	}
	memcpy(gid, mapped, sizeof(mapped));
	memcpy(gid + 12, ip->addr, 4);
}

/* The index of the address in the table with type RoCE v2, or -1. */
static int find_gid(const struct host *host, const struct ip_prefix *ip)
{
	char path[128], text[64];
	uint8_t want[16], have[16];
	int i;

	gid_of(ip, want);
	for (i = 0; i < GID_INDEX_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/gids/%d",
			 host->info.dev, host->info.port, i);
		if (!read_line(path, text, sizeof(text)))
			break;
		if (inet_pton(AF_INET6, text, have) != 1 || memcmp(have, want, sizeof(want)))
			continue;
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/gid_attrs/types/%d",
			 host->info.dev, host->info.port, i);
		if (read_line(path, text, sizeof(text)) && !strcmp(text, "RoCE v2"))
			return i;
	}
	return -1;
}

bool gid_look_roce(struct host *host)
{
	struct host_info *info = &host->info;

	info->gid_index4 = find_gid(host, &host->ip4);
	info->gid_index6 = find_gid(host, &host->ip6);
	snprintf(info->gid4, sizeof(info->gid4), "::ffff:%s", info->ip4);
	snprintf(info->gid6, sizeof(info->gid6), "%s", info->ip6);
	return info->gid_index4 >= 0 && info->gid_index6 >= 0;
}

/*
 * An iWARP device has one GID, made of its MAC, which no packet carries. Its addresses are those
 * of its interface. It reaches others when its port is active.
 */
bool gid_look_iwarp(struct host *host)
{
	struct host_info *info = &host->info;
	char path[128], state[32], text[64];
	uint8_t gid[16];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/state", info->dev, info->port);
	if (!read_line(path, state, sizeof(state)) || !strstr(state, "ACTIVE"))
		return false;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/gids/0", info->dev, info->port);
	if (!read_line(path, text, sizeof(text)) || inet_pton(AF_INET6, text, gid) != 1)
		return false;
	inet_ntop(AF_INET6, gid, info->gid4, sizeof(info->gid4));
	memcpy(info->gid6, info->gid4, sizeof(info->gid6));
	info->gid_index4 = info->gid_index6 = 0;
	return true;
}

int gid_explain_roce(const struct host *host, struct vbm_error *err)
{
	return vbm_fail(err, ETIMEDOUT,
			"the addresses %s and %s of host %s did not all become GIDs of %s (indices %d "
			"and %d)", host->info.ip4, host->info.ip6, host->info.name, host->info.dev,
			host->info.gid_index4, host->info.gid_index6);
}

int gid_explain_iwarp(const struct host *host, struct vbm_error *err)
{
	return vbm_fail(err, ETIMEDOUT, "the port of the RDMA device %s of host %s did not become active",
			host->info.dev, host->info.name);
}
