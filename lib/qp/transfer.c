/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/loop.h"

#define BATCH 32		/* requests posted by one call of libibverbs */

/* The part of a request that an opcode uses. 0: struct vbm_send cannot say the request. */
enum send_form { SEND_PLAIN = 1, SEND_IMM, SEND_INVALIDATES, SEND_RDMA, SEND_RDMA_IMM, SEND_ATOMIC };

static const uint8_t forms[] = {
	[IBV_WR_SEND] = SEND_PLAIN,
	[IBV_WR_SEND_WITH_IMM] = SEND_IMM,
	[IBV_WR_SEND_WITH_INV] = SEND_INVALIDATES,
	[IBV_WR_LOCAL_INV] = SEND_INVALIDATES,
	[IBV_WR_RDMA_WRITE] = SEND_RDMA,
	[IBV_WR_RDMA_READ] = SEND_RDMA,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = SEND_RDMA_IMM,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = SEND_ATOMIC,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = SEND_ATOMIC,
};

static enum send_form form_of(const struct vbm_send *s)
{
	size_t opcode = (size_t)s->opcode;

	return opcode < sizeof(forms) ? (enum send_form)forms[opcode] : 0;
}

/* The bytes that come with the request: immediate data in network order, or a key in host order. */
static void fill_imm(struct ibv_send_wr *wr, const struct vbm_send *s, enum send_form form)
{
	if (form == SEND_IMM || form == SEND_RDMA_IMM)
		wr->imm_data = htobe32(s->imm);
	else if (form == SEND_INVALIDATES)
		wr->invalidate_rkey = s->rkey;
}

/* ibv_post_send(3) does not change the array, although its structure says so. */
static struct ibv_sge *blocks(const struct ibv_sge *sge)
{
	union {
		const struct ibv_sge *as_given;
		struct ibv_sge *as_passed;
	} u = {.as_given = sge};

	return u.as_passed;
}

