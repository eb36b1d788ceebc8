/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* The operation is host a's; the region and the receive request are host b's. */
enum { A, B };
enum { REGION };

static const struct {
	const char *name;
	enum model_verb verb;
	bool receive;		/* the peer has a receive request, if its state allows one */
	enum ibv_qp_state state;
} operations[] = {
	{"send", VERB_SEND, true, 0}, {"send-without-receive", VERB_SEND, false, 0}, {"write", VERB_WRITE, false, 0},
	{"read", VERB_READ, false, 0}, {"add", VERB_FETCH_ADD, false, 0}, {"receive", VERB_POST_RECV, false, 0},
	{"to-reset", VERB_MODIFY, true, IBV_QPS_RESET}, {"to-init", VERB_MODIFY, true, IBV_QPS_INIT},
	{"to-rtr", VERB_MODIFY, true, IBV_QPS_RTR}, {"to-rts", VERB_MODIFY, true, IBV_QPS_RTS},
	{"to-sqd", VERB_MODIFY, true, IBV_QPS_SQD}, {"to-err", VERB_MODIFY, true, IBV_QPS_ERR},
};

static struct model_op to(int host, enum ibv_qp_state state)
{
	struct model_op op = case_op(VERB_MODIFY, host, 0);

	op.state = state;
	return op;
}

static struct model_op access_op(enum model_verb verb)
{
	struct model_op op = case_op(verb, A, 0);

	op.key = REGION;
	return op;
}

static struct model_try try_of(size_t own, size_t peer, size_t operation)
{
	enum model_verb verb = operations[operation].verb;
	struct model_try t = {.prepares = 0};
	struct model_op op = case_op(VERB_REG_MR, B, 0);

	op.made = REGION;
	op.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	case_prepare(&t, op);
	case_bring(&t, A, 0, own);
	case_bring(&t, B, 0, peer);
	/* A receive request in RESET or ERR is a case of its own. */
	if (operations[operation].receive && peer > 0 && peer < CASE_WAYS - 1)
		case_prepare(&t, case_op(VERB_POST_RECV, B, 0));
	if (verb == VERB_MODIFY && own > 0 && own < CASE_WAYS - 1)
		case_prepare(&t, case_op(VERB_POST_RECV, A, 0));
	t.tried = verb == VERB_MODIFY ? to(A, operations[operation].state) :
		  verb == VERB_WRITE || verb == VERB_READ || verb == VERB_FETCH_ADD ? access_op(verb) : case_op(verb, A, 0);
	/* A request that waits in SQD starts; a refused one is never executed, also after a reconnection. */
	if (own == IBV_QPS_SQD && model_posts(verb))
		case_probe(&t, to(A, IBV_QPS_RTS));
	case_probe(&t, case_op(VERB_RECONNECT, A, 0));
	case_probe(&t, case_op(VERB_POST_RECV, B, 0));
	case_probe(&t, case_op(VERB_SEND, A, 0));
	return t;
}

struct value *model_peer_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	size_t own, peer, operation;
	struct model_try t;
	int kind;

	for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			/* In SQD every operation waits in the same way, so one of them is enough. */
			if (kind == CASE_WAITS && operation > 0)
				continue;
			for (own = 0; own < CASE_WAYS; own++)
				for (peer = 0; peer < CASE_WAYS; peer++) {
					t = try_of(own, peer, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", operations[operation].name);
		}
	return rows;
}
