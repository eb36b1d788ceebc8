/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DNS_UNBOUND_H
#define VBM_DNS_UNBOUND_H

#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

/* The path of the program (not owned), or -ENOENT with the package to install in @err. */
int unbound_find(const char **path, struct vbm_error *err);

/* Both ports are on 127.0.0.1: one for questions, one for commands. */
struct unbound_ports {
	uint16_t dns, control;
};

/*
 * unbound's configuration: it serves the zone file of the root at @zonefile, and nothing
 * else. Pure; the caller owns the text.
 */
char *unbound_config(const struct unbound_ports *ports, const char *zonefile);

/*
 * A running unbound. It has a network namespace of its own with nothing but a loopback, so
 * it cannot ask other servers. It leaves no file behind: its configuration is in memory,
 * and its log has no name.
 */
struct unbound;

/*
 * Start unbound. When this returns it serves @records. @ports: in the present namespace,
 * where other processes of this machine can reach it; NULL: in its own namespace.
 */
int unbound_start(struct unbound **out, const struct unbound_ports *ports, const char *records,
		  struct vbm_error *err);
void unbound_stop(struct unbound *u);		/* NULL is fine */

/* Replace all records by @records. No process is started for that. */
int unbound_serve(struct unbound *u, const char *records, struct vbm_error *err);

/* 0 while unbound runs. Otherwise @err has its last output since the records were changed. */
int unbound_check(const struct unbound *u, struct vbm_error *err);

uint16_t unbound_port(const struct unbound *u);
int unbound_netns(const struct unbound *u);	/* borrowed; -1: the present namespace */
pid_t unbound_pid(const struct unbound *u);

#endif
