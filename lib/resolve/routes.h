/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_ROUTES_H
#define VBM_LIB_RESOLVE_ROUTES_H

#include <stdbool.h>

#include "lib/resolve/acm-codec.h"
#include "lib/resolve/translation.h"
#include "lib/base/loop.h"

/* One connection to the path service: one request at a time, and its reply. */
struct acm {
	struct watch watch;		/* first: see on_ready() */
	struct loop *loop;
	void (*done)(struct acm *a, const struct acm_reply *reply);
	uint8_t buf[ACM_MOST];
	size_t used, want;
	bool sending;
};

/*
 * Routes from the path service for a finished list: they set ai_route of each entry, and
 * its source if it was unknown. For each entry with a route an AF_IB entry with connect
 * data is added at the end. A missing, wrong or late answer is never an error; only a lack
 * of memory or descriptors is.
 */
bool vbm_routes_wanted(const struct gai_work *w);

struct routes {
	struct acm acm;			/* first: see on_reply() */
	struct timer timer;
	const struct gai_work *work;	/* borrowed, and so is the route of its hints */
	struct rdma_addrinfo *list;	/* borrowed */
	struct rdma_addrinfo *at;	/* the entry whose route is asked for */
	void (*done)(void *arg, int code);
	void *arg;
};

/*
 * The caller sets work, list, arg and done; the rest of @r is zero. @done is called once,
 * perhaps before this returns, with errno for EAI_SYSTEM.
 */
void vbm_routes_start(struct routes *r, struct loop *loop);
void vbm_routes_stop(struct routes *r);

/* Put @reply into @entry, which belongs to a list. 0 or EAI_MEMORY. */
int vbm_routes_apply(const struct gai_work *w, struct rdma_addrinfo *entry,
		     const struct acm_reply *reply);

#endif
