/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/domain.h>

#include "lib/base/fail.h"
#include "lib/base/loop.h"
#include "lib/base/mem.h"
#include "lib/qp/device.h"

#define EVENTS_UNACKED_MAX 64	/* each acknowledgement takes a lock */
#define NUMBERS 64		/* lists of queue pairs, by the last bits of their number */

/* A queue pair that uses the completion queue. */
struct completions_user {
	struct completions_user *next;
	struct vbm_qp *qp;
};

struct completions {
	struct vbm_completions pub;	/* first */
	struct vbm_domain *domain;	/* NULL: made for one queue pair */
	unsigned int unacked;		/* events that were taken */
	pthread_mutex_t lock;		/* of the members below */
	struct completions_user **list;	/* owned; @lists of them, a power of 2 */
	size_t lists, count;
};

static struct completions *completions_of(struct vbm_completions *pub)
{
	return (struct completions *)pub;
}

static int destroy_parts(struct completions *c)
{
	int rc = 0;

	if (c->pub.cq) {
		ibv_ack_cq_events(c->pub.cq, c->unacked);
		c->unacked = 0;
		rc = ibv_destroy_cq(c->pub.cq);
	}
	if (rc)
		return -vbm_fail(&c->pub.error, rc, "ibv_destroy_cq fails: %s", strerror(rc));
	c->pub.cq = NULL;
	rc = c->pub.channel ? ibv_destroy_comp_channel(c->pub.channel) : 0;
	if (rc)
		return -vbm_fail(&c->pub.error, rc, "ibv_destroy_comp_channel fails: %s", strerror(rc));
	c->pub.channel = NULL;
	return 0;
}

int vbm_completions_end(struct vbm_completions *completions)
{
	struct completions *c = completions_of(completions);
	int rc = c ? destroy_parts(c) : 0;

	if (!c || rc)
		return rc;
	pthread_mutex_destroy(&c->lock);
	free(c->list);
	free(c);
	return 0;
}

int vbm_completions_of_parts(struct vbm_completions **completions, struct ibv_cq *cq)
{
	struct completions *c = vbm_mem_zalloc(sizeof(*c));

	*completions = c ? &c->pub : NULL;
	if (!c)
		return ENOMEM;
	pthread_mutex_init(&c->lock, NULL);
	c->pub.cq = cq;
	c->pub.channel = cq ? cq->channel : NULL;
	return 0;
}

int vbm_completions_make(struct vbm_completions **completions, struct ibv_context *context, int room,
			 struct vbm_error *error)
{
	struct vbm_completions *c;
	int rc = vbm_completions_of_parts(completions, NULL);

	if (rc)
		return -vbm_fail(error, rc, "out of memory");
	c = *completions;
	errno = 0;
	c->channel = ibv_create_comp_channel(context);
	if (!c->channel)
		rc = -vbm_device_call_failed(error, "ibv_create_comp_channel", ibv_get_device_name(context->device));
	errno = 0;
	c->cq = rc ? NULL : ibv_create_cq(context, room, NULL, c->channel, 0);
	if (rc == 0 && !c->cq)
		rc = -vbm_device_call_failed(error, "ibv_create_cq", ibv_get_device_name(context->device));
	if (rc) {
		vbm_completions_end(c);
		*completions = NULL;
	}
	return rc;
}

static int check_room(int room, struct ibv_context *context, struct vbm_error *error)
{
	struct ibv_device_attr limits;
	int rc;

	if (room < 1)
		return -vbm_fail(error, EINVAL, "room: a completion queue has room for at least 1 completion, not %d",
				 room);
	rc = ibv_query_device(context, &limits);
	if (rc)
		return -vbm_fail(error, rc, "ibv_query_device fails on the device %s: %s",
				 ibv_get_device_name(context->device), strerror(rc));
	return room <= limits.max_cqe ? 0 : -vbm_fail(error, EINVAL, "room: %d is more than the device %s allows, %d",
						      room, ibv_get_device_name(context->device), limits.max_cqe);
}

int vbm_create_completions(struct vbm_completions **completions, struct vbm_domain *domain, int room,
			   struct vbm_error *error)
{
	int rc;

	if (completions)
		*completions = NULL;
	if (!completions || !domain)
		return -vbm_fail(error, EINVAL, "the pointer to the new completion queue or its domain is NULL");
	rc = check_room(room, domain->context, error);
	rc = rc ? rc : vbm_completions_make(completions, domain->context, room, error);
	if (rc)
		return rc;
	completions_of(*completions)->domain = domain;
	vbm_domain_join(domain);
	return 0;
}

int vbm_destroy_completions(struct vbm_completions *completions)
{
	struct completions *c = completions_of(completions);
	struct vbm_domain *domain;
	size_t count;
	int rc;

	if (!c)
		return 0;
	domain = c->domain;
	pthread_mutex_lock(&c->lock);
	count = c->count;
	pthread_mutex_unlock(&c->lock);
	if (!domain)
		return -vbm_fail(&completions->error, EBUSY, "the completion queue belongs to one queue pair, and ends "
				 "with it");
	if (count)
		return -vbm_fail(&completions->error, EBUSY, "%zu queue pairs use the completion queue", count);
	rc = vbm_completions_end(completions);
	if (rc == 0)
		vbm_domain_leave(domain);
	return rc;
}

