/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "names/abilities.h"

/*
 * A device is asked by its attributes, and by an attempt where no attribute says it. Some things
 * follow from the transport that the device names, because there is no attribute and an attempt would
 * need a connection. iWARP (RFC 5040) has no immediate data and none of the later operations. No
 * message answers a Send or an RDMA Write there, and a peer that refuses one ends the stream
 * (section 7), so the request's completion cannot name the reason. Queue pairs are connected by MPA
 * (RFC 5044), which only rdma_cm starts, and which has no retries and no reasons for a rejection.
 */
struct asked {
	const struct host *host;	/* with the device as @info.dev */
	struct ibv_context *ctx;
	struct ibv_pd *pd;	/* owned */
	struct ibv_cq *cq;	/* owned */
	struct ibv_device_attr_ex attr;
};

#define QUEUE 4		/* entries of the queues that are made for an attempt */

#define INLINE 256	/* bytes of inline data that scenarios use */
#define ENTRIES 32	/* entries of a request that scenarios use */

static bool makes_qp(const struct asked *a, enum ibv_qp_type type, uint32_t inline_bytes)
{
	struct ibv_qp_init_attr init = {
		.send_cq = a->cq,
		.recv_cq = a->cq,
		.qp_type = type,
		.cap = {.max_send_wr = QUEUE, .max_recv_wr = QUEUE, .max_send_sge = 1, .max_recv_sge = 1,
			.max_inline_data = inline_bytes},
	};
	struct ibv_qp *qp = ibv_create_qp(a->pd, &init);

	return qp && ibv_destroy_qp(qp) == 0;
}

static bool has_ud(const struct asked *a)
{
	return makes_qp(a, IBV_QPT_UD, 0);
}

static bool has_uc(const struct asked *a)
{
	return makes_qp(a, IBV_QPT_UC, 0);
}

static bool is_infiniband(const struct asked *a)
{
	return a->ctx->device->transport_type != IBV_TRANSPORT_IWARP;
}

#define HAS(ability, condition)                                               \
	static bool has_##ability(const struct asked *a)                      \
	{                                                                     \
		return a->attr.condition;                                     \
	}
HAS(atomics, orig_attr.atomic_cap != IBV_ATOMIC_NONE)
HAS(windows, orig_attr.max_mw > 0)
HAS(on_demand, odp_caps.general_caps & IBV_ODP_SUPPORT)
HAS(srq, orig_attr.max_srq > 0)
HAS(resize_srq, orig_attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE)
HAS(ah, orig_attr.max_ah > 0)
HAS(multicast, orig_attr.max_mcast_grp > 0)
HAS(pkeys, orig_attr.max_pkeys > 0)
HAS(entries, orig_attr.max_sge >= ENTRIES)
#undef HAS

static bool has_query_srq(const struct asked *a)
{
	struct ibv_srq_init_attr init = {.attr = {.max_wr = QUEUE, .max_sge = 1}};
	struct ibv_srq *srq = ibv_create_srq(a->pd, &init);
	struct ibv_srq_attr attr;
	bool can = srq && ibv_query_srq(srq, &attr) == 0;

	if (srq)
		ibv_destroy_srq(srq);
	return can;
}

static bool has_resize_cq(const struct asked *a)
{
	return ibv_resize_cq(a->cq, 2 * QUEUE) == 0;
}

static bool has_gids(const struct asked *a)
{
	return a->host->info.gid_index4 != a->host->info.gid_index6;
}

static void count_counter(const char *name, uint64_t value, void *arg)
{
	(void)name;
	(void)value;
	++*(int *)arg;
}

static bool has_counters(const struct asked *a)
{
	int counters = 0;

	return device_counters(a->host, count_counter, &counters, NULL) == 0 && counters > 0;
}

/* The attempt writes the description that the device has already. */
static bool has_description(const struct asked *a)
{
	auto_free char *path = xasprintf("%s/node_desc", a->ctx->device->ibdev_path);
	auto_free char *text = NULL;
	auto_close int fd = -1;
	size_t len;

	if (file_read(path, &text, &len, NULL) < 0)
		return false;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && file_write(fd, text, len) == 0;
}

