/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_FOUND_H
#define VBM_MACHINES_FOUND_H

#include <stdbool.h>

#include <verbatim/error.h>

struct fabric;
struct value;

/*
 * The fabric of one host that is this machine, for a station. Nothing is made: the device, its
 * interface and its addresses are those that are there. @wanted has "name", and may have
 * "device", "interface", "ip4" and "ip6". While the fabric lives, no other run of Verbatim on this machine
 * can take the device: -EBUSY.
 */
struct found_options {
	const struct value *wanted;
	bool configure;		/* what the machine lacks is configured for the life of the fabric: machines/configure.h */
	int host;		/* its number */
};

int found_fabric(struct fabric **out, const struct found_options *opts, struct vbm_error *err);

/* Calls @tell with each thing that found_fabric() would configure, and changes nothing. */
int found_plan(const struct found_options *opts, void (*tell)(const char *line, void *arg), void *arg,
	       struct vbm_error *err);

/* The interface and the device were away, and have come back: waits until they can be used as before. */
int found_again(struct fabric *fabric, struct vbm_error *err);

/*
 * Each RDMA device of this machine's network, with what a run would find if its hosts file named that device: a list of maps with
 * "device", and what found_describe() says, or "driver" and "error". Devices of Verbatim's own fabrics are left out, unless the machine
 * is a host of one (@of_runs). The caller frees it.
 */
int found_all(struct value **out, bool of_runs, struct vbm_error *err);

/* Describes the machine to the runner: machine-fabric.c reads it. The caller frees it. */
int found_describe(struct fabric *fabric, struct value **out, struct vbm_error *err);

#endif
