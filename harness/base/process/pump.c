/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/pump.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/deflate.h"

void pump_init(struct pump *p, int in, int out)
{
	*p = (struct pump){.in = in, .out = out, .limit = SIZE_MAX};
}

struct pollfd pump_wants(const struct pump *p)
{
	if (p->from < p->to)
		return (struct pollfd){.fd = p->error ? -1 : p->out, .events = POLLOUT};
	return (struct pollfd){.fd = p->eof || p->error ? -1 : p->in, .events = POLLIN};
}

static bool temporary(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void fill_buffer(struct pump *p)
{
	char plain[sizeof(p->buf) - DEFLATE_GROWTH];
	ssize_t n = p->deflater ? read(p->in, plain, sizeof(plain)) :
				  read(p->in, p->buf, sizeof(p->buf));

	if (n < 0 && temporary())
		return;
	/* read(2) fails with EIO when no process has the pty's other side open. */
	if (n <= 0) {
		p->eof = true;
		return;
	}
	p->from = 0;
	p->to = p->deflater ? deflater_run(p->deflater, plain, (size_t)n, p->buf) : (size_t)n;
}

static void empty(struct pump *p)
{
	size_t may = p->limit, len;
	ssize_t n;

	while (p->from < p->to && may && !p->error) {
		len = p->to - p->from < may ? p->to - p->from : may;
		n = write(p->out, p->buf + p->from, len);
		if (n < 0 && temporary())
			return;
		if (n < 0) {
			p->error = -errno;
			return;
		}
		p->from += (size_t)n;
		p->written += (size_t)n;
		may -= (size_t)n;
	}
}

void pump_run(struct pump *p)
{
	if (p->from == p->to && !p->eof && !p->error)
		fill_buffer(p);
	empty(p);
}

void pump_insert(struct pump *p, const char *bytes, size_t n)
{
	if (p->from == p->to)
		p->from = p->to = 0;
	if (n > sizeof(p->buf) - p->to)
		n = sizeof(p->buf) - p->to;
	memcpy(p->buf + p->to, bytes, n);
	p->to += n;
}

bool pump_done(const struct pump *p)
{
	return p->error || (p->eof && p->from == p->to);
}
