/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VERBATIM_TRANSFER_H
#define VERBATIM_TRANSFER_H

#include <arpa/inet.h>

#include <verbatim/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The calls, in their order, for a queue pair of vbm_create_qp() or of an endpoint:
 *	vbm_post_recvs()	from INIT on, before the peer sends
 *	vbm_post_srq_recvs()	in its place with a shared receive queue
 *	vbm_post_sends()	in RTS
 *	vbm_wait_completions()	or vbm_poll_completions(), in a program with one queue pair
 * For a program that waits by epoll(7), with many queue pairs:
 *	vbm_create_completions()	before the queue pairs, whose options name it
 *	vbm_collect_completions()	until there is none, when the descriptor is readable
 *	vbm_find_qp()		whose completion it is
 *	vbm_destroy_completions()	after the queue pairs
 */

/*
 * Data over a queue pair of vbm_create_qp(). Each function is a thin layer over one call
 * of libibverbs. The program may also make that call itself.
 *
 * Every function here that returns int returns 0 or a positive errno value. NULL for a
 * pointer that is needed is EINVAL. Only vbm_wait_completions() waits.
 */

/*
 * A send request: ibv_post_send(3). Its memory is one block, or with num_sge the blocks of
 * an array, which has to stay until the call has returned.
 */
struct vbm_send {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	unsigned int flags;	/* IBV_SEND_SIGNALED and others */
	const void *addr;	/* the bytes, or the memory that a read or an atomic fills */
	uint32_t length;	/* bytes; 0: no memory */
	uint32_t lkey;
	uint32_t imm;		/* immediate data, in host byte order */
	uint32_t rkey;		/* of the peer's memory; of IBV_WR_SEND_WITH_INV and _LOCAL_INV: to invalidate */
	uint64_t remote_addr;
	uint64_t compare_add, swap;	/* operands of atomics */
	struct ibv_ah *ah;	/* of datagrams */
	uint32_t remote_qpn, remote_qkey;
	int num_sge;		/* not 0: @sge in place of addr, length and lkey */
	const struct ibv_sge *sge;	/* at most max_send_sge of the options */
};

/* A receive request: ibv_post_recv(3). Its memory likewise, at most max_recv_sge blocks. */
struct vbm_recv {
	uint64_t wr_id;
	void *addr;
	uint32_t length;	/* bytes; 0: no memory */
	uint32_t lkey;
	int num_sge;		/* not 0: @sge in place of addr, length and lkey */
	const struct ibv_sge *sge;
};

/*
 * Post @count requests, in order. *@posted (may be NULL) is the number of accepted
 * requests: after a failure the request at that index was refused, and the ones after it
 * were not tried. The errors are those of ibv_post_send(3) and ibv_post_recv(3): EINVAL
 * for a wrong request or a wrong state of the queue pair, ENOMEM when the queue is full.
 * With inline_sends of the options, requests whose data are sent or written and have at most
 * max_inline_data bytes get IBV_SEND_INLINE: their memory needs no key, and may be used
 * again when the call returns.
 * EOPNOTSUPP: the opcode needs values that struct vbm_send does not have: it can be
 * IBV_WR_SEND, _SEND_WITH_IMM, _SEND_WITH_INV, _RDMA_WRITE, _RDMA_WRITE_WITH_IMM,
 * _RDMA_READ, _ATOMIC_CMP_AND_SWP, _ATOMIC_FETCH_AND_ADD or _LOCAL_INV.
 * ENOTCONN: a handshake is under way, during which only receives can be posted
 * (docs/handshake.md, "When data may be sent"): at an end that accepts, until vbm_accept()
 * has finished.
 * A queue pair with a shared receive queue takes no receives of its own: EINVAL.
 */
VBM_API int vbm_post_sends(struct vbm_qp *qp, const struct vbm_send *send, size_t count,
			   size_t *posted);
VBM_API int vbm_post_recvs(struct vbm_qp *qp, const struct vbm_recv *recv, size_t count,
			   size_t *posted);

