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
 * VERBATIM_MUTANTS, which scripts/check-mutants sets, has a line "SCENARIO MUTANT" for each
 * mutant that is on. The harness tells each agent its variant in VERBATIM_VARIANT.
 *
 * A mutant needs a line in scenarios/mutants.tsv, and a place here that asks for it.
 */
bool mutant_on(const char *name);

/* Makes the call @ms milliseconds late: that is what the mutant breaks. */
void mutant_late(int ms);

/* The call below: of libverbatim or of the system's library. Never NULL: it aborts. */
void *mutant_next(const char *symbol);
#define NEXT(symbol) ((__typeof__(&symbol))mutant_next(#symbol))

/* A mutant that changes one member of what a call fills in. */
struct mutant_member {
	const char *mutant;
	size_t offset, size;
	uint64_t value;		/* what the member becomes; with @add it is added instead */
	bool add;
};

#define MEMBER(mutant, type, member, value)                                   \
	{mutant, offsetof(type, member), sizeof(((type *)0)->member), value, false}
#define MEMBER_ADD(mutant, type, member, value)                               \
	{mutant, offsetof(type, member), sizeof(((type *)0)->member), value, true}

void mutant_members(void *filled, const struct mutant_member *members, size_t n);

#define MUTANT_MEMBERS(filled, members)                                       \
	mutant_members(filled, members, sizeof(members) / sizeof((members)[0]))

/*
 * mutant-ops.c: the calls that headers define inline go through the context. Every call
 * that gives a program a context or a queue hands it here.
 */
void mutant_context(struct ibv_context *context);

/* next-*.c: the function of the library that this object breaks, or NULL: the system has it. */
void *mutant_own(const char *symbol);

/* Newer than the headers this may be built with. */
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node, const char *service,
			  const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

#endif
