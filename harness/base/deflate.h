/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DEFLATE_H
#define VBM_BASE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* zlib, of which this is the only user: streams of bytes made short, and CRC-32. */

/* How many more bytes than it was given deflater_run() may write. */
#define DEFLATE_GROWTH 64

struct deflater;

struct deflater *deflater_new(void);
void deflater_free(struct deflater *d);		/* NULL is fine */

/*
 * Shortens @n bytes of a stream, up to 64 KB, into @out, which has room for
 * @n + DEFLATE_GROWTH; returns how many it wrote. The other side can have all @n
 * bytes from what was written so far.
 */
size_t deflater_run(struct deflater *d, const void *in, size_t n, void *out);

struct inflater;

struct inflater *inflater_new(void);
void inflater_free(struct inflater *f);		/* NULL is fine */

/* The next bytes of a shortened stream. They have to stay until all is taken. */
void inflater_feed(struct inflater *f, const void *in, size_t n);

/*
 * Takes up to @room bytes out of what was fed: how many, 0 when it needs more,
 * or -EPROTO when it is no such stream.
 */
int inflater_take(struct inflater *f, void *out, size_t room);

/* CRC-32 of Ethernet over what gave @crc (0 to begin with) and @n more bytes. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t n);

#endif
