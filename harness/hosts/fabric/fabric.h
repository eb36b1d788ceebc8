/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FABRIC_H
#define VBM_FABRIC_FABRIC_H

/*
 * Runs in: the runner, in its main thread; a station for its own machine; one short process makes the mounts of a
 *          host.
 * Owns:    namespaces, interfaces, devices and sockets of the hosts, each on the undo stack and in a journal.
 * Ends:    fabric_free() undoes all; after SIGKILL the next run does, from the journal.
 * Tests:   unit/test_fabric, test_undo; tests/guest/fabric.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "names/device-words.h"
#include "names/host.h"

struct cable_faults;	/* names/cable-fault.h */
struct fabric;
struct value;

/* Datagrams as long as the MTU show that a path carries packets: their UDP port, and the headers of IPv6 and UDP. */
#define FABRIC_PROBE_PORT 47911
#define FABRIC_PROBE_HEADERS 48

/* The run whose RDMA device has this name; -1: not a device of Verbatim. */
int fabric_run_of_rdma(const char *name);

struct fabric_options {
	enum layout layout;
	struct device_words devices;	/* of the hosts */
	int hosts;	/* 2: a pair with one cable; 1, or more than 2: on a switch */
	bool routed;	/* each host has a network of its own, and a router connects them */
	uint64_t scripted;	/* a bit for each host that gets no RDMA device; never that of host 0 */
	int roce_mtu;	/* the largest RoCE path MTU; default 4096 */
};

/*
 * Find the layout for LAYOUT_AUTO on this kernel. The answer comes from a trial and not
 * from the kernel's version: a fabric of two hosts is made, which shows whether the driver
 * serves the hosts' namespaces. The answer is kept until the process ends. *@trial is the
 * fabric of the trial, which the caller owns and may use. NULL: no trial was needed, or it
 * failed.
 */
int fabric_probe_layout(const struct device_words *devices, enum layout *layout,
			struct fabric **trial, struct vbm_error *err);

/*
 * Build the fabric. It is ready when every device can reach others, and a packet has crossed
 * between the hosts over IPv4 and IPv6. Everything made is on an undo stack, which
 * fabric_free() unwinds, and in a journal, which fabric_sweep() replays if this process is
 * killed. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN.
 */
int fabric_new(struct fabric **out, const struct fabric_options *opts,
	       struct vbm_error *err);
void fabric_free(struct fabric *fabric);	/* NULL is fine */

/* The hosts are no part of this kernel: machines/machine-fabric.h. */
bool fabric_is_elsewhere(const struct fabric *fabric);

int fabric_build_ms(const struct fabric *fabric);	/* the time until it was ready */
enum layout fabric_layout(const struct fabric *fabric);
int fabric_host_count(const struct fabric *fabric);
bool fabric_is_routed(const struct fabric *fabric);
uint64_t fabric_scripted(const struct fabric *fabric);	/* as in struct fabric_options */
bool fabric_has_devices(const struct fabric *fabric, const struct device_words *devices);	/* of these types */
bool fabric_is_scripted(const struct fabric *fabric, int i);	/* host @i has no RDMA device, and makes no call */
const struct host_info *fabric_host(const struct fabric *fabric, int i);

/* Borrowed: the network namespace for the host's programs; -1: the present one. */
int fabric_netns_fd(const struct fabric *fabric, int i);

/* The parts of a fabric that a scenario may leave changed. */
enum fabric_part {
	FABRIC_OBJECTS = 1,	/* RDMA objects of the hosts' devices */
	FABRIC_INTERFACES = 2,	/* the hosts' interfaces and addresses */
	FABRIC_NAMESPACES = 4,	/* of hosts with a namespace: other interfaces, packet rules */
	FABRIC_NOW = 8,		/* no time for what ends in the background */
};

/*
 * Whether the last scenario left @parts (FABRIC_* or'ed) of the fabric as they were before. @left
 * is a list, to which a text for each difference is added; NULL: nobody wants them.
 */
bool fabric_is_clean(struct fabric *fabric, unsigned parts, struct value *left);

/* Call @fn with the process of each rdma_cm id that listens on a host's device. */
int fabric_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg,
		     struct vbm_error *err);

/*
 * Call @fn with each queue pair and rdma_cm id of a host's device; struct rdma_object is
 * in net/nl.h.
 */
struct rdma_object;
int fabric_objects(struct fabric *fabric, int i,
		   void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		   struct vbm_error *err);

/* Call @fn with each counter of the port of a host's device; some drivers keep none. */
int fabric_counters(struct fabric *fabric, int i,
		    void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		    struct vbm_error *err);

/*
 * Read a counter of a host's device by its name in "rdma statistic show". -ENOENT: there
 * is no such counter.
 */
int fabric_counter(struct fabric *fabric, int i, const char *name, uint64_t *value,
		   struct vbm_error *err);

/*
 * The abilities of a host's device, or of its second one (names/abilities.h), separated by spaces; the caller frees them.
 * NULL and @err: the device cannot be asked.
 */
char *fabric_abilities(struct fabric *fabric, int host, struct vbm_error *err);
const struct device_type *fabric_second_type(const struct fabric *fabric, int host);	/* NULL: it has no second device */
char *fabric_abilities_of_second(struct fabric *fabric, int host, struct vbm_error *err);

/*
 * Undo everything that killed runs left behind. Returns the number of removed things.
 * @report (may be NULL) is called with a line for each. @dry_run: only report and count.
 */
int fabric_sweep(bool dry_run, void (*report)(const char *line, void *arg),
		 void *arg, struct vbm_error *err);

/* The same, only for changes that runs with --hosts made on this machine. */
int fabric_sweep_machine(void (*report)(const char *line, void *arg), void *arg, struct vbm_error *err);

/*
 * Gives the cable of host @i these faults in the direction from the host. It keeps them
 * until the fabric ends. -EOPNOTSUPP: the kernel has no netem. Call it once for a host.
 */
int fabric_set_faults(struct fabric *fabric, int i, const struct cable_faults *faults,
		      struct vbm_error *err);

/* The number of packets that the faults have taken from what host @i sent; 0 without faults. */
int fabric_dropped(struct fabric *fabric, int i, uint64_t *count, struct vbm_error *err);

/* Borrowed: the text of the host's faults; "" without any. */
const char *fabric_faults(const struct fabric *fabric, int i);

#endif
