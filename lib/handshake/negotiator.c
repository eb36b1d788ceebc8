/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's side of a negotiator: requests go in, outcomes come out. */
#include "lib/handshake/negotiator.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/base/thread.h"
#include "lib/qp/qp.h"

#define DEPTH_DEFAULT 1024
#define DEPTH_MAX (1u << 20)

static bool in_init(const struct vbm_qp *qp)
{
	return qp->qp && qp->qp->state == IBV_QPS_INIT;
}

static const struct negotiator_verbs real = {in_init, vbm_handshake_to_rts, vbm_handshake_give_up,
					     vbm_qp_back_to_init};

/* The eventfd is edge-triggered: waking up is enough, and nothing has to be read. */
static void on_wakeup(struct watch *wakeup, uint32_t events)
{
	(void)wakeup;
	(void)events;
}

static void release_negotiator(struct vbm_negotiator *n)
{
	vbm_loop_fini(&n->loop);
	if (n->wakeup.fd >= 0)
		close(n->wakeup.fd);
	if (n->notify_fd >= 0)
		close(n->notify_fd);
	free(n->free_slot);
	free(n->generation);
	free(n->qp);
	free(n->job);
	free(n->request);
	free(n->outcome);
	free(n->outcome_slot);
	free(n->asked);
	free(n);
}

static bool allocate(struct vbm_negotiator *n)
{
	size_t depth = n->depth, i;

	n->to_thread.size = 2 * n->depth;
	n->to_program.size = 2 * n->depth;	/* see vbm_negotiation_ask() */
	n->free_slot = vbm_mem_alloc(depth * sizeof(*n->free_slot));
	n->generation = vbm_mem_zalloc(depth * sizeof(*n->generation));
	n->qp = vbm_mem_zalloc(depth * sizeof(struct vbm_qp *));
	n->job = vbm_mem_alloc(depth * sizeof(*n->job));
	n->request = vbm_mem_alloc(2 * depth * sizeof(*n->request));
	n->outcome = vbm_mem_alloc(2 * depth * sizeof(*n->outcome));
	n->outcome_slot = vbm_mem_alloc(2 * depth * sizeof(*n->outcome_slot));
	n->asked = vbm_mem_alloc(depth * sizeof(*n->asked));
	if (!n->free_slot || !n->generation || !n->qp || !n->job || !n->request || !n->outcome ||
	    !n->outcome_slot || !n->asked)
		return false;
	for (i = 0; i < depth; i++) {
		n->asked[i] = (struct asked_client){.generation = 1, .next_free = (uint32_t)i + 1};
		n->free_slot[i] = (uint32_t)(depth - 1 - i);
		n->job[i].qp = NULL;
		n->job[i].error.code = 0;
	}
	n->free_count = n->depth;
	return true;
}

/* The timer only makes the descriptor readable. */
static void on_due(struct timer *due)
{
	(void)due;
}

static struct vbm_negotiator *make_empty(const struct vbm_negotiator_options *o,
					 const struct negotiator_verbs *verbs)
{
	struct vbm_negotiator *n;

	if (posix_memalign((void **)&n, 64, sizeof(*n)))
		return NULL;
	memset(n, 0, sizeof(*n));
	n->verbs = verbs ? verbs : &real;
	n->in_loop = o->in_loop != 0;
	n->loop.epfd = n->loop.timerfd = n->wakeup.fd = n->notify_fd = -1;
	for (n->depth = 1; n->depth < (o->depth ? o->depth : DEPTH_DEFAULT);)
		n->depth *= 2;
	n->wakeup.ready = on_wakeup;
	n->due.fire = on_due;
	ring_init(&n->listeners);
	ring_init(&n->negotiations);
	ring_init(&n->devices);
	vbm_mover_init(&n->mover, &n->loop);
	return n;
}

