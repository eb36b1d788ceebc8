/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* Host b owns the completion queue for receives, and host a sends. An overflow of host a's queue for sends is tried, too. */
enum { A, B };
enum { REGION };
#define LEFT 3		/* completions that nobody polls before the operation */
#define OTHER 1		/* the connection that an overflow must not touch */

static struct model_op new_op(enum model_verb verb, int host, int pair)
{
	return (struct model_op){.verb = verb, .host = host, .pair = pair, .made = -1, .region = -1, .window = -1, .key = -1,
				 .handle = -1, .blocks = 1, .fill = 0x77};
}

/* The calls that bring host b's queue pair to a state. */
static const struct {
	enum ibv_qp_state state[3];
	int count;
} ways[] = {
	{{IBV_QPS_RESET}, 1}, {{IBV_QPS_RESET, IBV_QPS_INIT}, 2}, {{IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR}, 3},
	{{IBV_QPS_RTS}, 0}, {{IBV_QPS_SQD}, 1}, {{IBV_QPS_ERR}, 1},
};

static const struct {
	const char *name;
	enum model_verb verb;
	int host, size;
	bool receive, solicited, leave;
	enum model_notice notice;
} operations[] = {
	{"resize-to-none", VERB_RESIZE_CQ, B, 0, true, false, false, NOTICE_NONE},
	{"resize-shorter", VERB_RESIZE_CQ, B, 2 * MODEL_COMPLETIONS, true, false, false, NOTICE_NONE},
	{"resize-longer", VERB_RESIZE_CQ, B, 1000, true, false, false, NOTICE_NONE},
	{"resize-too-long", VERB_RESIZE_CQ, B, INT32_MAX, true, false, false, NOTICE_NONE},
	{"resize-sends", VERB_RESIZE_CQ, A, 1000, false, false, false, NOTICE_NONE},
	{"poll", VERB_POLL, B, 0, false, false, false, NOTICE_NONE},
	{"message", VERB_SEND, A, 0, false, false, false, NOTICE_NONE},
	{"message-left", VERB_SEND, A, 0, false, false, true, NOTICE_NONE},
	{"message-any-event", VERB_SEND, A, 0, false, false, false, NOTICE_ANY},
	{"message-solicited", VERB_SEND, A, 0, false, true, false, NOTICE_SOLICITED},
	{"message-not-solicited", VERB_SEND, A, 0, false, false, false, NOTICE_SOLICITED},
	{"overflow-of-receives", VERB_OVERFLOW, A, 0, true, false, false, NOTICE_NONE},
	{"overflow-of-sends", VERB_OVERFLOW, A, 0, false, false, false, NOTICE_NONE},
};

static void prepare_queues(struct model_try *t, size_t way, int left, enum model_verb verb)
{
	struct model_op op = new_op(VERB_REG_MR, B, 0);
	int i;

	op.made = REGION;
	op.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	case_prepare(t, op);
	for (i = 0; i < left + (verb == VERB_SEND); i++)
		case_prepare(t, new_op(VERB_POST_RECV, B, 0));
	op = new_op(VERB_SEND, A, 0);
	op.leave = true;
	for (i = 0; i < left; i++)
		case_prepare(t, op);
	for (i = 0; i < ways[way].count; i++) {
		op = new_op(VERB_MODIFY, B, 0);
		op.state = ways[way].state[i];
		case_prepare(t, op);
	}
}

static struct model_try try_of(size_t way, int left, size_t operation)
{
	struct model_try t = {.prepares = 0};
	struct model_op op;

	prepare_queues(&t, way, left, operations[operation].verb);
	t.tried = new_op(operations[operation].verb, operations[operation].host, 0);
	t.tried.size = operations[operation].size;
	t.tried.receive = operations[operation].receive;
	t.tried.solicited = operations[operation].solicited;
	t.tried.leave = operations[operation].leave;
	t.tried.notice = operations[operation].notice;
	/* The other completions come in their order, and both connections go on. */
	case_probe(&t, new_op(VERB_POLL, B, 0));
	case_probe(&t, new_op(VERB_RECONNECT, A, 0));
	case_probe(&t, new_op(VERB_POST_RECV, B, 0));
	case_probe(&t, new_op(VERB_SEND, A, 0));
	case_probe(&t, new_op(VERB_POST_RECV, B, OTHER));
	case_probe(&t, new_op(VERB_SEND, A, OTHER));
	op = new_op(VERB_WRITE, A, OTHER);
	op.key = REGION;
	case_probe(&t, op);
	return t;
}

struct value *model_completion_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	size_t operation, way;
	struct model_try t;
	int kind, left;

	for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			for (way = 0; way < ARRAY_SIZE(ways); way++)
				for (left = 0; left <= LEFT; left++) {
					t = try_of(way, left, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", operations[operation].name);
		}
	return rows;
}
