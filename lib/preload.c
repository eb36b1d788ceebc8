/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <verbatim/addrinfo.h>

#include "bridge.h"
#include "cm-calls.h"
#include "result.h"

/* librdmacm calls itself with this, to ask its path service for a route. */
#define RAI_ROUTEONLY 0x01000000

/*
 * librdmacm's own calls. One that came with a plugin, as an interpreter's
 * module is one, stands in no list that RTLD_NEXT goes through, and may not be
 * there yet when this library starts: so it is asked for by its name, and late.
 */
static void *librdmacm;

static void open_librdmacm(void)
{
	librdmacm = dlopen("librdmacm.so.1", RTLD_LAZY);
}

static void *look_behind(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void *call = dlsym(RTLD_NEXT, name);

	if (call)
		return call;
	pthread_once(&once, open_librdmacm);
	return librdmacm ? dlsym(librdmacm, name) : NULL;
}

#define NEXT(call) ((__typeof__(&call))look_behind(#call))

static int next_get_cm_event(struct rdma_event_channel *ec, struct rdma_cm_event **event)
{
	return NEXT(rdma_get_cm_event)(ec, event);
}

static int next_ack_cm_event(struct rdma_cm_event *event)
{
	return NEXT(rdma_ack_cm_event)(event);
}

/* The bridge must not come back here for rdma_cm's own events. */
static void __attribute__((constructor)) put_bridge_in_front(void)
{
	vbm_cm_calls.get_cm_event = next_get_cm_event;
	vbm_cm_calls.ack_cm_event = next_ack_cm_event;
}

/*
 * Later pages give the synchronous call the asynchronous one's flags too: a
 * program built for them finds RAI_DNS to be the default, and RAI_SA in the
 * library that can do it.
 */
VBM_API int rdma_getaddrinfo(const char *node, const char *service,
			     const struct rdma_addrinfo *hints,
			     struct rdma_addrinfo **res)
{
	struct rdma_addrinfo own;

	if (hints && hints->ai_flags & (RAI_SA | RAI_ROUTEONLY))
		return NEXT(rdma_getaddrinfo)(node, service, hints, res);
	if (!hints || !(hints->ai_flags & RAI_DNS))
		return vbm_getaddrinfo(node, service, hints, res);
	own = *hints;
	own.ai_flags &= ~RAI_DNS;
	return vbm_getaddrinfo(node, service, &own, res);
}

/* Whichever library made the list. */
VBM_API void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	vbm_result_free(res);
}

/* Headers that lack the events, which ours then define, lack the calls too. */
#ifdef RDMA_CM_EVENT_ADDRINFO_RESOLVED
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			  const char *service, const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);
#endif

VBM_API int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
				  const char *service, const struct rdma_addrinfo *hints)
{
	return vbm_bridge_resolve_addrinfo(id, node, service, hints);
}

VBM_API int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	return vbm_bridge_query_addrinfo(id, info);
}

VBM_API int rdma_get_cm_event(struct rdma_event_channel *ec, struct rdma_cm_event **event)
{
	return vbm_bridge_get_cm_event(ec, event);
}

VBM_API int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	return vbm_bridge_ack_cm_event(event);
}

VBM_API int rdma_destroy_id(struct rdma_cm_id *id)
{
	vbm_bridge_forget_id(id);
	return NEXT(rdma_destroy_id)(id);
}

VBM_API void rdma_destroy_event_channel(struct rdma_event_channel *ec)
{
	vbm_bridge_forget_channel(ec);
	NEXT(rdma_destroy_event_channel)(ec);
}
