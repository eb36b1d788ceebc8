/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: wire/frames.c */
#include "cmocka_all.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <infiniband/opcode.h>

#include "codec/build.h"
#include "wire/frames.h"

static const struct header *const over_ether[] = {&header_ether, &header_ip4, &header_udp, &header_bth, NULL};

/* A pair of datagram sockets is the interface of the only host; what it sends has arrived there. */
static int begin(struct frames *f)
{
	int end[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, end), 0);
	*f = (struct frames){.hosts = 1};
	f->tap[0] = end[0];
	return end[1];
}

static void send_packet(int fd, uint32_t psn)
{
	struct build b;

	assert_true(build_begin(&b, over_ether, IBV_OPCODE_RC_ACKNOWLEDGE, NULL));
	assert_true(build_set(&b, "psn", psn));
	build_end(&b, PACKET_CRC);
	assert_int_equal(send(fd, b.bytes, b.packet.end, 0), b.packet.end);
}

TEST(test_frames__read_again_and_again__keep_all_in_order)
{
	struct vbm_error err = {0};
	struct frames f;
	struct packet p;
	size_t i, n = 0, room;
	int fd = begin(&f), round;

	for (round = 1; round <= 40; round++) {
		for (i = 0; i < (size_t)(round % 4); i++)
			send_packet(fd, (uint32_t)n++);
		assert_int_equal(frames_read(&f, &err), 0);
		assert_int_equal(f.count, n);
		/* GROW makes room only at a power of two, so there has to be room up to the next one. */
		for (room = 1; room < n; room *= 2)
			;
		assert_true(n == 0 || malloc_usable_size(f.item) >= room * sizeof(*f.item));
	}
	for (i = 0; i < n; i++) {
		packet_read(&p, PACKET_ETHERNET, f.item[i].bytes, f.item[i].len);
		assert_int_equal(packet_get(&p, "psn", 0), i);
		assert_false(f.item[i].out);
	}
	close(fd);
	frames_close(&f);
}

TEST(test_frames__other_packets__are_left_out)
{
	struct vbm_error err = {0};
	struct frames f;
	int fd = begin(&f);

	assert_int_equal(send(fd, "no packet", 9, 0), 9);
	send_packet(fd, 5);
	assert_int_equal(frames_read(&f, &err), 0);
	assert_int_equal(f.count, 1);
	close(fd);
	frames_close(&f);
}
