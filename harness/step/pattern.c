/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "fail.h"

static unsigned char counter_byte(size_t i)
{
	return (unsigned char)((i / 4 + 1) >> 8 * (i % 4));
}

int pattern_fill(unsigned char *buf, size_t len, const char *name, struct vbm_error *err)
{
	char *end;
	long byte;
	size_t i;

	if (strcmp(name, "counter") == 0) {
		for (i = 0; i < len; i++)
			buf[i] = counter_byte(i);
		return 0;
	}
	byte = strcmp(name, "zero") == 0 ? 0 : strtol(name, &end, 0);
	if (strcmp(name, "zero") != 0 && (end == name || *end || byte < 0 || byte > 255))
		return vbm_fail(err, EINVAL, "'%s' is no fill: it is counter, zero or the value of a byte (0x5a)", name);
	memset(buf, (int)byte, len);
	return 0;
}

char *pattern_name(const unsigned char *buf, size_t len)
{
	size_t count = 0, same = 0;

	if (len == 0)
		return xstrdup("empty");
	while (same < len && buf[same] == buf[0])
		same++;
	while (count < len && buf[count] == counter_byte(count))
		count++;
	if (same == len && buf[0] == 0)
		return xstrdup("zero");
	if (count == len)
		return xstrdup("counter");
	if (same == len)
		return xasprintf("0x%02x", buf[0]);
	return xasprintf("other: counter up to byte %zu", count);
}
