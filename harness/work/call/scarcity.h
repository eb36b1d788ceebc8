/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CALL_SCARCITY_H
#define VBM_CALL_SCARCITY_H

#include <sys/resource.h>

#include "base/value.h"

/*
 * Resources that a call finds less of than usual. A step with these parameters
 * makes its call between scarcity_begin() and scarcity_end(), and nothing else.
 */
#define P_SPARE_FDS                                                           \
	P_INT("spare_fds", 0, 1024, "how many descriptors the call can open; default: no limit")
#define P_NO_MEMORY                                                           \
	P_BOOL("no_memory", "true: the call finds no free memory (requires: sanitizer=none); default false")

struct scarcity {
	struct rlimit files, space;	/* the limits before */
	void *taken;			/* owned; each block points to the next */
	bool few_files, no_memory;
};

/* Sets errno to 0. */
void scarcity_begin(struct scarcity *s, const struct value *args);
/* Leaves errno as it is. */
void scarcity_end(struct scarcity *s);

#endif
