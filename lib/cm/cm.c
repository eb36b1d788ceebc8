/* SPDX-License-Identifier: BSD-2-Clause */
/* Long: one lock guards all of it, and is held only for short work. */
/*
 * Resolution for rdma_cm_ids: the ids that asked the library, their requests, the thread that runs these, and the calls.
 */
#include "lib/cm/cm.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/base/ring.h"
#include "lib/base/thread.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"
#include "lib/resolve/request.h"
#include "lib/resolve/result.h"

enum cm_state {
	CM_IDLE,
	CM_RUNNING,	/* until the event is fetched */
	CM_RESOLVED,	/* fetched; the result waits to be queried */
	CM_SA,		/* librdmacm has the request */
};

struct cm_id {
	struct rdma_cm_id *id;		/* first: tsearch(3) compares it */
	bool waits;			/* has no event channel of its own */
	bool moves;			/* is in rdma_migrate_id(3) */
	enum cm_state state;
	struct cm_request *request;	/* owned; until its event is fetched */
	struct rdma_addrinfo *result;	/* owned; CM_RESOLVED */
	unsigned int fetched;		/* events not acknowledged */
};

/* A request, and its event until that is acknowledged. */
struct cm_request {
	struct request request;		/* first */
	struct cm_id *owner;
	struct rdma_cm_id *notifier;	/* owned; announces the event */
	struct rdma_cm_event event;
	struct ring node;		/* in running, then ready, then fetched */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void *ids;			/* of struct cm_id, by tsearch(3) */
	struct ring running, ready, fetched;	/* of struct cm_request */
} cm = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.running = {&cm.running, &cm.running},
	.ready = {&cm.ready, &cm.ready},
	.fetched = {&cm.fetched, &cm.fetched},
};

