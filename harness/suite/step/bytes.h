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
 * {hex: "00 ff 10"}. bytes_to_value() gives the same bytes always the same value,
 * so values can be compared: a text if the bytes are printable UTF-8, else a map.
 */
struct value *bytes_to_value(const void *data, size_t len);

/* Whether @v is such a map. Does not check the digits. */
bool bytes_is_hex(const struct value *v);

/* The bytes of @v and a zero byte after them. The caller frees them. -EINVAL with @err. */
int bytes_parse(const struct value *v, uint8_t **out, size_t *len, struct vbm_error *err);

/*
 * Fills a buffer: "counter" (words of four bytes, each from 1 to 255, that count up from 1, 1, 1, 1,
 * the first byte fastest: a packet in the wrong position shows, and so does a byte that is missing), "zero", the value of a byte as text ("90",
 * "0x5a"), or {hex: ...}, repeated.
 */
int bytes_pattern_fill(unsigned char *buf, size_t len, const struct value *fill, struct vbm_error *err);

/*
 * Names the content of @buf: "empty", "counter", "zero", "0x5a", or "other: counter
 * up to byte N". The caller owns the text.
 */
char *bytes_pattern_name(const unsigned char *buf, size_t len);

#endif
