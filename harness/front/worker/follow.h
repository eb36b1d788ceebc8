/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_WORKER_FOLLOW_H
#define VBM_WORKER_FOLLOW_H

#include <stddef.h>

#include <verbatim/error.h>

#include "worker/worker.h"

/*
 * The functions that a front end has for the news of its workers. Each returns 0 to go
 * on, a positive number to stop, or -errno with @err. All except @event may be NULL.
 */
struct follow_ops {
	int (*ready)(void *arg, struct worker *w, struct vbm_error *err);
	int (*event)(void *arg, struct worker *w, struct value *event, struct vbm_error *err);
	int (*end)(void *arg, struct worker *w, struct vbm_error *err);
	/*
	 * The worker died, was garbled or silent: @why says how. If the function is NULL,
	 * that is an error.
	 */
	int (*lost)(void *arg, struct worker *w, enum worker_news news, const char *why,
		    struct vbm_error *err);
	/* A signal came; @why names it. If the function is NULL, follow() ends with -EINTR. */
	int (*interrupted)(void *arg, struct worker *const *workers, const char *why,
			   struct vbm_error *err);
	/* Called before each wait: adds descriptors to wait for, with worker_input_for(). */
	void (*wait_for)(void *arg, struct worker_wait *on);
	int (*input)(void *arg, struct vbm_error *err);
};

/*
 * Follows the workers until each had its last news, or a function of @ops says stop. The
 * functions may put other workers, or NULL, into @workers; the caller owns them all.
 * Returns -EINTR when a signal came for which @ops has no function; -EPIPE when nobody
 * reads standard output any more and something was written to it.
 */
struct follow {
	struct worker **workers;
	size_t count;
	struct signals *signals;
	const struct follow_ops *ops;
	void *arg;
};

int follow(const struct follow *f, struct vbm_error *err);

#endif
