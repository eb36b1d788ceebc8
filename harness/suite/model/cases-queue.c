/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* Matrices of shared receive queues, datagrams, attributes and completion queues. Host a sends, host b receives. */
enum { A, B };
enum { REGION, HANDLE };

#define RIGHTS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static struct model_op limit(int size)
{
	struct model_op op = case_op(VERB_MODIFY_SRQ, B, MODEL_SHARED);

	op.changes = IBV_SRQ_LIMIT;
	op.size = size;
	return op;
}

/* The region of host b, which shows that a case is one of this matrix, and the target of writes. */
static struct model_try begin_queue_try(void)
{
	struct model_try t = {.prepares = 0};
	struct model_op op = case_op(VERB_REG_MR, B, 0);

	op.made = REGION;
	op.access = RIGHTS | IBV_ACCESS_LOCAL_WRITE;
	case_prepare(&t, op);
	return t;
}

static const struct {
	const char *name;
	enum model_verb verb;
	int changes, size;
} shared[] = {
	{"send", VERB_SEND, 0, 0}, {"post", VERB_POST_SRQ, 0, 0}, {"post-own", VERB_POST_RECV, 0, 0},
	{"limit-0", VERB_MODIFY_SRQ, IBV_SRQ_LIMIT, 0}, {"limit-1", VERB_MODIFY_SRQ, IBV_SRQ_LIMIT, 1},
	{"limit-2", VERB_MODIFY_SRQ, IBV_SRQ_LIMIT, 2}, {"limit-beyond", VERB_MODIFY_SRQ, IBV_SRQ_LIMIT, INT32_MAX},
	{"longer", VERB_MODIFY_SRQ, IBV_SRQ_MAX_WR, 64}, {"shorter", VERB_MODIFY_SRQ, IBV_SRQ_MAX_WR, MODEL_RECEIVES},
	{"too-short", VERB_MODIFY_SRQ, IBV_SRQ_MAX_WR, 1}, {"too-long", VERB_MODIFY_SRQ, IBV_SRQ_MAX_WR, INT32_MAX},
	{"query", VERB_QUERY_SRQ, 0, 0}, {"destroy", VERB_DESTROY_SRQ, 0, 0},
	{"to-reset", VERB_MODIFY, IBV_QPS_RESET, 0}, {"to-err", VERB_MODIFY, IBV_QPS_ERR, 0},
};

/* A queue with @posted requests and a limit or none, whose queue pair is in a state. */
static struct model_try shared_try(size_t way, int posted, int armed, size_t operation)
{
	enum model_verb verb = shared[operation].verb;
	struct model_try t = begin_queue_try();
	int i;

	for (i = 0; i < posted; i++)
		case_prepare(&t, case_op(VERB_POST_SRQ, B, MODEL_SHARED));
	if (armed)
		case_prepare(&t, limit(armed));
	case_bring(&t, B, MODEL_SHARED, way);
	t.tried = case_op(verb, verb == VERB_SEND ? A : B, MODEL_SHARED);
	t.tried.changes = shared[operation].changes;
	t.tried.size = shared[operation].size;
	if (verb == VERB_MODIFY)
		t.tried.state = (enum ibv_qp_state)shared[operation].changes;
	/* The limit, and whether a message takes the oldest request afterwards. */
	case_probe(&t, case_op(VERB_QUERY_SRQ, B, MODEL_SHARED));
	case_probe(&t, case_op(VERB_RECONNECT, A, MODEL_SHARED));
	for (i = 0; i < posted + (verb == VERB_POST_SRQ) && i < 7; i++)
		case_probe(&t, case_op(VERB_SEND, A, MODEL_SHARED));
	return t;
}

