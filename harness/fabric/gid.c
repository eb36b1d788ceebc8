/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

/*
 * The kernel fills a device's GID table from the addresses of its interface, partly in the
 * background. The device reports each change by an asynchronous event, so it has to be
 * open here. The table itself is read from sysfs.
 */
#define GID_DEADLINE_MS 5000
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

static bool look(struct host *host)
{
	host->info.gid_index4 = find_gid(host, &host->ip4);
	host->info.gid_index6 = find_gid(host, &host->ip6);
	return host->info.gid_index4 >= 0 && host->info.gid_index6 >= 0;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

static int wait_event(struct ibv_context *context, int64_t deadline_ns)
{
	struct pollfd pfd = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	int ret;

	ret = poll(&pfd, 1, clock_left_ms(deadline_ns));
	if (ret < 0 && errno == EINTR)
		return 0;
	if (ret <= 0)
		return ret < 0 ? -errno : -ETIMEDOUT;
	if (ibv_get_async_event(context, &event) < 0)
		return -errno;
	ibv_ack_async_event(&event);
	return 0;
}

int gid_wait(struct host *host, struct vbm_error *err)
{
	int64_t deadline_ns = clock_deadline_ms(GID_DEADLINE_MS);
	struct ibv_context *context;
	int ret = 0;

	if (look(host))
		return 0;
	context = open_device(host->info.dev);
	if (!context)
		return vbm_fail(err, errno ? errno : ENODEV,
				"cannot open the RDMA device %s of host %s (is ib_uverbs loaded?)",
				host->info.dev, host->info.name);
	while (!look(host) && ret == 0)
		ret = wait_event(context, deadline_ns);
	ibv_close_device(context);
	if (look(host))
		return 0;
	return vbm_fail(err, ETIMEDOUT,
			"the addresses %s and %s of host %s did not all become GIDs of %s (indices %d "
			"and %d)", host->info.ip4, host->info.ip6, host->info.name, host->info.dev,
			host->info.gid_index4, host->info.gid_index6);
}
