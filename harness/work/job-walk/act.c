/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-walk/act.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* One call, and what it needs. */
struct act {
	struct walk_hosts *hosts;
	const struct model_world *w;
	const struct model_op *op;
	struct walk_host *host;
	struct walk_pair *pair;
	uint64_t id;
};

static int code_of_pointer(const void *p)
{
	return p ? 0 : errno ? errno : EIO;
}

static int reg_mr(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->made];
	int access = a->op->access;

	o->at = walk_page(a->hosts, a->op->host, a->op->made);
	memset(o->at, 0, MODEL_BLOCK * MODEL_BLOCKS);
	if (a->op->way == WAY_ZERO_BASED)
		access |= IBV_ACCESS_ZERO_BASED;
	if (a->op->way == WAY_ON_DEMAND)
		access |= IBV_ACCESS_ON_DEMAND;
	if (a->op->way == WAY_IOVA)
		o->mr = a->hosts->target->reg_mr_iova(a->host->pd[a->op->domain], o->at, MODEL_BLOCK * MODEL_BLOCKS,
						      (uint64_t)MODEL_IOVA(a->op->made), access);
	else
		o->mr = a->hosts->target->reg_mr(a->host->pd[a->op->domain], o->at, MODEL_BLOCK * MODEL_BLOCKS, access);
	o->key = o->mr ? o->mr->rkey : 0;
	return code_of_pointer(o->mr);
}

static int dereg_mr(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->region];
	int rc = a->hosts->target->dereg_mr(o->mr);

	if (rc == 0)
		o->mr = NULL;
	return rc;
}

static int alloc_mw(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->made];

	o->mw = ibv_alloc_mw(a->host->pd[a->op->domain], (enum ibv_mw_type)a->op->type);
	o->key = o->mw ? o->mw->rkey : 0;
	return code_of_pointer(o->mw);
}

static int dealloc_mw(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->window];
	int rc = ibv_dealloc_mw(o->mw);

	if (rc == 0)
		o->mw = NULL;
	return rc;
}

static int post(struct act *a, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->wr_id = a->id;
	wr->send_flags = IBV_SEND_SIGNALED | (a->op->solicited ? IBV_SEND_SOLICITED : 0);
	if (a->op->immediate)
		wr->imm_data = htobe32(model_immediate(a->op->fill));
	return ibv_post_send(a->pair->qp, wr, &bad);
}

static struct ibv_mw_bind_info part_of(const struct act *a)
{
	const struct walk_object *r = &a->hosts->object[a->op->region];

	return (struct ibv_mw_bind_info){
		.mr = r->mr,
		.addr = (uint64_t)(uintptr_t)r->at + (uint64_t)a->op->first * MODEL_BLOCK,
		.length = (uint64_t)a->op->blocks * MODEL_BLOCK,
		.mw_access_flags = (unsigned)a->op->access | (a->op->zero ? IBV_ACCESS_ZERO_BASED : 0u),
	};
}

static int bind_mw(struct act *a)
{
	struct ibv_mw *mw = a->hosts->object[a->op->window].mw;
	struct ibv_mw_bind bind = {.wr_id = a->id, .send_flags = IBV_SEND_SIGNALED, .bind_info = part_of(a)};
	struct ibv_send_wr wr = {.opcode = IBV_WR_BIND_MW};
	int rc;

	if (a->op->type == 1) {
		rc = ibv_bind_mw(a->pair->qp, mw, &bind);
	} else {
		wr.bind_mw.mw = mw;
		wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
		wr.bind_mw.bind_info = part_of(a);
		rc = post(a, &wr);
		if (rc == 0)
			mw->rkey = wr.bind_mw.rkey;
	}
	a->hosts->object[a->op->made].key = mw->rkey;
	return rc;
}

static int local_inv(struct act *a)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = a->hosts->object[a->op->key].key};

	return post(a, &wr);
}

static int post_recv(struct act *a)
{
	unsigned char *at = a->host->memory + MODEL_RECEIVED(a->id);
	struct ibv_sge sge = {.addr = (uint64_t)(uintptr_t)at, .length = (uint32_t)model_received_bytes(a->op->pair),
			      .lkey = a->host->messages->lkey};
	struct ibv_recv_wr wr = {.wr_id = a->id, .sg_list = &sge, .num_sge = 1}, *bad;

	memset(at, 0, sge.length);
	if (a->op->verb == VERB_POST_SRQ)
		return ibv_post_srq_recv(a->host->srq, &wr, &bad);
	return ibv_post_recv(a->pair->qp, &wr, &bad);
}

/* The bytes of a request: a message, or room for what comes. */
static struct ibv_sge bytes_of(const struct act *a, int bytes, int fill)
{
	unsigned char *at = a->host->memory + MODEL_SENT(a->id);

