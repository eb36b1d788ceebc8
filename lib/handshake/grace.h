/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_GRACE_H
#define VBM_LIB_HANDSHAKE_GRACE_H

#include <stdint.h>

/*
 * How long a client that has a queue pair and its answer may be silent before it gives way
 * to clients that wait for a queue pair. Pure: the listener tells what happens.
 *
 * The last of the clients that wait shall not wait for a second, although each one before it
 * may be silent. So the more clients wait, the shorter is the time, and each client that gave
 * way shortens it; but a listener that knows how long good clients take leaves them that time.
 */
struct grace {
	int limit_ms;		/* the time while nobody waits, and the longest; 0: 800 */
	unsigned int crowd;	/* the most clients that waited at a time, since nobody waited */
	unsigned int silent;	/* clients that gave way since then */
	int64_t usual_ns;	/* that good clients take, a mean; 0: not known */
};

/* Now @clients wait for a queue pair. */
void vbm_grace_waiting(struct grace *g, unsigned int clients);

/* A silent client has given way. */
void vbm_grace_gave_way(struct grace *g);

/* A client has sent its third message @after_ns after its answer. */
void vbm_grace_answered(struct grace *g, int64_t after_ns);

/* The time, while @holders clients have a queue pair and their answer. */
int64_t vbm_grace_ns(const struct grace *g, unsigned int holders);

#endif
