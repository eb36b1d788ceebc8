/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_MARK_H
#define VBM_CODEC_MARK_H

#include <stddef.h>
#include <stdint.h>

/* A number by which a packet is found again: FNV-1a of its length and its first bytes, of which a rule tells no more. */
#define MARK_BYTES 128

uint64_t packet_mark(const uint8_t *bytes, size_t len);

#endif
