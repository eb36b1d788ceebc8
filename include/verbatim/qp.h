/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_QP_H
#define VERBATIM_QP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <infiniband/verbs.h>

#include <verbatim/api.h>
#include <verbatim/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Queue pairs and their states.
 *
 * Every function here that returns int returns 0 or a positive errno value, as
 * ibv_modify_qp(3) does. NULL where a pointer is needed is EINVAL. No function
 * waits for the network. A queue pair may be used by one thread at a time.
 */

/*
 * One transition of the state machine: InfiniBand specification, volume 1,
 * 10.3.1 (states) and 11.2.5.2 (the attributes of Modify Queue Pair), which
 * ibv_modify_qp(3) has the minimum of. The masks have bits of enum
 * ibv_qp_attr_mask. IBV_QP_STATE is in neither: it is needed where @from and
 * @to differ, and may be left out where they are the same.
 */
struct vbm_qp_transition {
	enum ibv_qp_type qp_type;	/* IBV_QPT_RC, _UC or _UD */
	enum ibv_qp_state from, to;
	int required;
	int optional;
};

/* The whole table, in static memory, and how many entries it has. */
VBM_API const struct vbm_qp_transition *vbm_qp_transitions(size_t *count);

/* The entry of one transition; NULL where there is no such transition. */
VBM_API const struct vbm_qp_transition *vbm_qp_transition(enum ibv_qp_type qp_type,
							  enum ibv_qp_state from,
							  enum ibv_qp_state to);

/* What vbm_qp_check() has to say of a call of ibv_modify_qp(3). */
struct vbm_qp_report {
	const struct vbm_qp_transition *transition;	/* NULL: there is none */
	int missing;		/* required bits that are not in the mask */
	int foreign;		/* bits of the mask that do not belong there */
	int out_of_range;	/* bits of attributes with a value that cannot be */
	int doubtful;		/* bits of attributes with a value that RoCE refuses, as a rule */
	unsigned int next;	/* legal next states: bit 1 << IBV_QPS_x for each */
	char text[768];		/* one line without newline; "" when all is well */
};

/*
 * Check what a program is about to pass to ibv_modify_qp(3), without a queue
 * pair and without a call: whether a queue pair of @qp_type in the state @from
 * can be modified by @attr with @attr_mask. Values are checked against what the
 * specification allows for any device; a device may allow less, and has a GID
 * table that vbm_qp_diagnose() looks at. @report may be NULL.
 *
 * EINVAL: it cannot, and @report says why. EOPNOTSUPP: the table does not have
 * this @qp_type. 0 and a text: it can, and what the text says is right on
 * InfiniBand and mostly wrong on RoCE.
 */
VBM_API int vbm_qp_check(enum ibv_qp_type qp_type, enum ibv_qp_state from,
			 const struct ibv_qp_attr *attr, int attr_mask,
			 struct vbm_qp_report *report);

/*
 * The same of a call on @qp, which was in the state @from. Its device is asked
 * for what vbm_qp_check() cannot know: its limits, what is in the GID table at
 * sgid_index, and whether the port is RoCE.
 */
VBM_API int vbm_qp_diagnose(struct ibv_qp *qp, enum ibv_qp_state from,
			    const struct ibv_qp_attr *attr, int attr_mask,
			    struct vbm_qp_report *report);

/* Where an IP address is a GID of a local RDMA device. */
struct vbm_gid_place {
	char device[IBV_SYSFS_NAME_MAX];
	uint8_t port_num;
	uint8_t gid_index;	/* of the RoCE v2 entry, where the port is RoCE */
	union ibv_gid gid;
};

/*
 * Find the device, the port and the index in its GID table of @address (AF_INET
 * or AF_INET6) on this host, in the calling process's network namespace. It
 * opens devices, as ibv_open_device(3) does, and closes them. @error may be NULL.
 *
 * EADDRNOTAVAIL: no device has it; ENODEV: there is no device at all;
 * EAFNOSUPPORT; EACCES or EPERM: a device cannot be opened; EMFILE; ENOMEM.
 */
VBM_API int vbm_find_gid(const struct sockaddr *address, struct vbm_gid_place *place,
			 struct vbm_error *error);

struct rdma_cm_id;

/* What the peer of a queue pair has to know of it. */
struct vbm_qp_address {
	uint32_t qp_num;	/* 24 bits, in host byte order */
	uint16_t lid;		/* in host byte order; 0 on RoCE */
	union ibv_gid gid;	/* as on the wire */
};

