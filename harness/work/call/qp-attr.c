/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/qp-attr.h"

#include <stddef.h>
#include <string.h>

#include "names/host.h"

void qp_init_from_args(struct ibv_qp_init_attr *init, const struct value *args)
{
	memset(init, 0, sizeof(*init));
	init->qp_type = (enum ibv_qp_type)value_get_int(args, "qp_type", IBV_QPT_RC);
	init->cap.max_send_wr = (uint32_t)value_get_int(args, "max_send_wr", 16);
	init->cap.max_recv_wr = (uint32_t)value_get_int(args, "max_recv_wr", 16);
	init->cap.max_send_sge = (uint32_t)value_get_int(args, "max_send_sge", 1);
	init->cap.max_recv_sge = (uint32_t)value_get_int(args, "max_recv_sge", 1);
	init->cap.max_inline_data = (uint32_t)value_get_int(args, "max_inline_data", 0);
	init->sq_sig_all = value_get_bool(args, "sq_sig_all", false);
}

void qp_put_caps(struct value *result, const struct ibv_qp_cap *cap)
{
	value_set_int(result, "max_send_wr", cap->max_send_wr);
	value_set_int(result, "max_recv_wr", cap->max_recv_wr);
	value_set_int(result, "max_send_sge", cap->max_send_sge);
	value_set_int(result, "max_recv_sge", cap->max_recv_sge);
	value_set_int(result, "max_inline_data", cap->max_inline_data);
}

/* The code for 1024 or for a code. */
static enum ibv_mtu qp_mtu_code(int64_t v)
{
	int64_t bytes = 256, code = IBV_MTU_256;

	if (v < 256)
		return (enum ibv_mtu)v;
	while (bytes < v) {
		bytes *= 2;
		code++;
	}
	return (enum ibv_mtu)code;
}

static const struct param av_params[] = {P_AV, {NULL}};

/* Whether @args have a parameter of the address vector. */
static bool qp_av_written(const struct value *args)
{
	const struct param *p;

	for (p = av_params; p->name; p++)
		if (arg_given(args, p->name))
			return true;
	return false;
}

