/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_LINE_H
#define VBM_CODEC_LINE_H

#include "codec/packet.h"

struct text;
struct value;

/*
 * A packet in words. Pure. Fields are written as NAME=VALUE, in the form that patterns read
 * (codec/pattern.h).
 */

/* The value of a field: "17", "0x11", "ACK", "10.86.0.1". */
void line_value(struct text *out, const struct packet *p, const struct layer *layer, const struct header_field *f);

/* "10.86.0.2 > 10.86.0.1"; the Ethernet addresses if there is no IP. */
void line_way(struct text *out, const struct packet *p);

/* "RC SEND_ONLY qp=0x11 psn=7 len=64": what people want to see first. */
void line_short(struct text *out, const struct packet *p);

/* A line for each header, with all of its fields. */
void line_details(struct text *out, const struct packet *p);

/* Adds all that is known to @map, for JSON. */
void line_map(struct value *map, const struct packet *p);

/*
 * The state of the invariant CRC: "right", "wrong", "rxe" (as rxe computes it for FLUSH), or
 * "unknown" where the packet has none or is not whole.
 */
const char *line_icrc(const struct packet *p);

#endif
