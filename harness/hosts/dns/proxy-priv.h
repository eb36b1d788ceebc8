/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_PROXY_PRIV_H
#define VBM_DNS_PROXY_PRIV_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/watch.h"
#include "dns/proxy.h"
#include "dns/message.h"
#include "dns/zone.h"

#define PROXY_SLOTS 8192	/* open questions; a new one replaces the oldest */
#define PROXY_CONNECTIONS 32	/* TCP connections at the same time */

struct proxy;

/* The bytes of a stream before they are a whole message. */
struct proxy_stream {
	struct watch watch;	/* its descriptor is -1: closed */
	size_t have;
	uint8_t buf[2 + DNS_MESSAGE_MAX];
};

/* A client's TCP connection, and the one to unbound for it. */
struct proxy_connection {
	struct proxy *proxy;
	unsigned int serial;	/* differs from that of the earlier connection in this struct */
	struct proxy_stream client, unbound;
};

/* The client that gets an answer. */
struct proxy_client {
	struct sockaddr_storage from;
	socklen_t len;
	struct proxy_connection *connection;	/* NULL: UDP, to @from */
	unsigned int serial;
};

/* A question that waits until its delay is over, or (UDP) for unbound's answer. */
struct proxy_slot {
	struct proxy *proxy;
	bool asked;		/* unbound has the question */
	struct timer due;	/* armed during the delay */
	struct proxy_client client;
	uint16_t id;		/* the client's; unbound sees the number of the slot */
	bool truncate;
	bool ours;		/* @msg is the proxy's answer, not the question */
	uint8_t *msg;		/* owned; the delayed message */
	size_t len;
};

struct proxy {
	/* Handles a question. */
	void (*question)(struct proxy *p, const struct proxy_client *client, uint8_t *msg,
			 size_t len);
	const struct proxy_options *opts;
	struct loop loop;
	struct watch udp, tcp;	/* the sockets for clients */
	struct watch upstream;	/* UDP, connected to unbound */
	struct proxy_slot *slot;
	unsigned int next;
	struct proxy_connection connection[PROXY_CONNECTIONS];
	unsigned int serial;
	int *seen;		/* for each rule and kind: the number of questions so far */
};

/* The TCP side; see proxy-tcp.c. */
void proxy_connection_open(struct proxy *p);
void proxy_connection_read(struct proxy *p, struct proxy_connection *l);
void proxy_connection_relay(struct proxy_connection *l);
void proxy_connection_ask(struct proxy *p, struct proxy_connection *l, const uint8_t *msg, size_t len);
void proxy_connection_send(struct proxy_stream *s, const uint8_t *msg, size_t len);

#endif
