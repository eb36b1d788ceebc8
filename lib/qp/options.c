/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/qp/qp.h"

#include <errno.h>
#include <stddef.h>

#include "lib/base/fail.h"
#include "lib/base/options.h"

#define ALL_THERE_ARE 255	/* of max_rd_atomic: as many as the device can have */

void vbm_qp_options_init_sized(struct vbm_qp_options *options, size_t size)
{
	const struct vbm_qp_options all = {
		.qp_type = IBV_QPT_RC,
		.max_send_wr = 128,
		.max_recv_wr = 128,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_ATOMIC,
		.qkey = 0x11111111,
		.timeout = 14,
		.retry_cnt = 6,	/* rxe never gives up with 7 */
		.rnr_retry = 7,
		.min_rnr_timer = 12,
		.max_rd_atomic = ALL_THERE_ARE,
		.max_dest_rd_atomic = ALL_THERE_ARE,
		.hop_limit = 64,
		.gid_index = -1,
	};

	vbm_options_give(options, size, &all, sizeof(all));
}

int vbm_qp_options_take(struct vbm_qp_options *to, const struct vbm_qp_options *from,
			struct vbm_error *error)
{
	return vbm_options_take(to, offsetof(struct vbm_qp_options, reserved), from, "qp_options", error);
}

struct options_limit {
	const char *member;
	uint64_t value, max;
};

/* The first member beyond its limit. @who is what allows no more. */
static int within(const struct options_limit *l, size_t count, const char *who, const char *name,
		  struct vbm_error *error)
{
	for (size_t i = 0; i < count; i++)
		if (l[i].value > l[i].max)
			return vbm_fail(error, EINVAL, "%s: %llu is more than %s%s allows, %llu", l[i].member,
					(unsigned long long)l[i].value, who, name, (unsigned long long)l[i].max);
	return 0;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int vbm_qp_options_check(const struct vbm_qp_options *o, struct vbm_error *error)
{
	const struct options_limit limits[] = {
		{"psn", o->psn, 0xffffff},
		{"timeout", o->timeout, 31},
		{"retry_cnt", o->retry_cnt, 7},
		{"rnr_retry", o->rnr_retry, 7},
		{"min_rnr_timer", o->min_rnr_timer, 31},
		{"service_level", o->service_level, 15},
		{"flow_label", o->flow_label, 0xfffff},
	};
	int mtu = o->mtu;

	if (!vbm_qp_type_name(o->qp_type))
		return vbm_fail(error, EINVAL, "qp_type: queue pairs of type %d are not supported", (int)o->qp_type);
	if (mtu && (mtu < 256 || mtu > 4096 || (mtu & (mtu - 1))))
		return vbm_fail(error, EINVAL, "mtu: the path MTU %d is not 256, 512, 1024, 2048 or 4096", mtu);
	return within(limits, COUNT(limits), "InfiniBand", "", error);
}

static uint8_t smaller(uint8_t wanted, int limit)
{
	return wanted < limit ? wanted : (uint8_t)(limit > 0 ? limit : 0);
}

static uint64_t of_device(int limit)
{
	return limit > 0 ? (uint64_t)limit : 0;
}

int vbm_qp_options_fit(struct vbm_qp_options *o, const struct ibv_device_attr *d, const char *device,
		       struct vbm_error *error)
{
	uint64_t recv_wr = o->srq ? 0 : o->max_recv_wr, recv_sge = o->srq ? 0 : o->max_recv_sge;
	bool makes_cq = !o->cq && !o->completions;
	const struct options_limit limits[] = {
		{"max_send_wr", o->max_send_wr, of_device(d->max_qp_wr)},
		{"max_recv_wr", recv_wr, of_device(d->max_qp_wr)},
		{"max_send_sge", o->max_send_sge, of_device(d->max_sge)},
		{"max_recv_sge", recv_sge, of_device(d->max_sge)},
		{"max_send_wr and max_recv_wr together, in one completion queue",
		 makes_cq ? o->max_send_wr + recv_wr : 0, of_device(d->max_cqe)},
	};

	o->max_rd_atomic = smaller(o->max_rd_atomic, d->max_qp_init_rd_atom);
	o->max_dest_rd_atomic = smaller(o->max_dest_rd_atomic, d->max_qp_rd_atom);
	return within(limits, COUNT(limits), "the device ", device, error);
}

int vbm_qp_options_fit_port(const struct vbm_qp_options *o, const struct ibv_port_attr *port, const char *device,
			    struct vbm_error *error)
{
	const struct options_limit limits[] = {
		{"pkey_index", o->pkey_index, port->pkey_tbl_len ? port->pkey_tbl_len - 1u : 0},
	};

	return within(limits, COUNT(limits), "the port of the device ", device, error);
}

int vbm_qp_options_for_rdma_cm(const struct vbm_qp_options *o, struct vbm_error *error)
{
	const struct {
		const char *member;
		bool is_set;
	} kernels[] = {
		{"device", o->device},
		{"port_num", o->port_num},
		{"service_level", o->service_level},
		{"pkey_index", o->pkey_index},
		{"gid_index", o->gid_index >= 0},
		{"flow_label", o->flow_label},
	};

	for (size_t i = 0; i < COUNT(kernels); i++)
		if (kernels[i].is_set)
			return vbm_fail(error, EOPNOTSUPP, "%s: with rdma_cm the kernel chooses it", kernels[i].member);
	return 0;
}
