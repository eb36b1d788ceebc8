/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/judge.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/consts.h"
#include "job-walk/act.h"

#define ARRIVAL_MS 500	/* for bytes that come after the completion of their request */

/*
 * On one processor the kernel's threads carry out a request when this process gives up
 * the processor. For most requests a few turns are enough, and they cost less than an event.
 */
#define TURNS 8
#define COMPLETION_MS 2000
#define STATE_MS 500

/* No event announces the result, so look again soon at first, then less often. */
static void pause_between_tries(const struct walk_host *host, int tries)
{
	struct pollfd p = {.fd = host->ctx->async_fd, .events = 0};

	if (tries < TURNS)
		sched_yield();
	else
		poll(&p, 1, tries < TURNS + 5 ? 1 << (tries - TURNS) : 50);
}

/*
 * Takes the next completion of @cq, a queue of @host. False: none came in time.
 * No event wakes this: a queue that was asked for one by a wait would make an event that no operation asked for.
 */
static bool await_completion(const struct walk_host *host, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int64_t deadline = clock_deadline_ms(COMPLETION_MS);
	int tries;

	for (tries = 0; tries < TURNS || clock_left_ms(deadline) > 0 || clock_stood_still(&deadline); tries++) {
		if (ibv_poll_cq(cq, 1, wc) == 1)
			return true;
		pause_between_tries(host, tries);
	}
	return ibv_poll_cq(cq, 1, wc) == 1;
}

