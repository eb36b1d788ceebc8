/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include <verbatim/addrinfo.h>

#include "lib/base/behind.h"
#include "lib/cm/cm.h"

/* librdmacm passes this flag to its own call when it asks its path service for a route. */
#define RAI_ROUTEONLY 0x01000000

static struct behind_library librdmacm = {.name = "librdmacm.so.1"};

#define NEXT(call) ((__typeof__(&call))vbm_behind(&librdmacm, #call))

/* The call of this library under the name of librdmacm. */
#define OWN(type, call, parameters, arguments) \
	VBM_API type rdma_##call parameters { return vbm_##call arguments; }
/* The same, and librdmacm's for this library. */
#define OWN_AND_NEXT(call, parameters, arguments)                             \
	OWN(int, call, parameters, arguments)                                 \
	static int next_##call parameters { return NEXT(rdma_##call) arguments; }

OWN_AND_NEXT(create_id, (struct rdma_event_channel *ec, struct rdma_cm_id **id, void *context, enum rdma_port_space ps),
	     (ec, id, context, ps))
OWN_AND_NEXT(destroy_id, (struct rdma_cm_id *id), (id))
OWN_AND_NEXT(migrate_id, (struct rdma_cm_id *id, struct rdma_event_channel *ec), (id, ec))
OWN_AND_NEXT(get_cm_event, (struct rdma_event_channel *ec, struct rdma_cm_event **event), (ec, event))
OWN_AND_NEXT(ack_cm_event, (struct rdma_cm_event *event), (event))

/* The library calls librdmacm directly, so that its calls do not come back here. */
static void __attribute__((constructor)) stand_in_front(void)
{
	vbm_cm_calls = (struct cm_calls){
		.create_id = next_create_id,
		.destroy_id = next_destroy_id,
		.migrate_id = next_migrate_id,
		.get_cm_event = next_get_cm_event,
		.ack_cm_event = next_ack_cm_event,
	};
}

/* A request that only librdmacm can serve goes to librdmacm. */
VBM_API int rdma_getaddrinfo(const char *node, const char *service,
			     const struct rdma_addrinfo *hints,
			     struct rdma_addrinfo **res)
{
	if (hints && hints->ai_flags & (RAI_SA | RAI_ROUTEONLY))
		return NEXT(rdma_getaddrinfo)(node, service, hints, res);
	return vbm_getaddrinfo(node, service, hints, res);
}

/* Frees a list of librdmacm as well as one of this library. */
VBM_API void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	vbm_freeaddrinfo(res);
}

/* Headers without these events, which the library then defines itself, lack the calls, too. */
#ifdef RDMA_CM_EVENT_ADDRINFO_RESOLVED
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			  const char *service, const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);
#endif

OWN(int, resolve_addrinfo, (struct rdma_cm_id *id, const char *node, const char *service,
			    const struct rdma_addrinfo *hints), (id, node, service, hints))
OWN(int, query_addrinfo, (struct rdma_cm_id *id, struct rdma_addrinfo **info), (id, info))
OWN(const char *, event_str, (enum rdma_cm_event_type event), (event))

/*
 * librdmacm makes and destroys the id of an endpoint itself, so these two calls are here
 * as well.
 */
VBM_API int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
			   struct ibv_qp_init_attr *attr)
{
	int ret = NEXT(rdma_create_ep)(id, res, pd, attr);

	if (ret || !vbm_cm_note_waits(*id))
		return ret;
	NEXT(rdma_destroy_ep)(*id);
	errno = ENOMEM;
	return -1;
}

VBM_API void rdma_destroy_ep(struct rdma_cm_id *id)
{
	vbm_cm_forget(id);
	NEXT(rdma_destroy_ep)(id);
}