static int set_up_thread(struct vbm_negotiator *n)
{
	int rc;

	n->wakeup.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	n->notify_fd = n->wakeup.fd < 0 ? -1 : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	rc = n->notify_fd < 0 ? errno : -vbm_loop_add(&n->loop, &n->wakeup, EPOLLIN | EPOLLET);
	return rc ? rc : vbm_thread_start(&n->thread, vbm_negotiator_run, n);
}

int vbm_negotiator_make(struct vbm_negotiator **negotiator,
			const struct vbm_negotiator_options *options,
			const struct negotiator_verbs *verbs, struct vbm_error *error)
{
	struct vbm_negotiator_options o;
	struct vbm_negotiator *n;
	int rc;

	if (!negotiator)
		return -vbm_fail(error, EINVAL, "the pointer to the new negotiator is NULL");
	*negotiator = NULL;
	vbm_negotiator_options_init(&o);
	rc = options ? vbm_options_take(&o, sizeof(o), options, "negotiator_options", error) : 0;
	if (rc)
		return rc;
	if (o.depth > DEPTH_MAX)
		return -vbm_fail(error, EINVAL, "depth: %u is more than %u", o.depth, DEPTH_MAX);
	n = make_empty(&o, verbs);
	if (!n)
		return -vbm_fail(error, ENOMEM, "out of memory");
	rc = allocate(n) ? -vbm_loop_init(&n->loop) : ENOMEM;
	n->loop.lazy = true;
	if (rc == 0 && !n->in_loop)
		rc = set_up_thread(n);
	if (rc) {
		release_negotiator(n);
		return -vbm_fail(error, rc, "cannot start the negotiator%s: %s", o.in_loop ? "" : "'s thread",
				 strerror(rc));
	}
	*negotiator = n;
	return 0;
}

void vbm_negotiator_options_init_sized(struct vbm_negotiator_options *options, size_t size)
{
	static const struct vbm_negotiator_options all;

	vbm_options_give(options, size, &all, sizeof(all));
}

int vbm_create_negotiator(struct vbm_negotiator **negotiator,
			  const struct vbm_negotiator_options *options, struct vbm_error *error)
{
	return vbm_negotiator_make(negotiator, options, NULL, error);
}

/* The queue pair of @slot, if any, is the program's again, with the error of its job. */
static void give_back(struct vbm_negotiator *n, uint32_t slot)
{
	struct vbm_qp *qp = n->qp[slot];

	if (!qp)
		return;
	if (n->job[slot].error.code)
		qp->error = n->job[slot].error;
	n->job[slot].error.code = 0;
	n->qp[slot] = NULL;
	qp->negotiation = 0;
	__atomic_store_n(&qp->connecting, 0, __ATOMIC_RELEASE);
}

int vbm_destroy_negotiator(struct vbm_negotiator *n)
{
	struct vbm_outcome *o;
	uint32_t i;

	if (!n)
		return 0;
	if (n->in_loop) {
		n->working = true;	/* for the program's callbacks */
		vbm_negotiator_end(n);
	} else {
		__atomic_store_n(&n->stop, 1, __ATOMIC_RELEASE);
		vbm_loop_raise(n->wakeup.fd);
		pthread_join(n->thread, NULL);
	}
	for (; !queue_empty(&n->to_program); queue_pop(&n->to_program)) {
		o = &n->outcome[queue_first(&n->to_program)];
		if (o->socket >= 0)
			close(o->socket);
	}
	for (i = 0; i < n->depth; i++)
		give_back(n, i);
	release_negotiator(n);
	return 0;
}

/* Returns the request to fill in, or NULL when too many outcomes have not been collected. */
static struct negotiator_request *begin_request(struct vbm_negotiator *n, enum request_kind kind,
						bool has_outcome)
{
	struct negotiator_request *r = &n->request[queue_end(&n->to_thread)];

	if (queue_full(&n->to_thread) || (has_outcome && !n->free_count))
		return NULL;
	memset(r, 0, offsetof(struct negotiator_request, private_data));
	r->kind = kind;
	r->has_outcome = has_outcome;
	return r;
}

/*
 * Of a negotiator without a thread: after a call has done work, the descriptor is readable
 * while there are outcomes, and wakes for the soonest timer.
 */
