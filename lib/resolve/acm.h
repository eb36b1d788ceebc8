/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ACM_H
#define VBM_LIB_ACM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/resolve/acm-codec.h"
#include "lib/base/loop.h"

/* Whether a path service has left its socket or port file in @run. */
bool vbm_acm_is_there(const char *run);

/* One conversation with it: a request, a reply. */
struct acm {
	struct watch watch;		/* first: see acm.c */
	struct loop *loop;
	void (*done)(struct acm *a, const struct acm_reply *reply);
	uint8_t buf[ACM_MOST];
	size_t used, want;
	bool sending;
};

/* A connection under way, not blocking: 0 or a negative errno. */
int vbm_acm_open(struct acm *a, struct loop *loop, const char *run);
void vbm_acm_close(struct acm *a);

/*
 * Send @request; a->done follows from vbm_loop_dispatch(), with NULL when there
 * will be no usable answer on this connection any more.
 */
void vbm_acm_ask(struct acm *a, const struct acm_request *request);

#endif