static bool has_parent(const struct asked *a)
{
	auto_free char *path = xasprintf("%s/parent", a->ctx->device->ibdev_path);

	return access(path, R_OK) == 0;
}

static bool has_send_ops(const struct asked *a)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = a->cq,
		.recv_cq = a->cq,
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = QUEUE, .max_recv_wr = QUEUE, .max_send_sge = 1, .max_recv_sge = 1},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = a->pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(a->ctx, &init);

	return qp && ibv_destroy_qp(qp) == 0;
}

static bool has_inline(const struct asked *a)
{
	return makes_qp(a, IBV_QPT_RC, INLINE);
}

static bool (*const has[])(const struct asked *a) = {
	[ABILITY_UD] = has_ud,
	[ABILITY_UC] = has_uc,
	[ABILITY_BY_HAND] = is_infiniband,
	[ABILITY_ATOMICS] = has_atomics,
	[ABILITY_IMMEDIATE] = is_infiniband,
	[ABILITY_FLUSH] = is_infiniband,
	[ABILITY_WINDOWS] = has_windows,
	[ABILITY_ON_DEMAND] = has_on_demand,
	[ABILITY_REREG] = is_infiniband,	/* in the kernel; that librxe lacks the call is a finding */
	[ABILITY_SRQ] = has_srq,
	[ABILITY_QUERY_SRQ] = has_query_srq,
	[ABILITY_RESIZE_SRQ] = has_resize_srq,
	[ABILITY_RESIZE_CQ] = has_resize_cq,
	[ABILITY_AH] = has_ah,
	[ABILITY_MULTICAST] = has_multicast,
	[ABILITY_GIDS] = has_gids,
	[ABILITY_PKEYS] = has_pkeys,
	[ABILITY_COUNTERS] = has_counters,
	[ABILITY_DESCRIPTION] = has_description,
	[ABILITY_PARENT] = has_parent,
	[ABILITY_IB_CM] = is_infiniband,
	[ABILITY_ROCE] = is_infiniband,
	[ABILITY_ACKS] = is_infiniband,
	[ABILITY_SEND_OPS] = has_send_ops,
	[ABILITY_INLINE] = has_inline,
	[ABILITY_ENTRIES] = has_entries,
};

static int ask_abilities(struct asked *a, struct text *words, struct vbm_error *err)
{
	size_t i;

	a->pd = ibv_alloc_pd(a->ctx);
	a->cq = a->pd ? ibv_create_cq(a->ctx, QUEUE, NULL, NULL, 0) : NULL;
	if (!a->cq || ibv_query_device_ex(a->ctx, NULL, &a->attr) != 0)
		return vbm_fail(err, errno ? errno : EIO, "cannot ask the RDMA device %s for its abilities: %m",
				ibv_get_device_name(a->ctx->device));
	for (i = 0; i < ABILITY_COUNT; i++)
		if (has[i](a))
			text_addf(words, "%s%s", words->len ? " " : "", ability_name((enum ability)i));
	return 0;
}

static char *abilities_of(const struct host *host, struct vbm_error *err)
{
	const struct host_info *info = &host->info;
	struct asked a = {.host = host};
	struct text words auto_text = {0};
	int ret;

	a.ctx = device_open(info->dev);
	if (!a.ctx) {
		vbm_fail(err, errno ? errno : ENODEV, "cannot open the RDMA device %s of host %s", info->dev,
			 info->name);
		return NULL;
	}
	ret = ask_abilities(&a, &words, err);
	if (a.cq)
		ibv_destroy_cq(a.cq);
	if (a.pd)
		ibv_dealloc_pd(a.pd);
	ibv_close_device(a.ctx);
	return ret < 0 ? NULL : words.s ? steal(&words.s) : xstrdup("");
}

char *abilities_of_host(struct fabric *fabric, int i, struct vbm_error *err)
{
	return abilities_of(&fabric->host[i], err);
}

char *fabric_abilities(struct fabric *fabric, int host, struct vbm_error *err)
{
	return fabric->hosts->abilities(fabric, host, err);
}

char *fabric_abilities_of_second(struct fabric *fabric, int host, struct vbm_error *err)
{
	return abilities_of(fabric->host[host].second, err);
}
