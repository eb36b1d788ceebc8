/* SPDX-License-Identifier: BSD-2-Clause */
#include "step/numbering.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/verbs.h>

#include "base/xalloc.h"
#include "step/step.h"
#include "step/target.h"

/* More throw-away objects than this are not worth it. */
#define BURN_MAX 1024

struct claim {
	uint32_t first, end;	/* without end; empty when equal */
};

struct number_board {
	pthread_mutex_t lock;	/* robust: agents are killed */
	struct claim claim[NUMBER_ACTORS_MAX][NUMBER_KINDS];
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

static bool has_place(const struct number_board *b, int actor)
{
	return b && actor >= 0 && actor < NUMBER_ACTORS_MAX;
}

void number_board_clear(struct number_board *b, int actor)
{
	if (!has_place(b, actor))
		return;
	lock(b);
	memset(b->claim[actor], 0, sizeof(b->claim[actor]));
	pthread_mutex_unlock(&b->lock);
}

/* The claim of another actor that the numbers from @at on would run into. */
static const struct claim *in_the_way(const struct number_board *b, int actor,
				      enum number_kind kind, uint32_t at)
{
	const struct claim *c;
	int i;

	for (i = 0; i < NUMBER_ACTORS_MAX; i++) {
		c = &b->claim[i][kind];
		if (i != actor && c->first < at + NUMBER_CLAIM && at < c->end)
			return c;
	}
	return NULL;
}

/* Claim the first numbers from @at on that nobody else has; the first of them. */
static uint32_t claim(struct numbering *n, enum number_kind kind, uint32_t at)
{
	struct number_board *b = n->board;
	const struct claim *other;
	struct claim *own;

	if (!has_place(b, n->actor))
		return at;
	lock(b);
	while ((other = in_the_way(b, n->actor, kind, at)))
		at = other->end;
	own = &b->claim[n->actor][kind];
	/* What was claimed before in this scenario may be in use, unless the device began again. */
	if (own->first == own->end || own->first > at)
		own->first = at;
	own->end = at + NUMBER_CLAIM;
	pthread_mutex_unlock(&b->lock);
	n->of[kind].claimed = at + NUMBER_CLAIM;
	return at;
}

void numbering_advance(struct numbering *n, enum number_kind kind,
		       int (*burn)(void *arg, uint32_t *number), void *arg)
{
	uint32_t number, goal;
	int burnt = 0;

	if (!has_place(n->board, n->actor))
		return;
	if (!n->of[kind].known) {
		if (burn(arg, &number) < 0)
			return;
		n->of[kind].next = number + 1;
		n->of[kind].known = true;
		n->of[kind].claimed = 0;
	}
	if (n->of[kind].next < n->of[kind].claimed)
		return;
	goal = claim(n, kind, n->of[kind].next);
	while (n->of[kind].next < goal && burnt++ < BURN_MAX) {
		if (burn(arg, &number) < 0)
			return;
		/* The device began again with its first number. */
		if (number < n->of[kind].next)
			goal = claim(n, kind, number + 1);
		n->of[kind].next = number + 1;
	}
}

void numbering_made(struct numbering *n, enum number_kind kind, uint32_t number)
{
	/* Another one than foreseen: somebody else uses the device, too. */
	n->of[kind].known = number == n->of[kind].next;
	n->of[kind].next = number + 1;
}

void numbering_failed(struct numbering *n, enum number_kind kind)
{
	n->of[kind].known = false;
}

struct maker {
	const struct target *target;	/* NULL: the system's */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	void *buffer;
};

static int burn_qp(void *arg, uint32_t *number)
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

static int burn_mr(void *arg, uint32_t *number)
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

	numbering_advance(ctx->numbering, NUMBER_QP, burn_qp, &m);
}

void numbering_before_mr(struct step_ctx *ctx, struct ibv_pd *pd)
{
	static _Alignas(64) unsigned char buffer[64];
	struct maker m = {.target = ctx->target, .pd = pd, .buffer = buffer};

	numbering_advance(ctx->numbering, NUMBER_MR, burn_mr, &m);
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

/* The device stays open until the agent ends. */
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
		numbering_advance(n, NUMBER_QP, burn_qp, &(struct maker){.pd = n->pd, .cq = n->cq});
}

/*
 * Between what programs and the loader use, and above the shadow of a
 * sanitizer; the second where processes have 512 GiB only.
 */
static const uint64_t bases[] = {UINT64_C(0x200000000000), UINT64_C(0x2000000000)};
#define RANGE_BYTES (UINT64_C(1) << 34)

static void *map_at(uint64_t at, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0);

	return mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

void *numbering_map(struct numbering *n, size_t bytes)
{
	uint64_t at;
	void *p;
	size_t i;

	for (i = 0; sizeof(void *) == 8 && i < ARRAY_SIZE(bases); i++) {
		at = bases[i] + (uint64_t)n->actor * RANGE_BYTES + n->mapped;
		if (n->mapped + bytes > RANGE_BYTES)
			break;
		p = map_at(at, bytes);
		if (p == MAP_FAILED)
			continue;
		n->mapped += bytes;
		return p;
	}
	return map_at(0, bytes);
}