static int by_id(const void *a, const void *b)
{
	const struct cm_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct cm_id *find_id(struct rdma_cm_id *id)
{
	struct cm_id key = {.id = id}, **at = tfind(&key, &cm.ids, by_id);

	return at ? *at : NULL;
}

static struct cm_id *find_or_make_id(struct rdma_cm_id *id)
{
	struct cm_id *s = find_id(id);

	if (s)
		return s;
	s = vbm_mem_zalloc(sizeof(*s));
	if (!s)
		return NULL;
	s->id = id;
	if (tsearch(s, &cm.ids, by_id))
		return s;
	free(s);
	errno = ENOMEM;
	return NULL;
}

int vbm_cm_note_waits(struct rdma_cm_id *id)
{
	struct cm_id *s;

	pthread_mutex_lock(&cm.lock);
	s = find_or_make_id(id);
	if (s)
		s->waits = true;
	pthread_mutex_unlock(&cm.lock);
	return s ? 0 : -1;
}

/* Pass the result to the id, with the event that reports it. */
static void hand_over(struct cm_request *c)
{
	struct cm_id *s = c->owner;

	s->request = NULL;
	s->result = c->request.list;
	c->request.list = NULL;
	s->state = s->result ? CM_RESOLVED : CM_IDLE;
}

static void free_request(struct cm_request *c)
{
	ring_remove(&c->node);
	vbm_request_clear(&c->request);
	free(c);
}

/* Take the request from its id. No event of it follows. */
static void drop_request(struct cm_request *c)
{
	c->owner->request = NULL;
	c->owner->state = CM_IDLE;
	free_request(c);
}

/* Take @s out of the ids that the library knows, and free it. It has no request. */
static void remove_id(struct cm_id *s)
{
	tdelete(s, &cm.ids, by_id);
	vbm_result_free(s->result);
	free(s);
}

#define RETRY_NS 10000000LL

/*
 * The requests that wait for the network share an engine, and a thread runs it while there
 * are any. Between requests there is neither a thread nor a descriptor.
 */
static struct engine engine;
static bool threaded;			/* the thread is there */
static struct timer retry;		/* for notifiers that could not be made */

static bool all_notified(void)
{
	for (struct ring *n = cm.ready.next; n != &cm.ready; n = n->next)
		if (!container_of(n, struct cm_request, node)->notifier)
			return false;
	return true;
}

/* Frees the resources of an engine without requests. */
static void close_thread(void)
{
	vbm_timer_disarm(&retry);
	if (!engine.requests)
		vbm_engine_close(&engine);
}

static void *run_engine(void *arg)
{
	bool more = true;

	(void)arg;
	while (more) {
		vbm_loop_wait(&engine.loop, -1);
		pthread_mutex_lock(&cm.lock);
		vbm_engine_run(&engine);
		more = engine.requests || !all_notified();
		if (!more) {
			close_thread();
			threaded = false;
		}
		pthread_mutex_unlock(&cm.lock);
	}
	return NULL;
}

/* Makes the thread look whether it is still needed. */
static void nudge(void)
{
	if (!threaded)
		return;
	vbm_timer_arm(&engine.loop, &retry, vbm_loop_now());
	vbm_loop_settle(&engine.loop);
}

/* The thread runs while there are requests that wait for the network. 0 or an errno. */
static int need_thread(void)
{
	pthread_t thread;
	int ret;

	if (threaded || !engine.open)
		return 0;
	ret = vbm_thread_start(&thread, run_engine, NULL);
	if (ret)
		return ret;
	pthread_detach(thread);
	threaded = true;
	return 0;
}

static void notify_later(void)
{
	if (vbm_engine_open(&engine))
		return;
	vbm_timer_arm(&engine.loop, &retry, vbm_loop_now() + RETRY_NS);
	vbm_loop_settle(&engine.loop);
	if (need_thread())
		close_thread();
}

/*
 * The event of @c is ready: announce it on the channel. While an id migrates no notifier is made for it;
 * vbm_migrate_id() makes one on the new channel. When a notifier cannot be made, the thread tries again, and until
 * then vbm_get_cm_event() finds the event without one.
 */
static void notify(struct cm_request *c)
{
	if (c->notifier || c->owner->moves)
		return;
	c->notifier = vbm_notifier_make(c->owner->id->channel);
	if (!c->notifier)
		notify_later();
}

static void on_retry(struct timer *t)
{
	(void)t;
	for (struct ring *n = cm.ready.next; n != &cm.ready; n = n->next)
		notify(container_of(n, struct cm_request, node));
}

/* The parent keeps the thread and gets the events, so the child drops the requests. */
static void in_child(void)
{
	vbm_engine_cut(&engine);
	while (!ring_empty(&cm.running))
		drop_request(container_of(cm.running.next, struct cm_request, node));
	close_thread();
	threaded = false;
	pthread_cond_init(&cm.changed, NULL);
}

static void __attribute__((constructor)) prepare(void)
{
	vbm_engine_init(&engine, &vbm_gai_system);
	retry.fire = on_retry;
	vbm_fork_join(FORK_CM, &cm.lock, in_child);
}

static void on_over(struct request *r)
{
	struct cm_request *c = (struct cm_request *)r;

	c->event.event = (enum rdma_cm_event_type)(r->code ? RDMA_CM_EVENT_ADDRINFO_ERROR :
						   RDMA_CM_EVENT_ADDRINFO_RESOLVED);
	c->event.status = r->code;
	ring_remove(&c->node);
	ring_add(&cm.ready, &c->node);
	pthread_cond_broadcast(&cm.changed);
	notify(c);
}

/* Called under the lock, which is released while the call's engine runs. */
static int resolve_and_wait(struct cm_request *c, const char *node, const char *service)
{
	int error;

	pthread_mutex_unlock(&cm.lock);
	vbm_request_run(&c->request, &vbm_gai_system, node, service);
	error = c->request.code ? vbm_gai_errno(c->request.code, c->request.error) : 0;
	pthread_mutex_lock(&cm.lock);
	hand_over(c);
	free_request(c);
	pthread_cond_broadcast(&cm.changed);
	return error;
}

static int begin(struct cm_request *c, const char *node, const char *service)
{
	int error;

	vbm_request_begin(&c->request, node, service);
	error = need_thread();
	if (!error || c->request.is_over)
		return 0;
	drop_request(c);
	close_thread();
	return error;
}

static int start(struct cm_id *s, struct cm_request *c, const char *node, const char *service)
{
	ring_init(&c->node);
	c->owner = s;
	c->event.id = s->id;
	s->state = CM_RUNNING;
	s->request = c;
	if (s->waits)
		return resolve_and_wait(c, node, service);
	if (vbm_request_init(&c->request, &engine, true)) {
		drop_request(c);
		return ENOMEM;
	}
	c->request.over = on_over;
	ring_add(&cm.running, &c->node);
	return begin(c, node, service);
}

/*
 * Called under the lock. The lock is released during librdmacm's call, which may wait for
 * an event.
 */
static int resolve_by_sa(struct cm_id *s, const char *node, const char *service,
			 const struct rdma_addrinfo *hints)
{
	int error;

	s->state = CM_SA;
	pthread_mutex_unlock(&cm.lock);
	error = vbm_sa_resolve(s->id, node, service, hints) ? errno : 0;
	pthread_mutex_lock(&cm.lock);
	if (error)
		s->state = CM_IDLE;
	return error;
}

int vbm_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			 const struct rdma_addrinfo *hints)
{
	struct cm_request *c;
	struct cm_id *s;
	int error;

	if (!id || !id->channel)
		return vbm_refuse(EINVAL);
	c = vbm_mem_zalloc(sizeof(*c));
	if (!c)
		return vbm_refuse(ENOMEM);
	error = vbm_gai_fault_errno(vbm_hints_check(&c->request.work.q, hints));
	pthread_mutex_lock(&cm.lock);
	s = error ? NULL : find_or_make_id(id);
	if (!error && !s)
		error = ENOMEM;
	else if (!error && s->state != CM_IDLE)
		error = EBUSY;
	if (!error && !(c->request.work.q.flags & RAI_SA)) {
		error = start(s, c, node, service);
		c = NULL;
	} else if (!error) {
		error = resolve_by_sa(s, node, service, hints);
	}
	pthread_mutex_unlock(&cm.lock);
	free(c);
	return error ? vbm_refuse(error) : 0;
}