static void wake_program(struct vbm_negotiator *n)
{
	if (queue_empty(&n->to_program))
		vbm_timer_disarm(&n->due);
	else if (!n->due.next)
		vbm_timer_arm(&n->loop, &n->due, loop_now(&n->loop));
	vbm_loop_settle(&n->loop);
}

static void submit(struct vbm_negotiator *n, struct negotiator_request *r, struct vbm_qp *qp,
		   void *context)
{
	r->qp = qp;
	r->context = context;
	if (r->has_outcome) {
		r->slot = n->free_slot[--n->free_count];
		r->generation = n->generation[r->slot];
		n->qp[r->slot] = qp;
		if (qp) {
			qp->negotiation = (int)r->slot + 1;
			__atomic_store_n(&qp->connecting, 1, __ATOMIC_RELEASE);
		}
	}
	queue_push(&n->to_thread);
	if (n->in_loop) {
		vbm_negotiator_take(n);
		wake_program(n);
	} else if (__atomic_exchange_n(&n->asleep, 0, __ATOMIC_SEQ_CST)) {
		vbm_loop_raise(n->wakeup.fd);
	}
}

static int take_address(struct negotiator_request *r, const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		memcpy(&r->address.in, address, sizeof(r->address.in));
	else if (address->sa_family == AF_INET6)
		memcpy(&r->address.in6, address, sizeof(r->address.in6));
	else
		return EAFNOSUPPORT;
	return 0;
}

/* The thread reads a copy, because the program may change its private data after the call. */
static void keep_options(struct negotiator_request *r, const struct vbm_listen_options *o)
{
	r->options = *o;
	r->options.handshake.private_data = NULL;
	if (o->handshake.private_length)
		memcpy(r->private_data, o->handshake.private_data, o->handshake.private_length);
}

/* @from may be NULL. */
static int take_options(struct vbm_handshake_options *to, const struct vbm_handshake_options *from,
			struct vbm_error *error)
{
	int rc;

	vbm_handshake_options_init(to);
	rc = from ? vbm_handshake_take_options(to, from, error) : 0;
	if (rc == 0 && to->request)
		rc = -vbm_fail(error, EINVAL, "request: a negotiator does not call it; see decide of "
			       "vbm_listen_options");
	if (rc == 0 && to->interrupt)
		rc = -vbm_fail(error, EOPNOTSUPP, "interrupt: a negotiator has vbm_negotiator_cancel() for that");
	return rc;
}

void vbm_listen_options_init_sized(struct vbm_listen_options *options, size_t size)
{
	static const struct vbm_listen_options all = {.handshake.size = sizeof(all.handshake)};

	vbm_options_give(options, size, &all, sizeof(all));
}

static int take_listen_options(struct vbm_listen_options *to, const struct vbm_listen_options *from)
{
	struct vbm_handshake_options handshake;
	int rc;

	vbm_listen_options_init(to);
	rc = from ? vbm_options_take(to, sizeof(*to), from, "listen_options", NULL) : 0;
	if (rc)
		return rc;
	to->handshake.size = to->handshake.size ? to->handshake.size : sizeof(to->handshake);
	rc = take_options(&handshake, &to->handshake, NULL);
	to->handshake = handshake;
	return rc;
}

static int check_qp(const struct vbm_negotiator *n, struct vbm_qp *qp)
{
	if (qp->negotiation)
		return -vbm_fail(&qp->error, EBUSY, "queue pair %u is in a handshake already", qp->local.qp_num);
	if (!n->verbs->in_init(qp))
		return -vbm_fail(&qp->error, EINVAL, "queue pair %u is not in INIT", qp->local.qp_num);
	return 0;
}

