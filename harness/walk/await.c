/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk/await.h"

#include <poll.h>
#include <sched.h>

#include "base/clock.h"

/*
 * On one processor the kernel's threads carry out a request when this process gives up
 * the processor. For most requests a few turns are enough, and they cost less than an event.
 */
#define TURNS 8
#define COMPLETION_MS 2000
#define STATE_MS 500

static bool wait_event(struct walk_host *host, int64_t deadline_ns)
{
	struct pollfd p = {.fd = host->channel->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *context;

	if (poll(&p, 1, clock_left_ms(deadline_ns)) <= 0)
		return false;
	if (ibv_get_cq_event(host->channel, &cq, &context) == 0)
		ibv_ack_cq_events(cq, 1);
	return true;
}

bool walk_await_completion(struct walk_host *host, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int64_t deadline;
	int i;

	for (i = 0; i < TURNS; i++) {
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
		sched_yield();
	}
	deadline = clock_deadline_ms(COMPLETION_MS);
	do {
		/* A completion may have come before the queue was asked for an event. */
		if (ibv_req_notify_cq(cq, 0))
			return false;
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
	} while (wait_event(host, deadline) || clock_stood_still(&deadline));
	return ibv_poll_cq(cq, 1, wc) == 1;
}

/* Nothing announces a state, so look again soon at first, then less often. */
static void pause_before(const struct walk_host *host, int tries)
{
	struct pollfd p = {.fd = host->ctx->async_fd, .events = 0};

	if (tries < TURNS)
		sched_yield();
	else
		poll(&p, 1, tries < TURNS + 5 ? 1 << (tries - TURNS) : 50);
}

int walk_await_state(struct walk_hosts *w, int host, int pair, enum ibv_qp_state state, bool drained, bool at_once,
		     bool *draining)
{
	int64_t deadline = clock_deadline_ms(STATE_MS);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int tries;

	for (tries = 0;; tries++) {
		if (w->target->query_qp(w->host[host].pair[pair].qp, &attr, IBV_QP_STATE, &init))
			return -1;
		*draining = attr.sq_draining;
		if ((attr.qp_state == state && !(drained && *draining)) || at_once ||
		    (clock_left_ms(deadline) == 0 && !clock_stood_still(&deadline)))
			return (int)attr.qp_state;
		pause_before(&w->host[host], tries);
	}
}