	memset(at, fill, (size_t)bytes);
	return (struct ibv_sge){.addr = (uint64_t)(uintptr_t)at, .length = (uint32_t)bytes, .lkey = a->host->messages->lkey};
}

static int send_message(struct act *a)
{
	struct ibv_sge sge = bytes_of(a, MODEL_BLOCK, a->op->fill);
	struct ibv_send_wr wr = {.opcode = a->op->immediate ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, .sg_list = &sge, .num_sge = 1};

	if (a->op->verb == VERB_SEND_INV) {
		wr.opcode = IBV_WR_SEND_WITH_INV;
		wr.invalidate_rkey = a->hosts->object[a->op->key].key;
	}
	return post(a, &wr);
}

/* Where a key leads to; a window that was never bound leads nowhere. */
static uint64_t address_of(const struct act *a)
{
	const struct model_slot *k = &a->w->slot[a->op->key];
	int64_t own;
	const unsigned char *at = k->kind == KIND_WINDOW ? a->hosts->host[k->host].memory :
				  a->hosts->object[k->kind == KIND_BINDING ? k->region : a->op->key].at;

	return model_address(a->w, a->op->key, a->op->first, &own) ? (uint64_t)own :
	       (uint64_t)(uintptr_t)at + (uint64_t)a->op->first * MODEL_BLOCK;
}

static int write_or_read(struct act *a)
{
	bool writes = a->op->verb == VERB_WRITE;
	struct ibv_sge sge = bytes_of(a, a->op->blocks * MODEL_BLOCK + a->op->over, writes ? a->op->fill : MODEL_STALE);
	struct ibv_send_wr wr = {.opcode = !writes ? IBV_WR_RDMA_READ : a->op->immediate ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
				 .sg_list = &sge, .num_sge = 1};

	wr.wr.rdma.remote_addr = address_of(a);
	wr.wr.rdma.rkey = a->hosts->object[a->op->key].key;
	return post(a, &wr);
}

static int change_word(struct act *a)
{
	struct ibv_sge sge = bytes_of(a, 8, MODEL_STALE);
	bool adds = a->op->verb == VERB_FETCH_ADD;
	struct ibv_send_wr wr = {.opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP, .sg_list = &sge, .num_sge = 1};

	wr.wr.atomic.remote_addr = address_of(a);
	wr.wr.atomic.rkey = a->hosts->object[a->op->key].key;
	wr.wr.atomic.compare_add = adds ? 1 : a->op->compare;
	wr.wr.atomic.swap = model_word(a->op->fill);
	return post(a, &wr);
}

static int modify(struct act *a)
{
	struct ibv_qp_attr attr;
	enum ibv_qp_state from = a->w->pair[a->op->host][a->op->pair].state;
	int mask = walk_attributes(a->hosts, a->op->host, a->op->pair, a->op->state, from, &attr);

	return a->hosts->target->modify_qp(a->pair->qp, &attr, mask);
}

static int reconnect(struct act *a)
{
	struct vbm_error err;

	return -walk_connect(a->hosts, a->op->pair, &err);
}

static int rereg_mr(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->region];
	int rc = a->hosts->target->rereg_mr(o->mr, a->op->changes, a->host->pd[a->op->domain], NULL, 0, a->op->access);

	o->key = o->mr->rkey;
	return rc ? (errno ? errno : EIO) : 0;
}

/* One attribute, in a call that keeps the state. */
static int set_attribute(struct act *a)
{
	enum ibv_qp_state state = a->w->pair[a->op->host][a->op->pair].state;
	struct ibv_qp_attr attr;

	walk_attributes(a->hosts, a->op->host, a->op->pair, state, state, &attr);
	attr.qp_access_flags = (unsigned)a->op->access;
	attr.qkey = model_qkey(a->op->qkey);
	attr.max_dest_rd_atomic = (uint8_t)a->op->size;
	return a->hosts->target->modify_qp(a->pair->qp, &attr, IBV_QP_STATE | a->op->changes);
}

static int resize_cq(struct act *a)
{
	return a->hosts->target->resize_cq(a->op->receive ? a->pair->recv_cq : a->pair->send_cq, a->op->size);
}

static int modify_srq(struct act *a)
{
	struct ibv_srq_attr attr = {.max_wr = (uint32_t)a->op->size, .srq_limit = (uint32_t)a->op->size};

	return a->hosts->target->modify_srq(a->host->srq, &attr, a->op->changes);
}

static int query_srq(struct act *a)
{
	struct ibv_srq_attr attr;
	int rc = a->hosts->target->query_srq(a->host->srq, &attr);

	if (rc == 0)
		a->hosts->limit = (int)attr.srq_limit;
	return rc;
}

