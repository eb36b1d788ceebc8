/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_CHANNEL_H
#define VBM_LIB_CHANNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <verbatim/resolve.h>

#include "getaddrinfo.h"
#include "loop.h"
#include "lookup.h"
#include "resolvconf.h"

/*
 * What is behind the asynchronous calls. One mutex per channel guards all
 * that hangs on it; callbacks run inside vbm_loop_dispatch(), under it.
 *
 *	channel --- ids --- the request under way (one per id)
 *	   |--- resolver: a DNS client, shared by the requests of one
 *	   |	resolv.conf; replaced when that file changes
 *	   |--- cm watches: rdma_cm event channels of wrapped ids
 *	   `--- ready: events not yet fetched
 */
struct node {			/* of a doubly linked ring */
	struct node *prev, *next;
};

static inline void ring_init(struct node *n)
{
	n->prev = n->next = n;
}

static inline bool ring_empty(const struct node *n)
{
	return n->next == n;
}

static inline void ring_add(struct node *ring, struct node *n)
{
	n->prev = ring->prev;
	n->next = ring;
	ring->prev->next = n;
	ring->prev = n;
}

static inline void ring_remove(struct node *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	ring_init(n);
}

/* An event: queued, then with the caller, then acknowledged and freed. */
struct pending {
	struct vbm_event event;		/* first: the caller has its address */
	struct node node;		/* first of struct request and cm_pending */
	struct vbm_channel *channel;
	void (*release)(struct pending *p);
};

struct resolver {
	struct dns_client *client;	/* owned */
	struct resolv_conf conf;
	struct stat stat;		/* of the file it was read from */
	unsigned int users;
	struct resolver *next;		/* retired ones */
};

struct vbm_channel {
	pthread_mutex_t lock;
	struct loop loop;
	struct watch wake;		/* eventfd: something is ready */
	const struct gai_config *cfg;
	struct node ready;		/* of struct pending */
	struct node ids;		/* of struct vbm_id */
	struct cm_watch *cm;		/* owned list */
	unsigned int unacknowledged;
	int error;			/* of a callback, for vbm_get_event() */

	struct resolver *resolver;	/* owned; NULL until first needed */
	struct resolver *retired;	/* owned list */
	struct node waiting;		/* requests waiting for their turn */
	unsigned int asking;		/* requests with questions out */
	bool pumping;
};

enum id_state {
	ID_IDLE,
	ID_RUNNING,	/* until the event is fetched */
	ID_RESOLVED,	/* fetched; the result waits to be queried */
	ID_SA,		/* the system's library has the request */
};

struct vbm_id {
	struct node node;
	struct vbm_channel *channel;
	bool own_channel;		/* the id waits for its requests */
	struct rdma_cm_id *cm_id;	/* borrowed; NULL: none */
	void *context;
	unsigned int timeout_ms;
	enum id_state state;
	struct request *request;	/* owned while under way or queued */
	struct rdma_addrinfo *result;	/* owned; ID_RESOLVED */
	unsigned int unacknowledged;
};

struct request {
	struct pending pending;		/* first */
	struct vbm_id *id;
	struct gai_work work;
	struct lookup lookup;
	struct routes *routes;		/* owned; while asking for them */
	struct resolver *resolver;	/* while asking */
	struct timer timer;
	struct node waiting;
	void *route;			/* owned copy of the hints' */
	struct rdma_addrinfo *list;	/* owned */
	char name[256];
	bool over;
};

/* channel.c */
int vbm_channel_new(const struct gai_config *cfg, struct vbm_channel **channel,
		    struct vbm_error *err);
void vbm_channel_push(struct vbm_channel *ch, struct pending *p);

/* request.c */
int vbm_request_start(struct vbm_id *id, const char *node, const char *service,
		      const struct gai_query *q);	/* 0 or -ENOMEM */
void vbm_request_end(struct request *r, int code, int error);
void vbm_request_free(struct request *r);
void vbm_request_lookup(struct request *r);		/* its turn has come */

/* turns.c: name look-ups take turns, so that no server drowns */
void vbm_turns_enter(struct request *r);
void vbm_turns_leave(struct request *r);

/* resolver.c */
int vbm_resolver_use(struct vbm_channel *ch, struct resolver **resolver);
void vbm_resolver_drop(struct resolver *resolver);
void vbm_resolver_sweep(struct vbm_channel *ch);	/* not from a callback */
void vbm_resolver_free_all(struct vbm_channel *ch);

/* cm-watch.c */
int vbm_cm_watch_add(struct vbm_channel *ch, struct rdma_event_channel *ec);
void vbm_cm_watch_remove(struct vbm_channel *ch, struct rdma_event_channel *ec);

/* sa.c: RAI_SA goes to the system's library. 0 or -1 with errno. */
int vbm_sa_resolve(struct vbm_id *id, const char *node, const char *service,
		   const struct rdma_addrinfo *hints);
int vbm_sa_query(struct vbm_id *id, struct rdma_addrinfo **info);

#endif
