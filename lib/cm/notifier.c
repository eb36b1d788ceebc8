/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>

#include "lib/base/addr.h"
#include "lib/cm/cm.h"

#define RESOLVE_MS 1000

/* The context of each notifier points here. */
static char mark;

struct cm_calls vbm_cm_calls = {
	.create_id = rdma_create_id,
	.destroy_id = rdma_destroy_id,
	.migrate_id = rdma_migrate_id,
	.get_cm_event = rdma_get_cm_event,
	.ack_cm_event = rdma_ack_cm_event,
};

/*
 * Ask for the route to an address of this host. Every kernel answers that with an event,
 * at once and without a packet. The kernel refuses an address that the host lacks, so each
 * kind of loopback address is tried.
 */
static int ask_the_kernel(struct rdma_cm_id *notifier)
{
	union addr dst[3];

	vbm_addr_set_in(&dst[0], INADDR_LOOPBACK, 1);
	vbm_addr_set_in6(&dst[1], in6addr_loopback.s6_addr, 1);
	vbm_addr_set_in(&dst[2], INADDR_ANY, 1);
	for (int i = 0; i < 3; i++)
		if (!rdma_resolve_addr(notifier, NULL, &dst[i].sa, RESOLVE_MS))
			return 0;
	return -1;
}

/* No program uses ports of this port space, so the notifier takes no program's port. */
struct rdma_cm_id *vbm_notifier_make(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *notifier;
	int saved;

	if (vbm_cm_calls.create_id(channel, &notifier, &mark, RDMA_PS_IPOIB))
		return NULL;
	if (!ask_the_kernel(notifier))
		return notifier;
	saved = errno;
	vbm_notifier_free(notifier);
	errno = saved;
	return NULL;
}

bool vbm_is_notifier(const struct rdma_cm_event *event)
{
	return event->id && event->id->context == &mark;
}

void vbm_notifier_free(struct rdma_cm_id *notifier)
{
	if (notifier)
		vbm_cm_calls.destroy_id(notifier);
}
