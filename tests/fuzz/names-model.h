/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FUZZ_NAMES_MODEL_H
#define VBM_FUZZ_NAMES_MODEL_H

#include "names-zone.h"

/* One question to vbm_getaddrinfo(). */
struct query {
	char node[NAME_ROOM];
	int family;
	int flags;
};

/* The result of a question. */
struct outcome {
	int code;
	int or_code;		/* of the model: this code is right, too */
	address_set set[TYPES];
	char canon[NAME_ROOM];	/* "" if no call reports it */
	bool odd;		/* an address, a port or an entry is wrong */
};

/*
 * The result that the pages promise (the clauses GAI-* and resolv.conf(5)), computed in
 * the simplest way from the zone, without a name server.
 */
struct outcome model_outcome(const struct zone *z, const struct query *q);

/*
 * Whether getaddrinfo(3) of the C library gives up too early. resolv.conf(5) says that the
 * search list is tried until something is found. glibc stops at a fault, and at an alias
 * without an address. When one family has an address and the other is silent, it does not
 * wait.
 */
bool model_libc_gives_up(const struct zone *z, const struct query *q);

#endif
