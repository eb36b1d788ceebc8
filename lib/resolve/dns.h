/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_DNS_H
#define VBM_LIB_DNS_H

#include <stdint.h>

#include "lib/base/addr.h"

struct loop;
struct resolv_conf;

enum dns_status {
	DNS_FOUND,
	DNS_NODATA,	/* the name exists, without records of the type */
	DNS_NXDOMAIN,
	DNS_TEMPORARY,	/* no server could say: SERVFAIL, REFUSED, unreachable */
	DNS_SILENT,	/* no server said anything in time */
	DNS_PERMANENT,	/* FORMERR, codes unheard of, replies that make no sense */
	DNS_MEMORY,
	DNS_SYSTEM,	/* see error */
};

struct dns_answer {
	enum dns_status status;
	int error;			/* errno of DNS_SYSTEM */
	const struct addr_list *addrs;	/* of DNS_FOUND; valid during the call */
	const char *canon;		/* where the aliases end; valid as addrs */
};

/*
 * The one place that knows the DNS library, c-ares from 1.18 on. A client asks
 * the servers of one resolv.conf; questions that are open at the same time share
 * its sockets.
 *
 * Each family is a query of its own, and the replies are read here, because
 * ares_getaddrinfo() joins both into one result: EAI_FAIL, EAI_NODATA and
 * EAI_ADDRFAMILY take the response code of each family, which it does not tell.
 *
 * NSS is not asked: its modules block, and say less than a response code does.
 * So there are no names of mDNS, LDAP or nss-myhostname; databases.h has what is
 * known without a name server.
 */
struct dns_client;

typedef void dns_done(void *arg, const struct dns_answer *answer);

/* 0 or a negative errno. @port: of all servers; 0: 53. */
int vbm_dns_client_new(struct loop *loop, const struct resolv_conf *conf,
		       uint16_t port, struct dns_client **client);

/* Questions still open are dropped, their dns_done is not called. Not from within dns_done. */
void vbm_dns_client_free(struct dns_client *c);

/*
 * Ask for the addresses of one family of the full name @name. @done is called
 * exactly once, perhaps before this returns, unless the question is dropped:
 * *@question (not NULL) is then what vbm_dns_drop() takes, and is set to NULL
 * before @done is called.
 */
struct dns_question;
void vbm_dns_ask(struct dns_client *c, const char *name, int family,
		 dns_done *done, void *arg, struct dns_question **question);
void vbm_dns_drop(struct dns_question *q);

#endif
