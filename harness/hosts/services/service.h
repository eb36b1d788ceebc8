/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_SERVICE_H
#define VBM_SERVICES_SERVICE_H

#include "services/services.h"

/* The state that the entries of the table share. */

#define SERVICES_MAX 16

struct serving {
	struct service_setup setup;	/* owns its hosts */
	struct value *keys;		/* owned */
	struct host_files *files;	/* owned; one for each host, which owns hosts, resolv and services */
	const char *name_server;	/* its address; NULL: no name server, or not started yet */
	void *state[SERVICES_MAX];	/* one for each entry of the table */
};

extern const struct service service_dns, service_hosts, service_services, service_resolv,
	service_acm;

#endif