/* Whether the data go to the peer, and fit into the request itself. */
static bool fits_inline(const struct ibv_send_wr *wr, const struct vbm_qp *qp, enum send_form form)
{
	uint64_t bytes = 0;

	if (form == SEND_ATOMIC || wr->opcode == IBV_WR_RDMA_READ || wr->opcode == IBV_WR_LOCAL_INV)
		return false;
	for (int i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes <= qp->options.max_inline_data;
}

static void fill_send(struct ibv_send_wr *wr, struct ibv_sge *sge, const struct vbm_send *s,
		      const struct vbm_qp *qp)
{
	enum ibv_qp_type type = qp->options.qp_type;
	enum send_form form = form_of(s);

	*wr = (struct ibv_send_wr){
		.wr_id = s->wr_id,
		.sg_list = s->num_sge ? blocks(s->sge) : sge,
		.num_sge = s->num_sge ? s->num_sge : s->length > 0,
		.opcode = s->opcode,
		.send_flags = s->flags,
	};
	*sge = (struct ibv_sge){.addr = (uintptr_t)s->addr, .length = s->length, .lkey = s->lkey};
	if (qp->options.inline_sends && fits_inline(wr, qp, form))
		wr->send_flags |= IBV_SEND_INLINE;
	fill_imm(wr, s, form);
	if (type == IBV_QPT_UD) {
		wr->wr.ud.ah = s->ah;
		wr->wr.ud.remote_qpn = s->remote_qpn;
		wr->wr.ud.remote_qkey = s->remote_qkey;
	} else if (form == SEND_ATOMIC) {
		wr->wr.atomic.remote_addr = s->remote_addr;
		wr->wr.atomic.compare_add = s->compare_add;
		wr->wr.atomic.swap = s->swap;
		wr->wr.atomic.rkey = s->rkey;
	} else {
		wr->wr.rdma.remote_addr = s->remote_addr;
		wr->wr.rdma.rkey = s->rkey;
	}
}

int vbm_post_sends(struct vbm_qp *qp, const struct vbm_send *send, size_t count, size_t *posted)
{
	struct ibv_send_wr wr[BATCH], *bad = NULL;
	struct ibv_sge sge[BATCH];
	size_t done = 0, n, i;
	int rc = 0;

	if (!qp || !qp->qp || (count && !send))
		rc = EINVAL;
	/* Another thread may drive the handshake: docs/handshake.md, "When data may be sent". */
	else if (__atomic_load_n(&qp->connecting, __ATOMIC_ACQUIRE))
		rc = ENOTCONN;
	while (rc == 0 && done < count) {
		n = count - done < BATCH ? count - done : BATCH;
		for (i = 0; i < n && form_of(&send[done + i]); i++) {
			fill_send(&wr[i], &sge[i], &send[done + i], qp);
			wr[i].next = &wr[i + 1];
		}
		n = i;	/* the requests before one that struct vbm_send cannot say */
		if (n)
			wr[n - 1].next = NULL;
		rc = n ? ibv_post_send(qp->qp, wr, &bad) : EOPNOTSUPP;
		done += rc == 0 ? n : bad ? (size_t)(bad - wr) : 0;
	}
	if (posted)
		*posted = done;
	return rc;
}

/* The queue of @qp, or if that is NULL the shared queue @srq. */
static int post_recvs(struct ibv_qp *qp, struct ibv_srq *srq, const struct vbm_recv *recv, size_t count,
		      size_t *posted)
{
	struct ibv_recv_wr wr[BATCH], *bad = NULL;
	struct ibv_sge sge[BATCH];
	size_t done = 0, n, i;
	int rc = 0;

	if ((!qp && !srq) || (count && !recv))
		rc = EINVAL;
	while (rc == 0 && done < count) {
		n = count - done < BATCH ? count - done : BATCH;
		for (i = 0; i < n; i++) {
			const struct vbm_recv *r = &recv[done + i];

			sge[i] = (struct ibv_sge){(uintptr_t)r->addr, r->length, r->lkey};
			wr[i] = (struct ibv_recv_wr){
				.wr_id = r->wr_id,
				.next = i + 1 < n ? &wr[i + 1] : NULL,
				.sg_list = r->num_sge ? blocks(r->sge) : &sge[i],
				.num_sge = r->num_sge ? r->num_sge : r->length > 0,
			};
		}
		rc = qp ? ibv_post_recv(qp, wr, &bad) : ibv_post_srq_recv(srq, wr, &bad);
		done += rc == 0 ? n : bad ? (size_t)(bad - wr) : 0;
	}
	if (posted)
		*posted = done;
	return rc;
}

int vbm_post_recvs(struct vbm_qp *qp, const struct vbm_recv *recv, size_t count, size_t *posted)
{
	return post_recvs(qp ? qp->qp : NULL, NULL, recv, count, posted);
}

int vbm_post_srq_recvs(struct ibv_srq *srq, const struct vbm_recv *recv, size_t count, size_t *posted)
{
	return post_recvs(NULL, srq, recv, count, posted);
}

int vbm_poll_completions(struct vbm_qp *qp, struct ibv_wc *wc, int room, int *count)
{
	int n;

	if (!qp || !qp->cq || !wc || !count || room < 1)
		return EINVAL;
	n = ibv_poll_cq(qp->cq, room, wc);
	*count = n > 0 ? n : 0;
	return n < 0 ? EIO : 0;
}

int vbm_wait_completions(struct vbm_qp *qp, struct ibv_wc *wc, int room, int timeout_ms,
			 int *count)
{
	int64_t end = vbm_loop_end_after(timeout_ms);
	int rc;

	/* An event of the program's channel may be that of another queue. */
	if (qp && qp->qp && !qp->completions)
		return EOPNOTSUPP;
	for (;;) {
		rc = vbm_poll_completions(qp, wc, room, count);
		if (rc || *count)
			return rc;
		/*
		 * Completions from now on make an event. Completions just before this call
		 * made none, so the queue is polled again.
		 */
		rc = ibv_req_notify_cq(qp->cq, 0);
		if (rc)
			return rc;
		rc = vbm_poll_completions(qp, wc, room, count);
		if (rc || *count)
			return rc;
		rc = vbm_completions_next_event(qp->completions, end, qp->interrupt);
		if (rc)
			return rc;
	}
}
