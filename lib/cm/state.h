/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_CM_STATE_H
#define VBM_LIB_CM_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "lib/cm/cm.h"
#include "lib/resolve/request.h"
#include "lib/base/ring.h"

/*
 * The state that the files of lib/cm share: the rdma_cm_ids that asked the library, and
 * their requests. One lock guards all of it, and is held only for short work.
 */
enum cm_state {
	CM_IDLE,
	CM_RUNNING,	/* until the event is fetched */
	CM_RESOLVED,	/* fetched; the result waits to be queried */
	CM_SA,		/* librdmacm has the request */
};

struct cm_id {
	struct rdma_cm_id *id;		/* first: tsearch(3) compares it */
	bool waits;			/* has no event channel of its own */
	bool moves;			/* is in rdma_migrate_id(3) */
	enum cm_state state;
	struct cm_request *request;	/* owned; until its event is fetched */
	struct rdma_addrinfo *result;	/* owned; CM_RESOLVED */
	unsigned int fetched;		/* events not acknowledged */
};

/* A request, and its event until that is acknowledged. */
struct cm_request {
	struct request request;		/* first */
	struct cm_id *owner;
	struct rdma_cm_id *notifier;	/* owned; announces the event */
	struct rdma_cm_event event;
	struct ring node;		/* in running, then ready, then fetched */
};

struct cm_known {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void *ids;			/* of struct cm_id, by tsearch(3) */
	struct ring running, ready, fetched;	/* of struct cm_request */
};

extern struct cm_known vbm_cm;

/* All of these under the lock. */
struct cm_id *vbm_cm_find(struct rdma_cm_id *id);
struct cm_id *vbm_cm_find_or_make(struct rdma_cm_id *id);	/* NULL: ENOMEM */

/* Pass the result to the id, with the event that reports it. */
void vbm_cm_hand_over(struct cm_request *c);
void vbm_cm_free_request(struct cm_request *c);

/* Take the request from its id. No event of it follows. */
void vbm_cm_drop_request(struct cm_request *c);

/* Take @s out of the ids that the library knows, and free it. It has no request. */
void vbm_cm_remove(struct cm_id *s);

/* The event of @c is ready: announce it on the program's channel. */
void vbm_cm_notify(struct cm_request *c);

/*
 * The engine of all requests that wait for the network, and the thread that runs
 * it while there are any. vbm_cm_thread_need() starts the thread, and returns 0 or
 * an errno. vbm_cm_thread_close() frees the resources of an engine without
 * requests. vbm_cm_nudge() makes the thread look whether it is still needed.
 */
struct engine *vbm_cm_engine(void);
int vbm_cm_thread_need(void);
void vbm_cm_thread_close(void);
void vbm_cm_nudge(void);

#endif
