/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_WATCH_H
#define VBM_CALL_WATCH_H

#include "base/text.h"
#include "call/step-util.h"
#include "codec/packet.h"
#include "codec/pattern.h"
#include "wire/tap.h"

/*
 * Packets on the cable of a host: what its interface sends and receives. The words of "is:" are
 * those of codec/pattern.h, and "in" or "out".
 */
struct watch_object {
	struct object base;
	struct tap_log log;
	size_t next;		/* see_packet and see_packets go on from here */
};

/* The watch that the step means, or NULL with @err. */
struct watch_object *watch_of(struct step_ctx *ctx, const struct value *args, struct vbm_error *err);

/* The words that describe a packet. */
struct wanted_packet {
	struct pattern pattern;	/* owned */
	const char *way;	/* "in", "out", or NULL */
	struct text words;	/* owned; all of them, for messages */
};

/* Reads the words of "is:" in @args. */
int watch_wanted_read(struct wanted_packet *w, const struct value *args, struct vbm_error *err);
void watch_wanted_fini(struct wanted_packet *w);

/* Reads the packet into @p, unless its direction is already wrong. */
bool watch_wanted_matches(const struct wanted_packet *w, const struct tap_frame *f, struct packet *p);

/* The fields of a packet that steps can look at, and their values. */
extern const struct field watch_packet_fields[];
void watch_put_packet(struct value *result, const struct tap_frame *f, const struct packet *p);

#define P_WATCH P_OBJECT("watch", OBJECT_WATCH, "the watch; default: watch, or the only one")
#define P_IS                                                                  \
	{.name = "is", .type = PARAM_TEXTS, .form = TEXT_CROSSING,            \
	 .doc = "words that all hold, as of verbatim decode: RC, SEND_ONLY, NAK, in, out, psn=5; default: any packet"}

/* The step see_packets. */
extern const struct param see_packets_params[];
extern const struct field see_packets_fields[];
int see_packets_run(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err);

#endif
