/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ROUTES_H
#define VBM_LIB_ROUTES_H

#include <stdbool.h>

#include "lib/resolve/acm.h"
#include "lib/resolve/translation.h"
#include "lib/base/loop.h"

/*
 * Routes for a finished list, from the path service: each entry's ai_route,
 * its source where none was known, and after the others an AF_IB entry with
 * connect data for each that has a route. No answer, a wrong one or a late one
 * is never an error; only memory or descriptors that ran out are.
 */
bool vbm_routes_wanted(const struct gai_work *w);

struct routes {
	struct acm acm;			/* first: see routes.c */
	struct timer timer;
	const struct gai_work *work;	/* borrowed; its hints' route too */
	struct rdma_addrinfo *list;	/* borrowed */
	struct rdma_addrinfo *at;	/* the entry that is asked about */
	void (*done)(void *arg, int code);
	void *arg;
};

/*
 * @r is zero but for work, list, arg and done, which is called once, perhaps now,
 * with errno for EAI_SYSTEM.
 */
void vbm_routes_start(struct routes *r, struct loop *loop);
void vbm_routes_stop(struct routes *r);

/* Put @reply into @entry, which is in a list. 0 or EAI_MEMORY. */
int vbm_routes_apply(const struct gai_work *w, struct rdma_addrinfo *entry,
		     const struct acm_reply *reply);

#endif
