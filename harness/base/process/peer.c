/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/peer.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"

#define CHUNK 65536

static void flush(struct peer *p)
{
	ssize_t n;

	while (p->out.len && !p->gone) {
		n = send(p->fd, p->out.s, p->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			p->gone = true;
			return;
		}
		text_keep_end(&p->out, p->out.len - (size_t)n);
	}
}

void peer_say(struct peer *p, const struct value *v)
{
	auto_free char *text = json_write(v);

	if (p->fd < 0 || p->gone)
		return;
	text_add(&p->out, text);
	text_add(&p->out, "\n");
	flush(p);
}

struct pollfd peer_wants(const struct peer *p)
{
	return (struct pollfd){
		.fd = p->gone ? -1 : p->fd,
		.events = (short)(POLLIN | (p->out.len ? POLLOUT : 0)),
	};
}

static void receive_input(struct peer *p)
{
	char buf[CHUNK];
	ssize_t n = recv(p->fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n > 0)
		line_feed(&p->in, buf, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		p->gone = true;
}

void peer_act(struct peer *p, short revents)
{
	if (p->fd < 0 || p->gone || !revents)
		return;
	if (revents & POLLOUT)
		flush(p);
	if (revents & ~POLLOUT)
		receive_input(p);
}

struct value *peer_next(struct peer *p)
{
	struct value *v = NULL;
	const char *line;
	size_t len;
	int rc = line_next(&p->in, &line, &len);

	if (rc > 0)
		v = json_read(line, len, NULL);
	if (rc < 0 || (rc > 0 && !v))
		p->gone = true;
	return v;
}

size_t peer_pending(const struct peer *p)
{
	return p->out.len;
}

void peer_fini(struct peer *p)
{
	if (p->fd >= 0)
		close(steal_fd(&p->fd));
	line_buffer_fini(&p->in);
	text_fini(&p->out);
}
