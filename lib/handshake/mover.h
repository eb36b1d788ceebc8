/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_HANDSHAKE_MOVER_H
#define VBM_LIB_HANDSHAKE_MOVER_H

#include <pthread.h>

#include "lib/base/loop.h"
#include "lib/base/ring.h"

/*
 * Threads that make calls which may block, for one loop. A call of ibv_modify_qp(3) to RTR
 * takes a second if no host has the peer's GID, and no other handshake shall wait for that.
 * There is a thread for each call under way, up to MOVERS_MAX; further calls wait for one.
 */
#define MOVERS_MAX 16

struct move {
	struct ring link;
	void (*call)(struct move *m);	/* in one of the threads */
	void (*done)(struct move *m);	/* in the loop */
};

struct mover {
	struct loop *loop;
	struct watch bell;	/* fd: -1 before the first move */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct ring todo, done;	/* with the lock */
	unsigned int threads, idle;
	int stop;	/* atomic, so that a test may look at it */
	pthread_t thread[MOVERS_MAX];
};

void vbm_mover_init(struct mover *m, struct loop *loop);

/* False: no descriptor or no thread; the caller makes the call itself. */
bool vbm_mover_take(struct mover *m, struct move *move);

/* Wait for the calls under way. The others are not made. @done is called for all of them. */
void vbm_mover_fini(struct mover *m);

#endif
