/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_DEFLATE_H
#define VBM_BASE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Compression of byte streams, and CRC-32. Only this file uses zlib. */

/* The number of bytes by which the output of deflater_run() may exceed its input. */
#define DEFLATE_GROWTH 64

struct deflater;

struct deflater *deflater_new(void);
void deflater_free(struct deflater *d);		/* NULL is fine */

/*
 * Compress @n bytes of a stream, at most 64 KB, to @out, which has room for @n +
 * DEFLATE_GROWTH bytes. Returns the number of bytes written. The other side can decompress
 * all @n bytes from the output so far.
 */
size_t deflater_run(struct deflater *d, const void *in, size_t n, void *out);

/* All of @in as a stream of its own (RFC 1950) with *@len bytes. The caller frees it. */
char *deflate_whole(const void *in, size_t n, size_t *len);

struct inflater;

struct inflater *inflater_new(void);
void inflater_free(struct inflater *f);		/* NULL is fine */

/*
 * Pass the next bytes of a compressed stream. They must stay valid until all of them are
 * taken.
 */
void inflater_feed(struct inflater *f, const void *in, size_t n);

/*
 * Decompress up to @room bytes from the input. Returns their number, 0 when more input is
 * needed, or -EPROTO for an invalid stream.
 */
int inflater_take(struct inflater *f, void *out, size_t room);

/* CRC-32 of Ethernet: continue @crc (0 at the beginning) with @n more bytes. */
uint32_t deflate_crc32_add(uint32_t crc, const void *data, size_t n);

#endif
