/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "channel.h"
#include "cm-calls.h"
#include "mem.h"

/* An rdma_cm event channel that wrapped ids share. */
struct cm_watch {
	struct watch watch;		/* first: see on_ready() */
	struct vbm_channel *channel;
	struct rdma_event_channel *ec;	/* borrowed */
	unsigned int users;
	struct cm_watch *next;
};

static void release(struct pending *p)
{
	vbm_cm_calls.ack_cm_event(p->event.cm);
	free(p);
}

static struct vbm_id *id_around(struct vbm_channel *ch, const struct rdma_cm_id *cm_id)
{
	for (struct node *n = ch->ids.next; cm_id && n != &ch->ids; n = n->next) {
		struct vbm_id *id = (struct vbm_id *)n;

		if (id->cm_id == cm_id)
			return id;
	}
	return NULL;
}

/* A connection request carries an id that nobody can have wrapped yet. */
static void queue(struct vbm_channel *ch, struct pending *p, struct rdma_cm_event *cm)
{
	p->event.id = id_around(ch, cm->id);
	if (!p->event.id)
		p->event.id = id_around(ch, cm->listen_id);
	p->event.event = (int)cm->event;
	p->event.status = cm->status;
	p->event.cm = cm;
	p->release = release;
	if (p->event.id && p->event.id->state == ID_SA &&
	    p->event.event == RDMA_CM_EVENT_ADDRINFO_ERROR)
		p->event.id->state = ID_IDLE;
	vbm_channel_push(ch, p);
}

static void on_ready(struct watch *w, uint32_t events)
{
	struct cm_watch *c = (struct cm_watch *)w;
	struct pollfd p = {.fd = w->fd, .events = POLLIN};
	struct pending *pending = vbm_mem_zalloc(sizeof(*pending));
	struct rdma_cm_event *cm;

	(void)events;
	if (!pending) {
		c->channel->error = -ENOMEM;
		return;
	}
	/* The caller's other threads may have fetched it. */
	if (poll(&p, 1, 0) != 1) {
		free(pending);
		return;
	}
	if (vbm_cm_calls.get_cm_event(c->ec, &cm)) {
		c->channel->error = errno == EAGAIN ? 0 : -errno;
		free(pending);
		return;
	}
	queue(c->channel, pending, cm);
}

static struct cm_watch **find(struct vbm_channel *ch, const struct rdma_event_channel *ec)
{
	struct cm_watch **at = &ch->cm;

	while (*at && (*at)->ec != ec)
		at = &(*at)->next;
	return at;
}

int vbm_cm_watch_add(struct vbm_channel *ch, struct rdma_event_channel *ec)
{
	struct cm_watch **at = find(ch, ec), *c = *at;
	int ret;

	if (c) {
		c->users++;
		return 0;
	}
	c = vbm_mem_zalloc(sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->watch.fd = ec->fd;
	c->watch.ready = on_ready;
	c->channel = ch;
	c->ec = ec;
	c->users = 1;
	ret = vbm_loop_add(&ch->loop, &c->watch, EPOLLIN);
	if (ret) {
		free(c);
		return ret;
	}
	*at = c;
	return 0;
}

void vbm_cm_watch_remove(struct vbm_channel *ch, struct rdma_event_channel *ec)
{
	struct cm_watch **at = find(ch, ec), *c = *at;

	if (!c || --c->users)
		return;
	*at = c->next;
	vbm_loop_remove(&ch->loop, &c->watch);
	free(c);
}
