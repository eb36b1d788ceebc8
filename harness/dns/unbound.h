/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_UNBOUND_H
#define VBM_DNS_UNBOUND_H

#include <stdint.h>

#include <verbatim/error.h>

struct dns_zone;

/* Where the program is, or -ENOENT and what to install. The path is not owned. */
int unbound_find(const char **path, struct vbm_error *err);

/* Its configuration: serve @zone, and nothing else, on 127.0.0.1. Pure; owned. */
char *unbound_config(const struct dns_zone *zone, const char *dir, uint16_t port);

/*
 * A running unbound. It knows nothing of the world: it stands in a network
 * namespace of its own that has a loopback and no more.
 */
struct unbound;

/* Up and serving when this returns. @port in the current namespace; 0: its own. */
int unbound_start(struct unbound **out, const struct dns_zone *zone, uint16_t port,
		  struct vbm_error *err);
void unbound_stop(struct unbound *u);		/* NULL is fine */

uint16_t unbound_port(const struct unbound *u);
int unbound_netns(const struct unbound *u);	/* borrowed; -1: the current one */

#endif
