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
 * The calls, in their order, for a program that connects queue pairs by itself:
 *	vbm_qp_options_init()	then the program changes members
 *	vbm_create_qp()		vbm_find_gid() says where it will be
 *	vbm_qp_to_init()	from now on it takes receives: transfer.h
 *	the program exchanges the members local and peer with the other end
 *	vbm_modify_qp_to_rts()	or its two halves, vbm_qp_to_rtr() and vbm_qp_to_rts()
 *	vbm_reset_qp()		to connect it again
 *	vbm_destroy_qp()
 * handshake.h, negotiator.h and endpoint.h do the middle part. At any time: vbm_qp_check() and
 * vbm_qp_diagnose() explain a call of ibv_modify_qp(3); vbm_qp_transition() is their table.
 */

/*
 * Queue pairs and their states.
 *
 * Every function here that returns int returns 0 or a positive errno value, as
 * ibv_modify_qp(3) does. NULL for a pointer that is needed is EINVAL. No function waits
 * for the network. Only one thread at a time may use a queue pair.
 */

/*
 * One transition of the state machine. Source: InfiniBand specification, volume 1, 10.3.1
 * (states) and 11.2.5.2 (the attributes of Modify Queue Pair); ibv_modify_qp(3) lists the
 * minimum. The masks have bits of enum ibv_qp_attr_mask. IBV_QP_STATE is in neither mask:
 * it is needed if @from and @to differ, and may be left out if they are the same.
 */
struct vbm_qp_transition {
	enum ibv_qp_type qp_type;	/* IBV_QPT_RC, _UC or _UD */
	enum ibv_qp_state from, to;
	int required;
	int optional;
};

/* The whole table, in static memory, and the number of its entries. */
VBM_API const struct vbm_qp_transition *vbm_qp_transitions(size_t *count);

/* The entry of one transition; NULL: there is no such transition. */
VBM_API const struct vbm_qp_transition *vbm_qp_transition(enum ibv_qp_type qp_type,
							  enum ibv_qp_state from,
							  enum ibv_qp_state to);

/* The answer of vbm_qp_check(). */
struct vbm_qp_report {
	const struct vbm_qp_transition *transition;	/* NULL: there is no such transition */
	int missing;		/* required bits that are not in the mask */
	int foreign;		/* bits of the mask that are not allowed */
	int out_of_range;	/* bits of attributes with an impossible value */
	int doubtful;		/* bits of attributes whose value RoCE usually refuses */
	unsigned int next;	/* legal next states: bit 1 << IBV_QPS_x for each */
	char text[768];		/* one line without newline; "" when there is no mistake */
};

/*
 * Check a call of ibv_modify_qp(3) before the program makes it, without a queue pair:
 * whether a queue pair of @qp_type in the state @from can be modified by @attr with
 * @attr_mask. Values are checked against the limits of the specification. A device may
 * allow less; vbm_qp_diagnose() also checks the device's limits and its GID table. @report
 * may be NULL.
 *
 * EINVAL: the call is wrong, and @report says why. EOPNOTSUPP: the table does not have
 * this @qp_type. 0 with a text: the call is allowed, and the values that the text names
 * work on InfiniBand and usually fail on RoCE.
 */
VBM_API int vbm_qp_check(enum ibv_qp_type qp_type, enum ibv_qp_state from,
			 const struct ibv_qp_attr *attr, int attr_mask,
			 struct vbm_qp_report *report);

/*
 * The same for a call on @qp, which was in the state @from. The function also asks the
 * device: for its limits, for the entry of the GID table at sgid_index, and whether the
 * port is RoCE.
 */
VBM_API int vbm_qp_diagnose(struct ibv_qp *qp, enum ibv_qp_state from,
			    const struct ibv_qp_attr *attr, int attr_mask,
			    struct vbm_qp_report *report);

/* The entry of a GID table that has an IP address. */
struct vbm_gid_place {
	char device[IBV_SYSFS_NAME_MAX];
	uint8_t port_num;
	uint8_t gid_index;	/* of the RoCE v2 entry if the port is RoCE */
	union ibv_gid gid;
};

/*
 * Find the device and the port that have @address (AF_INET or AF_INET6) as a GID, and the
 * index in the GID table, on this host and in the calling process's network namespace. The
 * function opens devices, as ibv_open_device(3) does, and closes them. @error may be NULL.
 *
 * EADDRNOTAVAIL: no device has the address; ENODEV: there is no device at all;
 * EAFNOSUPPORT; EACCES or EPERM: a device cannot be opened; EMFILE; ENOMEM.
 */
