/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_DOMAIN_H
#define VERBATIM_DOMAIN_H

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order:
 *	vbm_domain_options_init()	if the defaults are not enough
 *	vbm_create_domain()	then the program registers memory in its pd (memory.h), and makes
 *				completion queues (transfer.h) and shared receive queues
 *	vbm_create_qp()		with the domain in the options; likewise vbm_create_endpoint()
 *	vbm_destroy_domain()	when all of that has ended
 */

/*
 * The library reads no asynchronous event of a device (ibv_get_async_event(3)): they are the
 * program's, and the kernel keeps them until it reads them. Endpoints and negotiators only
 * notice that there is one, and ask the device what has changed. A program that reads them in
 * another thread calls vbm_endpoint_event() for its endpoints afterwards.
 *
 * A domain is a device and a protection domain for many queue pairs: memory is registered
 * once and has one key for all peers. Create a domain, register memory in its pd, make
 * completion queues and shared receive queues for its context if wanted, name them in the
 * options of queue pairs or endpoints, and destroy the domain last.
 *
 * Both functions return 0 or a positive errno value. Several threads may make queue pairs
 * in one domain at the same time.
 */
struct vbm_domain {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct vbm_gid_place place;	/* of the address of vbm_create_domain() */
	struct vbm_error error;		/* of vbm_destroy_domain() */
};

/* The options of a domain. Each comment begins with the default. */
struct vbm_domain_options {
	size_t size;			/* sizeof(struct vbm_domain_options) */
	struct ibv_context *context;	/* NULL: the library opens the device */
	struct ibv_pd *pd;		/* NULL: the library makes one; else it is of @context, or that is NULL */
	int for_rdma_cm;		/* 0; else the device is the one that librdmacm has open: see below */
	const char *device;		/* NULL: any; these three as in struct vbm_qp_options */
	uint8_t port_num;		/* 0 */
	int gid_index;			/* -1 */
};

/* Sets the size and the defaults given above. */
VBM_API void vbm_domain_options_init_sized(struct vbm_domain_options *options, size_t size);

static inline void vbm_domain_options_init(struct vbm_domain_options *options)
{
	vbm_domain_options_init_sized(options, sizeof(*options));
}

/*
 * Find the device that has @address (NULL: the first device, or the one of the options, and
 * its first RoCE v2 GID), open it, and make a protection domain. @options and @error may be
 * NULL. The device is open once in the process, however many domains and queue pairs the
 * library has there. Objects of the program in the options stay the program's, and must
 * live longer than the domain.
 *
 * librdmacm opens devices by itself, and its ids take objects of that context only. Endpoints
 * by rdma_cm need a domain with for_rdma_cm, which suits the handshake, too: a program whose
 * way may change makes every domain with it. librdmacm keeps the device open until the
 * process ends.
 *
 * Errors: those of vbm_find_gid(); EADDRNOTAVAIL: also, the device of the options does not
 * have the address; EINVAL: a wrong option; the errno of ibv_query_device(3),
 * ibv_alloc_pd(3) and rdma_get_devices(3).
 */
VBM_API int vbm_create_domain(struct vbm_domain **domain, const struct sockaddr *address,
			      const struct vbm_domain_options *options, struct vbm_error *error);

/*
 * Destroy a domain. NULL is allowed. EBUSY: a queue pair or a completion queue of
 * vbm_create_completions() is in it, or the program still has an object in its pd; nothing
 * is destroyed then.
 */
VBM_API int vbm_destroy_domain(struct vbm_domain *domain);

#ifdef __cplusplus
}
#endif
#endif
