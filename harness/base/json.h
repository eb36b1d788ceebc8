/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_JSON_H
#define VBM_BASE_JSON_H

#include <stddef.h>
#include <stdio.h>

#include <verbatim/error.h>

struct value;

/*
 * JSON text to and from values; the only user of jansson. Text is one line
 * without a newline. Strings and keys that are not UTF-8 are written with each
 * bad byte as U+FFFD. Reading refuses duplicate keys, trailing bytes and numbers
 * that an int64_t cannot hold as they are (1.5, 1e3, 2^63): NULL with @err.
 */
char *json_write(const struct value *v);
char *json_write_pretty(const struct value *v);
struct value *json_read(const char *text, size_t len, struct vbm_error *err);

/*
 * A text whose bytes must survive JSON: a string, or {"base64": "..."} when
 * it is not UTF-8. The caller frees what is read; NULL when @v is neither.
 */
struct value *json_bytes(const char *text);
char *json_bytes_read(const struct value *v);

#endif
