/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>

#include "lib/base/fail.h"

/* The program fetches the event and owns it until it acknowledges it. */
static struct rdma_cm_event *hand_out(struct cm_request *c)
{
	ring_remove(&c->node);
	ring_add(&vbm_cm.fetched, &c->node);
	c->owner->fetched++;
	vbm_cm_hand_over(c);
	return &c->event;
}

/* Whether the event is for @channel and no notifier announces it. */
static bool lacks_notifier(const struct cm_request *c, const struct rdma_event_channel *channel)
{
	return !c->notifier && !c->owner->moves && c->owner->id->channel == channel;
}

/*
 * The event that @notifier announces. With NULL: the first event that is ready on @channel
 * and has no notifier. Returns NULL when the announced event is gone, because its id was
 * destroyed or moved to another channel.
 */
static struct rdma_cm_event *take(const struct rdma_event_channel *channel,
				  const struct rdma_cm_id *notifier)
{
	struct rdma_cm_event *event = NULL;

	pthread_mutex_lock(&vbm_cm.lock);
	for (struct ring *n = vbm_cm.ready.next; n != &vbm_cm.ready && !event; n = n->next) {
		struct cm_request *c = container_of(n, struct cm_request, node);

		if (notifier ? c->notifier == notifier : lacks_notifier(c, channel)) {
			c->notifier = NULL;
			event = hand_out(c);
		}
	}
	pthread_mutex_unlock(&vbm_cm.lock);
	return event;
}

/*
 * Frees the notifier with its event. When the event is gone, the function that dropped it
 * frees the notifier.
 */
static struct rdma_cm_event *take_announced(struct rdma_cm_event *announcement)
{
	struct rdma_cm_id *notifier = announcement->id;
	struct rdma_cm_event *event = take(NULL, notifier);

	vbm_cm_calls.ack_cm_event(announcement);
	if (event)
		vbm_notifier_free(notifier);
	return event;
}

/* A failure ends librdmacm's own request. A result stays until it is queried. */
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
		if (!vbm_is_notifier(theirs)) {
			note_sa(theirs);
			*event = theirs;
			return 0;
		}
		ours = take_announced(theirs);
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
