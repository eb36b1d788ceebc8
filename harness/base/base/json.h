/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_JSON_H
#define VBM_BASE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct text;
struct value;

/*
 * JSON text to and from values. Only json.c uses jansson; json-write.c writes. The keys of a map differ. Text is one line without a
 * newline. In strings and keys that are not UTF-8 each bad byte is written as U+FFFD.
 * Reading refuses duplicate keys, trailing bytes, and numbers that an int64_t cannot hold
 * exactly (1.5, 1e3, 2^63): NULL with @err.
 */
void json_add(struct text *t, const struct value *v);	/* adds the text to @t */
void json_add_text(struct text *t, const char *s);	/* as a string */
void json_add_int(struct text *t, int64_t i);
char *json_write(const struct value *v);
char *json_write_pretty(const struct value *v);
struct value *json_read(const char *text, size_t len, struct vbm_error *err);

/*
 * Text whose bytes must not change in JSON: a string, or {"base64": "..."} if it is not
 * UTF-8. The caller frees the text that is read; NULL when @v is neither.
 */
struct value *json_bytes(const char *text);
char *json_bytes_read(const struct value *v);

#endif
