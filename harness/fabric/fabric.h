/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FABRIC_H
#define VBM_FABRIC_FABRIC_H

#include <stdbool.h>

#include <verbatim/error.h>

#include "fabric/host.h"

struct fabric;

enum layout {
	LAYOUT_AUTO,	/* netns where rxe carries traffic there and hosts are few
			 * (8 at most: the cost is quadratic), else shared */
	LAYOUT_NETNS,	/* a namespace and an rxe device for each host */
	LAYOUT_SHARED,	/* all rxe devices in one namespace, policy routing */
};

#define FABRIC_HOSTS_MAX 64

struct fabric_options {
	enum layout layout;
	int hosts;	/* 2 is "pair" (one cable); 1, or more, are on a switch */
	int roce_mtu;	/* largest RoCE path MTU wanted: 4096 unless told */
};

/* "netns" | "shared" | "auto"; parse answers -EINVAL. */
const char *layout_name(enum layout layout);
int layout_parse(const char *name, enum layout *layout);

/*
 * What LAYOUT_AUTO means on this kernel, found by trying it (a fabric of two
 * hosts, and whether port 4791 is bound where they are), not by version. Kept
 * for the life of the process; the next fabric_new() that suits gets the
 * fabric.
 */
int fabric_probe_layout(enum layout *layout, struct vbm_error *err);

/*
 * Build the fabric: ready when every GID is in its table and a packet has
 * crossed between the hosts over both families. Everything made is on an undo
 * stack that fabric_free() unwinds, and in a journal that fabric_sweep() can
 * replay when the process was killed. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN.
 */
int fabric_new(struct fabric **out, const struct fabric_options *opts,
	       struct vbm_error *err);
void fabric_free(struct fabric *fabric);	/* NULL is fine */

int fabric_build_ms(const struct fabric *fabric);	/* until it was ready */
enum layout fabric_layout(const struct fabric *fabric);
int fabric_host_count(const struct fabric *fabric);
const struct host_info *fabric_host(const struct fabric *fabric, int i);

/* Borrowed: the namespace the host's programs belong in; -1: this one. */
int fabric_netns_fd(const struct fabric *fabric, int i);

/*
 * Whether the last user left it as it was found: no queue pair, connection or
 * other RDMA object of a host's device remains, links and addresses are
 * unchanged. What is wrong goes to @err.
 */
bool fabric_is_clean(struct fabric *fabric, struct vbm_error *err);

/* The process of each rdma_cm id that listens on a host's device. */
int fabric_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg,
		     struct vbm_error *err);

/*
 * Undo what killed runs left behind (their lock is free). Returns how many
 * things were removed; @report is called with a line for each when not NULL.
 */
int fabric_sweep(bool dry_run, void (*report)(const char *line, void *arg),
		 void *arg, struct vbm_error *err);

#endif
