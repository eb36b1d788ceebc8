/* SPDX-License-Identifier: BSD-2-Clause */
/* What a negotiation waits for: its socket, the time of its step, a queue pair. */
#include "lib/handshake/negotiation.h"

#include <sys/epoll.h>

#define SILENT_MS 200	/* without a first message */

static int64_t step_ns(const struct negotiation *t)
{
	const struct vbm_handshake_options *o = negotiation_options(t);

	return (o->timeout_ms > 0 ? o->timeout_ms : HANDSHAKE_STEP_MS) * NS_PER_MS;
}

/*
 * Each event is reported once: most negotiations wait once, and a socket for which epoll
 * waits no more need not be removed before the program gets it. A listener's client is not
 * lost when memory runs out: it is looked at again without epoll until there is some.
 */
int vbm_negotiation_look_for(struct negotiation *t, uint32_t events)
{
	int rc = 0;

	if ((t->events & events) == events)
		return 0;
	if (!t->in_epoll)
		rc = vbm_loop_add(&t->n->loop, &t->watch, events | EPOLLONESHOT);
	else
		vbm_loop_modify(&t->n->loop, &t->watch, events | EPOLLONESHOT);
	t->in_epoll = rc == 0;
	t->events = rc ? 0 : events;
	if (rc == 0)
		vbm_timer_disarm(&t->again);
	if (rc == 0 || !t->listener || !loop_is_short(-rc))
		return rc;
	vbm_timer_arm(&t->n->loop, &t->again, loop_now(&t->n->loop) + DOOR_RETRY_MS * NS_PER_MS);
	return 0;
}

void vbm_negotiation_forget(struct negotiation *t)
{
	vbm_timer_disarm(&t->again);
	if (!t->events)
		return;
	vbm_loop_remove(&t->n->loop, &t->watch);
	t->in_epoll = false;
	t->events = 0;
}

void vbm_negotiation_begin_step(struct negotiation *t)
{
	t->timed = t->h.state;
	t->excused = false;
	t->since = loop_now(&t->n->loop);
	vbm_timer_arm(&t->n->loop, &t->timer, t->since + step_ns(t));
	if (t->listener)
		vbm_negotiation_press(t->listener);
}

void vbm_negotiation_place(struct negotiation *t, enum negotiation_place place)
{
	struct listener *l = t->listener;

	ring_remove(&t->node);
	if (!l)
		return;
	if (t->place != PLACE_NONE)
		l->count[t->place]--;
	t->place = place;
	if (place != PLACE_NONE) {
		l->count[place]++;
		ring_add(&l->in[place], &t->node);
	}
	vbm_grace_waiting(&l->grace, l->count[PLACE_WAITING]);
}

int64_t vbm_negotiation_due(const struct negotiation *t)
{
	const struct listener *l = t->listener;
	int ms = l->options.grace_ms > 0 ? l->options.grace_ms : SILENT_MS;

	if (t->place == PLACE_HALFWAY)
		return t->since + vbm_grace_ns(&l->grace, l->count[PLACE_HALFWAY]);
	return t->since + ms * NS_PER_MS;
}

void vbm_negotiation_press(struct listener *l)
{
	const struct ring *halfway = &l->in[PLACE_HALFWAY];
	int64_t due;

	if (ring_empty(&l->in[PLACE_WAITING]) || ring_empty(halfway))
		return;
	due = vbm_negotiation_due(of_ring(halfway, struct negotiation, node));
	if (!l->press.next || due < l->press.at)
		vbm_timer_arm(&l->n->loop, &l->press, due);
}
