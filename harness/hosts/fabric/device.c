/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "net/netns.h"

#define READY_DEADLINE_MS 5000

#define GID_INDEX_MAX 32	/* the addresses of a host come after the default entry */

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
	char name[64], text[64];
	uint8_t want[16], have[16];
	int i;

	gid_of(ip, want);
	for (i = 0; i < GID_INDEX_MAX; i++) {
		snprintf(name, sizeof(name), "ports/%d/gids/%d", host->info.port, i);
		driver_attribute(host->info.dev, name, text, sizeof(text));
		if (!*text)
			break;
		if (inet_pton(AF_INET6, text, have) != 1 || memcmp(have, want, sizeof(want)))
			continue;
		snprintf(name, sizeof(name), "ports/%d/gid_attrs/types/%d", host->info.port, i);
		driver_attribute(host->info.dev, name, text, sizeof(text));
		if (!strcmp(text, "RoCE v2"))
			return i;
	}
	return -1;
}

static bool gid_look_roce(struct host *host)
{
	struct host_info *info = &host->info;

	info->gid_index4 = find_gid(host, &host->ip4);
	info->gid_index6 = find_gid(host, &host->ip6);
	fabric_name_gids(info);
	return info->gid_index4 >= 0 && info->gid_index6 >= 0;
}

/*
 * An iWARP device has one GID, made of its MAC, which no packet carries. Its addresses are those
 * of its interface. It reaches others when its port is active.
 */
static bool gid_look_iwarp(struct host *host)
{
	struct host_info *info = &host->info;
	char name[64], text[64];
	uint8_t gid[16];

	snprintf(name, sizeof(name), "ports/%d/state", info->port);
	driver_attribute(info->dev, name, text, sizeof(text));
	if (!strstr(text, "ACTIVE"))
		return false;
	snprintf(name, sizeof(name), "ports/%d/gids/0", info->port);
	driver_attribute(info->dev, name, text, sizeof(text));
	if (inet_pton(AF_INET6, text, gid) != 1)
		return false;
	inet_ntop(AF_INET6, gid, info->gid4, sizeof(info->gid4));
	memcpy(info->gid6, info->gid4, sizeof(info->gid6));
	info->gid_index4 = info->gid_index6 = 0;
	return true;
}

static int gid_explain_roce(const struct host *host, struct vbm_error *err)
{
	return vbm_fail(err, ETIMEDOUT,
			"the addresses %s and %s of host %s did not all become GIDs of %s (indices %d "
			"and %d)", host->info.ip4, host->info.ip6, host->info.name, host->info.dev,
			host->info.gid_index4, host->info.gid_index6);
}

static int gid_explain_iwarp(const struct host *host, struct vbm_error *err)
{
	return vbm_fail(err, ETIMEDOUT, "the port of the RDMA device %s of host %s did not become active",
			host->info.dev, host->info.name);
}

static bool table_has_port(const char *path, unsigned port)
{
	auto_file FILE *f = fopen(path, "re");
	unsigned local;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%4x", &local) == 1 && local == port)
			return true;
	return false;
}

static int check_roce_port(void *arg, struct vbm_error *err)
{
	(void)err;
	*(bool *)arg = table_has_port("/proc/thread-self/net/udp", ROCE_PORT) ||
		       table_has_port("/proc/thread-self/net/udp6", ROCE_PORT);
	return 0;
}

/* Whether the UDP port of RoCE is bound in a namespace (-1: the present one). */
static int probe_roce_port_bound(int netns, bool *bound, struct vbm_error *err)
{
	*bound = false;
	return netns_call(netns, check_roce_port, bound, err);
}

static const struct device_ops types[] = {
	{"rxe", gid_look_roce, gid_explain_roce, probe_roce_port_bound},
	{"siw", gid_look_iwarp, gid_explain_iwarp, NULL},
};

const struct device_ops *device_ops_of(const struct device_type *type)
{
	const char *name = device_type_or_default(type)->name;
	size_t i;

	for (i = 0; strcmp(types[i].type, name); i++)
		;
	return &types[i];
}

