/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_PRIV_H
#define VBM_FABRIC_PRIV_H

#include "fabric/fabric.h"
#include "fabric/journal.h"
#include "net/nl.h"
#include "fabric/addresses.h"
#include "fabric/undo.h"

/* Between the files of fabric/ only. */
struct host {
	struct host_info info;
	int netns;		/* owned; -1: the maker's own */
	struct netlink *nl;	/* owned when netns is, else borrowed */
	int ifindex;
	uint32_t rdma_index;
	struct ip_prefix ip4, ip6;
	uint8_t mac[6];
	struct rdma_resources idle;	/* what the kernel itself uses */
};

struct fabric {
	enum layout layout;
	const struct layout_ops *ops;
	bool rdma;		/* false: tests on kernels without rxe */
	int mtu;
	int build_ms;
	unsigned run;
	struct journal *journal;	/* owned */
	struct undo *undo;		/* owned */
	struct netlink *nl;		/* owned: the maker's own namespace */
	struct subnets net;
	int net_lock;			/* owned: nobody else uses @net */
	int wire_netns;			/* owned; -1: a cable, no switch */
	struct netlink *wire_nl;	/* owned */
	int count;
	struct host host[FABRIC_HOSTS_MAX];
};

/* A layout is where hosts live and how packets find their way out of them. */
struct layout_ops {
	const char *name;
	bool own_netns;		/* a namespace for each host */
	/* The hosts' interfaces are there, without addresses, and down. */
	int (*connect)(struct fabric *fabric, struct vbm_error *err);
};

extern const struct layout_ops layout_netns, layout_shared;

/* fabric_new(), with RDMA devices or without, and no sweep before. */
int fabric_build(struct fabric **out, const struct fabric_options *opts, bool rdma,
		 struct vbm_error *err);

/* cable.c: the veths between the hosts, plugged in and up at the far end. */
bool fabric_has_switch(const struct fabric *fabric);
int cable_lay(struct fabric *fabric, struct vbm_error *err);
/* Wait until both ends of every cable are in service. */
int cable_wait(struct fabric *fabric, struct vbm_error *err);

/* gid.c: wait until both addresses are in the GID table; note the indices. */
int gid_wait(struct host *host, struct vbm_error *err);

/* ready.c: a packet from each host to the next and back, over both families. */
int ready_check(struct fabric *fabric, struct vbm_error *err);

/* probe.c: whether RoCE's UDP port is bound in a namespace (-1: this one). */
int roce_port_bound(int netns, bool *bound, struct vbm_error *err);
/*
 * What is known of this kernel's layout without making anything: LAYOUT_AUTO
 * when nothing is. What a fabric found out by being made is noted.
 */
int layout_guess(enum layout *layout, struct vbm_error *err);
void layout_note(enum layout layout);
/* The fabric that the probe made, or NULL; the caller owns it. */
struct fabric *probe_take_spare(void);

/* clean.c: what to compare with later. */
int clean_baseline(struct fabric *fabric, struct vbm_error *err);

#endif
