/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_STEP_ASYNC_H
#define VBM_STEP_ASYNC_H

#include <rdma/rdma_cma.h>

#include <verbatim/error.h>

/*
 * Asynchronous address resolution, as a target does it: one identifier with an
 * event channel of its own. Calls answer as rdma_resolve_addrinfo(3) says: 0,
 * or -1 with errno.
 */
struct resolver;

struct async_ops {
	/* @bind: the local address to bind the identifier to, or NULL. */
	int (*create)(struct resolver **out, const struct sockaddr *bind);
	int (*fd)(const struct resolver *r);
	/* @r NULL: as if the identifier were. */
	int (*resolve)(struct resolver *r, const char *node, const char *service,
		       const struct rdma_addrinfo *hints);
	/* Never waits: -1 with EAGAIN when there is no event now. */
	int (*next)(struct resolver *r, int *event, int *status);
	int (*query)(struct resolver *r, struct rdma_addrinfo **info);
	int (*cancel)(struct resolver *r);	/* NULL: the target cannot */
	void (*destroy)(struct resolver *r);
};

extern const struct async_ops async_reference;

/*
 * librdmacm's, from @handle (of dlopen, or NULL for what this program is
 * linked with); NULL where it is older than the calls (rdma-core 60), or this
 * kernel than what the linked one needs (6.18): what an object brings may do without.
 */
const struct async_ops *async_system(void *handle);

#endif
