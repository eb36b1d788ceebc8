/* SPDX-License-Identifier: BSD-2-Clause */
#include "channel.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fail.h"
#include "databases.h"
#include "mem.h"

#define MS 1000000LL

/*
 * Only there to make the descriptor readable; what made it so may have been
 * taken back with its id.
 */
static void on_wake(struct watch *w, uint32_t events)
{
	struct vbm_channel *ch = (void *)((char *)w - offsetof(struct vbm_channel, wake));
	uint64_t count;

	(void)events;
	if (ring_empty(&ch->ready) && read(w->fd, &count, sizeof(count)) < 0)
		return;
}

static int open_descriptors(struct vbm_channel *ch)
{
	int ret = vbm_loop_init(&ch->loop);

	if (ret)
		return ret;
	ch->wake.ready = on_wake;
	ch->wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ch->wake.fd < 0)
		ret = -errno;
	if (!ret)
		ret = vbm_loop_add(&ch->loop, &ch->wake, EPOLLIN);
	if (!ret)
		return 0;
	if (ch->wake.fd >= 0)
		close(ch->wake.fd);
	vbm_loop_fini(&ch->loop);
	return ret;
}

int vbm_channel_new(const struct gai_config *cfg, struct vbm_channel **channel,
		    struct vbm_error *err)
{
	struct vbm_channel *ch = vbm_mem_zalloc(sizeof(*ch));
	int ret;

	if (!ch)
		return vbm_fail(err, ENOMEM, "no memory for a channel");
	ret = open_descriptors(ch);
	if (ret) {
		free(ch);
		return vbm_fail(err, -ret, "no descriptors for a channel: %s", strerror(-ret));
	}
	pthread_mutex_init(&ch->lock, NULL);
	ch->cfg = cfg;
	ring_init(&ch->ready);
	ring_init(&ch->ids);
	ring_init(&ch->waiting);
	*channel = ch;
	return 0;
}

int vbm_create_channel(struct vbm_channel **channel, struct vbm_error *err)
{
	return vbm_channel_new(&vbm_gai_system, channel, err);
}

int vbm_destroy_channel(struct vbm_channel *ch, struct vbm_error *err)
{
	bool busy;

	if (!ch)
		return 0;
	pthread_mutex_lock(&ch->lock);
	busy = !ring_empty(&ch->ids) || ch->unacknowledged;
	pthread_mutex_unlock(&ch->lock);
	if (busy)
		return vbm_fail(err, EBUSY,
				"the channel still has ids, or events not acknowledged");
	vbm_resolver_free_all(ch);
	close(ch->wake.fd);
	vbm_loop_fini(&ch->loop);
	pthread_mutex_destroy(&ch->lock);
	free(ch);
	return 0;
}

int vbm_channel_fd(const struct vbm_channel *ch)
{
	return loop_fd(&ch->loop);
}

void vbm_channel_push(struct vbm_channel *ch, struct pending *p)
{
	uint64_t one = 1;
	ssize_t n = 0;

	p->channel = ch;
	if (ring_empty(&ch->ready))
		n = write(ch->wake.fd, &one, sizeof(one));
	(void)n;
	ring_add(&ch->ready, &p->node);
}

/* The result changes hands when the event that tells of it does. */
static void hand_over(struct pending *p)
{
	struct vbm_id *id = p->event.id;
	struct request *r = (void *)p;

	if (!id)
		return;
	id->unacknowledged++;
	if (p->event.cm || id->request != r)
		return;
	id->request = NULL;
	id->result = r->list;
	r->list = NULL;
	id->state = id->result ? ID_RESOLVED : ID_IDLE;
}

static struct pending *pop(struct vbm_channel *ch)
{
	struct pending *p;
	uint64_t count;
	ssize_t n = 0;

	if (ring_empty(&ch->ready))
		return NULL;
	p = (void *)((char *)ch->ready.next - offsetof(struct pending, node));
	ring_remove(&p->node);
	if (ring_empty(&ch->ready))
		n = read(ch->wake.fd, &count, sizeof(count));
	(void)n;
	ch->unacknowledged++;
	hand_over(p);
	return p;
}

/* One round, under the lock: 1 with an event, 0 without, a negative errno. */
static int try_once(struct vbm_channel *ch, struct pending **p)
{
	int error;

	*p = pop(ch);
	if (!*p) {
		vbm_loop_dispatch(&ch->loop);
		vbm_resolver_sweep(ch);
		*p = pop(ch);
	}
	error = ch->error;
	ch->error = 0;
	return *p ? 1 : error;
}

int vbm_get_event(struct vbm_channel *ch, struct vbm_event **event, int timeout_ms,
		  struct vbm_error *err)
{
	int64_t deadline = vbm_loop_now() + timeout_ms * MS;
	struct pending *p;
	int ret;

	for (;;) {
		int left = -1;

		pthread_mutex_lock(&ch->lock);
		ret = try_once(ch, &p);
		pthread_mutex_unlock(&ch->lock);
		if (ret > 0) {
			*event = &p->event;
			return 0;
		}
		if (ret < 0)
			return vbm_fail(err, -ret, "an event was lost: %s", strerror(-ret));
		if (timeout_ms >= 0) {
			int64_t ns = deadline - vbm_loop_now();

			if (ns <= 0)
				return vbm_fail(err, EAGAIN, "no event");
			left = (int)((ns + MS - 1) / MS);
		}
		vbm_loop_wait(&ch->loop, left);
	}
}

void vbm_ack_event(struct vbm_event *event)
{
	struct pending *p = (void *)event;
	struct vbm_channel *ch;

	if (!event)
		return;
	ch = p->channel;
	pthread_mutex_lock(&ch->lock);
	ch->unacknowledged--;
	if (event->id)
		event->id->unacknowledged--;
	pthread_mutex_unlock(&ch->lock);
	p->release(p);
}
