/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_FABRIC_FABRIC_H
#define VBM_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

struct fabric;

/* A host as its programs know it. */
struct host_info {
	char name[8];		/* "a" */
	char dev[32];		/* RDMA device */
	char netdev[16];
	char ip4[16], ip6[46], mac[18];
	int gid_index4, gid_index6;
	int port;		/* RDMA port number, 1 */
};

/* Hosts are numbered from 0 and called "a".."z", then "aa".."zz". */
void fabric_host_name(int host, char name[8]);
int fabric_host_number(const char *name);	/* -1: no such name */

/* The run whose RDMA device has this name; -1: the device is not of Verbatim. */
int fabric_run_of_rdma(const char *name);

enum layout {
	LAYOUT_AUTO,	/* netns where rxe carries traffic there and hosts are few
			 * (the cost grows with their square), else shared */
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
const char *layout_nth(size_t i);	/* of these names; NULL behind the last one */

/*
 * Find out what LAYOUT_AUTO means on this kernel. The answer comes from a trial,
 * not from the kernel's version: a fabric of two hosts is made, and a look at
 * UDP port 4791 says whether rxe listens where the hosts are. The answer stays
 * for the life of the process. *@trial is the fabric of the trial, which the caller
 * owns and may use; NULL: none was needed, or the trial failed.
 */
int fabric_probe_layout(enum layout *layout, struct fabric **trial, struct vbm_error *err);

/*
 * Build the fabric. It is ready when every GID is in its table and a packet has
 * crossed between the hosts over both families. Everything made is on an undo
 * stack, which fabric_free() unwinds, and in a journal, which fabric_sweep()
 * replays when this process was killed. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN.
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
 * Whether the last scenario left the fabric as it found it: no queue pair,
 * connection or other RDMA object remains on a host's device, links and
 * addresses are unchanged. What is wrong goes to @err.
 */
bool fabric_is_clean(struct fabric *fabric, struct vbm_error *err);

/* The process of each rdma_cm id that listens on a host's device. */
int fabric_listeners(struct fabric *fabric, int i, void (*fn)(int pid, void *arg), void *arg,
		     struct vbm_error *err);

/* Each queue pair and rdma_cm id of a host's device; struct rdma_object is in net/nl.h. */
struct rdma_object;
int fabric_objects(struct fabric *fabric, int i,
		   void (*fn)(const struct rdma_object *object, void *arg), void *arg,
		   struct vbm_error *err);

/* Each counter of the port of a host's device. */
int fabric_counters(struct fabric *fabric, int i,
		    void (*fn)(const char *name, uint64_t value, void *arg), void *arg,
		    struct vbm_error *err);

/* A counter of a host's device, as "rdma statistic show" names it; -ENOENT: it has none such. */
int fabric_counter(struct fabric *fabric, int i, const char *name, uint64_t *value,
		   struct vbm_error *err);

/*
 * Undo what killed runs left behind. Returns how many things were removed.
 * @report, when it is not NULL, is called with a line for each of them.
 * @dry_run: only report and count.
 */
int fabric_sweep(bool dry_run, void (*report)(const char *line, void *arg),
		 void *arg, struct vbm_error *err);

#endif
