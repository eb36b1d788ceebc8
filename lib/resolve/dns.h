/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_RESOLVE_DNS_H
#define VBM_LIB_RESOLVE_DNS_H

#include <stdint.h>

#include "lib/base/addr.h"

struct loop;
struct resolv_conf;

enum dns_status {
	DNS_FOUND,
	DNS_NODATA,	/* the name exists, without records of the type */
	DNS_NXDOMAIN,
	DNS_TEMPORARY,	/* no server could answer: SERVFAIL, REFUSED, unreachable */
	DNS_SILENT,	/* no server answered in time */
	DNS_PERMANENT,	/* FORMERR, unknown codes, malformed replies */
	DNS_MEMORY,
	DNS_SYSTEM,	/* see error */
};

struct dns_answer {
	enum dns_status status;
	int error;			/* errno of DNS_SYSTEM */
	const struct addr_list *addrs;	/* of DNS_FOUND; valid during the call of dns_done */
	const char *canon;		/* the name at the end of the aliases; valid as long as addrs */
};

/*
 * Only this file uses the DNS library, c-ares from 1.18 on. A client asks the servers of
 * one resolv.conf; questions that are open at the same time share its sockets.
 *
 * Each family is a query of its own, and the library reads the replies here.
 * ares_getaddrinfo() would join both families into one result and would not tell the
 * response code of each. EAI_FAIL, EAI_NODATA and EAI_ADDRFAMILY need these codes.
 *
 * NSS is not asked, because its modules block and tell less than a response code does. So
 * there are no names of mDNS, LDAP or nss-myhostname; databases.h lists the names that are
 * known without a name server.
 */
struct dns_client;

typedef void dns_done(void *arg, const struct dns_answer *answer);

/* 0 or a negative errno. @port: of all servers; 0: 53. */
int vbm_dns_client_new(struct loop *loop, const struct resolv_conf *conf,
		       uint16_t port, struct dns_client **client);

/*
 * Drops the questions that are still open without calling dns_done. Not to be called from
 * dns_done.
 */
void vbm_dns_client_free(struct dns_client *c);

/*
 * Ask for the addresses of one family of the full name @name. @done is called exactly
 * once, perhaps before this returns, unless the question is dropped: vbm_dns_drop() takes
 * *@question. *@question is set to NULL before @done is called. @question is not NULL.
 */
struct dns_question;
void vbm_dns_ask(struct dns_client *c, const char *name, int family,
		 dns_done *done, void *arg, struct dns_question **question);
void vbm_dns_drop(struct dns_question *q);

#endif
