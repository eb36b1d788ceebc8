/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of the process that captures packets. "capture FOLDER" makes two hosts without RDMA devices, lets datagrams
 * cross their cable, and prints "capture FEW MANY SEEN LOST": the peak memory in KiB after the first fifth of them and
 * after all, and how many packets the capture has seen and lost. FOLDER gets the file.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "codec/packet.h"
#include "fabric/fabric-priv.h"
#include "net/netns.h"
#include "peak.h"
#include "wire/capture.h"

#define DATAGRAMS 500000
#define FIRST 100000	/* takes longer than the capture keeps packets in memory */
#define BYTES 64

static void must(int rc, const struct vbm_error *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "capture: %s\n", err->msg);
	exit(1);
}

/* Each datagram is read before the next one is sent, so the sender does not fill any queue. */
static void cross(int from, int at, const struct sockaddr_in *to, int count)
{
	char bytes[BYTES] = {0};

	while (count--)
		if (sendto(from, bytes, sizeof(bytes), 0, (const struct sockaddr *)to, sizeof(*to)) < 0 ||
		    recv(at, bytes, sizeof(bytes), 0) < 0)
			die("a datagram");
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PACKET_UDP_PORT)};
	struct fabric_options opts = {.layout = LAYOUT_NETNS, .hosts = 2};
	struct capture c = CAPTURE_NONE;
	struct tap_counts counts[2] = {0};
	struct vbm_error err = {0};
	struct fabric *fabric;
	int from = -1, at = -1;
	char path[4096];
	long few;

	if (argc != 2 || unshare(CLONE_NEWNET) < 0)
		die("capture FOLDER, as root");
	setenv("VERBATIM_RUNDIR", argv[1], 1);
	snprintf(path, sizeof(path), "%s/long.pcapng", argv[1]);
	must(fabric_build(&fabric, &opts, false, &err), &err);
	must(netns_socket(fabric_netns_fd(fabric, 1), AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, &at, &err), &err);
	must(netns_socket(fabric_netns_fd(fabric, 0), AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, &from, &err), &err);
	inet_pton(AF_INET, fabric_host(fabric, 1)->ip4, &to.sin_addr);
	if (bind(at, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("a socket");
	must(capture_start(&c, fabric, path, &err), &err);
	cross(from, at, &to, FIRST);
	few = peak_kb(c.pid);
	cross(from, at, &to, DATAGRAMS - FIRST);
	printf("capture %ld %ld", few, peak_kb(c.pid));
	must(capture_stop(&c, counts, &err), &err);
	capture_end(&c);
	printf(" %" PRIu64 " %" PRIu64 "\n", counts[0].seen + counts[1].seen, counts[0].lost + counts[1].lost);
	fabric_free(fabric);
	return 0;
}
