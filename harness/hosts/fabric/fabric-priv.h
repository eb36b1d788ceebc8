/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FABRIC_PRIV_H
#define VBM_FABRIC_FABRIC_PRIV_H

/* For the files of fabric/, and for those of machines/ that fill a fabric in. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/host-ns.h"
#include "fabric/journal.h"
#include "fabric/undo.h"
#include "names/cable-fault.h"
#include "net/ip.h"
#include "net/nl.h"

/* The link of an adapter needs seconds until it is in service, and the kernel first looks whether another machine has an address. */
#define MACHINE_CARRIER_MS 20000
#define MACHINE_ADDRESS_MS 10000

/* The UDP port of RoCE v2. */
#define ROCE_PORT 4791

/*
 * addresses.c: names and addresses. These functions are pure: the networks in use are an
 * argument.
 */
struct subnets {
	int number;			/* 0..255 */
	struct ip_prefix ip4, ip6;	/* /24 and /64 */
};

/*
 * Find the first pair of networks that does not overlap @taken; default routes in @taken
 * do not count. -EADDRNOTAVAIL: no pair is free.
 */
int fabric_subnets(const struct ip_set *taken, struct subnets *out, struct vbm_error *err);

/* The address of host @host (with prefix length 32 or 128): number @host + 1 of the network. */
struct ip_prefix fabric_address(const struct ip_prefix *subnet, int host);

/*
 * With a router, each host has a part of the fabric's network to itself: a /28 or an /80.
 * The host's address in it is number 1, as if it had a fabric alone, and the router's is
 * number FABRIC_ROUTER + 1.
 */
#define FABRIC_ROUTER 13

struct ip_prefix fabric_part(const struct ip_prefix *subnet, int host);

/*
 * A run's id is 16 random bits. Everything that can outlive the process has the id in its
 * name or number: "vb-3f2a-a" (netdev), "vb_3f2a_a" (RDMA device), routing tables.
 */
#define FABRIC_RUN_MAX 0xffff

void fabric_netdev_name(unsigned run, int host, char name[16]);
void fabric_rdma_name(unsigned run, int host, char name[32]);
/* The name of a host's second device: "vb_3f2a_a2". */
void fabric_rdma_name2(unsigned run, int host, char name[32]);
uint32_t fabric_table(unsigned run, int host);

/* The run in such a name or table; -1: no fabric made it. */
int fabric_run_of_netdev(const char *name);
int fabric_run_of_table(uint32_t table);

/* A locally administered address. The same host of the same network always gets the same one. */
void fabric_mac(int subnet, int host, uint8_t mac[6]);
/* The address of the router's port to the host. */
void fabric_router_mac(int subnet, int host, uint8_t mac[6]);

struct host {
	struct host_info info;
	int netns;		/* owned; -1: the namespace of the process that made the fabric */
	struct netlink *nl;	/* owned if @netns is, else borrowed */
	int ifindex;
	uint32_t rdma_index;
	struct ip_prefix ip4, ip6;
	struct ip_prefix net4, net6;	/* that its link reaches */
	struct ip_prefix gateway4, gateway6;	/* to the rest of the fabric; AF_UNSPEC: none is needed */
	uint8_t mac[6];
	uint8_t gateway_mac[6];		/* if it has a gateway */
	struct rdma_resources idle;	/* the objects that the kernel itself uses */
	char qdisc[16];			/* of its interface, when the fabric was ready, with its faults */
	unsigned links, tables;		/* in its own namespace, when the fabric was ready */
	struct host_ns ns;
	int quiet4, quiet6;		/* owned; see device_quiet_open(); -1: none */
	char faults[CABLE_FAULTS_TEXT_MAX];	/* of its cable; "": none */
	int delay_ms;			/* of its cable */
	const struct device_ops *device;
	struct host *second;		/* owned; the same host with its second device as @info.dev; NULL: it has one */
};

/*
 * The one that answers for a fabric's hosts: this process, which made or found them (fabric.c), or stations on other machines
 * (machines/machine-fabric.c).
 */
struct host_ops {
	bool elsewhere;		/* the hosts are no part of this kernel */
	void (*close)(struct fabric *fabric);	/* frees @machines; NULL: there are none */
	bool (*is_clean)(struct fabric *fabric, unsigned parts, struct value *left);
	char *(*abilities)(struct fabric *fabric, int i, struct vbm_error *err);
	int (*listeners)(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg, struct vbm_error *err);
	int (*objects)(struct fabric *fabric, int i, void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		       struct vbm_error *err);
	int (*counters)(struct fabric *fabric, int i, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			struct vbm_error *err);
	int (*counter)(struct fabric *fabric, int i, const char *name, uint64_t *value, struct vbm_error *err);
};

struct fabric {
	enum layout layout;
	const struct layout_ops *ops;
	const struct host_ops *hosts;
	struct machines *machines;	/* owned; the lines to stations, if the hosts are elsewhere */
	bool found;		/* the hosts' interfaces and devices were there before */
	bool rdma;		/* false: for tests on kernels without a driver */
	bool routed;
	uint64_t scripted;	/* as in struct fabric_options */
	int mtu;
	int build_ms;
	unsigned run;
	struct journal *journal;	/* owned */
	struct undo *undo;		/* owned */
	size_t kept_from;		/* of a machine: the entries of @undo from here on put it back after a scenario */
	struct netlink *nl;		/* owned; in the namespace of the process that made the fabric */
	struct subnets net;
	int net_lock;			/* owned; reserves @net among all runs */
	int interface_lock;		/* owned; reserves the interface of a machine; -1: none */
	int wire_netns;			/* owned; of the switch or the router; -1: there is only a cable */
	struct netlink *wire_nl;	/* owned */
	int count;
	struct host host[FABRIC_HOSTS_MAX];
};

