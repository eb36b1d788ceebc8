/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SERVICES_HOST_FILES_H
#define VBM_SERVICES_HOST_FILES_H

struct value;

/* The parts of the scenario's services that one host needs. */
struct host_files {
	const char *hosts, *resolv, *nsswitch;	/* contents of the files in /etc */
	const char *services;		/* NULL: the machine's file */
	int dns_log_fd;			/* the log of the name server's questions; -1: no name server */
	int dns_pidfd;			/* the name server; -1: no name server */
	const struct value *acm;	/* the answers of its path service; NULL: no path service */
};

#endif