/* How a queue pair is made and what its two calls to RTS set. */
struct vbm_qp_options {
	enum ibv_qp_type qp_type;	/* IBV_QPT_RC */
	uint32_t max_send_wr;		/* 128 requests */
	uint32_t max_recv_wr;		/* 128 requests */
	uint32_t max_send_sge;		/* 1 entry */
	uint32_t max_recv_sge;		/* 1 entry */
	uint32_t max_inline_data;	/* 0 bytes */
	int sq_sig_all;			/* 0: a send says itself whether it completes */
	int access;			/* remote read, write and atomic */
	uint32_t qkey;			/* 0x11111111, of UD */
	uint32_t psn;			/* 0: first packet number of both directions; see terms */
	int mtu;			/* 0: what the port has now; else bytes, 256 to 4096 */
	uint8_t timeout;		/* 14: 67 ms, 4.096 us times 2 to the power of it */
	uint8_t retry_cnt;		/* 6; rxe takes 7 for ever */
	uint8_t rnr_retry;		/* 7: without end */
	uint8_t min_rnr_timer;		/* 12: 0.64 ms */
	uint8_t max_rd_atomic;		/* 1 */
	uint8_t max_dest_rd_atomic;	/* 1 */
	uint8_t hop_limit;		/* 64 */
	uint8_t traffic_class;		/* 0 */
};

/* Every member gets the value that stands beside it above. */
VBM_API void vbm_qp_options_init(struct vbm_qp_options *options);

/*
 * What the two ends of a reliable connection have to agree on. A handshake of
 * version 1 does; else both ends need the same options.
 */
struct vbm_qp_terms {
	int mtu;			/* bytes */
	uint32_t sq_psn, rq_psn;	/* first packet number of each direction, 24 bits */
	uint8_t max_rd_atomic;		/* reads and atomics begun here, at a time */
	uint8_t max_dest_rd_atomic;	/* begun by the peer */
};

/*
 * A queue pair with all that it stands on. The program may use each member with
 * the calls of libibverbs, and writes @peer; it destroys none of them by itself.
 */
struct vbm_qp {
	struct rdma_cm_id *id;		/* of an endpoint: what it was made on; else NULL */
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;		/* for sends and receives, on @channel */
	struct ibv_qp *qp;
	struct vbm_gid_place place;
	struct vbm_qp_options options;
	struct vbm_qp_address local;	/* for the peer to know */
	struct vbm_qp_address peer;	/* for the program to fill in, before RTR */
	struct vbm_qp_terms terms;	/* what RTR and RTS were given; not the program's */
	int connecting;			/* a handshake is under way; not the program's */
	int negotiation;		/* its number in a negotiator; not the program's */
	struct vbm_error error;		/* what the last call that failed said */
	unsigned int events_unacked;	/* of vbm_wait_completions(); not the program's */
	int context_is_shared;		/* librdmacm closes it; not the program's */
};

/*
 * Open the device that @address belongs to (NULL: the first device, its first
 * RoCE v2 GID) and make a protection domain, a completion channel, a completion
 * queue for all requests at once, and a queue pair in RESET. @options may be
 * NULL. The caller ends *@qp by vbm_destroy_qp(). After a failure *@qp is NULL,
 * nothing is left, and @error (which may be NULL) says which call failed and why.
 *
 * Besides the values of vbm_find_gid(): EINVAL for options that the device
 * refuses, and what ibv_create_qp(3) and its kin set errno to.
 */
VBM_API int vbm_create_qp(struct vbm_qp **qp, const struct sockaddr *address,
			  const struct vbm_qp_options *options, struct vbm_error *error);

/*
 * End a queue pair and all that was made with it. NULL is fine. EBUSY: the
 * program has made something with a member that is still there, say a memory
 * region in @pd; then the queue pair is gone and what is left can be ended by
 * calling again.
 */
VBM_API int vbm_destroy_qp(struct vbm_qp *qp);

/*
 * One transition each, by one call of ibv_modify_qp(3) whose mask has exactly
 * what InfiniBand requires of the type. For IBV_QPT_RC:
 *
 *	init	STATE PKEY_INDEX PORT ACCESS_FLAGS
 *	rtr	STATE AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER
 *	rts	STATE TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC
 *
 * RTR needs @peer. What both ends have to agree on is taken from the options,
 * the same packet number for both directions. They return what ibv_modify_qp() returned, and @error of the
 * queue pair says which transition failed. EDESTADDRREQ: @peer is not filled in.
 */
VBM_API int vbm_qp_to_init(struct vbm_qp *qp);
VBM_API int vbm_qp_to_rtr(struct vbm_qp *qp);
VBM_API int vbm_qp_to_rts(struct vbm_qp *qp);

/*
 * From INIT to RTS, by two calls: vbm_qp_to_rtr() and, when it went well,
 * vbm_qp_to_rts(). After a failure of the second the queue pair is in RTR.
 * Source: docs/handshake.md, "The two calls to RTS".
 */
VBM_API int vbm_modify_qp_to_rts(struct vbm_qp *qp);

#ifdef __cplusplus
}
#endif
#endif