/*
 * host-devices.c. The calling process must be in the host's network namespace and have mounts of
 * its own.
 */
int host_mount_devices(const struct host *host, struct vbm_error *err);

/* layouts.c: the namespaces of hosts, and the routes of their packets. */
struct layout_ops {
	bool own_netns;		/* each host has a namespace */
	/* Called when the hosts' interfaces exist, but are still down and have no addresses. */
	int (*connect)(struct fabric *fabric, struct vbm_error *err);
};

extern const struct layout_ops layout_netns, layout_shared;

/* fabric_new() without a sweep before. @rdma: with RDMA devices. */
int fabric_build(struct fabric **out, const struct fabric_options *opts, bool rdma,
		 struct vbm_error *err);

/* cable.c: the veths between the hosts, with the switch's ends up. */
bool fabric_has_middle(const struct fabric *fabric);	/* a switch or a router */
int cable_lay(struct fabric *fabric, struct vbm_error *err);
/* Wait until both ends of every cable are in service. */
int cable_wait(struct fabric *fabric, struct vbm_error *err);

/* device.c: what the fabric does for each type of device. */
struct device_ops {
	const char *type;	/* its name in names/device-types.h */
	/* Look whether the device can reach others; if so, note its GIDs and their indices. */
	bool (*look)(struct host *host);
	/* Say in @err which part is missing. */
	int (*explain)(const struct host *host, struct vbm_error *err);
	/*
	 * Whether the driver listens in the namespace (-1: the present one). NULL: it listens in
	 * every namespace that has its devices.
	 */
	int (*listens)(int netns, bool *does, struct vbm_error *err);
};

/* NULL: the default. */
const struct device_ops *device_ops_of(const struct device_type *type);

/* Make a host's device. Its addresses may not be in service yet. */
int device_make(struct fabric *fabric, struct host *host, struct vbm_error *err);

struct ibv_context;
struct ibv_context *device_open(const char *name);	/* NULL, with errno */

/* Wait until the device can reach others. */
int device_wait(struct host *host, struct vbm_error *err);

/* ready.c: send packets from each host to its neighbours, over IPv4 and IPv6. */
int ready_check(struct fabric *fabric, struct vbm_error *err);

/* The first line of a file of the device in sysfs; "" if there is none. */
void driver_attribute(const char *device, const char *name, char *line, int size);
/* The driver as its kernel calls it, "mlx5_core"; a device in software is called by its type, and no device (@device "") "". */
void driver_name(const char *device, char *name, size_t size);
bool driver_is_iwarp(const char *device);

/* undo-machine.c: the kinds of entries about a machine, for the table in undo.c. */
typedef int undo_fn(void *ctx, unsigned run, char *const *words, struct vbm_error *err);
undo_fn undo_interface, undo_address, undo_neighbour, undo_route, undo_added_address, undo_added_neighbour, undo_added_routes,
	undo_device;

/* Pushes the entry that puts the interface back as @link has it. */
int undo_push_interface(struct undo *undo, const struct link *link, struct vbm_error *err);
/* Pushes the entry that removes an address ("added-address") or a neighbour ("added-neighbour"), whatever the network of @ip is. */
int undo_push_added(struct undo *undo, const char *kind, const char *netdev, int ifindex, struct ip_prefix ip,
		    struct vbm_error *err);

/*
 * Find the layout for this kernel without making a fabric; LAYOUT_AUTO: not known.
 * layout_note() stores what making a fabric has shown.
 */
int layout_guess(const struct device_words *devices, int hosts, enum layout *layout, struct vbm_error *err);
void layout_note(const struct device_words *devices, int hosts, enum layout layout);

/* A fabric that owns nothing yet, with hosts of this kernel, for all ways to make one. */
struct fabric *fabric_empty(enum layout layout, int hosts);

/* False for a host whose packets a scenario makes, and in fabrics without any device. */
static inline bool host_has_device(const struct host *host)
{
	return host->info.dev[0] != '\0';
}

/* Keep the kernel of a host without a device from answering RDMA packets. */
int device_quiet_open(struct host *host, struct vbm_error *err);
/* The GIDs by which other hosts call a host without a device. */
void fabric_name_gids(struct host_info *info);
void device_quiet_close(struct host *host);

/* The counters of a host of this kernel. */
int device_counters(const struct host *host, void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		  struct vbm_error *err);

/* clean.c: store the state with which fabric_is_clean() compares, and the comparison for hosts of this kernel. */
int clean_baseline(struct fabric *fabric, struct vbm_error *err);
bool clean_hosts(struct fabric *fabric, unsigned parts, struct value *left);

/* abilities.c: those of a host of this kernel. */
char *abilities_of_host(struct fabric *fabric, int i, struct vbm_error *err);

#endif
