/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"

#define CHUNK 4096

void line_reader_fini(struct line_reader *r)
{
	free(r->buf);
	r->buf = NULL;
	r->have = r->used = r->room = 0;
}

static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do {
		n = poll(&p, 1, deadline_ns < 0 ? -1 : clock_left_ms(deadline_ns));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* More bytes: how many, 0 at the end, or a negative errno. */
static int fill(struct line_reader *r, int64_t deadline_ns)
{
	ssize_t n;
	int ret;

	if (r->used) {
		memmove(r->buf, r->buf + r->used, r->have - r->used);
		r->have -= r->used;
		r->used = 0;
	}
	if (r->have > LINE_BYTES_MAX)
		return -EMSGSIZE;
	if (r->room - r->have < CHUNK) {
		r->room = r->room ? 2 * r->room : 2 * CHUNK;
		r->buf = xreallocarray(r->buf, r->room, 1);
	}
	do {
		ret = wait_for(r->fd, POLLIN, deadline_ns);
		if (ret < 0)
			return ret;
		n = read(r->fd, r->buf + r->have, r->room - r->have);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	r->have += (size_t)n;
	return (int)n;
}

int line_read(struct line_reader *r, const char **line, size_t *len, int64_t deadline_ns)
{
	size_t seen = 0;
	char *end;
	int ret;

	for (;;) {
		end = r->have > r->used + seen ?
			memchr(r->buf + r->used + seen, '\n', r->have - r->used - seen) : NULL;
		if (end)
			break;
		seen = r->have - r->used;
		ret = fill(r, deadline_ns);
		if (ret < 0)
			return ret;
		if (ret == 0)
			return r->have ? -EPROTO : 0;
	}
	*end = '\0';
	*line = r->buf + r->used;
	*len = (size_t)(end - *line);
	r->used += *len + 1;
	return 1;
}

int line_write(int fd, const char *line, int64_t deadline_ns)
{
	size_t left = strlen(line) + 1;
	auto_free char *copy = xasprintf("%s\n", line);
	const char *p = copy;
	ssize_t n;
	int ret;

	while (left) {
		ret = wait_for(fd, POLLOUT, deadline_ns);
		if (ret < 0)
			return ret;
		n = send(fd, p, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n > 0) {
			p += n;
			left -= (size_t)n;
		}
	}
	return 0;
}
