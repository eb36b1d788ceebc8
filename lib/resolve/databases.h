/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_DATABASES_H
#define VBM_LIB_DATABASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/addr.h"

/*
 * Where resolution finds the world. The public calls use vbm_gai_system; tests
 * bring their own. Strings are borrowed and outlive every use.
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
 * The next field of a line, white space around it:
 * *@at moves behind it. NULL at the line's end. *@len is its length.
 */
const char *vbm_text_field(const char **at, const char *end, size_t *len);

/*
 * The end of the line that begins at @at, without its comment; *@next is where
 * the next line begins.
 */
const char *vbm_text_line(const char *at, const char *end, const char **next);

/* What a hosts file says of one name. */
struct hosts_match {
	struct addr_list addrs;		/* owned; of the family asked for */
	char canon[256];		/* the first name of the first such line */
	bool other_family;		/* it has addresses that were not asked for */
};

/* Search the text of hosts(5). 0 (found or not) or -ENOMEM. */
int vbm_hosts_scan(const char *text, size_t len, const char *name, int family,
		   struct hosts_match *match);

void vbm_hosts_match_clear(struct hosts_match *match);

/* Digits only and at most 65535. */
bool vbm_service_number(const char *service, uint16_t *port);

/* What a services database knows of one name. */
struct service_ports {
	bool has_tcp, has_udp;
	uint16_t tcp, udp;
};

/* Look @name, or an alias of that spelling, up in the text of services(5). */
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
 * Look @name up where no server is needed: the hosts file, and "localhost",
 * which is never a question for a name server (RFC 6761). 0 with @addrs filled
 * and @canon (at least 256 bytes) set, or empty when it is not known here;
 * *@other_family when it is, with addresses of another family than @family.
 * EAI_MEMORY or EAI_SYSTEM with errno.
 */
int vbm_lookup_local(const struct gai_config *cfg, const char *name, int family,
		     struct addr_list *addrs, char *canon, bool *other_family);

#endif
