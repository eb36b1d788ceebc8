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
 * The peer at the other side of a socket for JSON lines. This program never waits for the
 * peer: lines that the peer does not read at once are stored. Start with the socket, which must be non-blocking,
 * and {0} for the rest.
 */
struct peer {
	int fd;		/* owned; -1: no socket */
	bool gone;	/* the peer has closed, or has sent an invalid line; nothing more is sent to it */
	struct line_buffer in;
	struct text out;
};

/* Send one line. */
void peer_say(struct peer *p, const struct value *v);

/* The events to wait for, and the function to call when poll(2) reports one. */
struct pollfd peer_wants(const struct peer *p);
void peer_act(struct peer *p, short revents);

/* The next line that has arrived, which the caller frees; NULL: none yet. */
struct value *peer_next(struct peer *p);

/* The number of stored bytes. */
size_t peer_pending(const struct peer *p);

void peer_fini(struct peer *p);

#endif
