/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/proxy-priv.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void stream_close(struct proxy_stream *s)
{
	watch_close(&s->watch);
	s->have = 0;
}

static void proxy_connection_close(struct proxy_connection *l)
{
	stream_close(&l->client);
	stream_close(&l->unbound);
}

void proxy_connection_open(struct proxy *p)
{
	int fd = accept4(p->opts->tcp_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), i;

	if (fd < 0)
		return;
	for (i = 0; i < PROXY_CONNECTIONS; i++) {
		if (p->connection[i].client.watch.fd >= 0)
			continue;
		vbm_watch_set(&p->connection[i].client.watch, fd, POLLIN);
		p->connection[i].serial = ++p->serial;
		return;
	}
	close(fd);
}

/* A peer that does not read its answer loses its connection. */
void proxy_connection_send(struct proxy_stream *s, const uint8_t *msg, size_t len)
{
	uint8_t frame[2 + DNS_MESSAGE_MAX];

	if (s->watch.fd < 0)
		return;
	frame[0] = (uint8_t)(len >> 8);
	frame[1] = (uint8_t)len;
	memcpy(frame + 2, msg, len);
	if (send(s->watch.fd, frame, len + 2, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len + 2)
		stream_close(s);
}

static int connect_unbound(const struct proxy *p)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(p->opts->upstream_port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void proxy_connection_ask(struct proxy *p, struct proxy_connection *l, const uint8_t *msg, size_t len)
{
	if (l->unbound.watch.fd < 0)
		vbm_watch_set(&l->unbound.watch, connect_unbound(p), POLLIN);
	proxy_connection_send(&l->unbound, msg, len);
}

/* The length of the whole message at the front of the stream, or -1. */
static ssize_t whole(const struct proxy_stream *s)
{
	size_t len;

	if (s->have < 2)
		return -1;
	len = (size_t)s->buf[0] << 8 | s->buf[1];
	return s->have - 2 >= len ? (ssize_t)len : -1;
}

static void drop_message(struct proxy_stream *s, size_t len)
{
	s->have -= len + 2;
	memmove(s->buf, s->buf + len + 2, s->have);
}

/* False when the stream has ended. */
static bool receive_bytes(struct proxy_stream *s)
{
	ssize_t n = recv(s->watch.fd, s->buf + s->have, sizeof(s->buf) - s->have, MSG_DONTWAIT);

	if (n > 0)
		s->have += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void proxy_connection_read(struct proxy *p, struct proxy_connection *l)
{
	struct proxy_client client = {.connection = l, .serial = l->serial};
	ssize_t len;

	if (!receive_bytes(&l->client)) {
		proxy_connection_close(l);
		return;
	}
	while (l->client.watch.fd >= 0 && (len = whole(&l->client)) >= 0) {
		p->question(p, &client, l->client.buf + 2, (size_t)len);
		if (l->client.watch.fd >= 0)
			drop_message(&l->client, (size_t)len);
	}
}

void proxy_connection_relay(struct proxy_connection *l)
{
	ssize_t len;

	if (!receive_bytes(&l->unbound)) {
		stream_close(&l->unbound);
		return;
	}
	while ((len = whole(&l->unbound)) >= 0) {
		proxy_connection_send(&l->client, l->unbound.buf + 2, (size_t)len);
		drop_message(&l->unbound, (size_t)len);
	}
}
