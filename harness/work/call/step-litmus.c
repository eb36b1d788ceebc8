/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "call/step-util.h"
#include "litmus/program.h"
#include "names/consts.h"
#include "names/host.h"

/*
 * The queue pairs and the memory of a litmus program. Both ends of each connection are in
 * this process, so that the program's processor can look at the memory at any time.
 */
#define LITMUS_BATCH 32		/* so many copies of a program run at the same time, each with words of its own */

struct litmus_pair {
	struct ibv_qp *own, *peer;
	struct ibv_cq *sends, *receives;
};

struct litmus_run {
	const struct target *target;		/* borrowed */
	struct ibv_pd *pd;			/* borrowed */
	const struct litmus_program *program;	/* borrowed */
	int port, gid_index;
	uint64_t random;
	int64_t deadline_ns;
	unsigned char *memory;			/* owned */
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct litmus_pair pair[LITMUS_PAIRS];
	int received[LITMUS_PAIRS];		/* messages of this batch that the processor has taken */
	uint64_t message[LITMUS_PAIRS][LITMUS_BATCH * LITMUS_INSTRUCTIONS];
	enum ibv_wc_status status;		/* the first completion that did not succeed */
};

/*
 * Where a copy of a program has its bytes: each word and each register in a cache line of its
 * own, then the values that requests send, and room for the messages of each queue pair.
 */
#define LITMUS_LINE 64
#define LITMUS_VALUES (LITMUS_ACTORS * LITMUS_INSTRUCTIONS)
#define LITMUS_COPY 1024
#define LITMUS_REQUESTS (LITMUS_BATCH * LITMUS_INSTRUCTIONS + 1)
#define LITMUS_MESSAGES (LITMUS_BATCH * LITMUS_COPY)	/* the offset of the first message */
#define LITMUS_BYTES (LITMUS_MESSAGES + LITMUS_PAIRS * LITMUS_BATCH * LITMUS_INSTRUCTIONS * 8)

static unsigned char *litmus_at(const struct litmus_run *r, int copy, int offset)
{
	return r->memory + (size_t)copy * LITMUS_COPY + (size_t)offset;
}

/* The value that the instruction @item of @actor sends. */
static int litmus_value_offset(int actor, int item)
{
	return (LITMUS_WORDS + LITMUS_REGISTERS) * LITMUS_LINE + (actor * LITMUS_INSTRUCTIONS + item) * 8;
}

/* The room for the message @n of a queue pair. */
static unsigned char *litmus_message(const struct litmus_run *r, int pair, int n)
{
	return r->memory + LITMUS_MESSAGES + (size_t)(pair * LITMUS_BATCH * LITMUS_INSTRUCTIONS + n) * 8;
}

#define PSN 0x1234
#define DEPTH 16	/* reads and atomics at the same time */

static int fail_call(struct vbm_error *err, int code, const char *call)
{
	code = code > 0 ? code : errno ? errno : EIO;
	return vbm_fail(err, code, "%s of the litmus program failed: %s", call, strerror(code));
}

static struct ibv_qp *make_qp(struct litmus_run *r, struct ibv_cq *send, struct ibv_cq *recv)
{
	struct ibv_qp_init_attr init = {
		.send_cq = send, .recv_cq = recv, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = LITMUS_REQUESTS, .max_recv_wr = LITMUS_REQUESTS, .max_send_sge = 1, .max_recv_sge = 1},
	};

	return r->target->create_qp(r->pd, &init);
}

