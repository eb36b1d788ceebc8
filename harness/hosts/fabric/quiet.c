/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "net/netns.h"

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

int quiet_open(struct host *host, struct vbm_error *err)
{
	int ret = open_one(host, &host->ip4, &host->quiet4, err);

	return ret < 0 ? ret : open_one(host, &host->ip6, &host->quiet6, err);
}

void quiet_close(struct host *host)
{
	if (host->quiet4 >= 0)
		close(host->quiet4);
	if (host->quiet6 >= 0)
		close(host->quiet6);
	host->quiet4 = host->quiet6 = -1;
}
