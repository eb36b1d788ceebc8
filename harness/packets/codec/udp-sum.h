/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_UDP_SUM_H
#define VBM_CODEC_UDP_SUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Takes the checksum of UDP out of an Ethernet frame, which is to be sent once more: 0 means that there is none, and RoCE
 * has its invariant CRC. The kernel leaves that of an ordinary socket's datagram unfinished for the interface, so
 * in a copy of such a frame it is wrong.
 */
void udp_sum_remove(uint8_t *frame, size_t len);

#endif