static int connect_one(struct litmus_run *r, struct ibv_qp *qp, const struct ibv_qp *peer, const union ibv_gid *gid)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)r->port};
	int ret;

	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	ret = r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (ret)
		return ret;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = peer->qp_num;
	attr.rq_psn = attr.sq_psn = PSN;
	attr.max_dest_rd_atomic = attr.max_rd_atomic = DEPTH;
	attr.min_rnr_timer = 1;
	attr.ah_attr = (struct ibv_ah_attr){
		.is_global = 1, .port_num = (uint8_t)r->port, .grh = {.dgid = *gid, .sgid_index = (uint8_t)r->gid_index, .hop_limit = 64},
	};
	ret = r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = attr.rnr_retry = 6;
	return r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int make_pair(struct litmus_run *r, struct litmus_pair *p, struct vbm_error *err)
{
	struct ibv_context *ctx = r->pd->context;
	union ibv_gid gid;
	int ret;

	p->sends = r->target->create_cq(ctx, LITMUS_REQUESTS, NULL, r->channel, 0);
	p->receives = p->sends ? r->target->create_cq(ctx, LITMUS_REQUESTS, NULL, r->channel, 0) : NULL;
	if (!p->receives)
		return fail_call(err, 0, "ibv_create_cq");
	p->own = make_qp(r, p->sends, p->sends);
	p->peer = p->own ? make_qp(r, p->receives, p->receives) : NULL;
	if (!p->peer)
		return fail_call(err, 0, "ibv_create_qp");
	if (r->target->query_gid(ctx, (uint8_t)r->port, r->gid_index, &gid))
		return fail_call(err, 0, "ibv_query_gid");
	ret = connect_one(r, p->own, p->peer, &gid);
	ret = ret ? ret : connect_one(r, p->peer, p->own, &gid);
	return ret ? fail_call(err, ret, "ibv_modify_qp") : 0;
}

/* Makes the objects. Returns 0 or a negative errno; litmus_close() in either case. */
static int litmus_open(struct litmus_run *r, struct vbm_error *err)
{
	int i, rc = 0;

	r->memory = mmap(NULL, LITMUS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r->memory == MAP_FAILED) {
		r->memory = NULL;
		return fail_call(err, 0, "mmap");
	}
	errno = 0;
	r->channel = r->target->create_comp_channel(r->pd->context);
	if (!r->channel)
		return fail_call(err, 0, "ibv_create_comp_channel");
	r->mr = r->target->reg_mr(r->pd, r->memory, LITMUS_BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (!r->mr)
		return fail_call(err, 0, "ibv_reg_mr");
	for (i = 0; rc == 0 && i < r->program->actors; i++)
		if (r->program->actor[i].pair >= 0)
			rc = make_pair(r, &r->pair[r->program->actor[i].pair], err);
	return rc;
}

static void litmus_close(struct litmus_run *r)
{
	struct litmus_pair *p;
	int i;

	for (i = 0; i < LITMUS_PAIRS; i++) {
		p = &r->pair[i];
		if (p->own)
			r->target->destroy_qp(p->own);
		if (p->peer)
			r->target->destroy_qp(p->peer);
		if (p->sends)
			r->target->destroy_cq(p->sends);
		if (p->receives)
			r->target->destroy_cq(p->receives);
	}
	if (r->mr)
		r->target->dereg_mr(r->mr);
	if (r->channel)
		r->target->destroy_comp_channel(r->channel);
	if (r->memory)
		munmap(r->memory, LITMUS_BYTES);
}

/* As in job-walk/judge.c: most requests are carried out within a few turns of the processor. */
#define TURNS 16

static bool wait_event(struct litmus_run *r)
{
	struct pollfd p = {.fd = r->channel->fd, .events = POLLIN};
	struct ibv_cq *cq;
	void *context;

	if (poll(&p, 1, clock_left_ms(r->deadline_ns)) <= 0)
		return false;
	if (r->target->get_cq_event(r->channel, &cq, &context) == 0)
		r->target->ack_cq_events(cq, 1);
	return true;
}

static bool litmus_await(struct litmus_run *r, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
		sched_yield();
	}
	do {
		/* A completion may have come before the queue was asked for an event. */
		if (ibv_req_notify_cq(cq, 0))
			return false;
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
	} while (wait_event(r));
	return ibv_poll_cq(cq, 1, wc) == 1;
}

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

static const uint64_t *litmus_register(const struct litmus_run *r, int copy, int reg)
{
	return (const uint64_t *)litmus_at(r, copy, (LITMUS_WORDS + reg) * LITMUS_LINE);
}

static uint64_t *litmus_word(const struct litmus_run *r, int copy, int word)
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

/* Runs @count copies. The results are in litmus_register() and litmus_word(). 1: a request failed, see @status. */
static int litmus_batch(struct litmus_run *r, int count, struct vbm_error *err)
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

