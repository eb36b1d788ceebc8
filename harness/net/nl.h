/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_NL_H
#define VBM_NET_NL_H

#include <stdbool.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "net/ip.h"

/*
 * Route and RDMA netlink of one namespace; only nl*.c know libnl. Every call
 * returns the kernel's own negative errno, with the object, the reason and
 * the kernel's explanation in @err.
 */
struct netlink;

/* Opened in the namespace @netns_fd (-1: the caller's), where it stays. */
int netlink_open(struct netlink **out, int netns_fd, struct vbm_error *err);
void netlink_close(struct netlink *nl);		/* NULL is fine */

/* Marks what is ours in lists the kernel keeps (rules, routes). */
#define NETLINK_PROTO 86

/* links (nl-link.c) */
struct link_end {
	const char *name;
	const uint8_t *mac;	/* NULL: the kernel's choice */
	int netns_fd;		/* -1: this namespace */
	int ifindex;		/* 0: the kernel's choice */
};

struct link {
	char name[16];
	int ifindex;
	unsigned flags;		/* IFF_* */
	int mtu;
	bool ready;		/* sends: and, as a switch's port, forwards */
	uint8_t mac[6];
	uint64_t rx_bytes, tx_bytes;
};

int netlink_veth_add(struct netlink *nl, const struct link_end *a,
		     const struct link_end *b, int mtu, struct vbm_error *err);
int netlink_bridge_add(struct netlink *nl, const char *name, int mtu,
		       struct vbm_error *err);
int netlink_link_up(struct netlink *nl, const char *name, struct vbm_error *err);
int netlink_link_enslave(struct netlink *nl, const char *name, int master,
			 struct vbm_error *err);
int netlink_link_del(struct netlink *nl, const char *name, struct vbm_error *err);
int netlink_link_get(struct netlink *nl, const char *name, struct link *link,
		     struct vbm_error *err);
/*
 * Wait until it is ready: the kernel brings links into service in the
 * background, and what is sent before is lost.
 */
int netlink_link_wait(struct netlink *nl, const char *name, int64_t deadline_ns,
		      struct vbm_error *err);
int netlink_link_each(struct netlink *nl,
		      void (*fn)(const struct link *link, void *arg), void *arg,
		      struct vbm_error *err);

/* addresses, neighbours and routes (nl-addr.c) */
struct ifaddr_info {
	int ifindex;
	struct ip_prefix address;	/* with the length of its network */
	bool link_local;
	bool tentative;			/* not usable yet */
};

struct route {
	struct ip_prefix dst;
	struct ip_prefix src;	/* AF_UNSPEC: none */
	uint32_t table;
	int ifindex;
	bool local;		/* type local, else unicast */
};

/* No duplicate address detection; @on_link: with the route to its network. */
int netlink_addr_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		     bool on_link, struct vbm_error *err);
/*
 * Wait until an IPv6 address takes packets that come in by the interface. The
 * kernel prepares that in the background: it joins the multicast group that
 * neighbour solicitations go to, then makes the route by which packets arrive.
 */
int netlink_addr_wait(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      int64_t deadline_ns, struct vbm_error *err);
int netlink_addr_each(struct netlink *nl,
		      void (*fn)(const struct ifaddr_info *info, void *arg), void *arg,
		      struct vbm_error *err);
int netlink_neigh_add(struct netlink *nl, int ifindex, const struct ip_prefix *address,
		      const uint8_t mac[6], struct vbm_error *err);
int netlink_route_add(struct netlink *nl, const struct route *route, struct vbm_error *err);
int netlink_route_each(struct netlink *nl,
		       void (*fn)(const struct route *route, void *arg), void *arg,
		       struct vbm_error *err);

/* policy rules (nl-rule.c) */
struct rule {
	int family;
	uint32_t pref, table;
	uint8_t proto;		/* NETLINK_PROTO: ours; RTPROT_KERNEL: the default */
	char iif[16];		/* empty: any */
	struct ip_prefix from, to;	/* AF_UNSPEC: any */
};

/* Adding what is there answers -EEXIST, deleting what is not -ENOENT. */
int netlink_rule_add(struct netlink *nl, const struct rule *rule, struct vbm_error *err);
int netlink_rule_del(struct netlink *nl, const struct rule *rule, struct vbm_error *err);
int netlink_rule_each(struct netlink *nl,
		      void (*fn)(const struct rule *rule, void *arg), void *arg,
		      struct vbm_error *err);

/* RDMA devices (nl-rdma.c) */
struct rdma_resources {
	unsigned qp, cq, mr, pd, cm_id, ctx, srq;
};

struct rdma_dev {
	uint32_t index;
	char name[64];
};

/* Soft-RoCE on @netdev. */
int netlink_rdma_add(struct netlink *nl, const char *name, const char *netdev,
		     struct vbm_error *err);
int netlink_rdma_del(struct netlink *nl, const char *name, struct vbm_error *err);
/* -ENODEV when there is none of that name. */
int netlink_rdma_find(struct netlink *nl, const char *name, uint32_t *index,
		      struct vbm_error *err);
int netlink_rdma_each(struct netlink *nl,
		      void (*fn)(const struct rdma_dev *dev, void *arg), void *arg,
		      struct vbm_error *err);
int netlink_rdma_resources(struct netlink *nl, uint32_t index,
			   struct rdma_resources *res, struct vbm_error *err);
/* The process of each rdma_cm id that listens on a device (nl-rdma-listen.c). */
int netlink_rdma_listeners(struct netlink *nl, uint32_t index, void (*fn)(int pid, void *arg),
			   void *arg, struct vbm_error *err);
/* Whether RDMA devices are visible in every namespace ("shared" mode). */
int netlink_rdma_shared(struct netlink *nl, bool *shared, struct vbm_error *err);

#endif
