/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/deflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/xalloc.h"

/* Nine makes 10,000 variants a tenth smaller than five, and takes three times as long. */
#define WHOLE_LEVEL 5

struct deflater {
	z_stream z;
};

struct inflater {
	z_stream z;
};

/* zlib's calls fail only when memory runs out or they are used wrongly. */
static void must(int ret)
{
	if (ret != Z_OK)
		abort();
}

struct deflater *deflater_new(void)
{
	struct deflater *d = xcalloc(1, sizeof(*d));

	must(deflateInit(&d->z, Z_BEST_SPEED));
	return d;
}

void deflater_free(struct deflater *d)
{
	if (d)
		deflateEnd(&d->z);
	free(d);
}

size_t deflater_run(struct deflater *d, const void *in, size_t n, void *out)
{
	uInt room = (uInt)(n + DEFLATE_GROWTH);

	d->z.next_in = (Bytef *)(uintptr_t)in;
	d->z.avail_in = (uInt)n;
	d->z.next_out = out;
	d->z.avail_out = room;
	must(deflate(&d->z, Z_SYNC_FLUSH));
	return room - d->z.avail_out;
}

char *deflate_whole(const void *in, size_t n, size_t *len)
{
	uLongf room = compressBound(n);
	char *out = xcalloc(1, room);

	must(compress2((Bytef *)out, &room, in, n, WHOLE_LEVEL));
	*len = room;
	return out;
}

struct inflater *inflater_new(void)
{
	struct inflater *f = xcalloc(1, sizeof(*f));

	must(inflateInit(&f->z));
	return f;
}

void inflater_free(struct inflater *f)
{
	if (f)
		inflateEnd(&f->z);
	free(f);
}

void inflater_feed(struct inflater *f, const void *in, size_t n)
{
	f->z.next_in = (Bytef *)(uintptr_t)in;
	f->z.avail_in = (uInt)n;
}

int inflater_take(struct inflater *f, void *out, size_t room)
{
	int ret;

	f->z.next_out = out;
	f->z.avail_out = (uInt)room;
	ret = inflate(&f->z, Z_SYNC_FLUSH);
	/* Z_BUF_ERROR: there was no more input */
	if (ret != Z_OK && ret != Z_BUF_ERROR)
		return -EPROTO;
	return (int)(room - f->z.avail_out);
}

uint32_t deflate_crc32_add(uint32_t crc, const void *data, size_t n)
{
	return (uint32_t)crc32(crc, data, (uInt)n);
}
