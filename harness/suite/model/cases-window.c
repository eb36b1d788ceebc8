/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* Host b owns region REGION and window WINDOW; host a reaches for them. */
enum { A, B };
enum { REGION, WINDOW, KEY, LATER, FOREIGN, NEXT };

#define WRITES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static struct model_op bind_op(int type, int pair, int made, int first, int blocks)
{
	return (struct model_op){.verb = VERB_BIND, .host = B, .pair = pair, .made = made, .window = WINDOW,
				 .region = REGION, .key = -1, .type = type, .access = WRITES, .first = first,
				 .blocks = blocks};
}

static struct model_op access_op(enum model_verb verb, int pair, int key, int first, int blocks)
{
	return (struct model_op){.verb = verb, .host = A, .pair = pair, .key = key, .region = -1, .window = -1,
				 .made = -1, .first = first, .blocks = blocks, .fill = 0x77};
}

static struct model_op window_op(enum model_verb verb, int pair, int key)
{
	int host = verb == VERB_SEND_INV ? A : B;

	return (struct model_op){.verb = verb, .host = host, .pair = pair, .key = key, .window = WINDOW,
				 .region = REGION, .made = -1, .fill = 0x66};
}

static struct model_try begin_window_try(int type)
{
	struct model_try t = {.prepares = 0};

	case_prepare(&t, (struct model_op){.verb = VERB_REG_MR, .host = B, .made = REGION, .key = -1, .region = -1, .window = -1,
					  .access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | IBV_ACCESS_REMOTE_READ});
	case_prepare(&t, (struct model_op){.verb = VERB_ALLOC_MW, .host = B, .made = WINDOW, .key = -1, .region = -1,
					  .window = -1, .type = type});
	return t;
}

/* Each state is reached by its operations; the key is the one that a peer would have. */
static int never_bound(struct model_try *t, int type)
{
	(void)t;
	(void)type;
	return WINDOW;
}

static int bound(struct model_try *t, int type)
{
	case_prepare(t, bind_op(type, 0, KEY, 1, 2));
	return KEY;
}

static int bound_zero_based(struct model_try *t, int type)
{
	struct model_op op = bind_op(type, 0, KEY, 1, 2);

	op.zero = true;
	case_prepare(t, op);
	return KEY;
}

static int bound_by_other(struct model_try *t, int type)
{
	case_prepare(t, bind_op(type, 1, KEY, 1, 2));
	return KEY;
}

static int unbound(struct model_try *t, int type)
{
	bound(t, type);
	case_prepare(t, type == 1 ? bind_op(1, 0, LATER, 0, 0) : window_op(VERB_LOCAL_INV, 0, KEY));
	return KEY;
}

static int rebound(struct model_try *t, int type)
{
	unbound(t, type);
	case_prepare(t, bind_op(type, 0, NEXT, 0, 4));
	return KEY;
}

static int allocated_key(struct model_try *t, int type)
{
	bound(t, type);
	return WINDOW;
}

static int freed(struct model_try *t, int type)
{
	bound(t, type);
	case_prepare(t, window_op(VERB_DEALLOC_MW, 0, -1));
	return KEY;
}

static const struct {
	const char *name;
	int (*reach)(struct model_try *t, int type);
} states[] = {
	{"never-bound", never_bound}, {"bound", bound}, {"bound-by-another", bound_by_other}, {"unbound", unbound},
	{"bound-again", rebound}, {"first-key", allocated_key}, {"freed", freed}, {"bound-zero-based", bound_zero_based},
};

static struct model_op try_access(enum model_verb verb, int key)
{
	return access_op(verb, 0, key, 1, verb == VERB_FETCH_ADD ? 1 : 2);
}

