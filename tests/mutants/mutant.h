/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_MUTANT_H
#define VBM_TESTS_MUTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

/*
 * A mutant breaks one promise of the stack on purpose. Two shared objects for
 * "verbatim run --target" have them all: mutants-system.so breaks the system's libraries,
 * mutants-reference.so breaks libverbatim. Without a mutant that is on, each does
 * what the library below it does.
 *
 * VERBATIM_MUTANTS, which scripts/check-mutants sets, has a line "SCENARIO MUTANT HOW" for
 * each mutant that is on. The harness tells each agent its variant in VERBATIM_VARIANT.
 *
 * A mutant is a line of scenarios/mutants.tsv. Column "how" says what it changes, in
 * the language of mutant-how.c; with "-" a wrapper asks for the mutant with mutant_on().
 */
bool mutant_on(const char *name);

/* Makes the call @ms milliseconds late: that is what the mutant breaks. */
void mutant_late(int ms);

/* The call below: of libverbatim or of the system's library. Never NULL: it aborts. */
void *mutant_next(const char *symbol);
#define NEXT(symbol) ((__typeof__(&symbol))mutant_next(#symbol))

/* A member that a mutant can read and change; a table of them ends with a name of NULL. */
struct mutant_field {
	const char *name;
	size_t offset, size;	/* in bytes */
};

#define FIELD(type, member) {#member, offsetof(type, member), sizeof(((type *)0)->member)}

/* A structure and its members; without a structure the members are absent. */
struct mutant_part {
	void *base;
	const struct mutant_field *fields;
};

/* An argument that is a number or a pointer. The table lives on; the argument, as long as its block. */
#define ARG(arg) {&(arg), ({                                                  \
		static const struct mutant_field table[] = {{#arg, 0, sizeof(arg)}, {NULL, 0, 0}}; \
		table;                                                        \
	})}

#define MUTANT_PARTS 12

/*
 * One call. A wrapper fills in what the call takes and answers, and then is
 *
 *	while (mutant_begin(&c))
 *		c.ret = NEXT(call)(...);
 *	return mutant_end(&c);
 *
 * Mutants change the parts of @in before the call, and those of @out after it.
 */
struct mutant_call {
	const char *name;
	struct mutant_part in[MUTANT_PARTS], out[MUTANT_PARTS];
	intptr_t ret;		/* what the call returns */
	int err;		/* errno after the call */
	int runs;
};

bool mutant_begin(struct mutant_call *c);
intptr_t mutant_end(struct mutant_call *c);

/* mutant-values.c: the number of a name such as ENOMEM or IBV_WC_SUCCESS. */
bool mutant_value(const char *name, int64_t *out);

/* mutant-how.c: takes the text "HOW" of a mutant that is on. Its fault, or NULL. */
const char *mutant_take(const char *how);
/* The same without taking it, for scripts/check-mutants; the caller does not free the text. */
const char *mutant_how_error(const char *how);

/*
 * calls-context.c: the calls that headers define inline go through the context. Every call
 * that gives a program a context hands it here.
 */
void mutant_context(struct ibv_context *context);

/* calls-cm.c: an identifier that has a device has a context that librdmacm opened. @id NULL is fine. */
void mutant_of_id(struct rdma_cm_id *id);

/* calls-device.c: another context that does the same. There is one for a process. */
struct ibv_context *mutant_twin(struct ibv_context *context);

/* calls-cq.c: makes an event of @cq that the kernel did not make, unless there is one already. */
void mutant_make_event(struct ibv_cq *cq);

/* calls-resolve.c: mutants change each entry of @list, the answer of the call. */
void mutant_list(struct mutant_call *c, struct rdma_addrinfo **list);

/* next-*.c: the function of the library that this object breaks, or NULL: the system has it. */
void *mutant_own(const char *symbol);

/* calls-resolve.c: asks the name server for a name that it does not know: place "asks" of a call. */
void mutant_ask_name_server(void);

/* Newer than the headers this may be built with. */
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			  const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

#endif