/*
 * vbm_post_recvs() to the shared receive queue @srq, which is that of the options of several
 * queue pairs: for whichever of them gets the next message. There need be no queue pair yet.
 * The errors are those of ibv_post_srq_recv(3), and EINVAL for NULL. Several threads may
 * call it at the same time.
 */
VBM_API int vbm_post_srq_recvs(struct ibv_srq *srq, const struct vbm_recv *recv, size_t count,
			       size_t *posted);

/*
 * Take up to @room completions into @wc, without waiting; *@count is their number and may
 * be 0. If several queue pairs have one completion queue, they are those of all.
 * EIO: the completion queue is broken.
 * A completion is libibverbs's: its imm_data is in network byte order, unlike the member imm
 * of struct vbm_send, and vbm_completion_imm() returns it in host byte order.
 */
VBM_API int vbm_poll_completions(struct vbm_qp *qp, struct ibv_wc *wc, int room, int *count);

/*
 * The immediate data of @wc, in host byte order, as the peer has them in struct vbm_send.
 * They are there when wc_flags has IBV_WC_WITH_IMM; otherwise the result means nothing.
 */
static inline uint32_t vbm_completion_imm(const struct ibv_wc *wc)
{
	return ntohl(wc->imm_data);
}

/*
 * The same, but wait for the first completion on the completion channel, up to @timeout_ms
 * milliseconds (-1: no limit). ETIMEDOUT: there was no completion; EINTR: a signal came
 * first; ECANCELED: see vbm_interrupt_endpoint(). The function acknowledges the events of
 * the channel. EOPNOTSUPP: the completion queue or the channel is the program's
 * (vbm_qp_options), which waits with ibv_req_notify_cq(3) and ibv_get_cq_event(3).
 */
VBM_API int vbm_wait_completions(struct vbm_qp *qp, struct ibv_wc *wc, int room, int timeout_ms,
				 int *count);

/*
 * A completion queue on a channel of its own, for one queue pair or many. The program waits
 * for @channel->fd by poll(2) or epoll(7), together with its other descriptors, such as
 * those of endpoints. Each queue pair without cq or channel in its options has one (the
 * member completions); to share one, make it, and name it in the options.
 *
 * Only one thread at a time may take completions. Other threads may make and destroy the
 * queue pairs meanwhile.
 */
struct vbm_completions {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct vbm_error error;		/* of vbm_destroy_completions() */
};

/*
 * Make a completion queue with room for @room completions on the device of @domain: as many
 * as there can be requests of all its queue pairs together. The program destroys it after
 * the queue pairs, and before the domain. @error may be NULL. EINVAL: @room is below 1, or
 * more than the device allows; the errno of ibv_create_comp_channel(3) and ibv_create_cq(3).
 */
VBM_API int vbm_create_completions(struct vbm_completions **completions, struct vbm_domain *domain,
				   int room, struct vbm_error *error);

/* NULL is allowed. EBUSY: a queue pair still uses it, or it is that of one queue pair. */
VBM_API int vbm_destroy_completions(struct vbm_completions *completions);

/*
 * Take up to @room completions into @wc, without waiting, in a program that waits for the
 * descriptor. *@count is their number. Call it until *@count is 0: then, and only then, the
 * next completion makes the descriptor readable. The function takes and acknowledges the
 * events of the channel. Call it once before the first wait. EIO: the completion queue is
 * broken; the errno of ibv_req_notify_cq(3) and ibv_get_cq_event(3).
 */
VBM_API int vbm_collect_completions(struct vbm_completions *completions, struct ibv_wc *wc, int room,
				    int *count);

/*
 * The queue pair with the number @qp_num, as a completion has it, among those that use
 * @completions. Its member user leads to what the program has for it. NULL: there is none,
 * as when the queue pair was destroyed before its last completions were taken.
 */
VBM_API struct vbm_qp *vbm_find_qp(struct vbm_completions *completions, uint32_t qp_num);

#ifdef __cplusplus
}
#endif
#endif
