/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_NEGOTIATOR_SETUP_H
#define VBM_TESTS_NEGOTIATOR_SETUP_H

#include <sys/socket.h>

#include "lib/handshake/negotiator.h"

/*
 * A negotiator's thread with real sockets, on this host's loopback. The table of calls
 * that need a device is replaced, so no device is needed, and the thread sanitizer sees
 * all other code (.ci/run threads).
 */
#define MANY 200
#define PATIENCE_MS 60000
#define WITH(...) (&(struct vbm_handshake_options){.size = sizeof(struct vbm_handshake_options), __VA_ARGS__})

extern int in_rts, given_up, back_in_init;	/* how often the thread made that call */
extern int refuse_rts, refuse_init;	/* what the calls to RTS and back to INIT return */
extern void (*slow_call)(const struct vbm_qp *qp);	/* part of the call to RTS */
/* For slow_call: nothing, but the call may be made in any thread. */
void any_thread(const struct vbm_qp *qp);
extern bool keep_states;	/* a queue pair that went to RTS is not in INIT */
extern const struct negotiator_verbs verbs;
extern struct vbm_negotiator_options made_with;	/* the negotiator's */
extern struct vbm_negotiator *n;
extern struct vbm_outcome got[MANY * 3];	/* those that collect() has taken */
extern struct vbm_qp qps[MANY * 2];
extern struct sockaddr_storage address;		/* of the listener of listen_at() */

int start_with(unsigned int depth);
int start(void **state);
int start_in_loop(void **state);

/* After every test: nothing is left of it, and no call was made by the wrong thread. */
int stop(void **state);

/* The GIDs of this host's loopback: of the queue pairs from @first on. */
void set_gids(size_t first, size_t count, int family);
struct sockaddr_storage loopback(int family);

/* The program has brought a queue pair back to INIT. */
void put_in_init(const struct vbm_qp *qp);

/* For a callback: whether it is in the right thread is part of stop(). */
void note_thread(void);

void collect(int wanted);
int listen_at(int family, const struct vbm_listen_options *options);
int connect_with(struct vbm_qp *qp, const struct vbm_handshake_options *options);
void close_all(int count);

/* Whether the other end of @s closes, before any outcome comes. */
int has_closed(int s);
const struct vbm_outcome *of(const struct vbm_qp *qp, int count);

/* The same test of a negotiator with a thread, and of one in the program's loop. */
#define TEST_BOTH(name)                                                       \
	static void name(void **state);                                       \
	TEST_ADD(name, name, start, stop)                                     \
	TEST_ADD(name##__in_loop, name, start_in_loop, stop)                  \
	static void name(void **state __attribute__((unused)))

#endif