/* Takes events until one of @cq comes, or none is there and @ms are over. */
static bool take_event(const struct walk_host *host, const struct ibv_cq *cq, int ms)
{
	struct pollfd p = {.fd = host->channel->fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(ms);
	struct ibv_cq *from = NULL;
	void *context;

	while (from != cq || !from) {
		if (poll(&p, 1, clock_left_ms(deadline)) <= 0 && !(ms && clock_stood_still(&deadline)))
			return false;
		if (ibv_get_cq_event(host->channel, &from, &context) == 0)
			ibv_ack_cq_events(from, 1);
	}
	return true;
}

/* Asks @cq for an event with the next completion. Returns what the call returned. */
static int ask_event(const struct walk_host *host, struct ibv_cq *cq, bool solicited)
{
	/* Events that are there already belong to earlier operations. */
	take_event(host, NULL, 0);
	return ibv_req_notify_cq(cq, solicited);
}

/* Whether @cq made an event; @wait: it may still come. */
static bool has_event(const struct walk_host *host, const struct ibv_cq *cq, bool wait)
{
	return take_event(host, cq, wait ? COMPLETION_MS : 0);
}

/*
 * Waits until the pair is in @state, or, if @drained is set, until it is also drained.
 * @at_once: it has to be so now. Returns the state that it was in last, or -1 if the
 * call failed. Fills *@draining.
 */
static int await_state(struct walk_hosts *w, int host, int pair, enum ibv_qp_state state, bool drained, bool at_once,
		     bool *draining)
{
	int64_t deadline = clock_deadline_ms(STATE_MS);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int tries;

	for (tries = 0;; tries++) {
		if (w->target->query_qp(w->host[host].pair[pair].qp, &attr, IBV_QP_STATE, &init))
			return -1;
		*draining = attr.sq_draining;
		if ((attr.qp_state == state && !(drained && *draining)) || at_once ||
		    (clock_left_ms(deadline) == 0 && !clock_stood_still(&deadline)))
			return (int)attr.qp_state;
		pause_between_tries(&w->host[host], tries);
	}
}

/* Takes asynchronous events of the host's device until one says that @cq is in error. False: none came in time. */
static bool await_overflow(const struct walk_hosts *w, int host, const struct ibv_cq *cq)
{
	struct ibv_context *c = w->host[host].ctx;
	struct pollfd p = {.fd = c->async_fd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(COMPLETION_MS);
	struct ibv_async_event event;
	bool found = false;

	while (!found && (poll(&p, 1, clock_left_ms(deadline)) > 0 || clock_stood_still(&deadline))) {
		if (w->target->get_async_event(c, &event))
			continue;
		found = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq;
		w->target->ack_async_event(&event);
	}
	return found;
}

/* A sequence that is being carried out. */
struct judging {
	struct walk_hosts *hosts;
	struct model_world before, after;
	const struct model_op *op;
	struct model_prediction p;
	struct walk_astray *astray;
	bool touched[MODEL_HOSTS];	/* its shared receive queue has requests, or was changed */
};

/* Says where the walk left the model. Returns false. */
static bool __attribute__((format(printf, 7, 8)))
note_astray(struct judging *k, int host, enum model_rule rule, const char *call, const char *field, const char *expected, const char *fmt, ...)
{
	struct walk_astray *a = k->astray;
	va_list ap;

	a->host = (char)('a' + host);
	a->rule = rule;
	snprintf(a->call, sizeof(a->call), "%s", call);
	snprintf(a->field, sizeof(a->field), "%s", field);
	snprintf(a->expected, sizeof(a->expected), "%s", expected);
	va_start(ap, fmt);
	vsnprintf(a->actual, sizeof(a->actual), fmt, ap);
	va_end(ap);
	return false;
}

static bool judge_return(struct judging *k, int rc)
{
	static const char *const wanted[] = {[RETURN_OK] = "OK", [RETURN_POINTER] = "POINTER", [RETURN_NULL] = "NULL",
					     [RETURN_EINVAL] = "EINVAL", [RETURN_NOT_OK] = "not OK", [RETURN_NOT_SUPPORTED] = "EOPNOTSUPP"};
	enum model_return r = k->p.returns;
	bool fits = r == RETURN_EINVAL ? rc == EINVAL : r == RETURN_NOT_SUPPORTED ? rc == EOPNOTSUPP : r == RETURN_OK || r == RETURN_POINTER ? rc == 0 : rc != 0;

	if (fits)
		return true;
	return note_astray(k, k->op->host, k->p.rule, model_verb_name(k->op->verb), "return", wanted[r], "%s",
			   rc ? const_name(&const_errno, rc) ? const_name(&const_errno, rc) : "an error" : "OK");
}

static bool has_status(const struct model_completion *c, enum ibv_wc_status status)
{
	int i;

	for (i = 0; i < c->statuses; i++)
		if (c->status[i] == status)
			return true;
	return c->statuses == MODEL_ANY || (!c->statuses && status != IBV_WC_SUCCESS);
}

static bool all_bytes(const unsigned char *at, size_t count, int fill)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (at[i] != fill)
			return false;
	return true;
}

static bool judge_message(struct judging *k, const struct model_completion *c, const struct ibv_wc *wc)
{
	const unsigned char *at = k->hosts->host[c->host].memory + MODEL_RECEIVED(c->id);

	if (c->opcode >= 0 && (int)wc->opcode != c->opcode)
		return note_astray(k, c->host, c->rule, "poll_cq", "opcode", const_name(&const_wc_opcode, c->opcode), "%d", wc->opcode);
	if (c->bytes >= 0 && (int)wc->byte_len != c->bytes)
		return note_astray(k, c->host, c->rule, "poll_cq", "length", "the length of the message", "%u",
				   wc->byte_len);
	if (c->receive && (wc->wc_flags & IBV_WC_WITH_IMM ? (int64_t)be32toh(wc->imm_data) : -1) != c->immediate)
		return note_astray(k, c->host, RULE_IMMEDIATE, "poll_cq", "imm", c->immediate < 0 ? "nothing" : "the immediate data of the message", "%s",
				   wc->wc_flags & IBV_WC_WITH_IMM ? "other immediate data" : "nothing");
	if (c->pair == MODEL_DATAGRAM)
		at += MODEL_HEADER;
	if (c->fill != MODEL_OTHER && !all_bytes(at, MODEL_BLOCK, c->fill))
		return note_astray(k, c->host, c->rule, "poll_cq", "data", "the bytes of the message", "other bytes");
	return true;
}

static bool judge_completion(struct judging *k, const struct model_completion *c)
{
	struct walk_host *h = &k->hosts->host[c->host];
	struct walk_pair *pair = &h->pair[c->pair];
	const char *wanted = c->statuses == MODEL_ANY ? "any" : !c->statuses ? "not SUCCESS" : const_name(&const_wc_status, (int64_t)c->status[0]);
	struct ibv_wc wc;

	if (!await_completion(h, c->receive ? pair->recv_cq : pair->send_cq, &wc))
		return note_astray(k, c->host, c->rule, "poll_cq", "answer", wanted, "no completion");
	if (wc.wr_id != c->id)
		return note_astray(k, c->host, c->rule, "poll_cq", "id", wanted, "the completion of another request");
	if (!has_status(c, wc.status))
		return note_astray(k, c->host, c->rule, "poll_cq", "status", wanted, "%s",
				   const_name(&const_wc_status, (int64_t)wc.status) ? const_name(&const_wc_status, (int64_t)wc.status) : "?");
	return wc.status != IBV_WC_SUCCESS || judge_message(k, c, &wc);
}

static bool judge_state(struct judging *k, int h, int n)
{
	enum ibv_qp_state wanted = k->after.pair[h][n].state;
	bool asked = (k->op->verb == VERB_MODIFY || k->op->verb == VERB_SET_ATTRIBUTE) && k->op->host == h && k->op->pair == n, drains, draining = false;
	int got;

	if (!k->after.pair[h][n].known || (!asked && !k->p.settles[h][n]))
		return true;
	/* Draining takes a moment, also if there is nothing to drain. */
	drains = asked && wanted == IBV_QPS_SQD;
	got = await_state(k->hosts, h, n, wanted, drains, !k->p.settles[h][n] && !drains, &draining);
	if (got == (int)wanted && !(drains && draining))
		return true;
	return note_astray(k, h, asked ? RULE_TRANSITION : RULE_ERROR, "query_qp", "state", const_name(&const_qp_state, (int64_t)wanted), "%s",
			   got < 0 ? "an error" : const_name(&const_qp_state, got));
}

static bool has_blocks(const unsigned char *at, const struct model_block *block, int blocks, int *wrong)
{
	const size_t word = sizeof(block->word);
	int i;

	for (i = 0; i < blocks; i++, at += MODEL_BLOCK)
		if (block[i].fill != MODEL_OTHER &&
		    (memcmp(at, &block[i].word, word) || !all_bytes(at + word, MODEL_BLOCK - word, block[i].fill))) {
			*wrong = i;
			return false;
		}
	return true;
}

/* Where a completion is no answer of the peer, what was written may arrive after it. */
static bool await_blocks(const struct judging *k, int host, const unsigned char *at, const struct model_block *block, int blocks,
			 int *wrong)
{
	int64_t deadline = clock_deadline_ms(ARRIVAL_MS);
	bool late = k->after.stack.lacks & 1u << LACK_ACKS;
	int tries;

	for (tries = 0; !has_blocks(at, block, blocks, wrong); tries++) {
		if (!late || (clock_left_ms(deadline) == 0 && !clock_stood_still(&deadline)))
			return false;
		pause_between_tries(&k->hosts->host[host], tries);
	}
	return true;
}

static bool judge_blocks(struct judging *k, int host, enum model_rule rule, const unsigned char *at,
			 const struct model_block *block, int blocks)
{
	int wrong;

	return await_blocks(k, host, at, block, blocks, &wrong) ||
	       note_astray(k, host, rule, "check_buffer", "data", "the bytes that were written last", "block %d has other bytes", wrong);
}

static bool judge_memory(struct judging *k)
{
	const struct model_slot *r = k->p.changed >= 0 ? &k->after.slot[k->p.changed] : NULL;
	const unsigned char *sent = k->hosts->host[k->op->host].memory + MODEL_SENT(k->p.id);
	bool atomic = k->op->verb == VERB_FETCH_ADD || k->op->verb == VERB_CMP_SWAP;

	if (k->op->verb == VERB_READ && k->p.count && k->p.done[0].status[0] == IBV_WC_SUCCESS &&
	    !judge_blocks(k, k->op->host, RULE_READ, sent, k->p.read, k->op->blocks))
		return false;
	if (atomic && k->p.original && memcmp(sent, &k->p.read[0].word, sizeof(k->p.read[0].word)))
		return note_astray(k, k->op->host, model_memory_rule(k->op->verb), "check_buffer", "word",
				   "the bytes that were there before", "other bytes");
	return !r || judge_blocks(k, r->host, model_memory_rule(k->op->verb), k->hosts->object[k->p.changed].at, r->block, MODEL_BLOCKS);
}

/* The queue says that it overflowed. No document says what its queue pairs do then, except that they have a state. */
static bool judge_overflow(struct judging *k)
{
	int h = k->op->receive ? !k->op->host : k->op->host, n;
	const struct walk_pair *p = &k->hosts->host[h].pair[k->op->pair];
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!await_overflow(k->hosts, h, k->op->receive ? p->recv_cq : p->send_cq))
		return note_astray(k, h, RULE_OVERFLOW, "get_async_event", "event", "CQ_ERR", "no event");
	for (n = 0; n < MODEL_HOSTS; n++)
		if (k->hosts->target->query_qp(k->hosts->host[n].pair[k->op->pair].qp, &attr, IBV_QP_STATE, &init) ||
		    (attr.qp_state != IBV_QPS_RTS && attr.qp_state != IBV_QPS_ERR))
			return note_astray(k, n, RULE_OVERFLOW, "query_qp", "state", "RTS or ERR", "another state");
	return true;
}

