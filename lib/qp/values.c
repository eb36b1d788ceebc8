/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/qp/table.h"
#include "lib/qp/values.h"

#define BITS(n) ((1u << (n)) - 1)

/* The headers of old releases lack names for the two access flags of FLUSH, bits 8 and 9. */
#define QP_ACCESS                                                             \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | 1 << 8 | 1 << 9)

static void __attribute__((format(printf, 2, 0)))
say(struct vbm_qp_report *r, const char *fmt, va_list ap)
{
	size_t used = strlen(r->text);

	vsnprintf(r->text + used, sizeof(r->text) - used, fmt, ap);
}

void vbm_qp_say(struct vbm_qp_report *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, fmt, ap);
	va_end(ap);
}

void vbm_qp_item(struct vbm_qp_report *r, const char *fmt, ...)
{
	size_t used = strlen(r->text);
	va_list ap;

	if (used >= 2 && r->text[used - 2] != ':')
		vbm_qp_say(r, "; ");
	va_start(ap, fmt);
	say(r, fmt, ap);
	va_end(ap);
}

/* Check the numbers whose field in the packet has few bits. */
static void check_ranges(struct vbm_qp_report *r, const struct ibv_qp_attr *a, int mask)
{
	const struct {
		int bit;
		const char *member;
		unsigned int value, max;
	} number[] = {
		{IBV_QP_EN_SQD_ASYNC_NOTIFY, "en_sqd_async_notify", a->en_sqd_async_notify, 1},
		{IBV_QP_TIMEOUT, "timeout", a->timeout, BITS(5)},
		{IBV_QP_RETRY_CNT, "retry_cnt", a->retry_cnt, BITS(3)},
		{IBV_QP_RNR_RETRY, "rnr_retry", a->rnr_retry, BITS(3)},
		{IBV_QP_RQ_PSN, "rq_psn", a->rq_psn, BITS(24)},
		{IBV_QP_SQ_PSN, "sq_psn", a->sq_psn, BITS(24)},
		{IBV_QP_MIN_RNR_TIMER, "min_rnr_timer", a->min_rnr_timer, BITS(5)},
		{IBV_QP_DEST_QPN, "dest_qp_num", a->dest_qp_num, BITS(24)},
		{IBV_QP_ALT_PATH, "alt_timeout", a->alt_timeout, BITS(5)},
		{IBV_QP_PATH_MIG_STATE, "path_mig_state", (unsigned int)a->path_mig_state,
		 IBV_MIG_ARMED},
	};
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		if (!(mask & number[i].bit) || number[i].value <= number[i].max)
			continue;
		r->out_of_range |= number[i].bit;
		vbm_qp_item(r, "%s is %u, and the largest is %u", number[i].member,
			    number[i].value, number[i].max);
	}
}

static void check_port(struct vbm_qp_report *r, int bit, const char *member, unsigned int port)
{
	if (port)
		return;
	r->out_of_range |= bit;
	vbm_qp_item(r, "%s is 0, and ports count from 1", member);
}

/* Check that the GRH is there and that its GID and hop limit can work. */
static void check_grh(struct vbm_qp_report *r, int bit, const char *member,
		      const struct ibv_ah_attr *ah, bool asked)
{
	static const uint8_t zero[16], ipv4[12] = {[10] = 0xff, [11] = 0xff};

	if (!ah->is_global && !ah->dlid) {
		r->out_of_range |= bit;
		vbm_qp_item(r, "%s.is_global is 0: RoCE needs a GRH (is_global 1, grh.dgid, "
			    "grh.sgid_index), InfiniBand at least a dlid", member);
	} else if (!ah->is_global && asked) {
		return;
	} else if (!ah->is_global) {
		r->doubtful |= bit;
		vbm_qp_item(r, "%s.is_global is 0, which only InfiniBand allows: RoCE needs a GRH "
			    "(is_global 1, grh.dgid, grh.sgid_index)", member);
	} else if (memcmp(ah->grh.dgid.raw, zero, sizeof(zero)) == 0) {
		r->out_of_range |= bit;
		vbm_qp_item(r, "%s.grh.dgid is zero: it must be the peer's GID", member);
	} else {
		if (!asked && ah->grh.sgid_index == 0 && memcmp(ah->grh.dgid.raw, ipv4, sizeof(ipv4)) == 0) {
			r->doubtful |= bit;
			vbm_qp_item(r, "%s.grh.dgid is an IPv4 address and grh.sgid_index is 0, "
				    "normally a link-local IPv6 address: see vbm_find_gid(3)", member);
		}
		if (ah->grh.hop_limit == 0) {
			r->doubtful |= bit;
			vbm_qp_item(r, "%s.grh.hop_limit is 0: no router forwards such a packet (on RoCE "
				    "Linux sends another hop limit)", member);
		}
	}
}

