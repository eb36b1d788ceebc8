/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_ENGINE_H
#define VBM_LIB_RESOLVE_ENGINE_H

/*
 * Runs in: the thread of the caller; nothing here starts a thread.
 * Owns:    one c-ares channel and the requests that wait.
 * Ends:    with its resolver, or with the call of vbm_getaddrinfo().
 * Tests:   unit/test_getaddrinfo, test_gai_*, test_resolver; fuzz/fuzz_resolver.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/loop.h"
#include "lib/base/ring.h"
#include "lib/resolve/resolvconf.h"

struct gai_config;

/*
 * The descriptors, deadlines and name servers of requests that wait for the network. Each
 * engine has an owner who runs it and locks it: a synchronous call runs one until its
 * request is over; the program runs the engine of a resolver (verbatim/resolve.h); a
 * thread runs the engine of the rdma_cm_ids (lib/cm/cm.c). Until a request has to
 * wait, an engine is only memory.
 */
struct engine {
	const struct gai_config *cfg;
	struct loop loop;
	bool open;			/* the loop is there */
	struct name_servers *servers;	/* owned; NULL until first needed */
	struct name_servers *retired;	/* owned list */
	struct ring waiting;		/* of struct turn */
	unsigned int asking;		/* requests that wait for answers to their questions */
	unsigned int requests;		/* requests that wait for something */
	bool pumping;
};

/* A DNS client and the resolv.conf that it was made from. */
struct name_servers {
	struct dns_client *client;	/* owned */
	struct resolv_conf conf;
	struct stat stat;		/* the file's, when it was read */
	unsigned int users;
	struct name_servers *next;	/* retired ones */
};

void vbm_engine_init(struct engine *e, const struct gai_config *cfg);

/* Make the loop, unless it exists. 0 or a negative errno. */
int vbm_engine_open(struct engine *e);

/* Close all descriptors. No request may wait at that time. */
void vbm_engine_close(struct engine *e);

/*
 * For a child of fork(2), before it clears its copies of the requests: close the loop's
 * descriptors first, because the parent uses the same open files.
 */
void vbm_engine_cut(struct engine *e);

/* Run everything that is ready, without waiting. Not to be called from a callback. */
void vbm_engine_run(struct engine *e);

/* The name servers of the present resolv.conf, to be given back by vbm_engine_drop_servers(). */
int vbm_engine_use_servers(struct engine *e, struct name_servers **servers);
void vbm_engine_drop_servers(struct name_servers *servers);

/*
 * Look-ups of names take turns, so that a name server does not get too many questions at
 * once. The engine calls ask() when it is the look-up's turn.
 */
struct turn {
	struct ring node;	/* in the engine's queue, or empty */
	void (*ask)(struct turn *t);
};

void vbm_engine_enter(struct engine *e, struct turn *t);
void vbm_engine_leave(struct engine *e, struct turn *t);

#endif
