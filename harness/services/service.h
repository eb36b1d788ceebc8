/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_SERVICE_H
#define VBM_SERVICES_SERVICE_H

#include "services/services.h"

/* What the entries of the table see of each other. */

#define SERVICES_MAX 16

struct serving {
	struct service_place place;	/* its hosts are owned */
	struct value *keys;		/* owned */
	struct host_files *files;	/* owned; a host each. So are hosts, resolv, services */
	const char *name_server;	/* its address; NULL: none, or not started yet */
	void *state[SERVICES_MAX];	/* as in the table */
};

extern const struct service service_dns, service_hosts, service_services, service_resolv,
	service_acm;

#endif
