/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_LOCALS_H
#define VBM_LIB_RESOLVE_LOCALS_H

#include "lib/base/addr.h"

/* An address of this host, with the kernel's attributes of it. */
struct local {
	union addr addr;	/* IPv6: its scope is the interface */
	unsigned int index;	/* of its interface */
	int prefix;		/* bits of its network */
	bool deprecated;	/* its preferred lifetime is over */
	bool home;		/* a home address of mobile IPv6 */
};

struct locals {
	struct local *item;	/* owned */
	size_t count, room;
};

/* Read all addresses. 0, or a negative errno and an empty list. */
int vbm_locals_read(struct locals *l);
void vbm_locals_clear(struct locals *l);

/* Whether @l is @a. An @a without a scope may be on any interface. */
bool vbm_local_is(const struct local *l, const union addr *a);

/* NULL when the host does not have @a. */
const struct local *vbm_locals_find(const struct locals *l, const union addr *a);

/*
 * Take the messages of one datagram of rtnetlink(7). 1: more datagrams follow; 0: this was
 * the last one, or it is malformed; -ENOMEM, or the error that the datagram reports. Pure.
 */
int vbm_locals_parse(struct locals *l, const void *datagram, size_t len);

#endif
