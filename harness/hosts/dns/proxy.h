/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_PROXY_H
#define VBM_DNS_PROXY_H

#include <stdint.h>

struct dns_zone;

/*
 * The DNS proxy of a scenario. It has the address at which clients expect their name
 * server, logs every question, and passes it to unbound by the same transport. unbound's
 * answer goes back unchanged. Only if a rule of the zone says so, the proxy itself
 * answers, waits, truncates or stays silent.
 */
struct proxy_options {
	const struct dns_zone *zone;	/* borrowed */
	int udp_fd, tcp_fd;		/* bound; tcp_fd listens. The proxy takes both */
	int log_fd;	/* opened for appending; one line for each question: "udp A a.test". The proxy takes it */
	int upstream_netns;		/* unbound's network namespace; -1: the present one. The proxy takes it */
	uint16_t upstream_port;		/* unbound's port on 127.0.0.1 in that namespace */
};

/* Runs in a process of its own, and ends it only after an error. */
_Noreturn void proxy_main(const struct proxy_options *opts);

#endif
