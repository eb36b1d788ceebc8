/* SPDX-License-Identifier: BSD-2-Clause */
#include "litmus/shapes.h"

#include "base/value.h"
#include "base/xalloc.h"

/*
 * The order that InfiniBand promises (volume 1, 10.8.3.3, and 9.5 for atomics): requests of one queue pair
 * are executed in their order, except that a request may overtake an RDMA read or an atomic before it, unless it is
 * fenced. The owner of the memory may rely on a write when a later message of the same queue pair
 * has arrived, or a later atomic has changed its word. The completion of a write alone promises its sender
 * nothing about the memory. Atomics of one device are atomic among each other.
 */
static const struct litmus_shape shapes[] = {
	/* Message passing: the flag is there, and the data is not. */
	{"mp-write-send", "q: write x 1, send 1 | cpu: receive q a, load x b", "a=1 b=0", "DATA-WRITE-ORDER"},
	{"mp-two-writes-send", "q: write x 1, write y 1, send 1 | cpu: receive q a, load y b, load x c", "a=1 c=0", "DATA-WRITE-ORDER"},
	{"mp-last-write-send", "q: write x 1, write y 1, send 1 | cpu: receive q a, load y b, load x c", "a=1 b=0", "DATA-WRITE-ORDER"},
	{"mp-write-add", "q: write x 1, add y 1 c | cpu: load y a, load x b", "a=1 b=0", "DATA-WRITE-ORDER"},
	{"mp-write-swap", "q: write x 1, swap y 0 1 c | cpu: load y a, load x b", "a=1 b=0", "DATA-WRITE-ORDER"},
	{"mp-add-send", "q: add x 1 c, fence send 1 | cpu: receive q a, load x b", "a=1 b=0", "DATA-FENCE"},
	{"mp-swap-send", "q: swap x 0 1 c, fence send 1 | cpu: receive q a, load x b", "a=1 b=0", "DATA-FENCE"},
	{"mp-write-wait-add", "q: write x 1, wait, add y 1 c | r: read y a, read x b", "a=1 b=0", "DATA-ORDER"},
	{"mp-write-add-read-read", "q: write x 1, add y 1 c | r: read y a, read x b", "a=1 b=0", "DATA-ORDER"},
	{"mp-store-store-read-read", "cpu: store x 1, store y 1 | q: read y a, read x b", "a=1 b=0", "DATA-ORDER"},
	{"mp-store-store-read-wait-read", "cpu: store x 1, store y 1 | q: read y a, wait, read x b", "a=1 b=0", "DATA-ORDER"},
	{"mp-two-messages", "q: send 1, send 2 | cpu: receive q a, receive q b", "a=2 b=1", "DATA-ORDER"},
	{"mp-two-messages-same", "q: send 1, send 2 | cpu: receive q a, receive q b", "a=1 b=1", "DATA-ORDER"},
	{"mp-send-write-send", "q: send 1, write x 1, send 2 | cpu: receive q a, receive q b, load x c", "b=2 c=0", "DATA-WRITE-ORDER"},
	{"mp-read-fence-send", "q: read x a, fence send 1 | cpu: receive q b, store x 1", "a=1", "DATA-FENCE"},
	{"mp-add-fence-send", "q: add x 0 a, fence send 1 | cpu: receive q b, store x 1", "a=1", "DATA-FENCE"},
	/* Coherence: one word has one history. */
	{"co-write-write", "q: write x 1, write x 2", "x=1", "DATA-ORDER"},
	{"co-write-write-write", "q: write x 1, write x 2, write x 3", "x=2", "DATA-ORDER"},
	{"co-write-read", "q: write x 1, read x a", "a=0", "DATA-ORDER"},
	{"co-write-write-read", "q: write x 1, write x 2, read x a", "a=1", "DATA-ORDER"},
	{"co-write-add", "q: write x 1, add x 1 a", "a=0", "DATA-ORDER"},
	{"co-write-add-end", "q: write x 1, add x 1 a", "x=1", "DATA-ORDER"},
	{"co-write-swap", "q: write x 1, swap x 1 2 a", "x=1", "DATA-ORDER"},
	{"co-swap-fence-write", "q: swap x 0 1 a, fence write x 2", "x=1", "DATA-FENCE"},
	{"co-add-fence-write", "q: add x 1 a, fence write x 5", "a=5", "DATA-FENCE"},
	{"co-add-fence-write-end", "q: add x 1 a, fence write x 5", "x=6", "DATA-FENCE"},
	{"co-read-fence-write", "q: read x a, fence write x 1", "a=1", "DATA-FENCE"},
	{"co-read-wait-write", "q: read x a, wait, write x 1", "a=1", "DATA-ORDER"},
	{"co-add-wait-write", "q: add x 1 a, wait, write x 5", "x=6", "DATA-ORDER"},
	{"co-write-wait-load", "q: write x 1, wait, send 1 | cpu: receive q a, load x b", "b=0", "DATA-WRITE-ORDER"},
	{"co-read-read", "q: write x 1 | r: read x a, read x b", "a=1 b=0", "DATA-ORDER"},
	{"co-read-wait-read", "q: write x 1 | r: read x a, wait, read x b", "a=1 b=0", "DATA-ORDER"},
	{"co-add-fence-add", "q: write x 1 | r: add x 0 a, fence add x 0 b", "a=1 b=0", "DATA-FENCE"},
	{"co-store-read-read", "cpu: store x 1 | q: read x a, read x b", "a=1 b=0", "DATA-ORDER"},
	{"co-of-two-reads", "q: write x 1 | r: write x 2 | s: read x a, read x b | t: read x c, read x d", "a=1 b=2 c=2 d=1", "DATA-ORDER"},
	/* Atomics of one device. */
	{"atomic-add-add", "q: add x 1 a | r: add x 1 b", "a=0 b=0", "DATA-ATOMIC"},
	{"atomic-add-add-end", "q: add x 1 a | r: add x 1 b", "x=1", "DATA-ATOMIC"},
	{"atomic-three-adds", "q: add x 1 a | r: add x 1 b | s: add x 1 c", "x=2", "DATA-ATOMIC"},
	{"atomic-four-adds", "q: add x 1 a | r: add x 1 b | s: add x 1 c | t: add x 1 d", "x=3", "DATA-ATOMIC"},
	{"atomic-swap-swap", "q: swap x 0 1 a | r: swap x 0 2 b", "a=0 b=0", "DATA-ATOMIC"},
	{"atomic-lock", "q: swap x 0 1 a | r: swap x 0 1 b | s: swap x 0 1 c", "a=0 c=0", "DATA-ATOMIC"},
	{"atomic-swap-add", "q: swap x 0 5 a | r: add x 1 b", "a=0 b=0", "DATA-ATOMIC"},
	{"atomic-swap-add-end", "q: swap x 0 5 a | r: add x 1 b", "x=5", "DATA-ATOMIC"},
	{"atomic-add-fence-add", "q: add x 1 a, fence add x 1 b", "b=0", "DATA-FENCE"},
	{"atomic-fence-swaps", "q: swap x 0 1 a, fence swap x 1 2 b", "b=0", "DATA-FENCE"},
	/* Store buffering with atomics: each sees the other's old word. */
	{"sb-add-fence", "q: add x 1 c, fence read y a | r: add y 1 d, fence read x b", "a=0 b=0", "DATA-FENCE"},
	{"sb-add-wait", "q: add x 1 c, wait, add y 0 a | r: add y 1 d, wait, add x 0 b", "a=0 b=0", "DATA-ATOMIC"},
	{"sb-swap-fence-swap", "q: swap x 0 1 c, fence swap y 7 7 a | r: swap y 0 1 d, fence swap x 7 7 b", "a=0 b=0", "DATA-FENCE"},
	/* Load buffering with fences and completions: each reads what the other writes later. */
	{"lb-fence", "q: read x a, fence write y 1 | r: read y b, fence write x 1", "a=1 b=1", "DATA-FENCE"},
	{"lb-wait", "q: read x a, wait, write y 1 | r: read y b, wait, write x 1", "a=1 b=1", "DATA-ORDER"},
	{"lb-add-fence", "q: add x 0 a, fence write y 1 | r: add y 0 b, fence write x 1", "a=1 b=1", "DATA-FENCE"},
	/* Independent reads of independent changes. */
	{"iriw-fence-add", "q: add x 1 e | r: add y 1 f | s: add x 0 a, fence add y 0 b | t: add y 0 c, fence add x 0 d",
	 "a=1 b=0 c=1 d=0", "DATA-FENCE"},
	/* No document forbids these: a request overtakes a read or an atomic, and the owner sees bytes of a write early or late. */
	{"open-mp-write-write", "q: write x 1, write y 1 | cpu: load y a, load x b", "a=1 b=0", NULL},
	{"open-read-write", "q: read x a, write x 1", "a=1", NULL},
	{"open-add-write", "q: add x 1 a, write x 5", "x=6", NULL},
	{"open-add-add", "q: add x 1 a, add x 1 b", "b=0", NULL},
	{"open-read-add", "q: read x a, add x 1 b", "a=1", NULL},
	{"open-lb", "q: read x a, write y 1 | r: read y b, write x 1", "a=1 b=1", NULL},
	{"open-sb", "q: write x 1, read y a | r: write y 1, read x b", "a=0 b=0", NULL},
	{"open-sb-cpu", "q: write x 1, read y a | cpu: store y 1, load x b", "a=0 b=0", NULL},
	{"open-two-pairs", "q: write x 1 | r: write x 2", "x=1", NULL},
	{"open-other-pair", "q: write x 1 | r: read x a", "a=0", NULL},
	{"open-other-message", "q: write x 1 | r: send 1 | cpu: receive r a, load x b", "a=1 b=0", NULL},
	{"open-local-add", "q: add x 1 a | cpu: local-add x 1 b", "x=1", NULL},
	{"open-local-store", "q: add x 1 a | cpu: store x 5", "x=1", NULL},
	/* The same where an order of each queue pair is not an order of the memory: a completed write may be seen late. */
	{"mp-write-wait-write", "q: write x 1, wait, write y 1 | r: read y a, read x b", "a=1 b=0", NULL},
	{"mp-write-write-read-read", "q: write x 1, write y 1 | r: read y a, read x b", "a=1 b=0", NULL},
	{"mp-write-write-read-wait-read", "q: write x 1, write y 1 | r: read y a, wait, read x b", "a=1 b=0", NULL},
	{"mp-write-write-add-fence-read", "q: write x 1, write y 1 | r: add y 0 a, fence read x b", "a=1 b=0", NULL},
	{"sb-wait", "q: write x 1, wait, read y a | r: write y 1, wait, read x b", "a=0 b=0", NULL},
	{"r-wait", "q: write x 1, wait, write y 1 | r: write y 2, wait, read x a", "a=0 y=2", NULL},
	{"two-plus-two-wait", "q: write x 1, wait, write y 2 | r: write y 1, wait, write x 2", "x=1 y=1", NULL},
	{"s-fence", "q: write x 2, write y 1 | r: read y a, fence write x 1", "a=1 x=2", NULL},
	{"iriw-reads", "q: write x 1 | r: write y 1 | s: read x a, read y b | t: read y c, read x d", "a=1 b=0 c=1 d=0", NULL},
	{"iriw-wait", "q: write x 1 | r: write y 1 | s: read x a, wait, read y b | t: read y c, wait, read x d", "a=1 b=0 c=1 d=0", NULL},
	{"wrc-fence", "q: write x 1 | r: read x a, fence write y 1 | s: read y b, read x c", "a=1 b=1 c=0", NULL},
	{"wrc-wait", "q: write x 1 | r: read x a, wait, write y 1 | s: read y b, wait, read x c", "a=1 b=1 c=0", NULL},
	{"isa2-wait", "q: write x 1, wait, write y 1 | r: read y a, fence write z 1 | s: read z b, read x c", "a=1 b=1 c=0", NULL},
	{"rwc-wait", "q: write x 1 | r: read x a, wait, read y b | s: write y 1, wait, read x c", "a=1 b=0 c=0", NULL},
	{"open-two-plus-two", "q: write x 1, write y 2 | r: write y 1, write x 2", "x=1 y=1", NULL},
};

const struct litmus_shape *litmus_shape(size_t i)
{
	return i < ARRAY_SIZE(shapes) ? &shapes[i] : NULL;
}

static struct value *cases(bool forbidden)
{
	struct value *rows = value_list(), *row;
	const struct litmus_shape *s;
	size_t i;

	for (i = 0; (s = litmus_shape(i)); i++) {
		if ((s->clause != NULL) != forbidden)
			continue;
		row = value_map();
		value_set_string(row, "case", s->name);
		if (s->clause)
			value_set_string(row, "clause", s->clause);
		value_set_string(row, "program", s->program);
		value_set_string(row, "outcome", s->outcome);
		value_append(rows, row);
	}
	return rows;
}

struct value *litmus_cases(void)
{
	return cases(true);
}

struct value *litmus_open_cases(void)
{
	return cases(false);
}
