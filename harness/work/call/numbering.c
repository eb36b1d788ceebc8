/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/numbering.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/verbs.h>

#include "base/xalloc.h"
#include "call/target.h"
#include "names/host.h"
#include "step/step.h"

/* A limit for the objects that are made only to advance a counter. */
#define ADVANCE_MAX 1024

/* One kind of number on the device of one host. */
struct counter {
	bool known;		/* the value of the device's counter */
	uint32_t next;		/* the next number that the device will give */
	/*
	 * The numbers from "first" up to (without) "end" are claimed for this
	 * host; none if both are equal. Only those from "latest" on are unused.
	 */
	uint32_t first, latest, end;
};

struct number_board {
	pthread_mutex_t lock;	/* robust, because agents may be killed */
	int agents[NUMBER_HOSTS_MAX];
	struct counter counter[NUMBER_HOSTS_MAX][NUMBER_KINDS];
};

struct number_board *number_board_new(void)
{
	struct number_board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;

	if (b == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&b->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return b;
}

void number_board_free(struct number_board *b)
{
	if (b)
		munmap(b, sizeof(*b));
}

static void lock(struct number_board *b)
{
	if (pthread_mutex_lock(&b->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&b->lock);
}

static void unlock(struct number_board *b)
{
	pthread_mutex_unlock(&b->lock);
}

static bool has_slot(const struct number_board *b, int host)
{
	return b && host >= 0 && host < NUMBER_HOSTS_MAX;
}

void number_board_enter(struct number_board *b, int host)
{
	if (!has_slot(b, host))
		return;
	lock(b);
	b->agents[host]++;
	unlock(b);
}

void number_board_leave(struct number_board *b, int host)
{
	if (!has_slot(b, host))
		return;
	lock(b);
	if (--b->agents[host] == 0)
		memset(b->counter[host], 0, sizeof(b->counter[host]));
	unlock(b);
}

/* The claim of another host that overlaps with a claim at @at. */
static const struct counter *overlapping_claim(const struct number_board *b, int host,
					enum number_kind kind, uint32_t at)
{
	const struct counter *c;
	int i;

	for (i = 0; i < NUMBER_HOSTS_MAX; i++) {
		c = &b->counter[i][kind];
		if (i != host && c->first < at + NUMBER_CLAIM && at < c->end)
			return c;
	}
	return NULL;
}

/*
 * The number to which the device must count: its next one if this host has
 * claimed that, otherwise the first number of a new claim.
 */
static uint32_t find_goal(struct number_board *b, int host, enum number_kind kind)
{
	struct counter *own = &b->counter[host][kind];
	const struct counter *other;
	uint32_t at = own->next;

	if (own->latest <= at && at < own->end)
		return at;
	while ((other = overlapping_claim(b, host, kind, at)))
		at = other->end;
	/* Keep an older claim, because its numbers may be in use, unless the device counts from the start again. */
	if (own->first == own->end || own->first > at)
		own->first = at;
	own->latest = at;
	own->end = at + NUMBER_CLAIM;
	return at;
}

static void store_next(struct numbering *n, enum number_kind kind, bool known, uint32_t next)
{
	struct counter *c;

	if (!has_slot(n->board, n->host))
		return;
	lock(n->board);
	c = &n->board->counter[n->host][kind];
	c->known = known;
	c->next = next;
	unlock(n->board);
}

/* Whether the device must count further before the next object is made. */
static bool must_advance(struct numbering *n, enum number_kind kind)
{
	struct counter *c = &n->board->counter[n->host][kind];
	bool must;

	lock(n->board);
	must = !c->known || find_goal(n->board, n->host, kind) != c->next;
	unlock(n->board);
	return must;
}

void numbering_advance(struct numbering *n, enum number_kind kind,
		       int (*advance)(void *arg, uint32_t *number), void *arg)
{
	uint32_t number;
	int made;

	if (!has_slot(n->board, n->host))
		return;
	for (made = 0; made < ADVANCE_MAX && must_advance(n, kind); made++) {
		if (advance(arg, &number) < 0)
			return;
		store_next(n, kind, true, number + 1);
	}
}

void numbering_made(struct numbering *n, enum number_kind kind, uint32_t number)
{
	store_next(n, kind, true, number + 1);
}

void numbering_failed(struct numbering *n, enum number_kind kind)
{
	store_next(n, kind, false, 0);
}

struct maker {
	const struct target *target;	/* NULL: the system's */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	void *buffer;
};

static int advance_qp(void *arg, uint32_t *number)
{
	const struct maker *m = arg;
	struct ibv_qp_init_attr init = {
		.send_cq = m->cq,
		.recv_cq = m->cq,
		.qp_type = IBV_QPT_UD,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_qp *qp = m->target ? m->target->create_qp(m->pd, &init) : ibv_create_qp(m->pd, &init);

	if (!qp)
		return -1;
	*number = qp->qp_num;
	if (m->target)
		m->target->destroy_qp(qp);
	else
		ibv_destroy_qp(qp);
	return 0;
}

static int advance_mr(void *arg, uint32_t *number)
{
	const struct maker *m = arg;
	struct ibv_mr *mr = m->target->reg_mr(m->pd, m->buffer, 64, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		return -1;
	*number = mr->lkey >> 8;
	m->target->dereg_mr(mr);
	return 0;
}

void numbering_before_qp(struct step_ctx *ctx, struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct maker m = {.target = ctx->target, .pd = pd, .cq = cq};

	numbering_advance(ctx->numbering, NUMBER_QP, advance_qp, &m);
}

void numbering_before_mr(struct step_ctx *ctx, struct ibv_pd *pd)
{
	static _Alignas(64) unsigned char buffer[64];
	struct maker m = {.target = ctx->target, .pd = pd, .buffer = buffer};

	numbering_advance(ctx->numbering, NUMBER_MR, advance_mr, &m);
}

static struct ibv_context *open_own(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d = list;
	struct ibv_context *verbs = NULL;

	while (d && *d && strcmp(ibv_get_device_name(*d), name) != 0)
		d++;
	if (d && *d)
		verbs = ibv_open_device(*d);
	if (list)
		ibv_free_device_list(list);
	return verbs;
}

/* The device that this opens stays open until the agent ends. */
void numbering_before_ep(struct step_ctx *ctx)
{
	struct numbering *n = ctx->numbering;
	struct ibv_context *verbs;

	if (!n->cq) {
		verbs = open_own(ctx->host->dev);
		n->pd = verbs ? ibv_alloc_pd(verbs) : NULL;
		n->cq = n->pd ? ibv_create_cq(verbs, 1, NULL, NULL, 0) : NULL;
	}
	if (n->cq)
		numbering_advance(n, NUMBER_QP, advance_qp, &(struct maker){.pd = n->pd, .cq = n->cq});
}

/*
 * Between the addresses that programs and the loader use, and above the shadow
 * memory of a sanitizer. The second row is for processes with only 512 GiB.
 */
static const struct {
	uint64_t base, bytes;	/* start for the first agent; size for each */
} ranges[] = {
	{UINT64_C(0x200000000000), UINT64_C(1) << 34},
	{UINT64_C(0x2000000000), UINT64_C(1) << 30},
};
#define PROCESSES_MAX 16

static void *map_at(uint64_t at, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);

	return mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

void *numbering_map(struct numbering *n, size_t bytes)
{
	uint64_t agent = (uint64_t)n->host * PROCESSES_MAX + (uint64_t)n->process % PROCESSES_MAX;
	void *p;
	size_t i;

	for (i = 0; sizeof(void *) == 8 && i < ARRAY_SIZE(ranges); i++) {
		if (n->mapped + bytes > ranges[i].bytes)
			continue;
		p = map_at(ranges[i].base + agent * ranges[i].bytes + n->mapped, bytes);
		if (p == MAP_FAILED)
			continue;
		n->mapped += bytes;
		return p;
	}
	return map_at(0, bytes);
}
