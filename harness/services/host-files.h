/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_HOST_FILES_H
#define VBM_SERVICES_HOST_FILES_H

struct value;

/* What a host has of the scenario's services. */
struct host_files {
	const char *hosts, *resolv, *nsswitch;	/* content of the files in /etc */
	const char *services;		/* NULL: the machine's own */
	int dns_log_fd;			/* the name server's questions; -1: none */
	int dns_pidfd;			/* the name server; -1: none */
	const struct value *acm;	/* how its path service answers; NULL: none */
};

#endif
