/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* The operation is host a's; the region and the receive request are host b's. */
enum { A, B };
enum { REGION };

/* The calls that bring a connected pair to a state. */
static const struct {
	enum ibv_qp_state state[4];
	int count;
} ways[] = {
	{{IBV_QPS_RESET}, 1},
	{{IBV_QPS_RESET, IBV_QPS_INIT}, 2},
	{{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR}, 3},
	{{IBV_QPS_RTS}, 0},
	{{IBV_QPS_SQD}, 1},
	{{IBV_QPS_ERR}, 1},
};

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

static struct model_op new_op(enum model_verb verb, int host)
{
	return (struct model_op){.verb = verb, .host = host, .made = -1, .region = -1, .window = -1, .key = -1,
				 .blocks = 1, .fill = 0x77};
}

static struct model_op to(int host, enum ibv_qp_state state)
{
	struct model_op op = new_op(VERB_MODIFY, host);

	op.state = state;
	return op;
}

static struct model_op access_op(enum model_verb verb)
{
	struct model_op op = new_op(verb, A);

	op.key = REGION;
	return op;
}

static struct model_try try_of(size_t own, size_t peer, size_t operation)
{
	enum model_verb verb = operations[operation].verb;
	struct model_try t = {.prepares = 0};
	struct model_op op = new_op(VERB_REG_MR, B);
	int i;

	op.made = REGION;
	op.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	case_prepare(&t, op);
	for (i = 0; i < ways[own].count; i++)
		case_prepare(&t, to(A, ways[own].state[i]));
	for (i = 0; i < ways[peer].count; i++)
		case_prepare(&t, to(B, ways[peer].state[i]));
	/* A receive request in RESET or ERR is a case of its own. */
	if (operations[operation].receive && peer > 0 && peer < ARRAY_SIZE(ways) - 1)
		case_prepare(&t, new_op(VERB_POST_RECV, B));
	if (verb == VERB_MODIFY && own > 0 && own < ARRAY_SIZE(ways) - 1)
		case_prepare(&t, new_op(VERB_POST_RECV, A));
	t.tried = verb == VERB_MODIFY ? to(A, operations[operation].state) :
		  verb == VERB_WRITE || verb == VERB_READ || verb == VERB_FETCH_ADD ? access_op(verb) : new_op(verb, A);
	/* A request that waits in SQD starts; a refused one is never executed, also after a reconnection. */
	if (ways[own].state[0] == IBV_QPS_SQD && model_posts(verb))
		case_probe(&t, to(A, IBV_QPS_RTS));
	case_probe(&t, new_op(VERB_RECONNECT, A));
	case_probe(&t, new_op(VERB_POST_RECV, B));
	case_probe(&t, new_op(VERB_SEND, A));
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
			for (own = 0; own < ARRAY_SIZE(ways); own++)
				for (peer = 0; peer < ARRAY_SIZE(ways); peer++) {
					t = try_of(own, peer, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", operations[operation].name);
		}
	return rows;
}