static void check_address(struct vbm_qp_report *r, int bit, const char *member,
			  const struct ibv_ah_attr *ah, bool asked)
{
	if (ah->port_num == 0) {
		r->out_of_range |= bit;
		vbm_qp_item(r, "%s.port_num is 0, and ports count from 1", member);
	}
	if (ah->sl > BITS(4)) {
		r->out_of_range |= bit;
		vbm_qp_item(r, "%s.sl is %u, and the largest is %u", member, ah->sl, BITS(4));
	}
	if (ah->grh.flow_label > BITS(20)) {
		r->out_of_range |= bit;
		vbm_qp_item(r, "%s.grh.flow_label is 0x%x, and has 20 bits", member,
			    ah->grh.flow_label);
	}
	check_grh(r, bit, member, ah, asked);
}

static void check_mtu(struct vbm_qp_report *r, unsigned int mtu)
{
	unsigned int code;

	if (mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096)
		return;
	r->out_of_range |= IBV_QP_PATH_MTU;
	for (code = IBV_MTU_256; code <= IBV_MTU_4096; code++)
		if (mtu == 128u << code)
			break;
	if (code <= IBV_MTU_4096)
		vbm_qp_item(r, "path_mtu is %u, and must be a code: IBV_MTU_%u, which is %u", mtu,
			    mtu, code);
	else
		vbm_qp_item(r, "path_mtu is %u, and must be a code: 1 to 5, for 256 to 4096 bytes",
			    mtu);
}

void vbm_qp_check_values(struct vbm_qp_report *r, enum ibv_qp_state from,
			 const struct ibv_qp_attr *a, int mask, bool asked)
{
	unsigned int unknown = a->qp_access_flags & ~(unsigned int)QP_ACCESS;

	if (mask & IBV_QP_CUR_STATE && a->cur_qp_state != from) {
		r->out_of_range |= IBV_QP_CUR_STATE;
		vbm_qp_item(r, "cur_qp_state is %s, and the queue pair is in %s",
			    vbm_qp_state_name(a->cur_qp_state), vbm_qp_state_name(from));
	}
	if (mask & IBV_QP_ACCESS_FLAGS && unknown) {
		r->out_of_range |= IBV_QP_ACCESS_FLAGS;
		vbm_qp_item(r, "qp_access_flags has 0x%x, which is not an access flag of a queue pair",
			    unknown);
	}
	if (mask & IBV_QP_PORT)
		check_port(r, IBV_QP_PORT, "port_num", a->port_num);
	if (mask & IBV_QP_AV)
		check_address(r, IBV_QP_AV, "ah_attr", &a->ah_attr, asked);
	if (mask & IBV_QP_PATH_MTU)
		check_mtu(r, a->path_mtu);
	if (mask & IBV_QP_ALT_PATH) {
		check_port(r, IBV_QP_ALT_PATH, "alt_port_num", a->alt_port_num);
		check_address(r, IBV_QP_ALT_PATH, "alt_ah_attr", &a->alt_ah_attr, false);
	}
	check_ranges(r, a, mask);
}
