/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_REQUEST_H
#define VBM_LIB_RESOLVE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/resolve/translation.h"

struct engine;
struct gai_config;

/*
 * One translation, synchronous or not: the one state machine of both.
 *
 *	begin -> service -> node [-> its turn -> name servers] -> build
 *	      [-> routes] -> over
 *
 * Each arrow in brackets waits for the network. @over is called exactly once,
 * perhaps before vbm_request_begin() returns, with code, error and list set.
 */
struct request {
	struct engine *engine;
	void (*over)(struct request *r);
	struct gai_work work;
	struct rdma_addrinfo *list;	/* owned; the result */
	int code;			/* 0 or an EAI_ code */
	int error;			/* errno of EAI_SYSTEM */
	bool is_over;
	int64_t deadline;		/* vbm_loop_now(); 0: none */
	void *route;			/* owned copy of the hints' route */
	struct asking *asking;		/* owned; while it waits */
};

/*
 * Make @r a request on @e. vbm_hints_check() has filled r->work.q. With @keep the parts
 * that r->work.q borrows from the hints are copied, for a caller who does not wait until
 * the request is over. 0 or -ENOMEM.
 */
int vbm_request_init(struct request *r, struct engine *e, bool keep);

/*
 * Run the whole request on an engine of its own with the files and services of @cfg. It is
 * over when the call returns. vbm_hints_check() has filled r->work.q.
 */
void vbm_request_run(struct request *r, const struct gai_config *cfg, const char *node,
		     const char *service);

/* Begin the request. @node and @service are read during the call only. */
void vbm_request_begin(struct request *r, const char *node, const char *service);

/* End the request now with @code and @error. A request that is over stays as it is. */
void vbm_request_end(struct request *r, int code, int error);

/* Release all that the request owns. A request that still waits ends; @over is not called. */
void vbm_request_clear(struct request *r);

#endif