static struct model_op try_write(int key, int type) { (void)type; return try_access(VERB_WRITE, key); }
static struct model_op try_read(int key, int type) { (void)type; return try_access(VERB_READ, key); }
static struct model_op try_add(int key, int type) { (void)type; return try_access(VERB_FETCH_ADD, key); }
static struct model_op try_other(int key, int type) { (void)type; return access_op(VERB_WRITE, 1, key, 1, 2); }
static struct model_op try_beyond(int key, int type) { (void)type; return access_op(VERB_WRITE, 0, key, 3, 2); }
static struct model_op try_outside(int key, int type) { (void)type; return access_op(VERB_WRITE, 0, key, 0, 1); }
static struct model_op try_inv(int key, int type) { (void)type; return window_op(VERB_LOCAL_INV, 0, key); }
static struct model_op try_inv_other(int key, int type) { (void)type; return window_op(VERB_LOCAL_INV, 1, key); }
static struct model_op try_send_inv(int key, int type) { (void)type; return window_op(VERB_SEND_INV, 0, key); }
static struct model_op try_send_inv_other(int key, int type) { (void)type; return window_op(VERB_SEND_INV, 1, key); }
static struct model_op try_bind(int key, int type) { (void)key; return bind_op(type, 0, FOREIGN, 0, 4); }
static struct model_op try_bind_other(int key, int type) { (void)key; return bind_op(type, 1, FOREIGN, 0, 4); }
static struct model_op try_bind_call(int key, int type) { (void)key; (void)type; return bind_op(1, 0, FOREIGN, 0, 4); }
static struct model_op try_bind_nothing(int key, int type) { (void)key; return bind_op(type, 0, FOREIGN, 0, 0); }
static struct model_op try_bind_beyond(int key, int type) { (void)key; return bind_op(type, 0, FOREIGN, 2, 3); }

static struct model_op try_bind_zero(int key, int type)
{
	struct model_op op = bind_op(type, 0, FOREIGN, 1, 2);

	(void)key;
	op.zero = true;
	return op;
}

static struct model_op try_dealloc(int key, int type) { (void)key; (void)type; return window_op(VERB_DEALLOC_MW, 0, -1); }
static struct model_op try_dereg(int key, int type) { (void)key; (void)type; return window_op(VERB_DEREG_MR, 0, -1); }

static const struct {
	const char *name;
	struct model_op (*op)(int key, int type);
	bool once;		/* the same operation by another queue pair stands above */
} operations[] = {
	{"write", try_write, false}, {"read", try_read, false}, {"add", try_add, false}, {"write-by-another", try_other, true},
	{"write-before", try_outside, false}, {"write-beyond", try_beyond, false}, {"invalidate", try_inv, false}, {"invalidate-by-another", try_inv_other, true},
	{"send-invalidate", try_send_inv, false}, {"send-invalidate-to-another", try_send_inv_other, true},
	{"bind", try_bind, false}, {"bind-by-another", try_bind_other, true}, {"bind-by-call", try_bind_call, false},
	{"bind-to-nothing", try_bind_nothing, false}, {"bind-beyond", try_bind_beyond, false},
	{"bind-zero-based", try_bind_zero, false},
	{"free", try_dealloc, false}, {"free-region", try_dereg, false},
};

static struct model_try try_of(int type, size_t state, size_t operation)
{
	struct model_try t = begin_window_try(type);
	int key = states[state].reach(&t, type);

	t.tried = operations[operation].op(key, type);
	/* A message needs a receive request. */
	if (t.tried.verb == VERB_SEND_INV)
		case_prepare(&t, (struct model_op){.verb = VERB_POST_RECV, .host = B, .pair = t.tried.pair, .key = -1,
						  .region = -1, .window = -1, .made = -1});
	/* Use the key afterwards, by both queue pairs, and try to deregister the region at last. */
	case_probe(&t, access_op(VERB_WRITE, 0, key, 1, 1));
	case_probe(&t, access_op(VERB_WRITE, 1, key, 2, 1));
	case_probe(&t, window_op(VERB_DEALLOC_MW, 0, -1));
	case_probe(&t, window_op(VERB_DEREG_MR, 0, -1));
	return t;
}

static void add_rows(struct value *rows, int type, size_t operation)
{
	struct model_case c = {.count = 0};
	struct model_try t;
	size_t state;
	int kind;

	for (kind = 0; kind < CASE_KINDS; kind++) {
		/* A window that was never bound belongs to no queue pair, so one of them is enough. */
		if (kind == CASE_UNBOUND && operations[operation].once)
			continue;
		for (state = 0; state < ARRAY_SIZE(states); state++) {
			t = try_of(type, state, operation);
			case_add(&c, &t, (enum case_kind)kind);
		}
		case_row(rows, &c, (enum case_kind)kind, "type-%d-%s", type, operations[operation].name);
	}
}

struct value *model_window_cases(void)
{
	struct value *rows = value_list();
	size_t operation;
	int type;

	for (type = 1; type <= 2; type++)
		for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
			if (type == 2 || operations[operation].op != try_bind_call)
				add_rows(rows, type, operation);
	return rows;
}
