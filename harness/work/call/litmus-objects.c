/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "call/litmus-memory.h"
#include "lib/base/fail.h"

#define PSN 0x1234
#define DEPTH 16	/* reads and atomics at the same time */

static int fail_call(struct vbm_error *err, int code, const char *call)
{
	code = code > 0 ? code : errno ? errno : EIO;
	return vbm_fail(err, code, "%s of the litmus program failed: %s", call, strerror(code));
}

static struct ibv_qp *make_qp(struct litmus_run *r, struct ibv_cq *send, struct ibv_cq *recv)
{
	struct ibv_qp_init_attr init = {
		.send_cq = send, .recv_cq = recv, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = LITMUS_REQUESTS, .max_recv_wr = LITMUS_REQUESTS, .max_send_sge = 1, .max_recv_sge = 1},
	};

	return r->target->create_qp(r->pd, &init);
}

static int connect_one(struct litmus_run *r, struct ibv_qp *qp, const struct ibv_qp *peer, const union ibv_gid *gid)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)r->port};
	int ret;

	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	ret = r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (ret)
		return ret;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = peer->qp_num;
	attr.rq_psn = attr.sq_psn = PSN;
	attr.max_dest_rd_atomic = attr.max_rd_atomic = DEPTH;
	attr.min_rnr_timer = 1;
	attr.ah_attr = (struct ibv_ah_attr){
		.is_global = 1, .port_num = (uint8_t)r->port, .grh = {.dgid = *gid, .sgid_index = (uint8_t)r->gid_index, .hop_limit = 64},
	};
	ret = r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = attr.rnr_retry = 6;
	return r->target->modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int make_pair(struct litmus_run *r, struct litmus_pair *p, struct vbm_error *err)
{
	struct ibv_context *ctx = r->pd->context;
	union ibv_gid gid;
	int ret;

	p->sends = r->target->create_cq(ctx, LITMUS_REQUESTS, NULL, r->channel, 0);
	p->receives = p->sends ? r->target->create_cq(ctx, LITMUS_REQUESTS, NULL, r->channel, 0) : NULL;
	if (!p->receives)
		return fail_call(err, 0, "ibv_create_cq");
	p->own = make_qp(r, p->sends, p->sends);
	p->peer = p->own ? make_qp(r, p->receives, p->receives) : NULL;
	if (!p->peer)
		return fail_call(err, 0, "ibv_create_qp");
	if (r->target->query_gid(ctx, (uint8_t)r->port, r->gid_index, &gid))
		return fail_call(err, 0, "ibv_query_gid");
	ret = connect_one(r, p->own, p->peer, &gid);
	ret = ret ? ret : connect_one(r, p->peer, p->own, &gid);
	return ret ? fail_call(err, ret, "ibv_modify_qp") : 0;
}

int litmus_open(struct litmus_run *r, struct vbm_error *err)
{
	int i, rc = 0;

	r->memory = mmap(NULL, LITMUS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r->memory == MAP_FAILED) {
		r->memory = NULL;
		return fail_call(err, 0, "mmap");
	}
	errno = 0;
	r->channel = r->target->create_comp_channel(r->pd->context);
	if (!r->channel)
		return fail_call(err, 0, "ibv_create_comp_channel");
	r->mr = r->target->reg_mr(r->pd, r->memory, LITMUS_BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (!r->mr)
		return fail_call(err, 0, "ibv_reg_mr");
	for (i = 0; rc == 0 && i < r->program->actors; i++)
		if (r->program->actor[i].pair >= 0)
			rc = make_pair(r, &r->pair[r->program->actor[i].pair], err);
	return rc;
}

void litmus_close(struct litmus_run *r)
{
	struct litmus_pair *p;
	int i;

	for (i = 0; i < LITMUS_PAIRS; i++) {
		p = &r->pair[i];
		if (p->own)
			r->target->destroy_qp(p->own);
		if (p->peer)
			r->target->destroy_qp(p->peer);
		if (p->sends)
			r->target->destroy_cq(p->sends);
		if (p->receives)
			r->target->destroy_cq(p->receives);
	}
	if (r->mr)
		r->target->dereg_mr(r->mr);
	if (r->channel)
		r->target->destroy_comp_channel(r->channel);
	if (r->memory)
		munmap(r->memory, LITMUS_BYTES);
}
