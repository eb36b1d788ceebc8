/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NL_H
#define VBM_NET_NL_H

/*
 * Runs in: a runner, an agent, a station or init; each socket in one thread.
 * Owns:    one socket for each struct netlink, in the namespace of its maker.
 * Ends:    netlink_close().
 * Tests:   unit/test_netlink, test_net_wait; tests/guest/fabric.test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <verbatim/error.h>

#include "net/ip.h"

/*
 * Route and RDMA netlink of one namespace. Only nl*.c include libnl. Every call returns
 * the kernel's negative errno; @err names the object, the reason and the kernel's
 * explanation.
 */
struct netlink;

/* Open netlink in the namespace @netns_fd (-1: the caller's), where it stays. */
int netlink_open(struct netlink **out, int netns_fd, struct vbm_error *err);
void netlink_close(struct netlink *nl);		/* NULL is fine */

/* The protocol number that marks rules and routes as made by Verbatim. */
#define NETLINK_PROTO 86

/* nl-link.c: interfaces. */
struct link_end {
	const char *name;
	const uint8_t *mac;	/* NULL: the kernel chooses */
	int netns_fd;		/* -1: this namespace */
	int ifindex;		/* 0: the kernel chooses */
};

struct link {
	char name[16];
	int ifindex;
	unsigned flags;		/* IFF_* */
	int mtu;
	char qdisc[16];		/* the queueing discipline, "noqueue" */
	bool ready;		/* sends packets, and forwards them if it is a port of a switch */
	uint8_t mac[6];
	uint64_t rx_bytes, tx_bytes;
};

int netlink_veth_add(struct netlink *nl, const struct link_end *a,
		     const struct link_end *b, int mtu, struct vbm_error *err);
int netlink_bridge_add(struct netlink *nl, const char *name, int mtu,
		       struct vbm_error *err);
int netlink_link_up(struct netlink *nl, const char *name, struct vbm_error *err);
int netlink_link_down(struct netlink *nl, const char *name, struct vbm_error *err);
int netlink_link_mtu(struct netlink *nl, const char *name, int mtu, struct vbm_error *err);
int netlink_link_enslave(struct netlink *nl, const char *name, int master,
			 struct vbm_error *err);
int netlink_link_del(struct netlink *nl, const char *name, struct vbm_error *err);
int netlink_link_get(struct netlink *nl, const char *name, struct link *link,
		     struct vbm_error *err);
/*
 * Wait until the interface is ready. The kernel brings interfaces into service in the
 * background, and packets sent before that are lost.
 */
int netlink_link_wait(struct netlink *nl, const char *name, int64_t deadline_ns,
		      struct vbm_error *err);
int netlink_link_each(struct netlink *nl,
		      void (*fn)(const struct link *link, void *arg), void *arg,
		      struct vbm_error *err);

/* nl-route.c: addresses, neighbours, routes and policy rules. */
struct ifaddr_info {
	int ifindex;
	struct ip_prefix address;	/* with the length of its network's prefix */
	bool link_local;
	bool tentative;			/* not usable yet */
};

struct route {
	struct ip_prefix dst;
	struct ip_prefix src;	/* AF_UNSPEC: no source */
	struct ip_prefix gateway;	/* AF_UNSPEC: none, the link is enough */
	uint32_t table;
	int ifindex;
	uint32_t hop_limit;	/* of packets that take it; 0: the kernel's usual one */
	bool local;		/* type local, else unicast */
};

struct rule {
	int family;
	uint32_t pref, table;
	uint8_t proto;		/* NETLINK_PROTO, or RTPROT_KERNEL for the kernel's rules */
	char iif[16];		/* empty: any */
	struct ip_prefix from, to;	/* AF_UNSPEC: any */
};

/* Add an address without duplicate address detection. @on_link: also the route to its network. */
int netlink_addr_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		     bool on_link, struct vbm_error *err);
/* @address must have the length it was added with. -EADDRNOTAVAIL: the address does not exist. */
int netlink_addr_del(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		     struct vbm_error *err);
/*
 * Wait until the kernel delivers packets to an IPv6 address that arrive on the interface.
 * The kernel prepares that in the background: it joins the multicast group for neighbour
 * solicitations, then makes the route to the address.
 */
int netlink_addr_wait(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      int64_t deadline_ns, struct vbm_error *err);
int netlink_addr_each(struct netlink *nl,
		      void (*fn)(const struct ifaddr_info *info, void *arg), void *arg,
		      struct vbm_error *err);
