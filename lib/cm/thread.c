/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/cm/state.h"


#include "lib/base/fork.h"
#include "lib/base/thread.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/engine.h"

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
	for (struct ring *n = vbm_cm.ready.next; n != &vbm_cm.ready; n = n->next)
		if (!container_of(n, struct cm_request, node)->notifier)
			return false;
	return true;
}

void vbm_cm_thread_close(void)
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
		pthread_mutex_lock(&vbm_cm.lock);
		vbm_engine_run(&engine);
		more = engine.requests || !all_notified();
		if (!more) {
			vbm_cm_thread_close();
			threaded = false;
		}
		pthread_mutex_unlock(&vbm_cm.lock);
	}
	return NULL;
}

void vbm_cm_nudge(void)
{
	if (!threaded)
		return;
	vbm_timer_arm(&engine.loop, &retry, vbm_loop_now());
	vbm_loop_settle(&engine.loop);
}

/* 0 or an errno. */
int vbm_cm_thread_need(void)
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
	if (vbm_cm_thread_need())
		vbm_cm_thread_close();
}

/*
 * While an id migrates no notifier is made for it; vbm_migrate_id() makes one on the new
 * channel. When a notifier cannot be made, the thread tries again, and until then
 * vbm_get_cm_event() finds the event without one.
 */
void vbm_cm_notify(struct cm_request *c)
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
	for (struct ring *n = vbm_cm.ready.next; n != &vbm_cm.ready; n = n->next)
		vbm_cm_notify(container_of(n, struct cm_request, node));
}

static void before_fork(void)
{
	pthread_mutex_lock(&vbm_cm.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&vbm_cm.lock);
}

/* The parent keeps the thread and gets the events, so the child drops the requests. */
static void in_child(void)
{
	vbm_engine_cut(&engine);
	while (!ring_empty(&vbm_cm.running))
		vbm_cm_drop_request(container_of(vbm_cm.running.next, struct cm_request, node));
	vbm_cm_thread_close();
	threaded = false;
	pthread_cond_init(&vbm_cm.changed, NULL);
	pthread_mutex_unlock(&vbm_cm.lock);
}

static void __attribute__((constructor)) prepare(void)
{
	vbm_engine_init(&engine, &vbm_gai_system);
	retry.fire = on_retry;
	vbm_fork_join(FORK_CM, before_fork, after_fork, in_child);
}

struct engine *vbm_cm_engine(void)
{
	return &engine;
}
