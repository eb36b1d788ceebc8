/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_SERVER_H
#define VBM_DNS_SERVER_H

#include <stdint.h>

#include <verbatim/error.h>

struct value;

/*
 * The name server of a scenario: unbound, and the gate that clients see. One
 * pool serves all scenarios of a run, one after another; unbound is started
 * again only when the records are others.
 */
struct dns_pool;
struct dns_pool *dns_pool_new(void);
void dns_pool_free(struct dns_pool *pool);	/* NULL is fine */

struct dns_server;

struct dns_server_options {
	int netns_fd;		/* where it is reached; -1: here */
	const char *address;	/* IPv4, at which */
	uint16_t port;		/* 0: 53 */
	uint16_t unbound_port;	/* 0: unbound gets a namespace of its own */
};

/* Serve @dns (no references left in it). Ready when this returns. */
int dns_server_start(struct dns_server **out, struct dns_pool *pool,
		     const struct dns_server_options *opts, const struct value *dns,
		     struct vbm_error *err);
void dns_server_stop(struct dns_server *s);	/* NULL is fine */

/* Borrowed: the questions so far, a line each ("udp A a.test"). */
int dns_server_log_fd(const struct dns_server *s);

/* Borrowed: kill it, and the server is gone once it is readable. */
int dns_server_pidfd(const struct dns_server *s);

#endif