int vbm_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info)
{
	int error = ENOENT;
	struct cm_id *s;

	if (!id || !info)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&cm.lock);
	s = find_id(id);
	if (s && s->state == CM_SA) {
		error = vbm_sa_query(id, info) ? errno : 0;
	} else if (s && s->state == CM_RESOLVED) {
		*info = s->result;
		s->result = NULL;
		error = 0;
	}
	if (!error)
		s->state = CM_IDLE;
	pthread_mutex_unlock(&cm.lock);
	return error ? vbm_refuse(error) : 0;
}

int vbm_cancel(struct rdma_cm_id *id)
{
	struct cm_id *s;
	bool under_way;

	if (!id)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&cm.lock);
	s = find_id(id);
	under_way = s && !s->waits && s->request && !s->request->request.is_over;
	if (under_way) {
		vbm_request_end(&s->request->request, EAI_CANCELED, 0);
		nudge();
	}
	pthread_mutex_unlock(&cm.lock);
	return under_way ? 0 : vbm_refuse(ENOENT);
}

/* The program fetches the event and owns it until it acknowledges it. */
static struct rdma_cm_event *hand_out(struct cm_request *c)
{
	ring_remove(&c->node);
	ring_add(&cm.fetched, &c->node);
	c->owner->fetched++;
	hand_over(c);
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

	pthread_mutex_lock(&cm.lock);
	for (struct ring *n = cm.ready.next; n != &cm.ready && !event; n = n->next) {
		struct cm_request *c = container_of(n, struct cm_request, node);

		if (notifier ? c->notifier == notifier : lacks_notifier(c, channel)) {
			c->notifier = NULL;
			event = hand_out(c);
		}
	}
	pthread_mutex_unlock(&cm.lock);
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
	pthread_mutex_lock(&cm.lock);
	s = find_id(event->id);
	if (s && s->state == CM_SA)
		s->state = CM_IDLE;
	pthread_mutex_unlock(&cm.lock);
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
	pthread_mutex_lock(&cm.lock);
	for (struct ring *n = cm.fetched.next; n != &cm.fetched && !found; n = n->next) {
		struct cm_request *c = container_of(n, struct cm_request, node);

		if (&c->event == event)
			found = c;
	}
	if (found) {
		found->owner->fetched--;
		free_request(found);
		pthread_cond_broadcast(&cm.changed);
	}
	pthread_mutex_unlock(&cm.lock);
	return found ? 0 : vbm_cm_calls.ack_cm_event(event);
}

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
 * The id stays, as rdma_cm's own ids do, until the program has acknowledged the events
 * that it fetched.
 */
void vbm_cm_forget(struct rdma_cm_id *id)
{
	struct rdma_cm_id *notifier = NULL;
	struct cm_id *s;

	pthread_mutex_lock(&cm.lock);
	s = find_id(id);
	if (!s) {
		pthread_mutex_unlock(&cm.lock);
		return;
	}
	if (s->request) {
		notifier = s->request->notifier;
		drop_request(s->request);
		nudge();
	}
	while (s->fetched)
		pthread_cond_wait(&cm.changed, &cm.lock);
	remove_id(s);
	pthread_mutex_unlock(&cm.lock);
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
		pthread_cond_wait(&cm.changed, &cm.lock);
	s->moves = false;
	s->waits = waits;
	c = s->request;
	if (!c || !c->request.is_over)
		return;
	if (waits) {
		hand_over(c);
		free_request(c);
	} else {
		notify(c);
	}
	nudge();
}

int vbm_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct rdma_cm_id *notifier;
	struct cm_id *s;
	int ret, saved;

	if (!id)
		return vbm_refuse(EINVAL);
	pthread_mutex_lock(&cm.lock);
	s = find_or_make_id(id);
	notifier = s ? begin_move(s) : NULL;
	pthread_mutex_unlock(&cm.lock);
	if (!s)
		return -1;
	vbm_notifier_free(notifier);
	ret = vbm_cm_calls.migrate_id(id, channel);
	saved = errno;
	pthread_mutex_lock(&cm.lock);
	end_move(s, ret ? s->waits : !channel);
	pthread_mutex_unlock(&cm.lock);
	errno = saved;
	return ret;
}