struct value *model_shared_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	struct model_try t;
	size_t operation, way;
	int kind, posted;

	for (operation = 0; operation < ARRAY_SIZE(shared); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			for (way = 0; way < CASE_WAYS; way++)
				for (posted = 0; posted < 7; posted++) {
					t = shared_try(way, posted, posted > 1 && posted & 1, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", shared[operation].name);
		}
	return rows;
}

static const struct {
	const char *name;
	enum model_verb verb;
	int qkey;
	enum ibv_qp_state state;
} datagrams[] = {
	{"send", VERB_DATAGRAM, 0, 0}, {"send-with-another-key", VERB_DATAGRAM, 1, 0}, {"receive", VERB_POST_RECV, 0, 0},
	{"free-handle", VERB_DESTROY_AH, 0, 0}, {"to-reset", VERB_MODIFY, 0, IBV_QPS_RESET}, {"to-init", VERB_MODIFY, 0, IBV_QPS_INIT},
	{"to-rtr", VERB_MODIFY, 0, IBV_QPS_RTR}, {"to-rts", VERB_MODIFY, 0, IBV_QPS_RTS}, {"to-sqd", VERB_MODIFY, 0, IBV_QPS_SQD},
	{"to-err", VERB_MODIFY, 0, IBV_QPS_ERR},
};

static struct model_try datagram_try(size_t own, size_t peer, size_t operation)
{
	enum model_verb verb = datagrams[operation].verb;
	struct model_try t = begin_queue_try();
	struct model_op op = case_op(VERB_CREATE_AH, A, MODEL_DATAGRAM);

	op.made = HANDLE;
	case_prepare(&t, op);
	case_bring(&t, A, MODEL_DATAGRAM, own);
	case_bring(&t, B, MODEL_DATAGRAM, peer);
	/* A receive request in RESET or ERR is a case of its own. */
	if (peer > 0 && peer < CASE_WAYS - 1)
		case_prepare(&t, case_op(VERB_POST_RECV, B, MODEL_DATAGRAM));
	t.tried = case_op(verb, A, MODEL_DATAGRAM);
	t.tried.handle = HANDLE;
	t.tried.qkey = datagrams[operation].qkey;
	t.tried.state = datagrams[operation].state;
	case_probe(&t, case_op(VERB_RECONNECT, A, MODEL_DATAGRAM));
	case_probe(&t, case_op(VERB_POST_RECV, B, MODEL_DATAGRAM));
	op = case_op(VERB_DATAGRAM, A, MODEL_DATAGRAM);
	op.handle = HANDLE;
	case_probe(&t, op);
	op.verb = VERB_DESTROY_AH;
	case_probe(&t, op);
	return t;
}

struct value *model_datagram_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	size_t operation, own, peer;
	struct model_try t;
	int kind;

	for (operation = 0; operation < ARRAY_SIZE(datagrams); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			for (own = 0; own < CASE_WAYS; own++)
				for (peer = 0; peer < CASE_WAYS; peer++) {
					t = datagram_try(own, peer, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", datagrams[operation].name);
		}
	return rows;
}

/* Host a does one of these when host b has changed an attribute: the change must not disturb it, or end it. */
static const struct {
	const char *name;
	enum model_verb verb;
} traffic[] = {
	{"write", VERB_WRITE}, {"read", VERB_READ}, {"add", VERB_FETCH_ADD}, {"send", VERB_SEND},
};

static const struct {
	const char *name;
	int only;		/* the one attribute that changes; 0: each, and it keeps its value */
	int pair, access, qkey, depth;
} values[] = {
	{"no-right", IBV_QP_ACCESS_FLAGS, 0, 0, 0, 1}, {"right-to-write", IBV_QP_ACCESS_FLAGS, 0, IBV_ACCESS_REMOTE_WRITE, 0, 1},
	{"right-to-read", IBV_QP_ACCESS_FLAGS, 0, IBV_ACCESS_REMOTE_READ, 0, 1},
	{"right-to-add", IBV_QP_ACCESS_FLAGS, 0, IBV_ACCESS_REMOTE_ATOMIC, 0, 1},
	{"as-it-is", 0, 0, RIGHTS, 0, 1}, {"no-resource", IBV_QP_MAX_DEST_RD_ATOMIC, 0, RIGHTS, 0, 0},
	{"shared-no-right", IBV_QP_ACCESS_FLAGS, MODEL_SHARED, 0, 0, 1}, {"shared", 0, MODEL_SHARED, RIGHTS, 0, 1},
	{"datagram", 0, MODEL_DATAGRAM, 0, 0, 1}, {"datagram-another-key", IBV_QP_QKEY, MODEL_DATAGRAM, 0, 1, 1},
};

static struct model_try attribute_try(size_t attribute, size_t way, size_t value, size_t use)
{
	int pair = values[value].pair;
	struct model_try t = begin_queue_try();
	struct model_op op;

	if (pair == MODEL_DATAGRAM) {
		op = case_op(VERB_CREATE_AH, A, MODEL_DATAGRAM);
		op.made = HANDLE;
		case_prepare(&t, op);
	}
	case_bring(&t, B, pair, way);
	if (way > 0 && way < CASE_WAYS - 1)
		case_prepare(&t, case_op(pair == MODEL_SHARED ? VERB_POST_SRQ : VERB_POST_RECV, B, pair));
	t.tried = case_op(VERB_SET_ATTRIBUTE, B, pair);
	t.tried.changes = model_attribute(attribute);
	t.tried.access = values[value].access;
	t.tried.qkey = values[value].qkey;
	t.tried.size = values[value].depth;
	op = case_op(pair == MODEL_DATAGRAM ? VERB_DATAGRAM : traffic[use].verb, A, pair);
	op.handle = pair == MODEL_DATAGRAM ? HANDLE : -1;
	op.key = pair == MODEL_DATAGRAM || op.verb == VERB_SEND ? -1 : REGION;
	case_probe(&t, op);
	if (pair == MODEL_SHARED && op.verb != VERB_SEND) {
		/* The request of the shared queue is used, so that the next combination begins without one. */
		case_probe(&t, case_op(VERB_RECONNECT, A, pair));
		case_probe(&t, case_op(VERB_SEND, A, pair));
	}
	return t;
}

struct value *model_attribute_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	size_t attribute, way, value, use;
	struct model_try t;
	int kind;

	for (use = 0; use < ARRAY_SIZE(traffic); use++)
		for (kind = 0; kind < CASE_KINDS; kind++)
			for (value = 0; value < ARRAY_SIZE(values); value++) {
				for (attribute = 0; model_attribute(attribute); attribute++)
					for (way = 0; way < CASE_WAYS; way++) {
						if (values[value].only && values[value].only != model_attribute(attribute))
							continue;
						/* A datagram is the one use of its pair. */
						if (values[value].pair == MODEL_DATAGRAM && use)
							continue;
						t = attribute_try(attribute, way, value, use);
						case_add(&c, &t, (enum case_kind)kind);
					}
				case_row(rows, &c, (enum case_kind)kind, "%s-%s", values[value].pair == MODEL_DATAGRAM ? "send" : traffic[use].name,
					 values[value].name);
			}
	return rows;
}

/* Completion queues: host b owns that for receives. An overflow of host a's queue for sends is tried, too. */
#define LEFT 3		/* completions that nobody polls before the operation */
#define OTHER 1		/* the connection that an overflow must not touch */

static const struct {
	const char *name;
	enum model_verb verb;
	int host, size;
	bool receive, solicited, leave;
	enum model_notice notice;
} completions[] = {
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
	struct model_op op = case_op(VERB_REG_MR, B, 0);
	int i;

	op.made = REGION;
	op.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	case_prepare(t, op);
	for (i = 0; i < left + (verb == VERB_SEND); i++)
		case_prepare(t, case_op(VERB_POST_RECV, B, 0));
	op = case_op(VERB_SEND, A, 0);
	op.leave = true;
	for (i = 0; i < left; i++)
		case_prepare(t, op);
	case_bring(t, B, 0, way);
}

static struct model_try completion_try(size_t way, int left, size_t operation)
{
	struct model_try t = {.prepares = 0};
	struct model_op op;

	prepare_queues(&t, way, left, completions[operation].verb);
	t.tried = case_op(completions[operation].verb, completions[operation].host, 0);
	t.tried.size = completions[operation].size;
	t.tried.receive = completions[operation].receive;
	t.tried.solicited = completions[operation].solicited;
	t.tried.leave = completions[operation].leave;
	t.tried.notice = completions[operation].notice;
	/* The other completions come in their order, and both connections go on. */
	case_probe(&t, case_op(VERB_POLL, B, 0));
	case_probe(&t, case_op(VERB_RECONNECT, A, 0));
	case_probe(&t, case_op(VERB_POST_RECV, B, 0));
	case_probe(&t, case_op(VERB_SEND, A, 0));
	case_probe(&t, case_op(VERB_POST_RECV, B, OTHER));
	case_probe(&t, case_op(VERB_SEND, A, OTHER));
	op = case_op(VERB_WRITE, A, OTHER);
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

	for (operation = 0; operation < ARRAY_SIZE(completions); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			for (way = 0; way < CASE_WAYS; way++)
				for (left = 0; left <= LEFT; left++) {
					t = completion_try(way, left, operation);
					case_add(&c, &t, (enum case_kind)kind);
				}
			case_row(rows, &c, (enum case_kind)kind, "%s", completions[operation].name);
		}
	return rows;
}
