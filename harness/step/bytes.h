/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_BYTES_H
#define VBM_STEP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct value;

/*
 * Bytes in scenarios, requests and results: a text for its bytes, or a map
 * {hex: "00 ff 10"}. bytes_to_value() gives the same value for the same bytes,
 * whoever made it, so that values can be compared: a text where the bytes are
 * printable UTF-8, else a map.
 */
struct value *bytes_to_value(const void *data, size_t len);

/* Whether @v is such a map; what is in it may be wrong. */
bool bytes_is_hex(const struct value *v);

/* The bytes of @v, which the caller frees, with a zero byte after them. -EINVAL with @err. */
int bytes_parse(const struct value *v, uint8_t **out, size_t *len, struct vbm_error *err);

/*
 * What buffers are filled with: "counter" (32-bit words, little endian,
 * counting from 1: misplaced packets show), "zero", the value of a byte as text
 * ("90", "0x5a"), or {hex: ...}, over and over.
 */
int pattern_fill(unsigned char *buf, size_t len, const struct value *fill, struct vbm_error *err);

/*
 * The name of what @buf holds: "empty", "counter", "zero", "0x5a", or "other:
 * counter up to byte N". Owned by the caller.
 */
char *pattern_name(const unsigned char *buf, size_t len);

#endif
