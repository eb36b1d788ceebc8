/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_LOCALS_H
#define VBM_LIB_LOCALS_H

#include "lib/base/addr.h"

/* An address of this host, and what the kernel knows of it. */
struct local {
	union addr addr;	/* IPv6: its scope is the interface */
	unsigned int index;	/* of its interface */
	int prefix;		/* bits of its network */
	bool deprecated;	/* its preferred lifetime is over */
	bool home;		/* of mobile IPv6 */
};

struct locals {
	struct local *item;	/* owned */
	size_t count, room;
};

/* All of them. 0, or a negative errno with none. */
int vbm_locals_read(struct locals *l);
void vbm_locals_clear(struct locals *l);

/* Whether @l is @a; without a scope @a may be any interface's. */
bool vbm_local_is(const struct local *l, const union addr *a);

/* NULL when it is none of them. */
const struct local *vbm_locals_find(const struct locals *l, const union addr *a);

/*
 * Take the messages of one datagram of rtnetlink(7). 1: more are to come, 0:
 * that was the last, or makes no sense; -ENOMEM, or the error it tells of. Pure.
 */
int vbm_locals_parse(struct locals *l, const void *datagram, size_t len);

#endif
