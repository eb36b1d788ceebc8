/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CODEC_BUILD_H
#define VBM_CODEC_BUILD_H

#include <stdbool.h>

#include "codec/packet.h"
#include "codec/pattern.h"

/*
 * Makes packets. Pure. build_begin() writes the headers with the usual values of their
 * fields, build_set() changes fields, build_payload() adds the payload, and build_end()
 * writes lengths, the checksum of IPv4 and the invariant CRC.
 */
#define BUILD_PAYLOAD_MAX 4096
#define BUILD_MAX (14 + 8 + 40 + 8 + 12 + 512 + BUILD_PAYLOAD_MAX)

struct build {
	uint8_t bytes[BUILD_MAX];
	struct packet packet;	/* of @bytes; its layers are known from build_begin() on */
};

/*
 * @below: the headers up to "bth", outermost first, with NULL behind the last one; @opcode
 * adds its own. @more, which may be NULL, are headers behind these, such as a MAD. False if
 * there are too many.
 */
bool build_begin(struct build *b, const struct header *const *below, uint8_t opcode, const struct header *const *more);

/*
 * The field of this name, with its layer, or NULL. It does not matter whether it exists with the present
 * values of others, as these may be set later.
 */
const struct header_field *build_field(const struct build *b, const char *name, const struct layer **layer);

/* False: no header of the packet has the field. */
bool build_set(struct build *b, const char *field, uint64_t value);
bool build_set_bytes(struct build *b, const char *field, const void *value);

/* Adds @len bytes, and zeros up to a multiple of 4. False: too long. */
bool build_payload(struct build *b, const void *data, size_t len);

/* Room for @len bytes of payload that the caller writes; NULL: too long. */
uint8_t *build_payload_room(struct build *b, size_t len);

/* Leaves @left bytes, from the base transport header on. The invariant CRC will be behind them. */
void build_cut(struct build *b, size_t left);

void build_end(struct build *b, enum packet_crc how);

/*
 * Words that say what fields of a packet shall have: "psn=5", "nak_code=INVALID_REQUEST", "ack_req".
 * Pure. They are those words of codec/pattern.h that name a field behind UDP and one value.
 */

/* Adds a word. -EINVAL with a message that names the word. */
int build_setting_add(struct pattern *settings, const char *word, struct vbm_error *err);

/*
 * Writes the fields. A field that exists only with a certain value of another one gives the other one
 * that value: "rnr_timer=5" makes an RNR NAK. -EINVAL: the packet has no such field, or not that much room.
 */
int build_settings_apply(struct build *b, const struct pattern *settings, struct vbm_error *err);

#endif