static int destroy_srq(struct act *a)
{
	return a->hosts->target->destroy_srq(a->host->srq);
}

static int create_ah(struct act *a)
{
	struct ibv_ah_attr attr = walk_path(a->hosts, a->op->host);
	struct walk_object *o = &a->hosts->object[a->op->made];

	o->ah = a->hosts->target->create_ah(a->host->pd[a->op->domain], &attr);
	return code_of_pointer(o->ah);
}

static int destroy_ah(struct act *a)
{
	struct walk_object *o = &a->hosts->object[a->op->handle];
	int rc = a->hosts->target->destroy_ah(o->ah);

	if (rc == 0)
		o->ah = NULL;
	return rc;
}

static int send_datagram(struct act *a)
{
	struct ibv_sge sge = bytes_of(a, MODEL_BLOCK, a->op->fill);
	struct ibv_send_wr wr = {.opcode = a->op->immediate ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND, .sg_list = &sge, .num_sge = 1};

	wr.wr.ud.ah = a->hosts->object[a->op->handle].ah;
	wr.wr.ud.remote_qpn = a->hosts->host[!a->op->host].pair[a->op->pair].qp->qp_num;
	wr.wr.ud.remote_qkey = model_qkey(a->op->qkey);
	return post(a, &wr);
}

/* One more completion than the queue has entries, which nobody polls. */
static int overflow(struct act *a)
{
	struct walk_host *to = &a->hosts->host[!a->op->host], *owner = a->op->receive ? to : a->host;
	struct walk_pair *p = &owner->pair[a->op->pair];
	struct ibv_cq *cq = a->op->receive ? p->recv_cq : p->send_cq;
	struct ibv_sge from = bytes_of(a, MODEL_BLOCK, a->op->fill);
	struct ibv_sge into = {.addr = (uint64_t)(uintptr_t)(to->memory + MODEL_RECEIVED(a->id)), .length = MODEL_BLOCK,
			       .lkey = to->messages->lkey};
	struct ibv_recv_wr recv = {.wr_id = MODEL_OVERFLOW, .sg_list = &into, .num_sge = 1}, *bad_recv;
	struct ibv_send_wr send = {.wr_id = MODEL_OVERFLOW, .opcode = IBV_WR_SEND, .sg_list = &from, .num_sge = 1,
				   .send_flags = a->op->receive ? 0 : IBV_SEND_SIGNALED}, *bad;
	int i, rc = a->hosts->target->resize_cq(cq, MODEL_SHORT), requests = cq->cqe + 1;

	for (i = 0; rc == 0 && i < requests; i++, recv.wr_id++)
		rc = ibv_post_recv(to->pair[a->op->pair].qp, &recv, &bad_recv);
	for (i = 0; rc == 0 && i < requests; i++, send.wr_id++)
		rc = ibv_post_send(a->pair->qp, &send, &bad);
	return rc;
}

/* The caller judges the completions that are in the queue afterwards. */
static int do_nothing(struct act *a)
{
	(void)a;
	return 0;
}

static int (*const acts[VERB_COUNT])(struct act *a) = {
	[VERB_REG_MR] = reg_mr, [VERB_DEREG_MR] = dereg_mr, [VERB_ALLOC_MW] = alloc_mw, [VERB_DEALLOC_MW] = dealloc_mw,
	[VERB_BIND] = bind_mw, [VERB_LOCAL_INV] = local_inv, [VERB_POST_RECV] = post_recv, [VERB_SEND] = send_message,
	[VERB_SEND_INV] = send_message, [VERB_WRITE] = write_or_read, [VERB_READ] = write_or_read,
	[VERB_FETCH_ADD] = change_word, [VERB_CMP_SWAP] = change_word, [VERB_POLL] = do_nothing,
	[VERB_MODIFY] = modify, [VERB_RECONNECT] = reconnect, [VERB_REREG_MR] = rereg_mr,
	[VERB_SET_ATTRIBUTE] = set_attribute, [VERB_RESIZE_CQ] = resize_cq, [VERB_POST_SRQ] = post_recv,
	[VERB_MODIFY_SRQ] = modify_srq, [VERB_QUERY_SRQ] = query_srq, [VERB_DESTROY_SRQ] = destroy_srq,
	[VERB_CREATE_AH] = create_ah, [VERB_DESTROY_AH] = destroy_ah, [VERB_DATAGRAM] = send_datagram,
	[VERB_OVERFLOW] = overflow,
};

int walk_act(struct walk_hosts *hosts, const struct model_world *w, const struct model_op *op, uint64_t id)
{
	struct act a = {.hosts = hosts, .w = w, .op = op, .id = id, .host = &hosts->host[op->host]};

	a.pair = &a.host->pair[op->pair];
	errno = 0;
	return acts[op->verb](&a);
}
