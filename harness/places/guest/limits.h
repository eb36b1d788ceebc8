/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_LIMITS_H
#define VBM_GUEST_LIMITS_H

#include "guest/confine.h"
#include "guest/machine.h"

/*
 * The table for one guest: the files of this machine that its process may see, and those
 * that it may write to.
 */
struct limits {
	struct confine c;
	struct confine_path *path;	/* owned, as each path */
};

void limits_make(struct limits *l, const struct machine *m);
void limits_fini(struct limits *l);

static inline void auto_limits_fn(struct limits *l)
{
	limits_fini(l);
}
#define auto_limits __attribute__((cleanup(auto_limits_fn)))

#endif
