/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/udp-sum.h"

#include <string.h>

#include "codec/packet.h"

#define SUM_AT 6
#define SUM_BYTES 2

void udp_sum_remove(uint8_t *frame, size_t len)
{
	struct packet p;
	const struct layer *udp;

	packet_read(&p, PACKET_ETHERNET, frame, len);
	udp = packet_layer(&p, &header_udp);
	if (udp && udp->at + SUM_AT + SUM_BYTES <= len)
		memset(frame + udp->at + SUM_AT, 0, SUM_BYTES);
}
