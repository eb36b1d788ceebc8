/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: model/model.h */
/* Where a shipped scenario says what the model can express, the model predicts what the scenario expects. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "model/model.h"
#include "run/selection.h"

enum { A, B };
#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)
#define REG(rights) {.verb = VERB_REG_MR, .host = B, .made = 0, .access = (rights), .region = -1, .window = -1, .key = -1}
#define OTHER_DOMAIN {.verb = VERB_REG_MR, .host = B, .made = 0, .access = ALL, .domain = 1, .region = -1, .window = -1, .key = -1}
#define DEREG {.verb = VERB_DEREG_MR, .host = B, .region = 0, .window = -1, .key = -1, .made = -1}
#define ALLOC(kind) {.verb = VERB_ALLOC_MW, .host = B, .made = 1, .type = (kind), .region = -1, .window = -1, .key = -1}
#define DEALLOC {.verb = VERB_DEALLOC_MW, .host = B, .window = 1, .region = -1, .key = -1, .made = -1}
#define BIND(on, kind, slot, count, rights) {.verb = VERB_BIND, .host = B, .pair = (on), .type = (kind), .made = (slot), \
					    .window = 1, .region = 0, .key = -1, .blocks = (count), .access = (rights)}
#define BIND_ZERO(from, count, rights) {.verb = VERB_BIND, .host = B, .type = 2, .made = 2, .window = 1, .region = 0, .key = -1, \
					.first = (from), .blocks = (count), .access = (rights), .zero = true}
#define INVALIDATE(name) {.verb = VERB_LOCAL_INV, .host = B, .key = (name), .made = -1, .region = -1, .window = -1}
#define RECEIVE {.verb = VERB_POST_RECV, .host = B, .made = -1, .region = -1, .window = -1, .key = -1}
#define SEND {.verb = VERB_SEND, .host = A, .made = -1, .region = -1, .window = -1, .key = -1}
#define SEND_INV(name) {.verb = VERB_SEND_INV, .host = A, .key = (name), .made = -1, .region = -1, .window = -1}
#define ACCESS(kind, on, name) {.verb = (kind), .host = A, .pair = (on), .key = (name), .blocks = 1, .made = -1, \
				.region = -1, .window = -1, .fill = 0x77}
#define TO(on, to) {.verb = VERB_MODIFY, .host = (on), .state = (to), .made = -1, .region = -1, .window = -1, .key = -1}

#define HANDLE {.verb = VERB_CREATE_AH, .host = A, .pair = MODEL_DATAGRAM, .made = 0, .region = -1, .window = -1, .key = -1}
#define DATAGRAM(key_of) {.verb = VERB_DATAGRAM, .host = A, .pair = MODEL_DATAGRAM, .handle = 0, .qkey = (key_of), .made = -1, \
			  .region = -1, .window = -1, .key = -1}
#define RECEIVE_ON(on) {.verb = VERB_POST_RECV, .host = B, .pair = (on), .made = -1, .region = -1, .window = -1, .key = -1}
#define SEND_ON(on) {.verb = VERB_SEND, .host = A, .pair = (on), .made = -1, .region = -1, .window = -1, .key = -1}
#define SHARE {.verb = VERB_POST_SRQ, .host = B, .pair = MODEL_SHARED, .made = -1, .region = -1, .window = -1, .key = -1}
#define ALLOW(rights) {.verb = VERB_SET_ATTRIBUTE, .host = B, .changes = IBV_QP_ACCESS_FLAGS, .access = (rights), .made = -1, \
		       .region = -1, .window = -1, .key = -1}
#define REREG(rights) {.verb = VERB_REREG_MR, .host = B, .region = 0, .changes = IBV_REREG_MR_CHANGE_ACCESS, .access = (rights), \
		       .made = -1, .window = -1, .key = -1}

#define READS IBV_ACCESS_REMOTE_READ
#define WRITES IBV_ACCESS_REMOTE_WRITE
#define LOCAL IBV_ACCESS_LOCAL_WRITE

/* The last operation leads to the completion that the poll_cq number @poll (from 0; -1: the last) of the variant expects. */
static const struct agreement {
	const char *variant;
	int poll;
	struct model_op op[8];
	int count;
} rows[] = {
	{"data/mw-bound-twice", 1, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, READS), BIND(0, 2, 3, 1, READS)}, 4},
	{"data/mw-bound-by-two", 1, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, READS), BIND(1, 2, 3, 1, READS)}, 4},
	{"data/mw-bound-to-nothing", 0, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 0, 0)}, 3},
	{"data/mw-never-bound[type=1]", 0, {REG(ALL), ALLOC(1), ACCESS(VERB_WRITE, 0, 1)}, 3},
	{"data/mw-never-bound[type=2]", 0, {REG(ALL), ALLOC(2), ACCESS(VERB_WRITE, 0, 1)}, 3},
	{"data/mw-other-queue-pair", 1, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), ACCESS(VERB_WRITE, 1, 2)}, 4},
	{"data/mw-same-domain", 1, {REG(ALL), ALLOC(1), BIND(0, 1, 2, 4, WRITES), ACCESS(VERB_WRITE, 1, 2)}, 4},
	{"data/mw-old-key[type=1]", -1,
	 {REG(ALL), ALLOC(1), BIND(0, 1, 2, 4, WRITES), BIND(0, 1, 3, 4, WRITES), ACCESS(VERB_WRITE, 0, 2)}, 5},
	{"data/mw-old-key[type=2]", -1,
	 {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), INVALIDATE(2), BIND(0, 2, 3, 4, WRITES), ACCESS(VERB_WRITE, 0, 2)}, 6},
	{"data/mw-unbound[how=bound-to-no-byte,type=1]", 2, {REG(ALL), ALLOC(1), BIND(0, 1, 2, 4, WRITES), BIND(0, 1, 3, 0, 0)}, 4},
	{"data/mw-unbound[how=bound-to-no-byte,type=1]", -1,
	 {REG(ALL), ALLOC(1), BIND(0, 1, 2, 4, WRITES), BIND(0, 1, 3, 0, 0), ACCESS(VERB_WRITE, 0, 2)}, 5},
	{"data/mw-unbound[how=local-invalidate,type=2]", 2, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), INVALIDATE(2)}, 4},
	{"data/mw-unbound[how=local-invalidate,type=2]", -1,
	 {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), INVALIDATE(2), ACCESS(VERB_WRITE, 0, 2)}, 5},
	{"data/mw-unbound[how=send-with-invalidate,type=2]", 2, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), RECEIVE, SEND_INV(2)}, 5},
	{"data/mw-unbound[how=deallocated-type-2,type=2]", -1,
	 {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, WRITES), DEALLOC, ACCESS(VERB_WRITE, 0, 2)}, 5},
	{"data/mw-rights[read-only,type=2]", -1, {REG(ALL), ALLOC(2), BIND(0, 2, 2, 4, READS), ACCESS(VERB_WRITE, 0, 2)}, 4},
	{"data/mw-bind-errors[region-without-right-to-bind,type=1]", -1, {REG(LOCAL), ALLOC(1), BIND(0, 1, 2, 4, READS)}, 3},
	{"data/mw-bind-errors[writing-where-nobody-may,type=2]", -1,
	 {REG(IBV_ACCESS_MW_BIND), ALLOC(2), BIND(0, 2, 2, 4, WRITES)}, 3},
	{"data/mw-bind-errors[longer-than-the-region,type=2]", -1,
	 {REG(ALL), ALLOC(2), BIND(0, 2, 2, MODEL_BLOCKS + 1, READS)}, 3},
	{"data/mw-zero-based", -1, {REG(ALL), ALLOC(2), BIND_ZERO(0, 2, WRITES), ACCESS(VERB_WRITE, 0, 2)}, 4},
	{"data/mw-zero-based-bounds[after-its-end]", -1, {REG(ALL), ALLOC(2), BIND_ZERO(1, 2, WRITES), ACCESS(VERB_WRITE, 0, 2)}, 4},
	{"data/mw-zero-based-beyond[over-its-end]", -1, {REG(ALL), ALLOC(2), BIND_ZERO(3, 2, READS)}, 3},
	{"data/mw-bind-in-error[type=2]", 0, {REG(ALL), ALLOC(2), TO(B, IBV_QPS_ERR), BIND(0, 2, 2, 4, WRITES)}, 4},
	{"data/invalidate-refused[region-of-ibv_reg_mr]", -1, {REG(ALL), INVALIDATE(0)}, 2},
	{"data/invalidate-refused[window-of-type-1]", -1, {REG(ALL), ALLOC(1), BIND(0, 1, 2, 4, READS), INVALIDATE(2)}, 4},
	{"data/remote-rights[no-write]", -1, {REG(LOCAL | READS), ACCESS(VERB_WRITE, 0, 0)}, 2},
	{"data/remote-rights[no-read]", -1, {REG(LOCAL | WRITES), ACCESS(VERB_READ, 0, 0)}, 2},
	{"data/remote-rights[no-read]", 0, {REG(LOCAL | WRITES), ACCESS(VERB_WRITE, 0, 0)}, 2},
	{"data/domain-remote[ip=4]", -1, {OTHER_DOMAIN, ACCESS(VERB_WRITE, 0, 0)}, 2},
	{"data/deregistered", -1, {REG(ALL), DEREG, ACCESS(VERB_WRITE, 0, 0)}, 3},
	{"data/peer-state[state=RESET,status=RETRY_EXC_ERR,opcode=SEND]", -1, {TO(B, IBV_QPS_RESET), SEND}, 2},
	{"data/peer-state[state=ERR,status=RETRY_EXC_ERR,opcode=SEND]", -1, {TO(B, IBV_QPS_ERR), SEND}, 2},
	{"data/peer-state[state=SQD,status=SUCCESS,opcode=SEND]", -1, {TO(B, IBV_QPS_SQD), RECEIVE, SEND}, 3},
	{"data/receiver-not-ready[ip=4,rnr_retry=2]", 0, {SEND}, 1},
	{"data/queue-pair-rights[opcode=RDMA_WRITE]", -1, {REG(ALL), ALLOW(READS), ACCESS(VERB_WRITE, 0, 0)}, 3},
	{"data/queue-pair-rights[opcode=RDMA_READ]", -1, {REG(ALL), ALLOW(WRITES), ACCESS(VERB_READ, 0, 0)}, 3},
	{"data/queue-pair-rights[opcode=ATOMIC_FETCH_AND_ADD]", -1, {REG(ALL), ALLOW(READS | WRITES), ACCESS(VERB_FETCH_ADD, 0, 0)}, 3},
	{"data/mr-rereg-access", 0, {REG(LOCAL | READS), REREG(LOCAL | WRITES), ACCESS(VERB_WRITE, 0, 0)}, 3},
	{"data/mr-rereg-access", -1, {REG(LOCAL | READS), REREG(LOCAL | WRITES), ACCESS(VERB_READ, 0, 0)}, 3},
	{"data/datagram[ip=4]", 0, {HANDLE, RECEIVE_ON(MODEL_DATAGRAM), DATAGRAM(0)}, 3},
	{"data/datagram-qkey", 0, {HANDLE, RECEIVE_ON(MODEL_DATAGRAM), DATAGRAM(1)}, 3},
	{"data/srq-empty-gives-up", 0, {SEND_ON(MODEL_SHARED)}, 1},
	{"data/srq-limit", 0, {SHARE, SEND_ON(MODEL_SHARED)}, 2},
};

