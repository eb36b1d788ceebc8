/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/frames.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "codec/packet.h"
#include "lib/base/fail.h"
#include "fabric/fabric.h"
#include "wire/tap.h"

#define SOCKET_ROOM (4 << 20)
#define LOOK_BACK 64		/* packets among which the same packet of its sender is sought */

int frames_open(struct frames *f, const struct fabric *fabric, struct vbm_error *err)
{
	const struct tap_options opts = {.room = SOCKET_ROOM};
	int i, rc = 0;

	*f = (struct frames){.hosts = fabric_host_count(fabric)};
	for (i = 0; i < f->hosts; i++)
		f->tap[i] = -1;
	for (i = 0; rc == 0 && i < f->hosts; i++)
		rc = tap_open(&f->tap[i], fabric, i, &opts, err);
	if (rc < 0)
		frames_close(f);
	return rc;
}

/* 1: a packet; 0: there is none. */
static int receive_frame(struct frames *f, int host, uint8_t *room, struct crossing *out)
{
	struct sockaddr_ll from = {0};
	char control[128];
	struct iovec iov = {room, TAP_FRAME_MAX};
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t n;

	do {
		n = recvmsg(f->tap[host], &msg, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	*out = (struct crossing){.host = host, .out = from.sll_pkttype == PACKET_OUTGOING, .len = (size_t)n};
	out->when = stamp_of(&msg);
	return 1;
}

static int read_host(struct frames *f, int host, uint8_t *room, struct vbm_error *err)
{
	struct tap_counts counts = {0};
	struct packet p;
	struct crossing frame;
	int rc;

	while ((rc = receive_frame(f, host, room, &frame)) > 0) {
		packet_read(&p, PACKET_ETHERNET, room, frame.len);
		if (!p.rdma)
			continue;
		frame.bytes = xcalloc(1, frame.len);
		memcpy(frame.bytes, room, frame.len);
		frame.mark = packet_mark(frame.bytes, frame.len);
		GROW(f->item, f->count);
		f->item[f->count++] = frame;
	}
	if (rc < 0)
		return vbm_fail(err, -rc, "cannot read the packets of a host: %s", strerror(-rc));
	tap_count(f->tap[host], &counts);
	f->lost += counts.lost;
	return 0;
}

static bool same_bytes(const struct crossing *a, const struct crossing *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* Whether a packet that arrived is among the last ones that were sent. */
static bool was_sent(const struct crossing *done, size_t count, const struct crossing *frame)
{
	size_t i;

	for (i = count; i > 0 && count - i < LOOK_BACK; i--)
		if (done[i - 1].out && same_bytes(&done[i - 1], frame))
			return true;
	return false;
}

/*
 * Of the next packets of each host, the earliest one. In virtual time many packets have one
 * time: then one that was sent, or one that has been sent already.
 */
static int earliest(const struct frames *f, const size_t *next, const size_t *end, const struct crossing *done, size_t count)
{
	const struct crossing *best = NULL, *frame;
	bool best_fits = false, fits;
	int host = -1, i;

	for (i = 0; i < f->hosts; i++) {
		if (next[i] == end[i])
			continue;
		frame = &f->item[next[i]];
		if (best && frame->when.at_ns > best->when.at_ns)
			continue;
		fits = frame->out || was_sent(done, count, frame);
		if (best && frame->when.at_ns == best->when.at_ns && (best_fits || !fits))
			continue;
		best = frame;
		best_fits = fits;
		host = i;
	}
	return host;
}

/* Puts the packets of each host behind one another, in their order. The frames of host i are then from @next[i] to @end[i]. */
static void group(struct frames *f, size_t *next, size_t *end)
{
	struct crossing *grouped = xcalloc(f->count + 1, sizeof(*grouped));
	size_t count = 0, n;
	int i;

	for (i = 0; i < f->hosts; i++) {
		next[i] = count;
		for (n = 0; n < f->count; n++)
			if (f->item[n].host == i)
				grouped[count++] = f->item[n];
		end[i] = count;
	}
	free(f->item);
	f->item = grouped;
}

/*
 * Also of packets that an earlier call has read: one that was sent may be read after it has arrived. The next call
 * adds to the array, so its room is what GROW counts on.
 */
static void merge(struct frames *f)
{
	struct crossing *done = NULL;
	size_t next[FABRIC_HOSTS_MAX], end[FABRIC_HOSTS_MAX], count = 0;
	int host;

	group(f, next, end);
	while ((host = earliest(f, next, end, done, count)) >= 0) {
		GROW(done, count);
		done[count++] = f->item[next[host]++];
	}
	free(f->item);
	f->item = done;
}

int frames_read(struct frames *f, struct vbm_error *err)
{
	auto_free uint8_t *room = xcalloc(1, TAP_FRAME_MAX);
	int i, rc = 0;

	for (i = 0; rc == 0 && i < f->hosts; i++)
		rc = read_host(f, i, room, err);
	merge(f);
	return rc;
}

bool frames_wait(const struct frames *f, int64_t deadline_ns)
{
	struct pollfd p[FABRIC_HOSTS_MAX];
	int i;

	for (i = 0; i < f->hosts; i++)
		p[i] = (struct pollfd){.fd = f->tap[i], .events = POLLIN};
	return poll(p, (nfds_t)f->hosts, clock_left_ms(deadline_ns)) > 0;
}

void frames_count(const struct frames *f, int host, uint64_t *received, uint64_t *sent)
{
	size_t i;

	*received = *sent = 0;
	for (i = 0; i < f->count; i++) {
		*received += f->item[i].host == host && !f->item[i].out;
		*sent += f->item[i].host != host && f->item[i].out;
	}
}

void frames_close(struct frames *f)
{
	size_t n;
	int i;

	for (n = 0; n < f->count; n++)
		free(f->item[n].bytes);
	free(f->item);
	for (i = 0; i < f->hosts; i++)
		if (f->tap[i] >= 0)
			close(f->tap[i]);
	*f = (struct frames)FRAMES_NONE;
}
