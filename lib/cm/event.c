/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>

#include "lib/base/fail.h"

/* Fetched by the program: the event is now its own, until acknowledged. */
static struct rdma_cm_event *hand_out(struct cm_request *c)
{
	ring_remove(&c->node);
	ring_add(&vbm_cm.fetched, &c->node);
	c->owner->fetched++;
	vbm_cm_hand_over(c);
	return &c->event;
}

/* Nothing will ring for it, and it is for @channel. */
static bool is_unrung(const struct cm_request *c, const struct rdma_event_channel *channel)
{
	return !c->bell && !c->owner->moves && c->owner->id->channel == channel;
}

/*
 * The event that @bell rings for; with NULL the first one that is ready on
 * @channel and has no bell. NULL: what the bell rang for has gone, with its id
 * or to another channel.
 */
static struct rdma_cm_event *take(const struct rdma_event_channel *channel,
				  const struct rdma_cm_id *bell)
{
	struct rdma_cm_event *event = NULL;

	pthread_mutex_lock(&vbm_cm.lock);
	for (struct ring *n = vbm_cm.ready.next; n != &vbm_cm.ready && !event; n = n->next) {
		struct cm_request *c = container_of(n, struct cm_request, node);

		if (bell ? c->bell == bell : is_unrung(c, channel)) {
			c->bell = NULL;
			event = hand_out(c);
		}
	}
	pthread_mutex_unlock(&vbm_cm.lock);
	return event;
}

/* The bell goes with its event, where whoever dropped that has not freed it. */
static struct rdma_cm_event *answer_bell(struct rdma_cm_event *rang)
{
	struct rdma_cm_id *bell = rang->id;
	struct rdma_cm_event *event = take(NULL, bell);

	vbm_cm_calls.ack_cm_event(rang);
	if (event)
		vbm_bell_free(bell);
	return event;
}

/* A failure of librdmacm's own request ends it; a result is still to be queried. */
static void note_sa(const struct rdma_cm_event *event)
{
	struct cm_id *s;

	if ((int)event->event != RDMA_CM_EVENT_ADDRINFO_ERROR)
		return;
	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find(event->id);
	if (s && s->state == CM_SA)
		s->state = CM_IDLE;
	pthread_mutex_unlock(&vbm_cm.lock);
}

int vbm_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct rdma_cm_event *ours, *theirs;

	if (!channel || !event)
		return vbm_refuse(EINVAL);
	while (!(ours = take(channel, NULL))) {
		if (vbm_cm_calls.get_cm_event(channel, &theirs))
			return -1;
		if (!vbm_bell_rang(theirs)) {
			note_sa(theirs);
			*event = theirs;
			return 0;
		}
		ours = answer_bell(theirs);
		if (ours)
			break;
	}
	*event = ours;
	return 0;
}

int vbm_ack_cm_event(struct rdma_cm_event *event)
{
	struct cm_request *found = NULL;

	if (!event)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&vbm_cm.lock);
	for (struct ring *n = vbm_cm.fetched.next; n != &vbm_cm.fetched && !found; n = n->next) {
		struct cm_request *c = container_of(n, struct cm_request, node);

		if (&c->event == event)
			found = c;
	}
	if (found) {
		found->owner->fetched--;
		vbm_cm_free_request(found);
		pthread_cond_broadcast(&vbm_cm.changed);
	}
	pthread_mutex_unlock(&vbm_cm.lock);
	return found ? 0 : vbm_cm_calls.ack_cm_event(event);
}
