/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_SERVICES_H
#define VBM_SERVICES_SERVICES_H

#include <verbatim/error.h>

#include "base/diag.h"
#include "base/value.h"
#include "fabric/fabric.h"
#include "services/host-files.h"

struct dns_pool;
struct serving;

/*
 * A key of a scenario's head that starts something for its hosts, or writes
 * files of theirs. All that is to be known of it is its entry.
 */
struct service {
	const char *key;
	const char *doc;		/* one sentence */
	const char *steps;		/* those whose names begin so need it; NULL: none */
	const char *what;		/* they need: "name server" */

	/* Tells @diag what is wrong with @v in a fabric of @hosts. Pure. */
	void (*check)(const struct value *v, int hosts, struct diagnostics *diag);

	/*
	 * Begin to serve the hosts of @s. Called for all services in the order
	 * of the table when a scenario names at least one; @v is NULL for those
	 * it does not name. *@state (NULL so far) is for the other two, either of
	 * which can be missing.
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
	int netns_fd;			/* borrowed; -1: this one */
};

struct service_place {
	const struct service_host *host;
	int hosts;
	struct dns_pool *dns;		/* borrowed, until the services end */
};

/*
 * The services of one variant of a scenario. @keys maps their keys to values
 * without references. All of them answer when this returns. *@out is NULL when
 * @keys names none.
 */
int services_start(struct serving **out, const struct value *keys,
		   const struct service_place *place, struct vbm_error *err);

/* Not 0 when one of them ended by itself: what a scenario saw then says nothing. */
int services_look(const struct serving *s, struct vbm_error *err);
void services_stop(struct serving *s);		/* NULL is fine, here and above */

/* Borrowed, for the agent of @host; NULL for a NULL @s. */
const struct host_files *services_of(const struct serving *s, int host);

#endif