int netlink_neigh_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      const uint8_t mac[6], struct vbm_error *err);
int netlink_route_add(struct netlink *nl, const struct route *route, struct vbm_error *err);
/* Puts @route in the place of the one to the same network. */
int netlink_route_replace(struct netlink *nl, const struct route *route, struct vbm_error *err);
/* -ESRCH: there is no such route. */
int netlink_route_del(struct netlink *nl, const struct route *route, struct vbm_error *err);
int netlink_route_each(struct netlink *nl,
		       void (*fn)(const struct route *route, void *arg), void *arg,
		       struct vbm_error *err);

/* -EEXIST: the rule to add exists already. -ENOENT: the rule to delete does not exist. */
int netlink_rule_add(struct netlink *nl, const struct rule *rule, struct vbm_error *err);
int netlink_rule_del(struct netlink *nl, const struct rule *rule, struct vbm_error *err);
int netlink_rule_each(struct netlink *nl,
		      void (*fn)(const struct rule *rule, void *arg), void *arg,
		      struct vbm_error *err);

/* The interface by which packets to the address leave; *@local: it is an address of this namespace. */
int netlink_route_to(struct netlink *nl, const struct ip_prefix *address, int *ifindex, bool *local,
		     struct vbm_error *err);

/*
 * nl-setting.c: the addresses, permanent neighbours and routes of an interface, each as the bytes that put it back as it was,
 * with all that this program knows nothing of. Entries that the kernel makes by itself are left out.
 */
enum netlink_setting {
	SETTING_ADDRESS,
	SETTING_NEIGHBOUR,
	SETTING_ROUTE,
};

#define SETTING_MAX 1024

struct net_setting {
	struct ip_prefix ip;	/* the address, that of the neighbour, or the network of the route */
	bool direct;		/* of a route: needs no other route */
	uint8_t protocol;	/* of a route: who made it */
	uint8_t bytes[SETTING_MAX];
	size_t len;
};

int netlink_setting_each(struct netlink *nl, enum netlink_setting kind, int ifindex,
			 void (*fn)(const struct net_setting *setting, void *arg), void *arg, struct vbm_error *err);
/* Makes it again, or changes the one that is in its place. */
int netlink_setting_put(struct netlink *nl, enum netlink_setting kind, const void *bytes, size_t len,
			struct vbm_error *err);
int netlink_setting_del(struct netlink *nl, enum netlink_setting kind, const void *bytes, size_t len,
			struct vbm_error *err);

/* A queue that loses, delays and slows down what an interface sends. */
struct netem {
	uint32_t loss;		/* of 2^32 - 1 packets */
	int64_t delay_ns;
	uint64_t bytes_per_second;	/* 0: no limit */
	uint32_t limit;		/* packets that are in it at the same time */
};

/* -ENOENT: the kernel has no netem. */
int netlink_netem_add(struct netlink *nl, int ifindex, const struct netem *netem, struct vbm_error *err);
/* The packets that it has dropped, and those that are in it now. */
struct netem_counts {
	uint64_t dropped;
	uint32_t queued;
};

/* -ENOENT: the interface has no such queue. */
int netlink_netem_counts(struct netlink *nl, int ifindex, struct netem_counts *counts, struct vbm_error *err);

/* nl-rdma.c: RDMA devices. */
struct rdma_resources {
	unsigned qp, cq, mr, pd, cm_id, ctx, srq;
};

struct rdma_dev {
	uint32_t index;
	char name[64];
};

/* Make a device of this type on @netdev. */
struct device_type;
int netlink_rdma_add(struct netlink *nl, const struct device_type *type, const char *name,
		     const char *netdev, struct vbm_error *err);
int netlink_rdma_del(struct netlink *nl, const char *name, struct vbm_error *err);
/* -ENODEV when no device has the name. */
int netlink_rdma_find(struct netlink *nl, const char *name, uint32_t *index,
		      struct vbm_error *err);
int netlink_rdma_each(struct netlink *nl,
		      void (*fn)(const struct rdma_dev *dev, void *arg), void *arg,
		      struct vbm_error *err);
int netlink_rdma_resources(struct netlink *nl, uint32_t index,
			   struct rdma_resources *res, struct vbm_error *err);
/* Call @fn with the process of each rdma_cm id that listens on the device. */
int netlink_rdma_listeners(struct netlink *nl, uint32_t index, void (*fn)(int pid, void *arg),
			   void *arg, struct vbm_error *err);
