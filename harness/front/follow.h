/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FRONT_FOLLOW_H
#define VBM_FRONT_FOLLOW_H

#include <stddef.h>

#include <verbatim/error.h>

#include "front/worker.h"

/*
 * What a front end does with the news of its workers. Each function returns 0
 * to go on, a positive number when the following shall stop, -errno with @err
 * when it has to. All but @event may be NULL.
 */
struct follow_ops {
	int (*ready)(void *arg, struct worker *w, struct vbm_error *err);
	int (*event)(void *arg, struct worker *w, struct value *event, struct vbm_error *err);
	int (*end)(void *arg, struct worker *w, struct vbm_error *err);
	/* It died, was garbled or silent: @why says how. NULL: that is an error. */
	int (*lost)(void *arg, struct worker *w, enum worker_news news, const char *why,
		    struct vbm_error *err);
	/* A signal came, as @why says. NULL: that ends the following, with -EINTR. */
	int (*interrupted)(void *arg, struct worker *const *workers, const char *why,
			   struct vbm_error *err);
	/* Before each wait: says with worker_input_for() what else is waited for. */
	void (*wait_for)(void *arg, struct worker_wait *on);
	int (*input)(void *arg, struct vbm_error *err);
};

/*
 * Follow the workers until each had its last news, or a function of @ops says
 * stop. The functions may put others into @workers, or NULL; the caller owns
 * them all. -EINTR when a signal came that @ops does not deal with; -EPIPE when
 * something was written to standard output that nobody reads any more.
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
