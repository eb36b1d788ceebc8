/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/tap-log.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "codec/packet.h"
#include "names/host.h"
#include "lib/base/fail.h"
#include "wire/tap.h"

#define SOCKET_ROOM (8 << 20)
#define KEPT_MAX (64 << 20)

int tap_log_open(struct tap_log *log, const struct host_info *host, struct vbm_error *err)
{
	const struct tap_options opts = {.room = SOCKET_ROOM};

	*log = (struct tap_log){.fd = -1};
	log->room = xcalloc(1, TAP_FRAME_MAX);
	return tap_open_at(&log->fd, -1, host, &opts, err);
}

static void store_frame(struct tap_log *log, size_t len, bool out)
{
	struct packet p;

	packet_read(&p, PACKET_ETHERNET, log->room, len);
	if (!p.rdma)
		return;
	GROW(log->frame, log->count);
	log->frame[log->count] = (struct tap_frame){.bytes = xcalloc(1, len), .len = len, .out = out};
	memcpy(log->frame[log->count++].bytes, log->room, len);
	log->bytes += len;
}

static ssize_t read_frame(struct tap_log *log, bool *out)
{
	struct sockaddr_ll from = {0};
	socklen_t size = sizeof(from);
	ssize_t n;

	do {
		n = recvfrom(log->fd, log->room, TAP_FRAME_MAX, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
	} while (n < 0 && errno == EINTR);
	*out = from.sll_pkttype == PACKET_OUTGOING;
	return n;
}

int tap_log_read(struct tap_log *log, struct vbm_error *err)
{
	struct tap_counts counts = {0};
	bool out;
	ssize_t n;

	while ((n = read_frame(log, &out)) >= 0) {
		store_frame(log, (size_t)n, out);
		if (log->bytes > KEPT_MAX)
			return vbm_fail(err, ENOBUFS, "more than %d MB of packets: watch a shorter part", KEPT_MAX >> 20);
	}
	if (errno != EAGAIN)
		return vbm_fail(err, errno, "cannot read packets: %s", strerror(errno));
	tap_count(log->fd, &counts);
	return !counts.lost ? 0 :
	       vbm_fail(err, ENOBUFS, "%llu packets came faster than they could be read",
			(unsigned long long)counts.lost);
}

int tap_log_send(const struct tap_log *log, const struct tap_frame *frame, struct vbm_error *err)
{
	auto_free uint8_t *copy = xcalloc(1, frame->len);
	ssize_t n;

	memcpy(copy, frame->bytes, frame->len);
	udp_sum_remove(copy, frame->len);
	do {
		n = send(log->fd, copy, frame->len, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)frame->len ? 0 :
	       vbm_fail(err, n < 0 ? errno : EIO, "cannot send a packet again: %s", strerror(n < 0 ? errno : EIO));
}

void tap_log_close(struct tap_log *log)
{
	size_t i;

	for (i = 0; i < log->count; i++)
		free(log->frame[i].bytes);
	free(log->frame);
	free(log->room);
	if (log->fd >= 0)
		close(log->fd);
	*log = (struct tap_log){.fd = -1};
}
