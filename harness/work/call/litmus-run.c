/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "call/litmus-memory.h"
#include "lib/base/fail.h"

/* How far an actor is in the present batch. */
struct progress {
	int from, to;		/* the instructions that are posted together */
	int copies;		/* for which they are posted; of the processor: which are done */
	bool outstanding;	/* the last one of them has not completed */
};

/* A number below @below. */
static int litmus_random(struct litmus_run *r, int below)
{
	/* xorshift */
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return (int)(r->random % (uint64_t)below);
}

const uint64_t *litmus_register(const struct litmus_run *r, int copy, int reg)
{
	return (const uint64_t *)litmus_at(r, copy, (LITMUS_WORDS + reg) * LITMUS_LINE);
}

uint64_t *litmus_word(const struct litmus_run *r, int copy, int word)
{
	return (uint64_t *)litmus_at(r, copy, word * LITMUS_LINE);
}

static void store_register(const struct litmus_run *r, int copy, int reg, uint64_t value)
{
	memcpy(litmus_at(r, copy, (LITMUS_WORDS + reg) * LITMUS_LINE), &value, sizeof(value));
}

static int post_receives(struct litmus_run *r, int count, struct vbm_error *err)
{
	const struct litmus_program *p = r->program;
	struct ibv_recv_wr wr, *bad;
	struct ibv_sge sge;
	int a, k, c, n;

	for (a = 0; a < p->actors; a++)
		for (k = n = 0; p->actor[a].pair >= 0 && k < p->actor[a].count; k++)
			for (c = 0; p->actor[a].item[k].op == LITMUS_SEND && c < count; c++, n++) {
				sge = (struct ibv_sge){.addr = (uintptr_t)litmus_message(r, p->actor[a].pair, n), .length = 8, .lkey = r->mr->lkey};
				wr = (struct ibv_recv_wr){.wr_id = (uint64_t)n, .sg_list = &sge, .num_sge = 1};
				if (ibv_post_recv(r->pair[p->actor[a].pair].peer, &wr, &bad))
					return vbm_fail(err, EIO, "ibv_post_recv of the litmus program failed");
			}
	return 0;
}

