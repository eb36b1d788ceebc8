/* SPDX-License-Identifier: BSD-2-Clause */
#include "slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

#define MOST (64u << 20)

static int read_all(int fd, char **text, size_t *len)
{
	size_t used = 0, room = 4096;
	char *buf = vbm_mem_alloc(room);

	while (buf) {
		ssize_t n = read(fd, buf + used, room - used - 1);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || used > MOST) {
			int error = n < 0 ? errno : EFBIG;

			free(buf);
			return -error;
		}
		used += (size_t)n;
		if (!n) {
			buf[used] = '\0';
			*text = buf;
			*len = used;
			return 0;
		}
		if (room - used > 1)
			continue;
		room *= 2;
		more = vbm_mem_resize(buf, room);
		if (!more)
			free(buf);
		buf = more;
	}
	return -ENOMEM;
}

int vbm_slurp(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = read_all(fd, text, len);
	close(fd);
	return ret;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || !c;
}

const char *vbm_text_field(const char **at, const char *end, size_t *len)
{
	const char *start = *at;
	const char *p;

	while (start < end && is_blank(*start))
		start++;
	for (p = start; p < end && !is_blank(*p); p++)
		;
	*at = p;
	*len = (size_t)(p - start);
	return *len ? start : NULL;
}

const char *vbm_text_line(const char *at, const char *end, const char **next)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	const char *stop = newline ? newline : end;
	const char *comment = memchr(at, '#', (size_t)(stop - at));

	*next = newline ? newline + 1 : end;
	return comment ? comment : stop;
}