static void describe_outcome(const struct litmus_run *r, int copy, char text[static HISTOGRAM_TEXT])
{
	size_t at = 0;
	int i;

	for (i = 0; i < LITMUS_REGISTERS; i++)
		if (r->program->used[i])
			at += (size_t)snprintf(text + at, HISTOGRAM_TEXT - at, "%s%c=%llu", at ? " " : "", 'a' + i,
					       (unsigned long long)*litmus_register(r, copy, i));
	for (i = 0; i < LITMUS_WORDS && at < 80; i++)
		if (*litmus_word(r, copy, i))
			at += (size_t)snprintf(text + at, HISTOGRAM_TEXT - at, "%s%c=%llu", at ? " " : "", 'x' + i,
					       (unsigned long long)*litmus_word(r, copy, i));
}

/* Runs the program @times times. Returns how often the outcome came, or a negative errno. */
static int run_all(struct litmus_run *r, int times, const struct litmus_outcome *outcome, struct histogram *h, struct vbm_error *err)
{
	uint64_t reg[LITMUS_REGISTERS];
	char text[HISTOGRAM_TEXT];
	int seen = 0, rc = 0, n, i, k;

	for (; rc == 0 && times; times -= n) {
		n = times < LITMUS_BATCH ? times : LITMUS_BATCH;
		rc = litmus_batch(r, n, err);
		for (i = 0; rc == 0 && i < n; i++) {
			for (k = 0; k < LITMUS_REGISTERS; k++)
				reg[k] = *litmus_register(r, i, k);
			seen += litmus_outcome_holds(outcome, reg, (uint64_t[]){*litmus_word(r, i, 0), *litmus_word(r, i, 1),
										*litmus_word(r, i, 2)});
			describe_outcome(r, i, text);
			histogram_note(h, text);
		}
	}
	return rc < 0 ? rc : seen;
}

STEP(run_litmus)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	auto_free struct histogram *h = xcalloc(1, sizeof(*h));
	auto_free struct litmus_run *r = xcalloc(1, sizeof(*r));
	auto_free char *outcomes = NULL;
	struct litmus_outcome outcome;
	struct litmus_program program;
	int seen;

	if (!pd || litmus_program_read(&program, value_get_string(args, "program", ""), err) < 0 ||
	    litmus_outcome_read(&outcome, value_get_string(args, "outcome", ""), &program, err) < 0)
		return -err->code;
	*r = (struct litmus_run){
		.target = ctx->target, .pd = pd, .program = &program, .port = ctx->host->port,
		.gid_index = ctx->host->gid_index4, .random = (uint64_t)value_get_int(args, "seed", 1) * 2 + 1,
		.deadline_ns = ctx->deadline_ns,
	};
	seen = litmus_open(r, err);
	if (seen == 0) {
		seen = run_all(r, (int)value_get_int(args, "times", 1000), &outcome, h, err);
		ctx->wait_failed = seen == -ETIMEDOUT;
	}
	litmus_close(r);
	if (seen < 0)
		return -err->code;
	outcomes = histogram_show(h);
	value_set_int(result, "return", 0);
	value_set_int(result, "status", r->status);
	value_set_int(result, "seen", seen);
	value_set_string(result, "outcomes", outcomes);
	return 0;
}

#define DEADLINE_LITMUS_MS 10000	/* they take half a second */

static const struct param litmus_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	{.name = "program", .type = PARAM_STRING, .required = true,
	 .doc = "actors, separated by |, each with instructions, separated by commas: docs/litmus.md"},
	{.name = "outcome", .type = PARAM_STRING, .required = true,
	 .doc = "the outcome to count: values of registers, and of words at the end, such as a=1 b=0 x=2"},
	P_INT("times", 1, 10000000, "how often the program runs; default 1000"),
	P_INT("seed", 0, INT32_MAX, "decides how the actors take turns; default 1"),
	{NULL},
};
static const struct field litmus_fields[] = {
	F_INT("return", "always 0"),
	F_CONST("status", &const_wc_status, "SUCCESS, or how the first request that failed ended"),
	F_INT("seen", "how often the outcome came"),
	F_STRING("outcomes", "each outcome and how often it came, the most frequent first; 'others' are those beyond 64"),
	F_ELAPSED,
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "litmus", .call = "ibv_post_send(3)",
	 .doc = "Run a program of several queue pairs and the processor on the same words again and again, and count what comes.",
	 .params = litmus_params, .fields = litmus_fields, .deadline_ms = DEADLINE_LITMUS_MS, .waits = true, .run = run_litmus},
	{NULL},
};

const struct step_family family_litmus = {"litmus", "The order of accesses to memory.", steps, .only_objects = true};