static struct ibv_cq *receiver_queue(const struct judging *k)
{
	return k->hosts->host[!k->op->host].pair[k->op->pair].recv_cq;
}

static bool judge_event(struct judging *k)
{
	enum model_rule rule = k->op->notice == NOTICE_ANY ? RULE_EVENT : RULE_EVENT_SOLICITED;

	if (k->op->notice == NOTICE_NONE ||
	    has_event(&k->hosts->host[!k->op->host], receiver_queue(k), k->p.event) == k->p.event)
		return true;
	return note_astray(k, !k->op->host, rule, "get_cq_event", "return", k->p.event ? "an event" : "no event", "%s",
			   k->p.event ? "no event" : "an event");
}

/* The kernel fails at a point of the call. A call that fails for that reason changed nothing, so the same call again does what is predicted. */
static int act_failing(struct judging *k)
{
	struct vbm_error err;
	int rc = fault_arm(&k->hosts->fault, k->op->fail, &err);

	if (rc == 0)
		rc = walk_act(k->hosts, &k->before, k->op, k->p.id);
	if (fault_disarm(&k->hosts->fault) && fault_is_no_memory(rc))
		rc = walk_act(k->hosts, &k->before, k->op, k->p.id);
	return rc;
}

/* Carries the operation out in the model and on the hosts. */
static int act(struct judging *k)
{
	k->before = k->after;
	model_predict(&k->after, k->op, &k->p);
	if (k->op->notice != NOTICE_NONE)
		ask_event(&k->hosts->host[!k->op->host], receiver_queue(k), k->op->notice == NOTICE_SOLICITED);
	return k->op->fail ? act_failing(k) : walk_act(k->hosts, &k->before, k->op, k->p.id);
}

