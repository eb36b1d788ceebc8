/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_DATABASES_H
#define VBM_LIB_RESOLVE_DATABASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/addr.h"

/*
 * The files, folders and services that resolution uses. The public calls use
 * vbm_gai_system; tests pass others. Strings are borrowed and must outlive every use.
 */
struct gai_config {
	const char *hosts;	/* hosts(5) */
	const char *services;	/* services(5) */
	const char *resolv;	/* resolv.conf(5) */
	const char *run;	/* where ibacm keeps its socket or port file */
	const char *sys;	/* where sysfs is mounted */
	uint16_t dns_port;	/* of every name server; 0: 53 */
	int acm_ms;		/* how long a path service may take, in all */
};

extern const struct gai_config vbm_gai_system;

/*
 * Read a whole text file of at most 64 MiB. *@text is terminated and owned by
 * the caller. 0 or a negative errno.
 */
int vbm_slurp(const char *path, char **text, size_t *len);

/*
 * The next field of a line, without the white space around it; *@at moves behind it. *@len
 * is its length. NULL at the end of the line.
 */
const char *vbm_text_field(const char **at, const char *end, size_t *len);

/*
 * The end of the line that begins at @at, without its comment; *@next is where
 * the next line begins.
 */
const char *vbm_text_line(const char *at, const char *end, const char **next);

/* The addresses that a hosts file has for one name. */
struct hosts_match {
	struct addr_list addrs;		/* owned; of the family asked for */
	char canon[256];		/* the first name in the first line that has the name asked for */
	bool other_family;		/* the name also has addresses of another family */
};

/* Search the text of hosts(5). 0 (found or not) or -ENOMEM. */
int vbm_hosts_scan(const char *text, size_t len, const char *name, int family,
		   struct hosts_match *match);

void vbm_hosts_match_clear(struct hosts_match *match);

/* Whether @service is a number: digits only, at most 65535. */
bool vbm_service_number(const char *service, uint16_t *port);

/* The ports that a services database has for one name. */
struct service_ports {
	bool has_tcp, has_udp;
	uint16_t tcp, udp;
};

/*
 * Look up @name in the text of services(5). The spelling of the name or of an alias must
 * be the same.
 */
void vbm_service_scan(const char *text, size_t len, const char *name,
		      struct service_ports *found);

/*
 * The port of @service (NULL: 0) for datagrams or streams. 0, EAI_NONAME for a
 * service that does not exist, EAI_SERVICE for one that exists only for the
 * other kind, EAI_MEMORY, or EAI_SYSTEM with errno.
 */
int vbm_service_port(const struct gai_config *cfg, const char *service,
		     bool datagram, uint16_t *port);

/*
 * Look up @name without a server: in the hosts file, and "localhost", which no name server
 * may be asked about (RFC 6761). 0 with @addrs filled and @canon (at least 256 bytes) set;
 * @canon is empty when the name is not known here. *@other_family is set when the name is
 * known here with addresses of another family than @family. EAI_MEMORY or EAI_SYSTEM with
 * errno.
 */
int vbm_lookup_local(const struct gai_config *cfg, const char *name, int family,
		     struct addr_list *addrs, char *canon, bool *other_family);

#endif
