/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_GATE_H
#define VBM_DNS_GATE_H

#include <stdint.h>

struct dns_zone;

/*
 * The gate stands where clients look for their name server, notes every
 * question, and hands it to unbound as it came, by the transport it came by;
 * the answer goes back as unbound gave it. Only where a rule of the zone says
 * so it answers, waits, truncates or stays silent itself.
 */
struct gate_options {
	const struct dns_zone *zone;	/* borrowed */
	int udp_fd, tcp_fd;		/* bound; the second listens. Taken */
	int log_fd;	/* opened for appending: "udp A a.test" a question. Taken */
	int upstream_netns;		/* where unbound is; -1: here. Taken */
	uint16_t upstream_port;		/* on 127.0.0.1 there */
};

/* In a process of its own, which it ends only when it cannot go on. */
_Noreturn void gate_main(const struct gate_options *opts);

#endif