/* The network interface of a port; "" if it has none in this namespace. */
#define NETLINK_NETDEV_MAX 16
int netlink_rdma_netdev(struct netlink *nl, uint32_t index, uint32_t port, char name[NETLINK_NETDEV_MAX],
			struct vbm_error *err);
/* Whether RDMA devices are visible in every namespace ("shared" mode). */
int netlink_rdma_shared(struct netlink *nl, bool *shared, struct vbm_error *err);

/* The character devices in /dev/infiniband. */
struct rdma_node {
	char name[64];		/* "uverbs0" */
	dev_t number;
};

struct rdma_port {
	uint32_t device, port;	/* port 0: of the whole device */
};

/*
 * Find the character device of @client, a client of the RDMA core: "uverbs" of a device,
 * "umad" of a port, or "rdma_cm" of no device (@of NULL). The kernel loads the client's
 * module if it can.
 */
int netlink_rdma_node(struct netlink *nl, const char *client, const struct rdma_port *of,
		      struct rdma_node *node, struct vbm_error *err);

/* All counters that the driver keeps for a port. */
int netlink_rdma_counters(struct netlink *nl, uint32_t index, uint32_t port,
			  void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
			  struct vbm_error *err);

/* One counter by its name. -ENOENT: there is no such counter. */
int netlink_rdma_counter(struct netlink *nl, uint32_t index, uint32_t port, const char *name,
			 uint64_t *value, struct vbm_error *err);

/* The open objects of a device, as "rdma resource" shows them. */
struct rdma_object {
	bool is_qp;		/* false: an rdma_cm id */
	uint32_t number, peer;	/* of the queue pairs; 0: no peer */
	const char *type, *state;	/* "RC", "RTS"; the state of an id, for example "LISTEN" */
	int pid;		/* 0: the kernel */
	const char *kernel;	/* the kernel module that made it, or NULL */
	char from[64], to[64];	/* addresses of an id, "10.86.0.1:7471"; may be empty */
};

/* The object is borrowed for the call of @fn. */
int netlink_rdma_objects(struct netlink *nl, uint32_t index,
			 void (*fn)(const struct rdma_object *object, void *arg), void *arg,
			 struct vbm_error *err);

/*
 * Calls @fn with the name of each table of packet rules (nft, or the iptables made of
 * it). A kernel without nf_tables has no table. If the kernel has no netfilter at all, the call
 * does not make it load a module.
 */
int netlink_nft_tables(struct netlink *nl, void (*fn)(const char *name, void *arg), void *arg,
		       struct vbm_error *err);

/* nl.c: functions for the other nl*.c files. */
struct nl_msg;
struct nlattr;
struct nlmsghdr;

enum nl_family {
	NL_ROUTE,
	NL_RDMA,
	NL_NETFILTER,
	NL_FAMILIES,
};

typedef void (*nl_reply_fn)(struct nlmsghdr *hdr, void *arg);

/* Make a request with @size bytes of fixed header at @fixed. NULL: out of memory. */
struct nl_msg *nl_request(int type, int flags, const void *fixed, size_t size);

/* The namespace of the sockets: -1 is that of the caller of netlink_open(). */
int nl_netns(const struct netlink *nl);

/* Add a prefix's address to the request, if it has one. */
void nl_put_ip(struct nl_msg *msg, int attr, const struct ip_prefix *ip);

/*
 * Read an address of @family with a prefix of @len bits. False when the attribute has
 * another size.
 */
bool nl_get_ip(const struct nlattr *attr, int family, int len, struct ip_prefix *ip);

/*
 * Send @msg and free it. @reply is called for each message of the answer. Returns the
 * kernel's answer: 0, or its negative errno with a text in @err that begins with @what. A
 * NULL @msg is -ENOMEM.
 */
int nl_transact(struct netlink *nl, enum nl_family family, struct nl_msg *msg,
		nl_reply_fn reply, void *arg, struct vbm_error *err, const char *what, ...)
	__attribute__((format(printf, 7, 8)));

/* Make a socket that receives the announcements of one RTNLGRP_*. The caller owns it. */
int nl_subscribe(struct netlink *nl, int group, int *fd, struct vbm_error *err);

/*
 * Wait for an announcement of the kernel or the deadline. On a machine without processor
 * time both can be late, so the caller must look once more after its deadline.
 */
void nl_await_change(int fd, int64_t deadline_ns);

#endif