VBM_API int vbm_find_gid(const struct sockaddr *address, struct vbm_gid_place *place,
			 struct vbm_error *error);

struct rdma_cm_id;
struct vbm_domain;
struct vbm_completions;

/* The values of a queue pair that its peer needs. */
struct vbm_qp_address {
	uint32_t qp_num;	/* 24 bits, in host byte order */
	uint16_t lid;		/* in host byte order; 0 on RoCE */
	union ibv_gid gid;	/* in network byte order */
};

/*
 * The options for making a queue pair and for the two calls to RTS. Each comment begins
 * with the default.
 */
struct vbm_qp_options {
	size_t size;			/* sizeof(struct vbm_qp_options) */
	enum ibv_qp_type qp_type;	/* IBV_QPT_RC */
	uint32_t max_send_wr;		/* 128 requests */
	uint32_t max_recv_wr;		/* 128 requests */
	uint32_t max_send_sge;		/* 1 entry */
	uint32_t max_recv_sge;		/* 1 entry */
	uint32_t max_inline_data;	/* 0 bytes; afterwards as many as the queue pair has */
	int sq_sig_all;			/* 0: only sends with IBV_SEND_SIGNALED complete */
	int access;			/* remote read, write and atomic */
	uint32_t qkey;			/* 0x11111111, of UD */
	uint32_t psn;			/* 0: the first packet number of both directions; see terms */
	int mtu;			/* 0: the port's present MTU; else bytes, 256 to 4096 */
	uint8_t timeout;		/* 14: 67 ms; 4.096 us times 2 to the power of this */
	uint8_t retry_cnt;		/* 6; rxe never gives up with 7 */
	uint8_t rnr_retry;		/* 7: retry for ever */
	uint8_t min_rnr_timer;		/* 12: 0.64 ms */
	uint8_t max_rd_atomic;		/* 255: more than the device can have is as many as it can */
	uint8_t max_dest_rd_atomic;	/* 255: likewise */
	uint8_t hop_limit;		/* 64 */
	uint8_t traffic_class;		/* 0; also of the handshake's TCP socket */
	/*
	 * Objects for several queue pairs. They are the program's, which destroys them after
	 * the queue pairs. NULL: the queue pair has its own.
	 */
	struct vbm_domain *domain;	/* the device and the protection domain: domain.h */
	struct ibv_comp_channel *channel;	/* for the completion queue that the library makes */
	struct ibv_cq *cq;		/* for sends and receives; each completion has its qp_num */
	struct ibv_srq *srq;		/* the receives; max_recv_wr and max_recv_sge do not count */
	struct vbm_completions *completions;	/* in place of channel and cq: transfer.h */
	void *user;			/* NULL: the queue pair's; an endpoint sets it to itself */
	int inline_sends;		/* 0; else data that fit into max_inline_data go inline: transfer.h */
	/*
	 * The choice of the device, and the path of packets. By rdma_cm the kernel chooses, and
	 * an endpoint refuses values other than these defaults.
	 */
	const char *device;		/* NULL: any; else its name, which stays until the queue pair is made */
	uint8_t port_num;		/* 0: any; ports count from 1 */
	uint8_t service_level;		/* 0; at most 15 */
	uint16_t pkey_index;		/* 0: in the P_Key table of the port */
	int gid_index;			/* -1: the RoCE v2 entry of the address; on InfiniBand 0, without a GRH */
	uint32_t flow_label;		/* 0; 20 bits */
	uint64_t reserved[16];		/* 0: room for later versions, so the size stays the same */
};

/* Sets the size and the defaults given above. */
VBM_API void vbm_qp_options_init_sized(struct vbm_qp_options *options, size_t size);

static inline void vbm_qp_options_init(struct vbm_qp_options *options)
{
	vbm_qp_options_init_sized(options, sizeof(*options));
}

/*
 * The values on which the two ends of a reliable connection have to agree. A handshake of
 * version 1 agrees on them; otherwise both ends need the same options.
 */
struct vbm_qp_terms {
	int mtu;			/* bytes */
	uint32_t sq_psn, rq_psn;	/* first packet number of each direction, 24 bits */
	uint8_t max_rd_atomic;		/* reads and atomics that this end starts, at the same time */
	uint8_t max_dest_rd_atomic;	/* begun by the peer */
};

/*
 * A queue pair with the objects that it needs. The program may use each member with the
 * calls of libibverbs, and writes @peer. It must not destroy any of them itself.
 */
