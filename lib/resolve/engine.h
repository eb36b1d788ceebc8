/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_ENGINE_H
#define VBM_LIB_ENGINE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/base/loop.h"
#include "lib/base/ring.h"
#include "lib/resolve/resolvconf.h"

struct gai_config;

/*
 * Where requests wait for the network: descriptors, deadlines, name servers.
 * An engine belongs to somebody who runs it: a synchronous call runs one of
 * its own until its request is over; a resolver (verbatim/resolve.h) is run by
 * its program; the requests of rdma_cm_ids are run by a thread (lib/cm/thread.c). The owner
 * locks it. Until a request has to wait, an engine is only memory.
 */
struct engine {
	const struct gai_config *cfg;
	struct loop loop;
	bool open;			/* whether the loop is there */
	struct name_servers *servers;	/* owned; NULL until first needed */
	struct name_servers *retired;	/* owned list */
	struct ring waiting;		/* of struct turn */
	unsigned int asking;		/* requests with questions out */
	unsigned int requests;		/* requests that wait for something */
	bool pumping;
};

/* A DNS client and the resolv.conf that it was made from. */
struct name_servers {
	struct dns_client *client;	/* owned */
	struct resolv_conf conf;
	struct stat stat;		/* of the file it was read from */
	unsigned int users;
	struct name_servers *next;	/* retired ones */
};

void vbm_engine_init(struct engine *e, const struct gai_config *cfg);

/* Make the loop, when it is not there. 0 or a negative errno. */
int vbm_engine_open(struct engine *e);

/* Close all descriptors. No request may wait any more. */
void vbm_engine_close(struct engine *e);

/*
 * In a child of fork(2), before its copies of the requests are cleared: close
 * the loop's descriptors first, as what stands behind them is the parent's too.
 */
void vbm_engine_cut(struct engine *e);

/* Run what is ready, without waiting. Not from within a callback. */
void vbm_engine_run(struct engine *e);

/* The name servers of the resolv.conf of now, until vbm_engine_drop_servers(). */
int vbm_engine_use_servers(struct engine *e, struct name_servers **servers);
void vbm_engine_drop_servers(struct name_servers *servers);

/*
 * Name look-ups take turns, so that no name server drowns. The engine calls
 * ask() when the turn has come.
 */
struct turn {
	struct ring node;	/* in the engine's queue, or empty */
	void (*ask)(struct turn *t);
};

void vbm_engine_enter(struct engine *e, struct turn *t);
void vbm_engine_leave(struct engine *e, struct turn *t);

#endif
