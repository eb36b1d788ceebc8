/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_SERVER_H
#define VBM_DNS_SERVER_H

/*
 * Runs in: the runner starts unbound once; the proxy of a scenario is a process of its own.
 * Owns:    unbound, its zone file and socket.
 * Ends:    the proxy with its scenario, unbound with the runner.
 * Tests:   unit/test_dns_server, test_dns_unbound, test_dns_zone; fuzz/fuzz_dns_query.
 */

#include <stdint.h>

#include <verbatim/error.h>

struct unbound;
struct unbound_ports;
struct value;

/*
 * The name server of a scenario: unbound, and the proxy that clients see. One pool serves
 * all scenarios of a run, one after another. Its unbound starts with the first of them;
 * later scenarios only change its records.
 */
struct dns_pool;
struct dns_pool *dns_pool_new(void);
void dns_pool_free(struct dns_pool *pool);	/* NULL is fine */

/* Not 0 when unbound has ended by itself: @err has its last output. */
int dns_pool_check(const struct dns_pool *pool, struct vbm_error *err);

/* Borrowed; NULL before the first server. */
const struct unbound *dns_pool_unbound(const struct dns_pool *pool);

struct dns_server;

struct dns_server_options {
	int netns_fd;		/* the namespace of its clients; -1: the present one */
	const char *address;	/* its IPv4 address */
	uint16_t port;		/* 0: 53 */
	const struct unbound_ports *unbound;	/* NULL: unbound gets a namespace of its own */
};

/* Serve @dns, which has no references. The server is ready when this returns. */
int dns_server_start(struct dns_server **out, struct dns_pool *pool,
		     const struct dns_server_options *opts, const struct value *dns,
		     struct vbm_error *err);
void dns_server_stop(struct dns_server *s);	/* NULL is fine */

/* Borrowed: the log of the questions, one line each ("udp A a.test"). */
int dns_server_log_fd(const struct dns_server *s);

/* Borrowed: the proxy. The caller may kill it; the descriptor is readable when it has ended. */
int dns_server_pidfd(const struct dns_server *s);

#endif
