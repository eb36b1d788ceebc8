/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"

#define CHUNK 4096

/*
 * Move the bytes to pages that have nothing else, because the kernel empties whole pages
 * in a child process.
 */
static char *move_secret(char *from, size_t have, size_t room, size_t new_room)
{
	char *to = mmap(NULL, new_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED)
		abort();
	madvise(to, new_room, MADV_WIPEONFORK);
	madvise(to, new_room, MADV_DONTDUMP);
	if (!from)
		return to;
	memcpy(to, from, have);
	munmap(from, room);
	return to;
}

/* Make room for @n bytes after those that have not been returned yet. */
static char *make_room(struct line_buffer *b, size_t n)
{
	size_t room = b->room ? b->room : 2 * CHUNK;

	if (b->used) {
		memmove(b->buf, b->buf + b->used, b->have - b->used);
		b->have -= b->used;
		b->seen -= b->used;
		b->used = 0;
	}
	while (room - b->have < n)
		room *= 2;
	if (room != b->room && b->secret)
		b->buf = move_secret(b->buf, b->have, b->room, room);
	else if (room != b->room)
		b->buf = xreallocarray(b->buf, room, 1);
	b->room = room;
	return b->buf + b->have;
}

void line_feed(struct line_buffer *b, const void *data, size_t n)
{
	if (!n)
		return;
	memcpy(make_room(b, n), data, n);
	b->have += n;
}

int line_next(struct line_buffer *b, const char **line, size_t *len)
{
	size_t max = b->max ? b->max : LINE_BYTES_MAX;
	char *end = NULL;

	if (b->have > b->seen)
		end = memchr(b->buf + b->seen, '\n', b->have - b->seen);
	b->seen = end ? (size_t)(end - b->buf) + 1 : b->have;
	if (b->seen - b->used > max + (end != NULL))
		return -EMSGSIZE;
	if (!end)
		return 0;
	*end = '\0';
	*line = b->buf + b->used;
	*len = (size_t)(end - *line);
	b->used = b->seen;
	return 1;
}

bool line_begun(const struct line_buffer *b)
{
	return b->have > b->used;
}

void line_buffer_fini(struct line_buffer *b)
{
	if (!b->secret)
		free(b->buf);
	else if (b->buf)
		munmap(b->buf, b->room);
	*b = (struct line_buffer){.max = b->max, .secret = b->secret};
}

void line_reader_fini(struct line_reader *r)
{
	line_buffer_fini(&r->in);
}

static int wait_for(int fd, short events, int64_t deadline_ns, const volatile sig_atomic_t *stop)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do {
		n = line_stop_poll(&p, 1, deadline_ns < 0 ? -1 : clock_left_ms(deadline_ns), stop);
	} while (n < 0 && errno == EINTR && !(stop && *stop));
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

int line_fill(struct line_reader *r)
{
	char *room = make_room(&r->in, CHUNK);
	ssize_t n = read(r->fd, room, r->in.room - r->in.have);

	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	r->in.have += (size_t)n;
	return (int)n;
}

int line_read(struct line_reader *r, const char **line, size_t *len, int64_t deadline_ns)
{
	bool again = false;
	int ret;

	for (;;) {
		ret = line_next(&r->in, line, len);
		if (ret)
			return ret;
		/* Without a deadline a blocking read(2) waits by itself. */
		if (again || deadline_ns >= 0 || r->stop) {
			ret = wait_for(r->fd, POLLIN, deadline_ns, r->stop);
			if (ret < 0)
				return ret;
		}
		ret = line_fill(r);
		again = ret == -EAGAIN;
		if (ret == 0)
			return line_begun(&r->in) ? -EPROTO : 0;
		if (ret < 0 && ret != -EAGAIN && ret != -EINTR)
			return ret;
	}
}

int line_write(int fd, const char *line, int64_t deadline_ns)
{
	size_t left = strlen(line) + 1;
	auto_free char *copy = xasprintf("%s\n", line);
	const char *p = copy;
	ssize_t n;
	int ret;

	while (left) {
		n = send(fd, p, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		ret = n < 0 ? wait_for(fd, POLLOUT, deadline_ns, NULL) : 0;
		if (ret < 0)
			return ret;
		if (n > 0) {
			p += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

int line_stop_poll(struct pollfd *p, nfds_t n, int ms, const volatile sig_atomic_t *stop)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};
	sigset_t all, old;
	int ret = -1, error = EINTR;

	if (!stop)
		return poll(p, n, ms);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if (!*stop) {
		ret = ppoll(p, n, ms < 0 ? NULL : &ts, &old);
		error = errno;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return ret;
}
