/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_UNBOUND_H
#define VBM_DNS_UNBOUND_H

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

/* Where the program is, or -ENOENT and what to install. The path is not owned. */
int unbound_find(const char **path, struct vbm_error *err);

/* Both on 127.0.0.1: one for questions, one for orders. */
struct unbound_ports {
	uint16_t dns, control;
};

/*
 * Its configuration: serve the zone file of the root at @zonefile, and nothing
 * else. Pure; the caller owns the text.
 */
char *unbound_config(const struct unbound_ports *ports, const char *zonefile);

/*
 * A running unbound. It knows nothing of the world: it stands in a network
 * namespace of its own that has a loopback and no more. It leaves no file
 * behind: what it reads is in memory, and its log has no name.
 */
struct unbound;

/*
 * Up and serving @records when this returns. @ports: in the current namespace,
 * where others on this machine can reach it; NULL: in its own.
 */
int unbound_start(struct unbound **out, const struct unbound_ports *ports, const char *records,
		  struct vbm_error *err);
void unbound_stop(struct unbound *u);		/* NULL is fine */

/* From now on @records are all there is; no process is started for that. */
int unbound_serve(struct unbound *u, const char *records, struct vbm_error *err);

/* 0 while it runs; else what it said last, since the latest change of records. */
int unbound_check(const struct unbound *u, struct vbm_error *err);

uint16_t unbound_port(const struct unbound *u);
int unbound_netns(const struct unbound *u);	/* borrowed; -1: the current one */
pid_t unbound_pid(const struct unbound *u);

#endif
