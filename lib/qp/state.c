/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/fail.h"

static enum ibv_mtu mtu_code(int bytes)
{
	int code = IBV_MTU_256;

	while (code < IBV_MTU_4096 && 128 << code < bytes)
		code++;
	return (enum ibv_mtu)code;
}

/* The first half of a GID is the prefix of its subnet, and a packet to another one needs a router. */
static bool is_same_subnet(const union ibv_gid *a, const union ibv_gid *b)
{
	static const union ibv_gid none;

	return memcmp(a, b, 8) == 0 || memcmp(b, &none, sizeof(none)) == 0;
}

static void fill_path(const struct vbm_qp *q, struct ibv_ah_attr *ah)
{
	ah->dlid = q->peer.lid;
	ah->sl = q->options.service_level;
	ah->port_num = q->place.port_num;
	ah->is_global = q->needs_grh || !is_same_subnet(&q->local.gid, &q->peer.gid);
	if (!ah->is_global)
		return;
	ah->grh.dgid = q->peer.gid;
	ah->grh.flow_label = q->options.flow_label;
	ah->grh.sgid_index = q->place.gid_index;
	ah->grh.hop_limit = q->options.hop_limit;
	ah->grh.traffic_class = q->options.traffic_class;
}

/*
 * The mask comes from the table: every attribute that the transition requires, and no
 * other. Other members of @attr are ignored.
 */
int vbm_qp_fill_attr(const struct vbm_qp *q, enum ibv_qp_state from, enum ibv_qp_state to,
		     struct ibv_qp_attr *attr)
{
	const struct vbm_qp_options *o = &q->options;
	const struct vbm_qp_transition *t = vbm_qp_transition(o->qp_type, from, to);

	memset(attr, 0, sizeof(*attr));
	if (!t)
		return 0;
	attr->qp_state = to;
	attr->pkey_index = o->pkey_index;
	attr->port_num = q->place.port_num;
	attr->qp_access_flags = (unsigned int)o->access;
	attr->qkey = o->qkey;
	attr->path_mtu = mtu_code(q->terms.mtu);
	attr->dest_qp_num = q->peer.qp_num;
	attr->rq_psn = q->terms.rq_psn;
	attr->sq_psn = q->terms.sq_psn;
	attr->timeout = o->timeout;
	attr->retry_cnt = o->retry_cnt;
	attr->rnr_retry = o->rnr_retry;
	attr->min_rnr_timer = o->min_rnr_timer;
	attr->max_rd_atomic = q->terms.max_rd_atomic;
	attr->max_dest_rd_atomic = q->terms.max_dest_rd_atomic;
	fill_path(q, &attr->ah_attr);
	return t->required | IBV_QP_STATE;
}

static int modify_state(struct vbm_qp *q, enum ibv_qp_state from, enum ibv_qp_state to,
			struct vbm_error *error)
{
	struct vbm_qp_report report = {0};
	struct ibv_qp_attr attr;
	int rc, mask = vbm_qp_fill_attr(q, from, to, &attr);

	if (!mask)
		return -vbm_fail(error, EINVAL, "queue pairs of type %d have no such transition",
				 (int)q->options.qp_type);
	rc = ibv_modify_qp(q->qp, &attr, mask);
	if (rc) {
		vbm_qp_diagnose(q->qp, from, &attr, mask, &report);
		vbm_fail(error, rc, "ibv_modify_qp of queue pair %u of the device %s to %s: %s%s%s",
			 q->local.qp_num, q->place.device, vbm_qp_state_name(to), strerror(rc),
			 report.text[0] ? "; " : "", report.text);
	}
	return rc;
}

void vbm_qp_to_error(struct vbm_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	if (qp && qp->qp)
		ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
}

int vbm_qp_not_in_handshake(struct vbm_qp *qp)
{
	if (!qp->negotiation && !__atomic_load_n(&qp->connecting, __ATOMIC_ACQUIRE))
		return 0;
	return -vbm_fail(&qp->error, EBUSY, "queue pair %u is in a handshake: wait for its end, or cancel it",
			 qp->local.qp_num);
}

static int usable(struct vbm_qp *q)
{
	if (!q)
		return EINVAL;
	if (!q->qp)
		return -vbm_fail(&q->error, EINVAL, "the queue pair has been destroyed");
	return vbm_qp_not_in_handshake(q);
}

int vbm_qp_to_init(struct vbm_qp *qp)
{
	int rc = usable(qp);

	return rc ? rc : modify_state(qp, IBV_QPS_RESET, IBV_QPS_INIT, &qp->error);
}

void vbm_qp_own_terms(const struct vbm_qp *qp, struct vbm_qp_terms *terms)
{
	const struct vbm_qp_options *o = &qp->options;

	*terms = (struct vbm_qp_terms){
		.mtu = o->mtu,
		.sq_psn = o->psn,
		.rq_psn = o->psn,
		.max_rd_atomic = o->max_rd_atomic,
		.max_dest_rd_atomic = o->max_dest_rd_atomic,
	};
}

static int to_rtr(struct vbm_qp *qp, struct vbm_error *error)
{
	static const union ibv_gid none;

	if (qp->options.qp_type != IBV_QPT_UD && memcmp(&qp->peer.gid, &none, sizeof(none)) == 0 &&
	    (qp->needs_grh || !qp->peer.lid))
		return -vbm_fail(error, EDESTADDRREQ,
				 "queue pair %u cannot go to RTR: its peer has no %s yet",
				 qp->local.qp_num, qp->needs_grh ? "GID" : "LID");
	return modify_state(qp, IBV_QPS_INIT, IBV_QPS_RTR, error);
}

int vbm_qp_to_rtr(struct vbm_qp *qp)
{
	int rc = usable(qp);

	if (rc)
		return rc;
	vbm_qp_own_terms(qp, &qp->terms);
	return to_rtr(qp, &qp->error);
}

int vbm_qp_to_rts(struct vbm_qp *qp)
{
	int rc = usable(qp);

	if (rc)
		return rc;
	vbm_qp_own_terms(qp, &qp->terms);
	return modify_state(qp, IBV_QPS_RTR, IBV_QPS_RTS, &qp->error);
}

/* The packet numbers and the peer of the last connection must not get into the next one. */
int vbm_qp_back_to_init(struct vbm_qp *qp, struct vbm_error *error)
{
	int rc = modify_state(qp, qp->qp->state, IBV_QPS_RESET, error);

	if (rc)
		return rc;
	memset(&qp->peer, 0, sizeof(qp->peer));
	memset(&qp->terms, 0, sizeof(qp->terms));
	return modify_state(qp, IBV_QPS_RESET, IBV_QPS_INIT, error);
}

int vbm_reset_qp(struct vbm_qp *qp)
{
	int rc = usable(qp);

	if (rc)
		return rc;
	if (qp->id)
		return -vbm_fail(&qp->error, EOPNOTSUPP, "queue pair %u belongs to a connection of rdma_cm",
				 qp->local.qp_num);
	return vbm_qp_back_to_init(qp, &qp->error);
}

int vbm_modify_qp_to_rts(struct vbm_qp *qp)
{
	int rc = vbm_qp_to_rtr(qp);

	return rc ? rc : vbm_qp_to_rts(qp);
}

int vbm_qp_agreed_to_rts(struct vbm_qp *qp, const struct vbm_qp_terms *terms,
			 struct vbm_error *error)
{
	int rc;

	qp->terms = *terms;
	rc = to_rtr(qp, error);
	return rc ? rc : modify_state(qp, IBV_QPS_RTR, IBV_QPS_RTS, error);
}