static const struct variant *find(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (!strcmp(plan->item[i].name, name))
			return &plan->item[i];
	return NULL;
}

/* The status that the poll_cq number @poll of the variant expects. */
static const struct value *status_of(const struct variant *v, int poll)
{
	const struct value *status, *last = NULL;
	int n = 0;
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		status = strcmp(v->items[i].kind->name, "poll_cq") ? NULL : value_get(v->items[i].expect, "status");
		if (status && n++ == poll)
			return status;
		last = status ? status : last;
	}
	return poll < 0 ? last : NULL;
}

static void agree(const struct agreement *r, const struct value *status)
{
	struct model_prediction p;
	struct model_world w;
	int i;

	model_init(&w, MODEL_SOUND);
	for (i = 0; i < r->count; i++) {
		if (!model_possible(&w, &r->op[i]))
			fail_msg("%s: the model does not predict operation %d", r->variant, i);
		model_predict(&w, &r->op[i], &p);
	}
	assert_true(p.count > 0);
	for (i = 0; i < p.done[0].statuses; i++)
		if ((int64_t)p.done[0].status[i] == status->i)
			return;
	fail_msg("%s expects status %d, and the model %d (%s)", r->variant, (int)status->i, (int)p.done[0].status[0],
		 model_statement(p.done[0].rule)->text);
}

TEST(test_model__shipped_scenarios__agree)
{
	auto_free char *path = xasprintf("%s/scenarios/data", getenv("VBM_SRCDIR") ? getenv("VBM_SRCDIR") : ".");
	struct run_options o = {.paths = &path, .path_count = 1};
	struct selection sel = {0};
	const struct variant *v;
	size_t i;

	assert_int_equal(selection_make(&sel, &o), EXIT_OK);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		v = find(&sel.plan, rows[i].variant);
		if (!v)
			fail_msg("there is no variant %s", rows[i].variant);
		assert_non_null(status_of(v, rows[i].poll));
		agree(&rows[i], status_of(v, rows[i].poll));
	}
	selection_fini(&sel);
}