static bool walk_op(struct judging *k)
{
	int i, h, rc;

	k->touched[k->op->host] |= k->op->verb == VERB_POST_SRQ || k->op->verb == VERB_MODIFY_SRQ;
	rc = act(k);
	if (k->op->verb == VERB_RECONNECT)
		return rc == 0 || note_astray(k, 0, RULE_TRANSITION, "reconnect", "return", "OK", "%d", rc);
	/* A call that may be refused at once, or end in the completion that follows it. */
	if (k->p.may_refuse)
		return rc != 0 || judge_completion(k, &k->p.done[0]);
	if (!judge_return(k, rc))
		return false;
	if (k->op->verb == VERB_QUERY_SRQ && k->hosts->limit != k->p.limit)
		return note_astray(k, k->op->host, k->p.rule, "query_srq", "srq_limit", "the limit that was set", "%d", k->hosts->limit);
	for (i = 0; i < k->p.count; i++)
		if (!judge_completion(k, &k->p.done[i]))
			return false;
	if (!judge_event(k) || (k->p.overflow && !judge_overflow(k)))
		return false;
	for (h = 0; h < MODEL_HOSTS; h++)
		for (i = 0; i < MODEL_PAIRS; i++)
			if (!judge_state(k, h, i))
				return false;
	return judge_memory(k);
}

