/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINES_FOUND_H
#define VBM_MACHINES_FOUND_H

#include <stdbool.h>

#include <verbatim/error.h>

struct device_type;
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
	bool configure;		/* what the machine lacks is configured for the life of the fabric: configure_machine() */
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

struct configure_options {
	const struct value *wanted;	/* as of found_fabric(); "make" is the type of a device to make if there is none */
	int host;			/* its number, from which its addresses follow */
	void (*tell)(const char *line, void *arg);	/* only says each thing that would be done; NULL: does it */
	void *arg;
};

/*
 * Gives the interface @netdev of this machine what a run needs and it lacks: it is up, has a sufficient MTU, an address of each
 * family and a device. All that is undone with the fabric, or by a sweep.
 */
int configure_machine(struct fabric *fabric, const char *netdev, const struct configure_options *opts,
		      struct vbm_error *err);

/* Makes the undo journal of this machine, if there is none yet. */
int configure_journal(struct fabric *fabric, struct vbm_error *err);

/*
 * For a station: scenarios may change its machine, whose fabric found_fabric() has made. Before the first change of a
 * scenario, keep_machine() writes the state of the interface and of the device to the undo journal of the machine.
 * keep_put_back() puts the machine back, and so do fabric_free() and a sweep. Calls after the first do nothing.
 */
int keep_machine(struct fabric *fabric, struct vbm_error *err);
/* After it: the next step adds this address, or a neighbour with it. */
int keep_added_address(struct fabric *fabric, const char *address, struct vbm_error *err);
int keep_added_neighbour(struct fabric *fabric, const char *address, struct vbm_error *err);

/* Also waits until the device can reach others. The positions of its GIDs may be others then. */
int keep_put_back(struct fabric *fabric, struct vbm_error *err);

/*
 * For a kernel that is host @number of a fabric: brings up @netdev, the end of the host's wire, with the
 * host's addresses, and makes its RDMA device. Nothing is undone, as the kernel ends with the fabric.
 */
int configure_own_host(int number, const char *netdev, const struct device_type *type, struct vbm_error *err);

#endif
