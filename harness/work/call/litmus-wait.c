/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <sched.h>

#include "base/clock.h"
#include "call/litmus-memory.h"

/* As in job-walk/await.c: most requests are carried out within a few turns of the processor. */
#define TURNS 16

static bool wait_event(struct litmus_run *r)
{
	struct pollfd p = {.fd = r->channel->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *context;

	if (poll(&p, 1, clock_left_ms(r->deadline_ns)) <= 0)
		return false;
	if (r->target->get_cq_event(r->channel, &cq, &context) == 0)
		r->target->ack_cq_events(cq, 1);
	return true;
}

bool litmus_await(struct litmus_run *r, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
		sched_yield();
	}
	do {
		/* A completion may have come before the queue was asked for an event. */
		if (ibv_req_notify_cq(cq, 0))
			return false;
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
	} while (wait_event(r));
	return ibv_poll_cq(cq, 1, wc) == 1;
}
