/* SPDX-License-Identifier: BSD-2-Clause */
/* The exported calls of libibverbs. */
#include "trace/trace.h"

#include <errno.h>

#include <verbatim/qp.h>

/* Headers make calls of them with other names, but programs link these. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = NEXT(ibv_open_device)(device);

	if (!context)
		trace_failed("ibv_open_device", TRACE_NULL, 0, NULL, "%s",
			     device ? device->name : "NULL");
	trace_context(context);
	return context;
}

NUMBER_CALL(ibv_close_device, (struct ibv_context *context), (context), "%p", (void *)context)
NUMBER_CALL(ibv_query_device, (struct ibv_context *context, struct ibv_device_attr *attr),
	    (context, attr), "%p", (void *)context)
NUMBER_CALL(ibv_query_port,
	    (struct ibv_context *context, uint8_t port_num, struct _compat_ibv_port_attr *attr),
	    (context, port_num, attr), "port %u", port_num)
NUMBER_CALL(ibv_query_gid,
	    (struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid),
	    (context, port_num, index, gid), "port %u, index %d", port_num, index)
NUMBER_CALL(ibv_query_pkey,
	    (struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey),
	    (context, port_num, index, pkey), "port %u, index %d", port_num, index)
POINTER_CALL(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context *context), (context), "%p",
	     (void *)context)
NUMBER_CALL(ibv_dealloc_pd, (struct ibv_pd *pd), (pd), "%p", (void *)pd)

POINTER_CALL(struct ibv_mr *, ibv_reg_mr,
	     (struct ibv_pd *pd, void *addr, size_t length, int access), (pd, addr, length, access),
	     "address %p, length %zu, %s", addr, length, trace_access(access))
POINTER_CALL(struct ibv_mr *, ibv_reg_mr_iova,
	     (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access),
	     (pd, addr, length, iova, access), "address %p, length %zu, iova 0x%llx, %s", addr, length,
	     (unsigned long long)iova, trace_access(access))
POINTER_CALL(struct ibv_mr *, ibv_reg_mr_iova2,
	     (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access),
	     (pd, addr, length, iova, access), "address %p, length %zu, iova 0x%llx, %s", addr, length,
	     (unsigned long long)iova, trace_access((int)access))
NUMBER_CALL(ibv_rereg_mr,
	    (struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access),
	    (mr, flags, pd, addr, length, access), "flags 0x%x, address %p, length %zu, %s",
	    (unsigned int)flags, addr, length, trace_access(access))
NUMBER_CALL(ibv_dereg_mr, (struct ibv_mr *mr), (mr), "%p", (void *)mr)

POINTER_CALL(struct ibv_comp_channel *, ibv_create_comp_channel, (struct ibv_context *context),
	     (context), "%p", (void *)context)
NUMBER_CALL(ibv_destroy_comp_channel, (struct ibv_comp_channel *channel), (channel), "%p",
	    (void *)channel)
POINTER_CALL(struct ibv_cq *, ibv_create_cq,
	     (struct ibv_context *context, int cqe, void *cq_context,
	      struct ibv_comp_channel *channel, int comp_vector),
	     (context, cqe, cq_context, channel, comp_vector), "%d entries, vector %d", cqe, comp_vector)
NUMBER_CALL(ibv_resize_cq, (struct ibv_cq *cq, int cqe), (cq, cqe), "%d entries", cqe)
NUMBER_CALL(ibv_destroy_cq, (struct ibv_cq *cq), (cq), "%p", (void *)cq)

POINTER_CALL(struct ibv_srq *, ibv_create_srq, (struct ibv_pd *pd, struct ibv_srq_init_attr *attr),
	     (pd, attr), "%u requests, %u pieces", attr->attr.max_wr, attr->attr.max_sge)
NUMBER_CALL(ibv_modify_srq, (struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask),
	    (srq, attr, mask), "mask 0x%x", (unsigned int)mask)
NUMBER_CALL(ibv_destroy_srq, (struct ibv_srq *srq), (srq), "%p", (void *)srq)

POINTER_CALL(struct ibv_qp *, ibv_create_qp, (struct ibv_pd *pd, struct ibv_qp_init_attr *attr),
	     (pd, attr), "%s, %u and %u requests, %u and %u pieces, %u bytes inline",
	     trace_qp_type(attr->qp_type), attr->cap.max_send_wr, attr->cap.max_recv_wr,
	     attr->cap.max_send_sge, attr->cap.max_recv_sge, attr->cap.max_inline_data)

/* vbm_qp_diagnose() asks the device, which is no call of the program. */
static const char *diagnose(struct ibv_qp *qp, enum ibv_qp_state from,
			    const struct ibv_qp_attr *attr, int mask, struct vbm_qp_report *report)
{
	int saved = errno;

	report->text[0] = '\0';
	trace_quiet++;
	vbm_qp_diagnose(qp, from, attr, mask, report);
	trace_quiet--;
	errno = saved;
	return report->text;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state from = qp->state;
	int ret = NEXT(ibv_modify_qp)(qp, attr, mask);
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	struct vbm_qp_report report;

	if (ret)
		trace_failed("ibv_modify_qp", TRACE_NUMBER, ret,
			     diagnose(qp, from, attr, mask, &report), "qp %u, %s, %s to %s, mask 0x%x",
			     qp->qp_num, trace_qp_type(qp->qp_type), trace_qp_state(from),
			     trace_qp_state(to), (unsigned int)mask);
	return ret;
}

NUMBER_CALL(ibv_query_qp,
	    (struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init),
	    (qp, attr, mask, init), "qp %u, mask 0x%x", qp->qp_num, (unsigned int)mask)
NUMBER_CALL(ibv_destroy_qp, (struct ibv_qp *qp), (qp), "%p", (void *)qp)

POINTER_CALL(struct ibv_ah *, ibv_create_ah, (struct ibv_pd *pd, struct ibv_ah_attr *attr), (pd, attr),
	     "%s, GID index %u, port %u, is_global %u", trace_gid(&attr->grh.dgid),
	     attr->grh.sgid_index, attr->port_num, attr->is_global)
NUMBER_CALL(ibv_init_ah_from_wc,
	    (struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
	     struct ibv_ah_attr *attr),
	    (context, port, wc, grh, attr), "port %u", port)
POINTER_CALL(struct ibv_ah *, ibv_create_ah_from_wc,
	     (struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port),
	     (pd, wc, grh, port), "port %u", port)
NUMBER_CALL(ibv_destroy_ah, (struct ibv_ah *ah), (ah), "%p", (void *)ah)
NUMBER_CALL(ibv_attach_mcast, (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid),
	    (qp, gid, lid), "qp %u, %s", qp->qp_num, trace_gid(gid))
NUMBER_CALL(ibv_detach_mcast, (struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid),
	    (qp, gid, lid), "qp %u, %s", qp->qp_num, trace_gid(gid))
NUMBER_CALL(ibv_fork_init, (void), (), "%s", "")

/* Without an event, on a channel that does not wait, they fail with EAGAIN. */
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	int ret = NEXT(ibv_get_cq_event)(channel, cq, cq_context);

	if (ret && errno != EAGAIN && errno != EINTR)
		trace_failed("ibv_get_cq_event", TRACE_NUMBER, ret, NULL, "%s", "");
	return ret;
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	int ret = NEXT(ibv_get_async_event)(context, event);

	if (ret && errno != EAGAIN && errno != EINTR)
		trace_failed("ibv_get_async_event", TRACE_NUMBER, ret, NULL, "%s", "");
	return ret;
}
