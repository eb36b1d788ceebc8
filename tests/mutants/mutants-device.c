/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices, their attributes, GIDs, protection domains and completion queues. */
#include "tests/mutants/mutant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#undef ibv_query_port

void ibv_free_device_list(struct ibv_device **list)
{
	if (!mutant_on("free-device-list-nothing"))
		NEXT(ibv_free_device_list)(list);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = NEXT(ibv_open_device)(device);

	mutant_context(context);
	return context;
}

int ibv_close_device(struct ibv_context *context)
{
	if (mutant_on("close-device-nothing"))
		return 0;
	return NEXT(ibv_close_device)(context);
}

/* "attr-MEMBER": one more than the device says. */
#define ATTR(member) MEMBER_ADD("attr-" #member, struct ibv_device_attr, member, 1)

static const struct mutant_member attr_members[] = {
	ATTR(max_mr_size),
	ATTR(page_size_cap),
	ATTR(vendor_id),
	ATTR(vendor_part_id),
	ATTR(hw_ver),
	ATTR(max_qp),
	ATTR(max_qp_wr),
	ATTR(device_cap_flags),
	ATTR(max_sge),
	ATTR(max_sge_rd),
	ATTR(max_cq),
	ATTR(max_cqe),
	ATTR(max_mr),
	ATTR(max_pd),
	ATTR(max_qp_rd_atom),
	ATTR(max_ee_rd_atom),
	ATTR(max_res_rd_atom),
	ATTR(max_qp_init_rd_atom),
	ATTR(max_ee_init_rd_atom),
	ATTR(max_ee),
	ATTR(max_rdd),
	ATTR(max_mw),
	ATTR(max_raw_ipv6_qp),
	ATTR(max_raw_ethy_qp),
	ATTR(max_mcast_grp),
	ATTR(max_mcast_qp_attach),
	ATTR(max_total_mcast_qp_attach),
	ATTR(max_ah),
	ATTR(max_fmr),
	ATTR(max_map_per_fmr),
	ATTR(max_srq),
	ATTR(max_srq_wr),
	ATTR(max_srq_sge),
	ATTR(max_pkeys),
	ATTR(local_ca_ack_delay),
	ATTR(phys_port_cnt),
	ATTR(node_guid),
	ATTR(sys_image_guid),
	ATTR(atomic_cap),
	MEMBER_ADD("vendor-id-other", struct ibv_device_attr, vendor_id, 1),
	MEMBER("device-cap-flags-none", struct ibv_device_attr, device_cap_flags, 0),
	MEMBER("max-pkeys-9999", struct ibv_device_attr, max_pkeys, 9999),
};

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int ret = NEXT(ibv_query_device)(context, attr);

	if (ret)
		return ret;
	MUTANT_MEMBERS(attr, attr_members);
	if (mutant_on("max-qp-wr-half"))
		attr->max_qp_wr /= 2;
	if (mutant_on("max-sge-half"))
		attr->max_sge /= 2;
	if (mutant_on("max-cqe-half"))
		attr->max_cqe /= 2;
	return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	if (mutant_on("gid-some-missing") && index >= 100 && index < 1000) {
		errno = EINVAL;
		return -1;
	}
	return NEXT(ibv_query_gid)(context, port, index, gid);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr copy = *attr;

	if (mutant_on("retry-cnt-less") && mask & IBV_QP_RETRY_CNT && copy.retry_cnt == 7)
		copy.retry_cnt = 6;
	return NEXT(ibv_modify_qp)(qp, &copy, mask);
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	struct ibv_context *context = pd->context;
	int ret = NEXT(ibv_dealloc_pd)(pd);

	if (ret == 0 && mutant_on("dealloc-pd-leaks"))
		NEXT(ibv_alloc_pd)(context);
	return ret;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct ibv_context *context = cq->context;
	int ret = NEXT(ibv_destroy_cq)(cq);

	if (ret == 0 && mutant_on("destroy-cq-leaks"))
		NEXT(ibv_create_cq)(context, 1, NULL, NULL, 0);
	return ret;
}
