/* SPDX-License-Identifier: BSD-2-Clause */
/* A negotiation begins, and its socket or a timer makes it go on. */
#include "lib/handshake/negotiation.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "lib/base/mem.h"

#define LATE_MS 100

/*
 * The thread may have been in calls for other queue pairs when the peer's bytes arrived.
 * True: they end the step.
 */
static bool is_late_only_here(struct negotiation *t)
{
	uint8_t state = t->h.state;
	int rc = 0;

	while (rc == 0 && t->h.state == state &&
	       (t->action == HANDSHAKE_SEND || t->action == HANDSHAKE_RECEIVE)) {
		rc = vbm_handshake_carry(&t->h, t->watch.fd, &t->action);
		t->dialing = t->dialing && rc;
	}
	return t->h.state != state;
}

/*
 * When this end looks at its timers much too late, the peer may have waited for this end. The
 * step then gets its time once more.
 */
static bool was_late(struct negotiation *t)
{
	if (t->excused || loop_now(&t->n->loop) - t->timer.at < LATE_MS * NS_PER_MS)
		return false;
	vbm_negotiation_begin_step(t);
	t->excused = true;
	return true;
}

bool vbm_negotiation_revive(struct negotiation *t)
{
	int rc = t->auth ? vbm_negotiation_ask_who(t) : -1;

	if (rc == EAGAIN || (rc < 0 && !is_late_only_here(t)))
		return false;
	if (rc > 0)
		return true;
	vbm_negotiation_begin_step(t);
	vbm_negotiation_drive(t);
	return true;
}

static void time_is_up(struct timer *timer)
{
	struct negotiation *t = container_of(timer, struct negotiation, timer);

	if (vbm_negotiation_revive(t) || was_late(t))
		return;
	if (t->dialing) {
		vbm_negotiation_end_with(t, ETIMEDOUT, "the server does not answer");
		return;
	}
	if (t->auth) {
		vbm_negotiation_end_with(t, ETIMEDOUT, "the peer has not said in time who it is");
		return;
	}
	vbm_negotiation_unask(t);
	if (t->action == HANDSHAKE_GO_TO_RTS)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_REFUSE, HANDSHAKE_BUSY);
	else
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_TIMEOUT, 0);
	vbm_negotiation_drive(t);
}

static void look_again(struct timer *again)
{
	vbm_negotiation_drive(container_of(again, struct negotiation, again));
}

static void negotiation_ready(struct watch *w, uint32_t events)
{
	struct negotiation *t = container_of(w, struct negotiation, watch);

	t->events = 0;
	t->hung_up = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	/* While the negotiation waits for a queue pair, the only event is that the client goes. */
	if (t->action == HANDSHAKE_GO_TO_RTS && t->hung_up)
		t->action = vbm_handshake_step(&t->h, HANDSHAKE_CLOSED, 0);
	if (t->action != HANDSHAKE_GO_TO_RTS)
		vbm_negotiation_drive(t);
}

struct negotiation *vbm_negotiation_alloc(size_t private_length)
{
	return vbm_mem_alloc(sizeof(struct negotiation) + private_length);
}

void vbm_negotiation_init(struct negotiation *t, struct vbm_negotiator *n, struct listener *l)
{
	memset(t, 0, offsetof(struct negotiation, h));
	vbm_handshake_await(&t->h, l ? &l->options.handshake : &(struct vbm_handshake_options){0});
	t->n = n;
	t->listener = l;
	t->watch.fd = -1;
	t->watch.ready = negotiation_ready;
	t->timer.fire = time_is_up;
	t->again.fire = look_again;
	t->timed = HANDSHAKE_STATES;
	t->place = PLACE_NONE;
	ring_init(&t->node);
	ring_add(&n->negotiations, &t->link);
	if (l)
		vbm_negotiation_place(t, PLACE_SILENT);
}