int vbm_negotiator_listen(struct vbm_negotiator *n, const struct sockaddr *address,
			  const struct vbm_listen_options *options, void *context, int *listener)
{
	struct negotiator_request *r;
	struct vbm_listen_options own;
	int rc;

	if (!n || !address || !listener)
		return EINVAL;
	rc = take_listen_options(&own, options);
	if (rc)
		return rc;
	r = begin_request(n, REQUEST_LISTEN, true);
	if (!r)
		return EAGAIN;
	rc = take_address(r, address);
	if (rc)
		return rc;
	keep_options(r, &own);
	*listener = r->listener = ++n->last_listener;
	submit(n, r, NULL, context);
	return 0;
}

int vbm_negotiator_offer(struct vbm_negotiator *n, int listener, struct vbm_qp *qp, void *context)
{
	struct negotiator_request *r;
	int rc;

	if (!n || !qp)
		return EINVAL;
	rc = check_qp(n, qp);
	if (rc)
		return rc;
	r = begin_request(n, REQUEST_OFFER, true);
	if (!r)
		return EAGAIN;
	r->listener = listener;
	submit(n, r, qp, context);
	return 0;
}

int vbm_negotiator_connect(struct vbm_negotiator *n, struct vbm_qp *qp,
			   const struct sockaddr *address,
			   const struct vbm_handshake_options *options, void *context)
{
	struct negotiator_request *r;
	struct vbm_listen_options own;
	int rc;

	if (!n || !qp || !address)
		return EINVAL;
	vbm_listen_options_init(&own);
	rc = check_qp(n, qp);
	rc = rc ? rc : take_options(&own.handshake, options, &qp->error);
	if (rc)
		return rc;
	r = begin_request(n, REQUEST_CONNECT, true);
	if (!r)
		return EAGAIN;
	rc = take_address(r, address);
	if (rc)
		return rc;
	keep_options(r, &own);
	submit(n, r, qp, context);
	return 0;
}

/* @qp may be NULL. */
static int submit_answer(struct vbm_negotiator *n, enum request_kind kind, uint64_t client, struct vbm_qp *qp,
			 const void *private_data, size_t length, void *context)
{
	struct vbm_listen_options own;
	struct negotiator_request *r;

	if (!n || !client || length > VBM_HANDSHAKE_PRIVATE_MAX || (length && !private_data))
		return EINVAL;
	r = begin_request(n, kind, qp != NULL);
	if (!r)
		return EAGAIN;
	vbm_listen_options_init(&own);
	own.handshake.private_data = private_data;
	own.handshake.private_length = length;
	keep_options(r, &own);
	r->client = client;
	submit(n, r, qp, context);
	return 0;
}

int vbm_negotiator_accept(struct vbm_negotiator *n, uint64_t request, struct vbm_qp *qp,
			  const void *private_data, size_t private_length, void *context)
{
	int rc = n && qp ? check_qp(n, qp) : 0;

	return rc ? rc : submit_answer(n, REQUEST_ACCEPT, request, qp, private_data, private_length, context);
}

int vbm_negotiator_reject(struct vbm_negotiator *n, uint64_t request, const void *private_data,
			  size_t private_length)
{
	return submit_answer(n, REQUEST_REJECT, request, NULL, private_data, private_length, NULL);
}

int vbm_negotiator_cancel(struct vbm_negotiator *n, struct vbm_qp *qp)
{
	struct negotiator_request *r;

	if (!n || !qp)
		return EINVAL;
	if (!qp->negotiation)
		return ENOENT;
	r = begin_request(n, REQUEST_CANCEL, false);
	if (!r)
		return EAGAIN;
	r->slot = (uint32_t)qp->negotiation - 1;
	r->generation = n->generation[r->slot];
	submit(n, r, NULL, NULL);
	return 0;
}

int vbm_negotiator_close(struct vbm_negotiator *n, int listener, void *context)
{
	struct negotiator_request *r;

	if (!n)
		return EINVAL;
	r = begin_request(n, REQUEST_CLOSE, true);
	if (!r)
		return EAGAIN;
	r->listener = listener;
	submit(n, r, NULL, context);
	return 0;
}