static struct completions_user **list_of(const struct completions *c, uint32_t qp_num)
{
	return &c->list[qp_num & (c->lists - 1)];
}

/* Twice the lists, when there is a queue pair for each. */
static int grow(struct completions *c)
{
	struct completions_user **before = c->list, *u, *next;
	size_t i, lists = c->lists;

	if (c->count < lists)
		return 0;
	c->list = vbm_mem_zalloc((lists ? 2 * lists : NUMBERS) * sizeof(*c->list));
	if (!c->list) {
		c->list = before;
		return lists ? 0 : ENOMEM;
	}
	c->lists = lists ? 2 * lists : NUMBERS;
	for (i = 0; i < lists; i++) {
		for (u = before[i]; u; u = next) {
			struct completions_user **list = list_of(c, u->qp->local.qp_num);

			next = u->next;
			u->next = *list;
			*list = u;
		}
	}
	free(before);
	return 0;
}

int vbm_completions_join(struct vbm_completions *completions, struct vbm_qp *qp)
{
	struct completions *c = completions_of(completions);
	struct completions_user *u = vbm_mem_alloc(sizeof(*u)), **list;
	int rc;

	if (!u)
		return ENOMEM;
	pthread_mutex_lock(&c->lock);
	rc = grow(c);
	if (rc == 0) {
		list = list_of(c, qp->local.qp_num);
		*u = (struct completions_user){*list, qp};
		*list = u;
		c->count++;
	}
	pthread_mutex_unlock(&c->lock);
	if (rc)
		free(u);
	return rc;
}

void vbm_completions_leave(struct vbm_completions *completions, const struct vbm_qp *qp)
{
	struct completions *c = completions_of(completions);
	struct completions_user **at, *gone = NULL;

	pthread_mutex_lock(&c->lock);
	for (at = c->lists ? list_of(c, qp->local.qp_num) : NULL; at && *at && !gone;) {
		if ((*at)->qp == qp)
			gone = *at;
		else
			at = &(*at)->next;
	}
	if (gone) {
		*at = gone->next;
		c->count--;
	}
	pthread_mutex_unlock(&c->lock);
	free(gone);
}

struct vbm_qp *vbm_find_qp(struct vbm_completions *completions, uint32_t qp_num)
{
	struct completions *c = completions_of(completions);
	struct completions_user *u;
	struct vbm_qp *qp;

	if (!c)
		return NULL;
	pthread_mutex_lock(&c->lock);
	for (u = c->lists ? *list_of(c, qp_num) : NULL; u && u->qp->local.qp_num != qp_num;)
		u = u->next;
	qp = u ? u->qp : NULL;
	pthread_mutex_unlock(&c->lock);
	return qp;
}

static int poll_queue(const struct completions *c, struct ibv_wc *wc, int room, int *count)
{
	int n = ibv_poll_cq(c->pub.cq, room, wc);

	*count = n > 0 ? n : 0;
	return n < 0 ? EIO : 0;
}

int vbm_completions_next_event(struct vbm_completions *completions, int64_t end, unsigned int interrupt)
{
	struct completions *c = completions_of(completions);
	struct pollfd p[2] = {
		{.fd = c->pub.channel->fd, .events = POLLIN}, {.fd = (int)interrupt - 1, .events = POLLIN},
	};
	struct ibv_cq *cq;
	uint64_t times;
	void *context;
	int n;

	n = poll(p, 2, vbm_loop_ms_left(end));
	if (n <= 0)
		return n < 0 ? errno : ETIMEDOUT;
	if (p[1].revents && read(p[1].fd, &times, sizeof(times)) > 0)
		return ECANCELED;
	if (!p[0].revents)
		return 0;	/* another thread has read the interrupt */
	if (ibv_get_cq_event(c->pub.channel, &cq, &context))
		return errno ? errno : EIO;
	if (++c->unacked >= EVENTS_UNACKED_MAX) {
		ibv_ack_cq_events(c->pub.cq, c->unacked);
		c->unacked = 0;
	}
	return 0;
}

/* Take the events that came before, because they would keep the descriptor readable. */
static int take_events(struct vbm_completions *completions)
{
	int rc;

	do {
		rc = vbm_completions_next_event(completions, vbm_loop_end_after(0), 0);
	} while (rc == 0);
	return rc == ETIMEDOUT ? 0 : rc;
}

int vbm_collect_completions(struct vbm_completions *completions, struct ibv_wc *wc, int room, int *count)
{
	const struct completions *c = completions_of(completions);
	int rc;

	if (!c || !wc || !count || room < 1)
		return EINVAL;
	rc = poll_queue(c, wc, room, count);
	if (rc || *count)
		return rc;
	rc = take_events(completions);
	rc = rc ? rc : ibv_req_notify_cq(c->pub.cq, 0);
	/* A completion just before that call made no event. */
	return rc ? rc : poll_queue(c, wc, room, count);
}
