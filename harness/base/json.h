/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_JSON_H
#define VBM_BASE_JSON_H

#include <stddef.h>
#include <stdio.h>

#include <verbatim/error.h>

struct value;

/*
 * JSON text to and from values; the only user of jansson. Text is one line
 * without a newline. Strings that are not UTF-8 are written with each bad
 * byte as U+FFFD. Reading refuses duplicate keys and trailing bytes, and
 * reads a non-integer number as null; on failure it returns NULL and fills @err.
 */
char *json_write(const struct value *v);
char *json_write_pretty(const struct value *v);
struct value *json_read(const char *text, size_t len, struct vbm_error *err);

#endif
