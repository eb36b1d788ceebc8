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

/* What came of it. */
struct outcome {
	int code;
	int or_code;		/* of the model: this one will do, too */
	address_set set[TYPES];
	char canon[NAME_ROOM];	/* "" where nobody knows */
	bool odd;		/* an address, a port or an entry that is not right */
};

/*
 * What the pages say of it: the clauses GAI-* and resolv.conf(5), in the plainest
 * way, with the zone itself in place of a name server.
 */
struct outcome model_outcome(const struct zone *z, const struct query *q);

/*
 * Whether getaddrinfo(3) of the C library gives up before it comes to the
 * answer. resolv.conf(5) says that the search list is tried until something is
 * found; glibc ends it at a fault, and at an alias that leads to no address. An
 * address beside silence about the other family it does not wait for.
 */
bool model_libc_gives_up(const struct zone *z, const struct query *q);

#endif
