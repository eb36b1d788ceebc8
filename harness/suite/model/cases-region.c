/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/value.h"
#include "base/xalloc.h"
#include "model/cases.h"

/* Host b owns the region and the windows; host a reaches for the region. */
enum { A, B };
enum { REGION, WINDOW, KEY, FIRST, HELD };

#define REMOTE (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static const struct {
	const char *name;
	int access, domain;
	bool freed, bound;
} states[] = {
	{"no-right", 0, 0, false, false},
	{"local-write", IBV_ACCESS_LOCAL_WRITE, 0, false, false},
	{"remote-read", IBV_ACCESS_REMOTE_READ, 0, false, false},
	{"remote-write", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, 0, false, false},
	{"remote-atomic", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC, 0, false, false},
	{"windows", IBV_ACCESS_MW_BIND, 0, false, false},
	{"windows-to-write", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, 0, false, false},
	{"all", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | REMOTE, 0, false, false},
	{"another-domain", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | REMOTE, 1, false, false},
	{"freed", IBV_ACCESS_LOCAL_WRITE | REMOTE, 0, true, false},
	{"bound", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, 0, false, true},
};

static const struct {
	const char *name;
	enum model_verb verb;
	int type, access, first, blocks;
} operations[] = {
	{"write", VERB_WRITE, 0, 0, 0, MODEL_BLOCKS},
	{"read", VERB_READ, 0, 0, 0, MODEL_BLOCKS},
	{"add", VERB_FETCH_ADD, 0, 0, MODEL_BLOCKS - 1, 1},
	{"write-across-the-end", VERB_WRITE, 0, 0, MODEL_BLOCKS - 1, 2},
	{"read-after-the-end", VERB_READ, 0, 0, MODEL_BLOCKS, 1},
	{"invalidate", VERB_LOCAL_INV, 0, 0, 0, 0},
	{"send-invalidate", VERB_SEND_INV, 0, 0, 0, 0},
	{"bind-1-to-read", VERB_BIND, 1, IBV_ACCESS_REMOTE_READ, 0, MODEL_BLOCKS},
	{"bind-2-to-read", VERB_BIND, 2, IBV_ACCESS_REMOTE_READ, 0, MODEL_BLOCKS},
	{"bind-1-to-write", VERB_BIND, 1, IBV_ACCESS_REMOTE_WRITE, 0, MODEL_BLOCKS},
	{"bind-2-to-write", VERB_BIND, 2, IBV_ACCESS_REMOTE_WRITE, 0, MODEL_BLOCKS},
	{"bind-1-to-add", VERB_BIND, 1, IBV_ACCESS_REMOTE_ATOMIC, 0, MODEL_BLOCKS},
	{"bind-2-beyond", VERB_BIND, 2, IBV_ACCESS_REMOTE_READ, 0, MODEL_BLOCKS + 1},
	{"free", VERB_DEREG_MR, 0, 0, 0, 0},
};

static struct model_op bind_op(int type, int window, int made, int access)
{
	struct model_op op = case_op(VERB_BIND, B, 0);

	op.type = type;
	op.window = window;
	op.region = REGION;
	op.made = made;
	op.access = access;
	op.blocks = MODEL_BLOCKS;
	return op;
}

static void prepare_region(struct model_try *t, size_t state, size_t operation)
{
	struct model_op op = case_op(VERB_REG_MR, B, 0);

	op.made = REGION;
	op.access = states[state].access;
	op.domain = states[state].domain;
	case_prepare(t, op);
	op = case_op(VERB_ALLOC_MW, B, 0);
	op.made = WINDOW;
	op.type = operations[operation].type ? operations[operation].type : 1;
	case_prepare(t, op);
	if (states[state].bound) {
		op.made = FIRST;
		case_prepare(t, op);
		case_prepare(t, bind_op(op.type, FIRST, HELD, IBV_ACCESS_REMOTE_READ));
	}
	if (states[state].freed) {
		op = case_op(VERB_DEREG_MR, B, 0);
		op.region = REGION;
		case_prepare(t, op);
	}
}

static struct model_try try_of(size_t state, size_t operation)
{
	struct model_try t = {.prepares = 0};
	struct model_op op = case_op(operations[operation].verb, model_is_remote(operations[operation].verb) ? A : B, 0);

	prepare_region(&t, state, operation);
	if (op.verb == VERB_SEND_INV)
		case_prepare(&t, case_op(VERB_POST_RECV, B, 0));
	op.key = op.region = REGION;
	op.first = operations[operation].first;
	op.blocks = operations[operation].blocks;
	op.fill = 0x77;
	if (op.verb == VERB_BIND) {
		op = bind_op(operations[operation].type, WINDOW, KEY, operations[operation].access);
		op.blocks = operations[operation].blocks;
	}
	t.tried = op;
	/* Windows go first, and then the region can go. */
	op = case_op(VERB_DEALLOC_MW, B, 0);
	op.window = WINDOW;
	case_probe(&t, op);
	op.window = FIRST;
	case_probe(&t, op);
	op = case_op(VERB_DEREG_MR, B, 0);
	op.region = REGION;
	case_probe(&t, op);
	return t;
}

/* A zero-based region, an access, and the end of the region. Nothing is connected again, because that is no plain call. */
static void add_zero_based(struct value *rows, size_t operation)
{
	struct model_case c = {.count = 0};
	struct model_try t = {.prepares = 0};
	struct model_op op = case_op(VERB_REG_MR, B, 0);

	op.made = REGION;
	op.way = WAY_ZERO_BASED;
	op.access = IBV_ACCESS_LOCAL_WRITE | REMOTE;
	case_prepare(&t, op);
	op = case_op(operations[operation].verb, A, 0);
	op.key = REGION;
	op.first = operations[operation].first;
	op.blocks = operations[operation].blocks;
	op.fill = 0x77;
	t.tried = op;
	op = case_op(VERB_DEREG_MR, B, 0);
	op.region = REGION;
	case_probe(&t, op);
	case_add(&c, &t, CASE_SOUND);
	while (c.count && c.op[c.count - 1].verb == VERB_RECONNECT)
		c.count--;
	case_row(rows, &c, CASE_SOUND, "zero-based-%s", operations[operation].name);
}

struct value *model_region_cases(void)
{
	struct value *rows = value_list();
	struct model_case c = {.count = 0};
	struct model_try t;
	size_t state, operation;
	int kind;

	for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
		for (kind = 0; kind < CASE_KINDS; kind++) {
			for (state = 0; state < ARRAY_SIZE(states); state++) {
				t = try_of(state, operation);
				case_add(&c, &t, (enum case_kind)kind);
			}
			case_row(rows, &c, (enum case_kind)kind, "%s", operations[operation].name);
		}
	for (operation = 0; operation < ARRAY_SIZE(operations); operation++)
		if (model_is_remote(operations[operation].verb) && operations[operation].verb != VERB_SEND_INV)
			add_zero_based(rows, operation);
	return rows;
}