static int take_outcomes(struct vbm_negotiator *n, struct vbm_outcome *outcome, int room)
{
	uint32_t at, slot;
	int count;

	for (count = 0; count < room && !queue_empty(&n->to_program); count++) {
		at = queue_first(&n->to_program);
		slot = n->outcome_slot[at];
		outcome[count] = n->outcome[at];
		queue_pop(&n->to_program);
		if (slot == NO_SLOT)
			continue;
		give_back(n, slot);
		n->generation[slot]++;
		n->free_slot[n->free_count++] = slot;
	}
	return count;
}

/* Of a negotiator without a thread; see vbm_negotiator_work(). */
static int work_and_take(struct vbm_negotiator *n, struct vbm_outcome *outcome, int room,
			 int timeout_ms, int *count)
{
	int rc = queue_empty(&n->to_program) ? vbm_negotiator_work(n, timeout_ms) : 0;

	*count = take_outcomes(n, outcome, room);
	wake_program(n);
	return rc;
}

int vbm_negotiator_collect(struct vbm_negotiator *n, struct vbm_outcome *outcome, int room,
			   int *count)
{
	if (!n || !outcome || !count || room < 1)
		return EINVAL;
	if (n->in_loop && n->working)
		return EBUSY;
	if (n->in_loop)
		work_and_take(n, outcome, room, 0, count);
	else
		*count = take_outcomes(n, outcome, room);
	return 0;
}

int vbm_negotiator_fd(const struct vbm_negotiator *n)
{
	if (!n)
		return -1;
	return n->in_loop ? loop_fd(&n->loop) : n->notify_fd;
}

int vbm_negotiator_notify(struct vbm_negotiator *n)
{
	uint64_t notified;

	if (!n)
		return EINVAL;
	if (n->in_loop)
		return 0;
	/*
	 * The thread sets this flag before it writes. A notification that is not readable
	 * yet is read next time.
	 */
	if (__atomic_load_n(&n->notified, __ATOMIC_ACQUIRE)) {
		if (read(n->notify_fd, &notified, sizeof(notified)) == sizeof(notified))
			__atomic_store_n(&n->notified, 0, __ATOMIC_RELAXED);
		else if (errno != EAGAIN)
			return errno;
	}
	__atomic_store_n(&n->armed, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* Wait for the thread. 0: there may be outcomes. */
static int wait_for_thread(const struct vbm_negotiator *n, int timeout_ms)
{
	struct pollfd p = {.fd = n->notify_fd, .events = POLLIN};
	int ready = poll(&p, 1, timeout_ms);

	return ready > 0 ? 0 : ready < 0 ? errno : ETIMEDOUT;
}

/* Without a thread the wait itself does the work, and may end without an outcome. */
static int work_until(struct vbm_negotiator *n, struct vbm_outcome *outcome, int room, int timeout_ms,
		      bool last, int *count)
{
	int rc = work_and_take(n, outcome, room, timeout_ms, count);

	if (*count)
		return 0;
	return rc ? rc : last ? ETIMEDOUT : 0;
}

int vbm_negotiator_wait(struct vbm_negotiator *n, struct vbm_outcome *outcome, int room,
			int timeout_ms, int *count)
{
	int64_t end = 0;
	int rc, left;

	if (!n || !outcome || !count || room < 1)
		return EINVAL;
	rc = n->in_loop && n->working ? EBUSY : 0;
	*count = 0;
	if (!n->in_loop)
		*count = take_outcomes(n, outcome, room);
	while (rc == 0 && *count == 0) {
		if (!n->in_loop)
			rc = vbm_negotiator_notify(n);
		if (rc == 0 && !n->in_loop)
			*count = take_outcomes(n, outcome, room);
		if (rc || *count)
			break;
		/* The first wait takes the full time; later ones take the rest of it. */
		left = end ? vbm_loop_ms_left(end) : timeout_ms;
		end = end ? end : vbm_loop_end_after(timeout_ms);
		rc = n->in_loop ? work_until(n, outcome, room, left, left == 0, count) :
				  wait_for_thread(n, left);
	}
	return rc;
}