/* One request of a copy. */
static void fill_request(const struct litmus_run *r, int actor, int item, int copy, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	static const enum ibv_wr_opcode opcodes[LITMUS_OPS] = {
		[LITMUS_WRITE] = IBV_WR_RDMA_WRITE, [LITMUS_READ] = IBV_WR_RDMA_READ, [LITMUS_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[LITMUS_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP, [LITMUS_SEND] = IBV_WR_SEND,
	};
	const struct litmus_instruction *in = &r->program->actor[actor].item[item];
	unsigned char *at = litmus_at(r, copy, litmus_value_offset(actor, item));
	uint64_t target = in->word >= 0 ? (uintptr_t)litmus_word(r, copy, in->word) : 0;

	if (in->reg >= 0)
		at = litmus_at(r, copy, (LITMUS_WORDS + in->reg) * LITMUS_LINE);
	else
		memcpy(at, &in->value, sizeof(in->value));
	*sge = (struct ibv_sge){.addr = (uintptr_t)at, .length = 8, .lkey = r->mr->lkey};
	*wr = (struct ibv_send_wr){.opcode = opcodes[in->op], .sg_list = sge, .num_sge = 1,
				   .send_flags = in->fenced ? IBV_SEND_FENCE : 0};
	if (in->op == LITMUS_ADD || in->op == LITMUS_SWAP) {
		wr->wr.atomic.remote_addr = target;
		wr->wr.atomic.rkey = r->mr->rkey;
		wr->wr.atomic.compare_add = in->op == LITMUS_ADD ? in->value : in->old;
		wr->wr.atomic.swap = in->value;
	} else {
		wr->wr.rdma.remote_addr = target;
		wr->wr.rdma.rkey = r->mr->rkey;
	}
}

/* Posts the instructions of the present part for the next copies, as one list. */
static int post_part(struct litmus_run *r, int actor, struct progress *g, int count, struct vbm_error *err)
{
	const struct litmus_actor *a = &r->program->actor[actor];
	int copies = 1 + litmus_random(r, count - g->copies), n = 0, c, k;
	struct ibv_send_wr wr[LITMUS_BATCH * LITMUS_INSTRUCTIONS], *bad;
	struct ibv_sge sge[LITMUS_BATCH * LITMUS_INSTRUCTIONS];

	for (c = g->copies; c < g->copies + copies; c++)
		for (k = g->from; k < g->to; k++, n++) {
			fill_request(r, actor, k, c, &wr[n], &sge[n]);
			if (n)
				wr[n - 1].next = &wr[n];
		}
	g->copies += copies;
	if (g->copies == count)
		wr[n - 1].send_flags |= IBV_SEND_SIGNALED;
	g->outstanding |= g->copies == count;
	if (n && ibv_post_send(r->pair[a->pair].own, wr, &bad))
		return vbm_fail(err, EIO, "ibv_post_send of the litmus program failed");
	return 0;
}

/* Waits for the last request of a part. 1: it failed. */
static int await_part(struct litmus_run *r, int pair, struct progress *g, struct vbm_error *err)
{
	struct ibv_wc wc;

	if (!g->outstanding)
		return 0;
	if (!litmus_await(r, r->pair[pair].sends, &wc))
		return vbm_fail(err, ETIMEDOUT, "the litmus program got no completion in time");
	g->outstanding = false;
	if (wc.status == IBV_WC_SUCCESS)
		return 0;
	r->status = wc.status;
	return 1;
}

/* The next part of a queue pair goes up to its next "wait". False: there is none. */
static bool next_part(const struct litmus_actor *a, struct progress *g)
{
	if (g->to >= a->count)
		return false;
	g->from = g->to + (a->item[g->to].op == LITMUS_WAIT);
	for (g->to = g->from; g->to < a->count && a->item[g->to].op != LITMUS_WAIT; g->to++)
		;
	g->copies = 0;
	return g->from < g->to;
}

/* The message of the queue pair that belongs to the @nth receive instruction of a copy. */
static int receive_message(struct litmus_run *r, int pair, int nth, uint64_t *value, struct vbm_error *err)
{
	struct ibv_wc wc;

	/* Messages of a queue pair come in their order, those of one copy after those of the copy before it. */
	while (r->received[pair] <= nth) {
		if (!litmus_await(r, r->pair[pair].receives, &wc))
			return vbm_fail(err, ETIMEDOUT, "the litmus program got no message in time");
		if (wc.status != IBV_WC_SUCCESS) {
			r->status = wc.status;
			return 1;
		}
		memcpy(&r->message[pair][r->received[pair]++], litmus_message(r, pair, (int)wc.wr_id), 8);
	}
	*value = r->message[pair][nth];
	return 0;
}

/* How many messages a copy of the program sends by the queue pair. */
static int messages_of(const struct litmus_program *p, int pair)
{
	int i, k, n = 0;

	for (i = 0; i < p->actors; i++)
		for (k = 0; p->actor[i].pair == pair && k < p->actor[i].count; k++)
			n += p->actor[i].item[k].op == LITMUS_SEND;
	return n;
}

/* The program of the processor for one copy. */
static int run_copy(struct litmus_run *r, const struct litmus_actor *a, int copy, struct vbm_error *err)
{
	const struct litmus_instruction *in;
	int taken[LITMUS_PAIRS] = {0}, k, rc = 0;
	uint64_t value, *word;

	for (k = 0; rc == 0 && k < a->count; k++) {
		in = &a->item[k];
		word = in->word >= 0 ? litmus_word(r, copy, in->word) : NULL;
		value = in->value;
		if (in->op == LITMUS_STORE)
			__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
		else if (in->op == LITMUS_LOAD)
			value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
		else if (in->op == LITMUS_LOCAL_ADD)
			value = __atomic_fetch_add(word, in->value, __ATOMIC_SEQ_CST);
		else
			rc = receive_message(r, in->pair, copy * messages_of(r->program, in->pair) + taken[in->pair]++, &value, err);
		if (in->reg >= 0)
			store_register(r, copy, in->reg, value);
		if (litmus_random(r, 4) == 0)
			sched_yield();
	}
	return rc;
}

/* For how many copies all messages are posted that the processor waits for. */
static int posted(const struct litmus_program *p, const struct progress *g, const bool *over, int count)
{
	int i, n, least = count;

	for (i = 0; p->receives && i < p->actors; i++) {
		if (p->actor[i].pair < 0 || over[i] || !messages_of(p, p->actor[i].pair))
			continue;
		n = g[i].to == p->actor[i].count ? g[i].copies : 0;
		least = n < least ? n : least;
	}
	return least;
}

/* The processor's turn: a few copies, up to @limit. */
static int turn_of_processor(struct litmus_run *r, const struct litmus_actor *a, struct progress *g, int limit, struct vbm_error *err)
{
	int rc = 0, n;

	for (n = 1 + litmus_random(r, 8); rc == 0 && n && g->copies < limit; n--)
		rc = run_copy(r, a, g->copies++, err);
	return rc;
}

/* One turn of a queue pair. 1: a request failed. @over: it is done. */
static int turn(struct litmus_run *r, int actor, struct progress *g, int count, bool *over, struct vbm_error *err)
{
	const struct litmus_actor *a = &r->program->actor[actor];
	int rc;

	if (g->copies == count || g->to == 0) {
		rc = await_part(r, a->pair, g, err);
		*over = rc == 0 && !next_part(a, g);
		return rc;
	}
	return post_part(r, actor, g, count, err);
}

static void clear(struct litmus_run *r)
{
	memset(r->memory, 0, LITMUS_MESSAGES);
	memset(r->received, 0, sizeof(r->received));
	r->status = IBV_WC_SUCCESS;
}

int litmus_batch(struct litmus_run *r, int count, struct vbm_error *err)
{
	const struct litmus_program *p = r->program;
	struct progress g[LITMUS_ACTORS] = {{.from = 0}};
	bool over[LITMUS_ACTORS] = {false};
	int left = p->actors, rc, i;

	clear(r);
	rc = post_receives(r, count, err);
	while (rc == 0 && left) {
		i = litmus_random(r, p->actors);
		if (over[i])
			continue;
		if (p->actor[i].pair < 0) {
			rc = turn_of_processor(r, &p->actor[i], &g[i], posted(p, g, over, count), err);
			over[i] = g[i].copies == count;
		} else {
			rc = turn(r, i, &g[i], count, &over[i], err);
		}
		left -= over[i];
	}
	return rc;
}