static bool is_mapped(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

int qp_av_from_args(const struct step_ctx *ctx, const struct value *args,
		 struct ibv_ah_attr *ah, struct vbm_error *err)
{
	const char *gid = value_get_string(args, "dest_gid", NULL);
	int index = ctx->host->gid_index4;

	memset(ah, 0, sizeof(*ah));
	if (gid) {
		if (step_gid_parse(&ah->grh.dgid, gid, err) < 0)
			return vbm_wrap(err, "dest_gid");
		index = is_mapped(&ah->grh.dgid) ? ctx->host->gid_index4 : ctx->host->gid_index6;
	}
	ah->is_global = value_get_bool(args, "is_global", true);
	ah->dlid = (uint16_t)value_get_int(args, "dlid", 0);
	ah->sl = (uint8_t)value_get_int(args, "sl", 0);
	ah->port_num = (uint8_t)value_get_int(args, "av_port", ctx->host->port);
	ah->grh.sgid_index = (uint8_t)value_get_int(args, "gid_index", index);
	ah->grh.hop_limit = (uint8_t)value_get_int(args, "hop_limit", 64);
	ah->grh.traffic_class = (uint8_t)value_get_int(args, "traffic_class", 0);
	ah->grh.flow_label = (uint32_t)value_get_int(args, "flow_label", 0);
	return 0;
}

/* The attributes that are a number in struct ibv_qp_attr, and their bits. */
static const struct {
	const char *name;
	int bit;
	size_t offset, size;
} number[] = {
#define NUMBER(name, bit, member)                                             \
	{name, bit, offsetof(struct ibv_qp_attr, member),                     \
	 sizeof(((struct ibv_qp_attr *)0)->member)}
	NUMBER("state", IBV_QP_STATE, qp_state),
	NUMBER("cur_state", IBV_QP_CUR_STATE, cur_qp_state),
	NUMBER("en_sqd_async_notify", IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
	NUMBER("access", IBV_QP_ACCESS_FLAGS, qp_access_flags),
	NUMBER("pkey_index", IBV_QP_PKEY_INDEX, pkey_index),
	NUMBER("port", IBV_QP_PORT, port_num),
	NUMBER("qkey", IBV_QP_QKEY, qkey),
	NUMBER("path_mtu", IBV_QP_PATH_MTU, path_mtu),
	NUMBER("timeout", IBV_QP_TIMEOUT, timeout),
	NUMBER("retry_cnt", IBV_QP_RETRY_CNT, retry_cnt),
	NUMBER("rnr_retry", IBV_QP_RNR_RETRY, rnr_retry),
	NUMBER("rq_psn", IBV_QP_RQ_PSN, rq_psn),
	NUMBER("sq_psn", IBV_QP_SQ_PSN, sq_psn),
	NUMBER("max_rd_atomic", IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic),
	NUMBER("max_dest_rd_atomic", IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	NUMBER("min_rnr_timer", IBV_QP_MIN_RNR_TIMER, min_rnr_timer),
	NUMBER("dest_qp_num", IBV_QP_DEST_QPN, dest_qp_num),
#undef NUMBER
};

static void store(struct ibv_qp_attr *attr, size_t i, int64_t v)
{
	uint8_t v8 = (uint8_t)v;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;
	const void *from = number[i].size == 1 ? (const void *)&v8 :
			   number[i].size == 2 ? (const void *)&v16 : (const void *)&v32;

	memcpy((char *)attr + number[i].offset, from, number[i].size);
}

int qp_attr_from_args(const struct step_ctx *ctx, const struct value *args,
		      struct ibv_qp_attr *attr, int *mask, struct vbm_error *err)
{
	const struct value *v;
	size_t i;

	memset(attr, 0, sizeof(*attr));
	*mask = 0;
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		v = value_get(args, number[i].name);
		if (!v)
			continue;
		store(attr, i, v->type == VALUE_BOOL ? v->b : v->i);
		*mask |= number[i].bit;
	}
	if (arg_given(args, "path_mtu"))
		attr->path_mtu = qp_mtu_code(value_get_int(args, "path_mtu", 0));
	if (qp_av_from_args(ctx, args, &attr->ah_attr, err) < 0)
		return -err->code;
	if (qp_av_written(args))
		*mask |= IBV_QP_AV;
	*mask = (int)value_get_int(args, "mask", *mask) | (int)value_get_int(args, "also", 0);
	*mask &= ~(int)value_get_int(args, "omit", 0);
	return 0;
}

void qp_put_attr(struct value *result, const struct ibv_qp_attr *a)
{
	value_set_int(result, "state", a->qp_state);
	value_set_int(result, "cur_state", a->cur_qp_state);
	value_set_int(result, "path_mtu", a->path_mtu);
	value_set_int(result, "access", a->qp_access_flags);
	value_set_int(result, "qkey", a->qkey);
	value_set_int(result, "rq_psn", a->rq_psn);
	value_set_int(result, "sq_psn", a->sq_psn);
	value_set_int(result, "dest_qp_num", a->dest_qp_num);
	value_set_int(result, "pkey_index", a->pkey_index);
	value_set_bool(result, "sq_draining", a->sq_draining);
	value_set_int(result, "max_rd_atomic", a->max_rd_atomic);
	value_set_int(result, "max_dest_rd_atomic", a->max_dest_rd_atomic);
	value_set_int(result, "min_rnr_timer", a->min_rnr_timer);
	value_set_int(result, "port", a->port_num);
	value_set_int(result, "timeout", a->timeout);
	value_set_int(result, "retry_cnt", a->retry_cnt);
	value_set_int(result, "rnr_retry", a->rnr_retry);
	value_set(result, "dest_gid", step_gid_to_value(&a->ah_attr.grh.dgid));
	value_set_int(result, "gid_index", a->ah_attr.grh.sgid_index);
	value_set_int(result, "traffic_class", a->ah_attr.grh.traffic_class);
	value_set_bool(result, "is_global", a->ah_attr.is_global);
	value_set_int(result, "dlid", a->ah_attr.dlid);
	value_set_int(result, "av_port", a->ah_attr.port_num);
	qp_put_caps(result, &a->cap);
}
