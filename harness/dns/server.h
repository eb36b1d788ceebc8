/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_SERVER_H
#define VBM_DNS_SERVER_H

#include <stdint.h>

#include <verbatim/error.h>

struct unbound;
struct unbound_ports;
struct value;

/*
 * The name server of a scenario: unbound, and the gate that clients see. One
 * pool serves all scenarios of a run, one after another; its unbound starts
 * with the first of them and is only told of other records later.
 */
struct dns_pool;
struct dns_pool *dns_pool_new(void);
void dns_pool_free(struct dns_pool *pool);	/* NULL is fine */

/* Not 0 when its unbound has ended by itself: @err has what it said. */
int dns_pool_check(const struct dns_pool *pool, struct vbm_error *err);

/* Borrowed; NULL before the first server. */
const struct unbound *dns_pool_unbound(const struct dns_pool *pool);

struct dns_server;

struct dns_server_options {
	int netns_fd;		/* where it is reached; -1: here */
	const char *address;	/* IPv4, at which */
	uint16_t port;		/* 0: 53 */
	const struct unbound_ports *unbound;	/* NULL: a namespace of its own */
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
