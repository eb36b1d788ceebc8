/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "fail.h"
#include "databases.h"
#include "mem.h"
#include "result.h"

static struct vbm_id *id_new(struct vbm_channel *ch, struct rdma_cm_id *cm_id, void *context)
{
	struct vbm_id *id = vbm_mem_zalloc(sizeof(*id));

	if (!id)
		return NULL;
	id->channel = ch;
	id->cm_id = cm_id;
	id->context = context;
	return id;
}

static void enlist(struct vbm_id *id)
{
	pthread_mutex_lock(&id->channel->lock);
	ring_add(&id->channel->ids, &id->node);
	pthread_mutex_unlock(&id->channel->lock);
}

int vbm_create_id(struct vbm_channel *ch, void *context, struct vbm_id **out,
		  struct vbm_error *err)
{
	struct vbm_channel *own = NULL;
	struct vbm_id *id;

	if (!ch) {
		int ret = vbm_channel_new(&vbm_gai_system, &own, err);

		if (ret)
			return ret;
	}
	id = id_new(ch ? ch : own, NULL, context);
	if (!id) {
		vbm_destroy_channel(own, NULL);
		return vbm_fail(err, ENOMEM, "no memory for an id");
	}
	id->own_channel = own;
	enlist(id);
	*out = id;
	return 0;
}

int vbm_wrap_id(struct vbm_channel *ch, struct rdma_cm_id *cm_id, void *context,
		struct vbm_id **out, struct vbm_error *err)
{
	struct vbm_id *id;
	int ret;

	if (!ch || !cm_id || !cm_id->channel)
		return vbm_fail(err, EINVAL, "an rdma_cm_id is wrapped on a channel, and has an event channel itself");
	id = id_new(ch, cm_id, context);
	if (!id)
		return vbm_fail(err, ENOMEM, "no memory for an id");
	pthread_mutex_lock(&ch->lock);
	ret = vbm_cm_watch_add(ch, cm_id->channel);
	pthread_mutex_unlock(&ch->lock);
	if (ret) {
		free(id);
		return vbm_fail(err, -ret, "cannot watch the rdma_cm_id's event channel: %s",
				strerror(-ret));
	}
	enlist(id);
	*out = id;
	return 0;
}

/* Events of rdma_cm that nobody fetched stay, but for nobody. */
static void disown_events(struct vbm_id *id)
{
	struct vbm_channel *ch = id->channel;

	for (struct node *n = ch->ready.next; n != &ch->ready; n = n->next) {
		struct pending *p = (void *)((char *)n - offsetof(struct pending, node));

		if (p->event.id == id)
			p->event.id = NULL;
	}
}

static int remove_id(struct vbm_id *id)
{
	struct vbm_channel *ch = id->channel;

	if (id->unacknowledged)
		return -EBUSY;
	if (id->request) {
		struct request *r = id->request;

		if (!r->over)
			vbm_request_end(r, EAI_CANCELED, 0);
		ring_remove(&r->pending.node);
		vbm_request_free(r);
	}
	if (id->cm_id) {
		disown_events(id);
		vbm_cm_watch_remove(ch, id->cm_id->channel);
	}
	vbm_result_free(id->result);
	ring_remove(&id->node);
	vbm_resolver_sweep(ch);
	return 0;
}

int vbm_destroy_id(struct vbm_id *id, struct vbm_error *err)
{
	struct vbm_channel *ch;
	int ret;

	if (!id)
		return 0;
	ch = id->channel;
	pthread_mutex_lock(&ch->lock);
	ret = remove_id(id);
	pthread_mutex_unlock(&ch->lock);
	if (ret)
		return vbm_fail(err, EBUSY, "the id has events that are not acknowledged");
	if (id->own_channel)
		vbm_destroy_channel(ch, NULL);
	free(id);
	return 0;
}

void *vbm_id_context(const struct vbm_id *id)
{
	return id->context;
}

struct rdma_cm_id *vbm_id_cm_id(const struct vbm_id *id)
{
	return id->cm_id;
}

void vbm_set_timeout(struct vbm_id *id, unsigned int ms)
{
	pthread_mutex_lock(&id->channel->lock);
	id->timeout_ms = ms;
	pthread_mutex_unlock(&id->channel->lock);
}
