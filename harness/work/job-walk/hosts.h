/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_HOSTS_H
#define VBM_JOB_WALK_HOSTS_H

#include <stdint.h>

#include <infiniband/verbs.h>

#include <verbatim/error.h>

#include "call/fault.h"
#include "call/target.h"
#include "model/model.h"

struct fabric;

/*
 * The two hosts of the model as real objects, all in one process: a process that
 * enters a host, opens its device and then enters the other host may use both
 * devices. So no message between processes is needed for a call.
 */
struct walk_pair {
	struct ibv_qp *qp;
	struct ibv_cq *send_cq, *recv_cq;
	struct rdma_cm_id *id;		/* that connected it, or NULL */
};

struct walk_host {
	struct ibv_context *ctx;
	struct ibv_pd *pd[MODEL_DOMAINS];
	struct ibv_comp_channel *channel;	/* of all its completion queues */
	struct ibv_mr *messages;	/* MODEL_BUFFER bytes in which messages begin and end */
	unsigned char *memory;		/* owned; for the messages, and a page for each slot after them */
	struct walk_pair pair[MODEL_PAIRS];
	struct ibv_srq *srq;		/* of the pair MODEL_SHARED */
	union ibv_gid gid;
	int gid_index, port;
	struct rdma_event_channel *events;	/* of rdma_cm; NULL until a connection is made by it */
};

/* The object that the operation of a slot made. */
struct walk_object {
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_ah *ah;
	uint32_t key;
	unsigned char *at;	/* of a region: its first byte */
};

struct walk_hosts {
	struct target *target;	/* owned */
	struct fabric *fabric;	/* borrowed */
	unsigned lacks;		/* bits of enum model_lack, as far as they decide which objects there are */
	struct rdma_cm_id *listener;	/* of host 1, or NULL */
	struct walk_host host[MODEL_HOSTS];
	struct walk_object object[MODEL_SLOTS];
	struct fault fault;	/* if sequences have operations that fail at first; else its descriptor is -1 */
	int limit;		/* that the last query of a shared receive queue read */
};

/*
 * Enters the hosts, opens their devices, and makes and connects the queue pairs. The
 * process must have one thread, and stays in the last host. Its objects end with it.
 */
int walk_hosts_open(struct walk_hosts *w, struct fabric *fabric, const char *target, unsigned lacks, struct vbm_error *err);

/* Whether the devices can have the queue pairs of this number. */
bool walk_has_pair(const struct walk_hosts *w, int pair);

/* Resets the connection at both ends, or makes its queue pairs anew if only rdma_cm connects them, and connects it again. */
int walk_connect(struct walk_hosts *w, int pair, struct vbm_error *err);

/* Moves a pair to ERR, so that its requests end. */
int walk_flush(struct walk_hosts *w, int host, int pair, struct vbm_error *err);

/* Makes the shared receive queue of a host and its queue pair anew. The pair has to be connected afterwards. */
int walk_renew_shared(struct walk_hosts *w, int host, struct vbm_error *err);

/* Makes a pair and its completion queues anew on both hosts. It has to be connected afterwards. */
int walk_renew_pair(struct walk_hosts *w, int pair, struct vbm_error *err);

/* Frees what a sequence made. A call that fails is an error. */
int walk_clear(struct walk_hosts *w, struct vbm_error *err);

/* The attributes of the port of the peer of @host, for a connection or an address handle. */
struct ibv_ah_attr walk_path(const struct walk_hosts *w, int host);

/* The page of a slot in the memory of a host. */
unsigned char *walk_page(const struct walk_hosts *w, int host, int slot);

/* The attributes with which a pair changes to @state from a state of the usual way, and their mask. */
int walk_attributes(const struct walk_hosts *w, int host, int pair, enum ibv_qp_state state, enum ibv_qp_state from,
		    struct ibv_qp_attr *attr);

#endif
