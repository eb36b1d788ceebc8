/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_SERVICES_H
#define VBM_SERVICES_SERVICES_H

/*
 * Runs in: the compiler checks the keys; the runner starts the services of a variant; the agent has their files.
 * Owns:    what the table entry of each key makes.
 * Ends:    services_stop(), with the variant; a name server lives as long as the runner.
 * Tests:   unit/test_services, test_etc_files; tests/guest/suite-*.test.
 */

#include <verbatim/error.h>

#include "base/diag.h"
#include "base/value.h"
#include "names/host.h"

struct dns_pool;
struct serving;

/* The parts of the scenario's services that one host needs. */
struct host_files {
	const char *hosts, *resolv, *nsswitch;	/* contents of the files in /etc */
	const char *services;		/* NULL: the machine's file */
	int dns_log_fd;			/* the log of the name server's questions; -1: no name server */
	int dns_pidfd;			/* the name server; -1: no name server */
	const struct value *acm;	/* the answers of its path service; NULL: no path service */
};

/*
 * A key of a scenario's head that starts something for its hosts, or writes files for
 * them. Its entry in the table is all that the other rooms know about it.
 */
struct service {
	const char *key;
	const char *doc;		/* one sentence */
	const char *steps;		/* steps whose names begin with this need the service; NULL: no step does */
	const char *what;		/* its name in messages: "name server" */

	/* Report mistakes in @v for a fabric of @hosts hosts to @diag. Pure. */
	void (*check)(const struct value *v, int hosts, struct diagnostics *diag);

	/*
	 * Begin to serve the hosts of @s. Called for all services in the order of the
	 * table if a scenario names at least one; @v is NULL for a service that it does
	 * not name. *@state is NULL at first and belongs to this service. look() and
	 * stop() may be NULL.
	 */
	int (*start)(struct serving *s, const struct value *v, void **state,
		     struct vbm_error *err);
	int (*look)(const struct serving *s, const void *state, struct vbm_error *err);
	void (*stop)(void *state);
};

extern const struct service *const service_table[];	/* ends with NULL */

/* The service that the step @step needs, or NULL. */
const struct service *service_of_step(const char *step);

struct service_host {
	const struct host_info *info;	/* borrowed */
	int netns_fd;			/* borrowed; -1: the present namespace */
};

struct service_setup {
	const struct service_host *host;
	int hosts;
	struct dns_pool *dns;		/* borrowed, until the services end */
};

/*
 * Start the services of one variant of a scenario. @keys maps their keys to values without
 * references. When this returns, all of them answer. *@out is NULL when @keys names no
 * service.
 */
int services_start(struct serving **out, const struct value *keys,
		   const struct service_setup *setup, struct vbm_error *err);

/* Not 0 when a service ended by itself; the results of the scenario then mean nothing. */
int services_look(const struct serving *s, struct vbm_error *err);
void services_stop(struct serving *s);		/* NULL is allowed, also for services_look() */

/* Borrowed, for the agent of @host. NULL if @s is NULL. */
const struct host_files *services_of(const struct serving *s, int host);

struct value;

#endif