struct vbm_qp {
	struct rdma_cm_id *id;		/* the id of an endpoint's queue pair; else NULL */
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;		/* for sends and receives, on @channel */
	struct ibv_qp *qp;
	struct vbm_gid_place place;
	struct vbm_qp_options options;	/* as asked for, within the device's limits */
	struct vbm_qp_address local;	/* for the program to tell the peer */
	struct vbm_qp_address peer;	/* for the program to fill in, before RTR */
	struct vbm_qp_terms terms;	/* of a connection: the values on which both ends agreed */
	int connecting;			/* a handshake is under way; internal */
	int negotiation;		/* its number in a negotiator; internal */
	struct vbm_error error;		/* of the last call that failed */
	unsigned int interrupt;		/* of an endpoint that can be interrupted: its descriptor + 1; internal */
	unsigned int borrowed;		/* members that this queue pair does not destroy; internal */
	struct vbm_completions *completions;	/* its own or those of the options; NULL: see transfer.h */
	void *user;			/* the program's, from the options; of an endpoint: the endpoint */
	int needs_grh;			/* each packet has the GIDs of both ends; internal */
};

/*
 * Open the device that has @address (NULL: the first device and its first RoCE v2 GID; with
 * a domain, its own address), and make a protection domain, a completion channel, a
 * completion queue for all requests together, and a queue pair in RESET, except what the
 * options name. A device is open once in the process, for all queue pairs. An InfiniBand
 * port has no GIDs of IP addresses: it is used when the options name its device, whatever
 * @address is. InfiniBand was not tried on hardware. @options may be NULL. The caller
 * destroys *@qp with vbm_destroy_qp(). After a failure *@qp is NULL, nothing is left, and
 * @error (may be NULL) says which call failed and why.
 *
 * Errors: those of vbm_find_gid(), EINVAL for options that the device refuses (@error names
 * the member and the limit), and the errno of ibv_create_qp(3) and the other calls.
 */
VBM_API int vbm_create_qp(struct vbm_qp **qp, const struct sockaddr *address,
			  const struct vbm_qp_options *options, struct vbm_error *error);

/*
 * Destroy a queue pair and all objects made with it. NULL is allowed. EBUSY: the program
 * still has an object that uses a member, for example a memory region in @pd. The queue
 * pair is then destroyed, and another call destroys the rest. EBUSY also: it is in a
 * handshake; then nothing is destroyed.
 */
VBM_API int vbm_destroy_qp(struct vbm_qp *qp);

/*
 * Each makes one transition, by one call of ibv_modify_qp(3) whose mask has exactly
 * the attributes that InfiniBand requires for the type. For IBV_QPT_RC:
 *
 *	init	STATE PKEY_INDEX PORT ACCESS_FLAGS
 *	rtr	STATE AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER
 *	rts	STATE TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC
 *
 * RTR needs @peer. The values on which both ends have to agree come from the options,
 * with the same packet number for both directions. The functions return the value of
 * ibv_modify_qp(), and @error of the queue pair says which transition failed.
 * EDESTADDRREQ: @peer is not filled in. EBUSY: the queue pair is in a handshake.
 */
VBM_API int vbm_qp_to_init(struct vbm_qp *qp);
VBM_API int vbm_qp_to_rtr(struct vbm_qp *qp);
VBM_API int vbm_qp_to_rts(struct vbm_qp *qp);

/*
 * From INIT to RTS by two calls: vbm_qp_to_rtr() and, if that succeeds, vbm_qp_to_rts().
 * When the second one fails, the queue pair is in RTR. Source: docs/handshake.md, "The two
 * calls to RTS".
 */
VBM_API int vbm_modify_qp_to_rts(struct vbm_qp *qp);

/*
 * From any state to INIT, through RESET, by two calls of ibv_modify_qp(3): after a failed
 * handshake, or at the end of a connection, the queue pair is ready for another one. @peer
 * and @terms are zero then. The requests that are posted are dropped, and most devices make
 * no completions for them: post the receives again. Completions that are in the completion
 * queue already stay there. The memory keeps its registration and its keys.
 *
 * The errors are those of ibv_modify_qp(3). EBUSY: the queue pair is in a handshake.
 * EOPNOTSUPP: it is that of an endpoint by rdma_cm.
 */
VBM_API int vbm_reset_qp(struct vbm_qp *qp);

#ifdef __cplusplus
}
#endif
#endif
