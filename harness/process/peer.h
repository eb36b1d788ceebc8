/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_PROCESS_PEER_H
#define VBM_PROCESS_PEER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "process/line.h"

struct value;

/*
 * The other side of a socket with which JSON lines are exchanged, and which is
 * never waited for: what it does not take at once is kept. Start with the socket,
 * which must not block, and else {0}.
 */
struct peer {
	int fd;		/* owned; -1: none */
	bool gone;	/* it has closed, or talks nonsense; nothing more is sent to it */
	struct line_buffer in;
	struct text out;
};

/* One line to it. */
void peer_say(struct peer *p, const struct value *v);

/* What to wait for, and what to do when poll(2) reports something of it. */
struct pollfd peer_wants(const struct peer *p);
void peer_act(struct peer *p, short revents);

/* The next line that came, for the caller to free; NULL: none yet. */
struct value *peer_next(struct peer *p);

/* Bytes that it has not taken yet. */
size_t peer_pending(const struct peer *p);

void peer_fini(struct peer *p);

#endif
