/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_GATE_PRIV_H
#define VBM_DNS_GATE_PRIV_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/watch.h"
#include "dns/gate.h"
#include "dns/message.h"
#include "dns/zone.h"

#define GATE_SLOTS 8192	/* open questions; a new one replaces the oldest */
#define GATE_LINES 32	/* TCP connections at the same time */

struct gate;

/* The bytes of a stream before they are a whole message. */
struct gate_stream {
	struct watch watch;	/* its descriptor is -1: closed */
	size_t have;
	uint8_t buf[2 + DNS_MESSAGE_MAX];
};

/* A client's TCP connection, and the one to unbound for it. */
struct gate_line {
	struct gate *gate;
	unsigned int serial;	/* differs from that of the earlier connection in this struct */
	struct gate_stream client, unbound;
};

/* The client that gets an answer. */
struct gate_client {
	struct sockaddr_storage from;
	socklen_t len;
	struct gate_line *line;	/* NULL: UDP, to @from */
	unsigned int serial;
};

/* A question that waits until its delay is over, or (UDP) for unbound's answer. */
struct gate_slot {
	struct gate *gate;
	bool asked;		/* unbound has the question */
	struct timer due;	/* armed during the delay */
	struct gate_client client;
	uint16_t id;		/* the client's; unbound sees the number of the slot */
	bool truncate;
	bool ours;		/* @msg is the proxy's answer, not the question */
	uint8_t *msg;		/* owned; the delayed message */
	size_t len;
};

struct gate {
	/* Handles a question. */
	void (*question)(struct gate *g, const struct gate_client *client, uint8_t *msg,
			 size_t len);
	const struct gate_options *opts;
	struct loop loop;
	struct watch udp, tcp;	/* the sockets for clients */
	struct watch upstream;	/* UDP, connected to unbound */
	struct gate_slot *slot;
	unsigned int next;
	struct gate_line line[GATE_LINES];
	unsigned int serial;
	int *seen;		/* for each rule and kind: the number of questions so far */
};

/* The TCP side; see proxy-tcp.c. */
void gate_line_open(struct gate *g);
void gate_line_read(struct gate *g, struct gate_line *l);
void gate_line_relay(struct gate_line *l);
void gate_line_ask(struct gate *g, struct gate_line *l, const uint8_t *msg, size_t len);
void gate_line_send(struct gate_stream *s, const uint8_t *msg, size_t len);
void gate_line_close(struct gate_line *l);

#endif
