/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/await.h"

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

void walk_pause(const struct walk_host *host, int tries)
{
	struct pollfd p = {.fd = host->ctx->async_fd, .events = 0};

	if (tries < TURNS)
		sched_yield();
	else
		poll(&p, 1, tries < TURNS + 5 ? 1 << (tries - TURNS) : 50);
}

/* No event wakes this: a queue that was asked for one by a wait would make an event that no operation asked for. */
bool walk_await_completion(const struct walk_host *host, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int64_t deadline = clock_deadline_ms(COMPLETION_MS);
	int tries;

	for (tries = 0; tries < TURNS || clock_left_ms(deadline) > 0 || clock_stood_still(&deadline); tries++) {
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
		walk_pause(host, tries);
	}
	return ibv_poll_cq(cq, 1, wc) == 1;
}

/* Takes events until one of @cq comes, or none is there and @ms are over. */
static bool take_event(const struct walk_host *host, const struct ibv_cq *cq, int ms)
{
	struct pollfd p = {.fd = host->channel->fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(ms);
	struct ibv_cq *from = NULL;
	void *context;

	while (from != cq || !from) {
		if (poll(&p, 1, clock_left_ms(deadline)) <= 0 && !(ms && clock_stood_still(&deadline)))
			return false;
		if (ibv_get_cq_event(host->channel, &from, &context) == 0)
			ibv_ack_cq_events(from, 1);
	}
	return true;
}

int walk_ask_event(const struct walk_host *host, struct ibv_cq *cq, bool solicited)
{
	/* Events that are there already belong to earlier operations. */
	take_event(host, NULL, 0);
	return ibv_req_notify_cq(cq, solicited);
}

bool walk_has_event(const struct walk_host *host, const struct ibv_cq *cq, bool wait)
{
	return take_event(host, cq, wait ? COMPLETION_MS : 0);
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
		walk_pause(&w->host[host], tries);
	}
}

bool walk_await_overflow(const struct walk_hosts *w, int host, const struct ibv_cq *cq)
{
	struct ibv_context *c = w->host[host].ctx;
	struct pollfd p = {.fd = c->async_fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(COMPLETION_MS);
	struct ibv_async_event event;
	bool found = false;

	while (!found && (poll(&p, 1, clock_left_ms(deadline)) > 0 || clock_stood_still(&deadline))) {
		if (w->target->get_async_event(c, &event))
			continue;
		found = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq;
		w->target->ack_async_event(&event);
	}
	return found;
}
