/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>

#include "lib/base/addr.h"
#include "lib/cm/cm.h"

#define RESOLVE_MS 1000

/* What the context of each bell is, and of nothing else. */
static char mark;

struct cm_calls vbm_cm_calls = {
	.create_id = rdma_create_id,
	.destroy_id = rdma_destroy_id,
	.migrate_id = rdma_migrate_id,
	.get_cm_event = rdma_get_cm_event,
	.ack_cm_event = rdma_ack_cm_event,
};

/*
 * The kernel looks for the way to an address of the host itself and says how
 * that went, on every kernel, at once and without a packet. An address that the
 * host lacks is refused instead, so each kind of loopback address is tried.
 */
static int ask_the_kernel(struct rdma_cm_id *bell)
{
	union addr dst[3];

	vbm_addr_set_in(&dst[0], INADDR_LOOPBACK, 1);
	vbm_addr_set_in6(&dst[1], in6addr_loopback.s6_addr, 1);
	vbm_addr_set_in(&dst[2], INADDR_ANY, 1);
	for (int i = 0; i < 3; i++)
		if (!rdma_resolve_addr(bell, NULL, &dst[i].sa, RESOLVE_MS))
			return 0;
	return -1;
}

/* The port space is one whose ports no program minds. */
struct rdma_cm_id *vbm_bell_ring(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *bell;
	int saved;

	if (vbm_cm_calls.create_id(channel, &bell, &mark, RDMA_PS_IPOIB))
		return NULL;
	if (!ask_the_kernel(bell))
		return bell;
	saved = errno;
	vbm_bell_free(bell);
	errno = saved;
	return NULL;
}

bool vbm_bell_rang(const struct rdma_cm_event *event)
{
	return event->id && event->id->context == &mark;
}

void vbm_bell_free(struct rdma_cm_id *bell)
{
	if (bell)
		vbm_cm_calls.destroy_id(bell);
}