/* Every completion was predicted, so no queue has another one. */
static bool judge_empty_queues(struct judging *k)
{
	const struct walk_pair *pair;
	struct ibv_wc wc;
	int h, n, i;

	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++)
			for (i = 0; i < k->after.pair[h][n].lefts; i++)
				if (!judge_completion(k, &k->after.pair[h][n].left[i]))
					return false;
	for (h = 0; h < MODEL_HOSTS; h++)
		for (n = 0; n < MODEL_PAIRS; n++) {
			pair = &k->hosts->host[h].pair[n];
			if (walk_has_pair(k->hosts, n) && k->after.pair[h][n].known && (ibv_poll_cq(pair->send_cq, 1, &wc) || ibv_poll_cq(pair->recv_cq, 1, &wc)))
				return note_astray(k, h, RULE_NONE, "poll_cq", "return", "0", "one more completion, of request %llu",
						   (unsigned long long)wc.wr_id);
		}
	return true;
}

static bool touches_pair(enum model_verb verb)
{
	return model_posts(verb) || verb == VERB_POST_RECV || verb == VERB_MODIFY || verb == VERB_SET_ATTRIBUTE ||
	       verb == VERB_OVERFLOW;
}

static int restore(struct judging *k, const struct sequence *s, struct vbm_error *err)
{
	bool used[MODEL_PAIRS] = {false};
	size_t i;
	int n, rc = walk_clear(k->hosts, err);

	for (i = 0; i < s->count; i++)
		used[s->op[i].pair] |= touches_pair(s->op[i].verb);
	/* A queue pair that is reset must not have requests that wait. */
	for (n = 0; rc == 0 && n < MODEL_HOSTS * MODEL_PAIRS; n++)
		rc = k->after.pair[n / MODEL_PAIRS][n % MODEL_PAIRS].waits ? walk_flush(k->hosts, n / MODEL_PAIRS, n % MODEL_PAIRS, err) : 0;
	for (n = 0; rc == 0 && n < MODEL_PAIRS; n++)
		rc = k->after.pair[0][n].lost ? walk_renew_pair(k->hosts, n, err) : 0;
	/* Nothing takes requests of a shared queue back, so another one replaces it. */
	for (n = 0; rc == 0 && n < MODEL_HOSTS; n++) {
		used[MODEL_SHARED] |= k->touched[n];
		rc = k->touched[n] ? walk_renew_shared(k->hosts, n, err) : 0;
	}
	for (n = 0; rc == 0 && n < MODEL_PAIRS; n++)
		rc = used[n] ? walk_connect(k->hosts, n, err) : 0;
	return rc;
}

int walk_sequence(struct walk_hosts *hosts, const struct sequence *s, struct model_stack stack, struct walk_astray *astray,
		  const struct walk_listener *listener, struct vbm_error *err)
{
	auto_free struct judging *k = xcalloc(1, sizeof(*k));
	bool sound = true;
	size_t i;

	k->hosts = hosts;
	k->astray = astray;
	model_init(&k->after, stack);
	for (i = 0; sound && i < s->count; i++) {
		k->op = &s->op[i];
		astray->op = i;
		if (listener && listener->before(listener->arg, i) < 0)
			return vbm_fail(err, EPIPE, "the runner is gone, so nothing can be reported to it");
		sound = walk_op(k);
	}
	if (!sound || !judge_empty_queues(k))
		return 1;
	return restore(k, s, err);
}
