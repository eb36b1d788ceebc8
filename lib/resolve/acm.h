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

/* One connection to the path service: one request at a time, and its reply. */
struct acm {
	struct watch watch;		/* first: see acm.c */
	struct loop *loop;
	void (*done)(struct acm *a, const struct acm_reply *reply);
	uint8_t buf[ACM_MOST];
	size_t used, want;
	bool sending;
};

/* Begin to connect, without blocking: 0 or a negative errno. */
int vbm_acm_open(struct acm *a, struct loop *loop, const char *run);
void vbm_acm_close(struct acm *a);

/*
 * Send @request. vbm_loop_dispatch() calls a->done with the reply, or with NULL when this
 * connection will give no usable answer any more.
 */
void vbm_acm_ask(struct acm *a, const struct acm_request *request);

#endif
