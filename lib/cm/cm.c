/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"

#include <errno.h>

#include "lib/base/fail.h"

int vbm_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
		  enum rdma_port_space ps)
{
	int ret, saved;

	if (!id)
		return vbm_refuse(EINVAL);
	ret = vbm_cm_calls.create_id(channel, id, context, ps);
	if (ret || channel || !vbm_cm_note_waits(*id))
		return ret;
	saved = errno;
	vbm_cm_calls.destroy_id(*id);
	return vbm_refuse(saved);
}

/*
 * As with rdma_cm's own events, the id stays until the program has acknowledged the events
 * that it fetched.
 */
void vbm_cm_forget(struct rdma_cm_id *id)
{
	struct rdma_cm_id *notifier = NULL;
	struct cm_id *s;

	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find(id);
	if (!s) {
		pthread_mutex_unlock(&vbm_cm.lock);
		return;
	}
	if (s->request) {
		notifier = s->request->notifier;
		vbm_cm_drop_request(s->request);
		vbm_cm_nudge();
	}
	while (s->fetched)
		pthread_cond_wait(&vbm_cm.changed, &vbm_cm.lock);
	vbm_cm_remove(s);
	pthread_mutex_unlock(&vbm_cm.lock);
	vbm_notifier_free(notifier);
}

int vbm_destroy_id(struct rdma_cm_id *id)
{
	if (!id)
		return vbm_refuse(EINVAL);
	vbm_cm_forget(id);
	return vbm_cm_calls.destroy_id(id);
}

/* From now on the id is moving, and no notifier announces its event on the old channel. */
static struct rdma_cm_id *begin_move(struct cm_id *s)
{
	struct cm_request *c = s->request;
	struct rdma_cm_id *notifier = c ? c->notifier : NULL;

	s->moves = true;
	if (notifier)
		c->notifier = NULL;
	return notifier;
}

/* @waits: calls on the id wait from now on, so this call waits for a request under way too. */
static void end_move(struct cm_id *s, bool waits)
{
	struct cm_request *c;

	while (waits && s->request && !s->request->request.is_over)
		pthread_cond_wait(&vbm_cm.changed, &vbm_cm.lock);
	s->moves = false;
	s->waits = waits;
	c = s->request;
	if (!c || !c->request.is_over)
		return;
	if (waits) {
		vbm_cm_hand_over(c);
		vbm_cm_free_request(c);
	} else {
		vbm_cm_notify(c);
	}
	vbm_cm_nudge();
}

int vbm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct rdma_cm_id *notifier;
	struct cm_id *s;
	int ret, saved;

	if (!id)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&vbm_cm.lock);
	s = vbm_cm_find_or_make(id);
	notifier = s ? begin_move(s) : NULL;
	pthread_mutex_unlock(&vbm_cm.lock);
	if (!s)
		return -1;
	vbm_notifier_free(notifier);
	ret = vbm_cm_calls.migrate_id(id, channel);
	saved = errno;
	pthread_mutex_lock(&vbm_cm.lock);
	end_move(s, ret ? s->waits : !channel);
	pthread_mutex_unlock(&vbm_cm.lock);
	errno = saved;
	return ret;
}