/* rxe of kernels before 7.1 listens in the first network namespace only. */
static int check_listens(const struct device_ops *ops, const struct host *host, struct vbm_error *err)
{
	bool does = true;
	int ret = ops->listens ? ops->listens(host->netns, &does, err) : 0;

	if (ret < 0 || does)
		return ret;
	return vbm_fail(err, EOPNOTSUPP,
			"%s does not listen in the network of host %s: before Linux 7.1 it carries packets in "
			"the machine's first network namespace only%s", ops->type, host->info.name,
			host->netns >= 0 ? "; use --layout shared" : ", and this is another one");
}

int device_make(struct fabric *fabric, struct host *host, struct vbm_error *err)
{
	return undo_push(fabric->undo, err, "rdma", host->info.dev, NULL) ?:
	       netlink_rdma_add(host->nl, host->info.type, host->info.dev, host->info.netdev, err) ?:
	       netlink_rdma_find(host->nl, host->info.dev, &host->rdma_index, err) ?:
	       check_listens(host->device, host, err);
}

struct ibv_context *device_open(const char *name)
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

/*
 * The kernel fills a device's GID table, and brings its port into service, partly in the
 * background. The device reports each change by an asynchronous event, so it has to be
 * open here.
 */
int device_wait(struct host *host, struct vbm_error *err)
{
	const struct device_ops *ops = host->device;
	int64_t deadline_ns = clock_deadline_ms(READY_DEADLINE_MS);
	struct ibv_context *context;
	int ret = 0;

	if (ops->look(host))
		return 0;
	context = device_open(host->info.dev);
	if (!context)
		return vbm_fail(err, errno ? errno : ENODEV,
				"cannot open the RDMA device %s of host %s (is ib_uverbs loaded?)",
				host->info.dev, host->info.name);
	while (!ops->look(host) && ret == 0)
		ret = wait_event(context, deadline_ns);
	ibv_close_device(context);
	return ops->look(host) ? 0 : ops->explain(host, err);
}

/*
 * The kernel of a host without a device answers each RDMA packet with an ICMP message, because no
 * program has the UDP port. So sockets have it that nobody reads. The kernel drops what does not
 * fit into their buffers, and packet sockets see everything all the same.
 */
static int open_one(const struct host *host, const struct ip_prefix *ip, int *sock, struct vbm_error *err)
{
	struct sockaddr_storage ss;
	socklen_t len = ip_sockaddr(ip, ROCE_PORT, &ss);
	int ret, least = 0;

	ret = netns_socket(host->netns, ip->family, SOCK_DGRAM | SOCK_CLOEXEC, sock, err);
	if (ret < 0)
		return ret;
	setsockopt(*sock, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	/* In layout shared, a socket of the driver has the port for all addresses. */
	if (bind(*sock, (struct sockaddr *)&ss, len) < 0 && errno != EADDRINUSE)
		return vbm_fail(err, errno, "cannot reserve the UDP port %d of host %s: %s", ROCE_PORT,
				host->info.name, strerror(errno));
	return 0;
}

int device_quiet_open(struct host *host, struct vbm_error *err)
{
	return open_one(host, &host->ip4, &host->quiet4, err) ?:
	       open_one(host, &host->ip6, &host->quiet6, err);
}

void device_quiet_close(struct host *host)
{
	if (host->quiet4 >= 0)
		close(host->quiet4);
	if (host->quiet6 >= 0)
		close(host->quiet6);
	host->quiet4 = host->quiet6 = -1;
}

int device_counters(const struct host *host, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		  struct vbm_error *err)
{
	int ret;

	if (!host_has_device(host))
		return 0;
	ret = netlink_rdma_counters(host->nl, host->rdma_index, (uint32_t)host->info.port, fn, arg, err);
	/* The kernel's answer if a driver keeps no counters; this device and its port are there. */
	if (ret != -EINVAL)
		return ret;
	if (err)
		*err = (struct vbm_error){0};
	return 0;
}
