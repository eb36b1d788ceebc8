/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include <verbatim/resolve.h>

#include "bridge.h"
#include "channel.h"
#include "cm-calls.h"
#include "mem.h"

/* An event channel of rdma_cm and the one of ours that takes its place. */
struct bridge {
	struct rdma_event_channel *ec;
	struct vbm_channel *channel;
	struct bridge *next;
};

/* An rdma_cm_id that a resolution was asked for. */
struct bridged_id {
	struct rdma_cm_id *cm_id;
	struct vbm_id *id;
	struct bridged_id *next;
};

/* An event the program has not acknowledged. */
struct handed {
	struct rdma_cm_event own;	/* for those rdma_cm knows nothing of */
	struct rdma_cm_event *cm;	/* what the program was given */
	struct vbm_event *event;
	struct handed *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bridge *bridges;
static struct bridged_id *ids;
static struct handed *handed;

static int refuse(int error)
{
	errno = error;
	return -1;
}

static struct bridge *bridge_of(const struct rdma_event_channel *ec)
{
	struct bridge *b = bridges;

	while (b && b->ec != ec)
		b = b->next;
	return b;
}

static struct bridge *bridge_make(struct rdma_event_channel *ec)
{
	struct bridge *b = bridge_of(ec);

	if (b)
		return b;
	b = vbm_mem_zalloc(sizeof(*b));
	if (!b || vbm_create_channel(&b->channel, NULL)) {
		free(b);
		return NULL;
	}
	b->ec = ec;
	b->next = bridges;
	bridges = b;
	return b;
}

static struct vbm_id *id_of(const struct rdma_cm_id *cm_id)
{
	struct bridged_id *i = ids;

	while (i && i->cm_id != cm_id)
		i = i->next;
	return i ? i->id : NULL;
}

/* An id without an event channel of its own waits, as all its calls do. */
static struct vbm_id *id_make(struct rdma_cm_id *cm_id)
{
	struct vbm_id *known = id_of(cm_id);
	struct bridged_id *i;
	struct bridge *b;
	int ret = -ENOMEM;

	if (known)
		return known;
	i = vbm_mem_zalloc(sizeof(*i));
	b = i ? bridge_make(cm_id->channel) : NULL;
	if (b)
		ret = vbm_wrap_id(b->channel, cm_id, NULL, &i->id, NULL);
	if (ret) {
		free(i);
		errno = -ret;
		return NULL;
	}
	i->cm_id = cm_id;
	i->next = ids;
	ids = i;
	return i->id;
}

int vbm_bridge_resolve_addrinfo(struct rdma_cm_id *cm_id, const char *node,
				const char *service, const struct rdma_addrinfo *hints)
{
	struct vbm_id *id;

	if (!cm_id || !cm_id->channel)
		return refuse(EINVAL);
	pthread_mutex_lock(&lock);
	id = id_make(cm_id);
	pthread_mutex_unlock(&lock);
	return id ? vbm_resolve_addrinfo(id, node, service, hints) : -1;
}

int vbm_bridge_query_addrinfo(struct rdma_cm_id *cm_id, struct rdma_addrinfo **info)
{
	struct vbm_id *id;

	if (!cm_id || !info)
		return refuse(EINVAL);
	pthread_mutex_lock(&lock);
	id = id_of(cm_id);
	pthread_mutex_unlock(&lock);
	return id ? vbm_query_addrinfo(id, info) : refuse(ENOENT);
}

static struct vbm_channel *channel_of(const struct rdma_event_channel *ec)
{
	struct bridge *b;

	pthread_mutex_lock(&lock);
	b = ec ? bridge_of(ec) : NULL;
	pthread_mutex_unlock(&lock);
	return b ? b->channel : NULL;
}

static void hand_out(struct handed *h, struct vbm_event *e)
{
	h->event = e;
	h->cm = e->cm ? e->cm : &h->own;
	h->own.id = e->id ? vbm_id_cm_id(e->id) : NULL;
	h->own.event = (enum rdma_cm_event_type)e->event;
	h->own.status = e->status;
	pthread_mutex_lock(&lock);
	h->next = handed;
	handed = h;
	pthread_mutex_unlock(&lock);
}

int vbm_bridge_get_cm_event(struct rdma_event_channel *ec, struct rdma_cm_event **event)
{
	struct vbm_channel *channel = channel_of(ec);
	struct vbm_event *e;
	struct handed *h;
	int ret;

	if (!channel)
		return vbm_cm_calls.get_cm_event(ec, event);
	h = vbm_mem_zalloc(sizeof(*h));
	if (!h)
		return refuse(ENOMEM);
	ret = vbm_get_event(channel, &e, fcntl(ec->fd, F_GETFL) & O_NONBLOCK ? 0 : -1, NULL);
	if (ret) {
		free(h);
		return refuse(-ret);
	}
	hand_out(h, e);
	*event = h->cm;
	return 0;
}

static struct handed *take_back(const struct rdma_cm_event *cm)
{
	struct handed **at = &handed, *h;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->cm != cm)
		at = &(*at)->next;
	h = *at;
	if (h)
		*at = h->next;
	pthread_mutex_unlock(&lock);
	return h;
}

int vbm_bridge_ack_cm_event(struct rdma_cm_event *event)
{
	struct handed *h;

	h = event ? take_back(event) : NULL;
	if (!h)
		return vbm_cm_calls.ack_cm_event(event);
	vbm_ack_event(h->event);
	free(h);
	return 0;
}

int vbm_bridge_fd(const struct rdma_event_channel *ec)
{
	struct vbm_channel *channel = channel_of(ec);

	return channel ? vbm_channel_fd(channel) : ec->fd;
}

void vbm_bridge_forget_id(const struct rdma_cm_id *cm_id)
{
	struct bridged_id **at = &ids, *i;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->cm_id != cm_id)
		at = &(*at)->next;
	i = *at;
	if (i)
		*at = i->next;
	pthread_mutex_unlock(&lock);
	if (i)
		vbm_destroy_id(i->id, NULL);
	free(i);
}

void vbm_bridge_forget_channel(const struct rdma_event_channel *ec)
{
	struct bridge **at = &bridges, *b;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->ec != ec)
		at = &(*at)->next;
	b = *at;
	if (b)
		*at = b->next;
	pthread_mutex_unlock(&lock);
	if (b)
		vbm_destroy_channel(b->channel, NULL);
	free(b);
}
