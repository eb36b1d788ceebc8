/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qp-table.h"

/* The attributes by their bit, and the largest value that InfiniBand has room for. */
static const struct {
	int bit;
	const char *name;
} attribute[] = {
#define ATTRIBUTE(name) {IBV_QP_##name, "IBV_QP_" #name}
	ATTRIBUTE(STATE), ATTRIBUTE(CUR_STATE), ATTRIBUTE(EN_SQD_ASYNC_NOTIFY),
	ATTRIBUTE(ACCESS_FLAGS), ATTRIBUTE(PKEY_INDEX), ATTRIBUTE(PORT), ATTRIBUTE(QKEY),
	ATTRIBUTE(AV), ATTRIBUTE(PATH_MTU), ATTRIBUTE(TIMEOUT), ATTRIBUTE(RETRY_CNT),
	ATTRIBUTE(RNR_RETRY), ATTRIBUTE(RQ_PSN), ATTRIBUTE(MAX_QP_RD_ATOMIC),
	ATTRIBUTE(ALT_PATH), ATTRIBUTE(MIN_RNR_TIMER), ATTRIBUTE(SQ_PSN),
	ATTRIBUTE(MAX_DEST_RD_ATOMIC), ATTRIBUTE(PATH_MIG_STATE), ATTRIBUTE(CAP),
	ATTRIBUTE(DEST_QPN), ATTRIBUTE(RATE_LIMIT),
#undef ATTRIBUTE
};

#define ATTRIBUTES (sizeof(attribute) / sizeof(attribute[0]))
#define REMOTE_ACCESS                                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)
#define BITS(n) ((1u << (n)) - 1)

static void say(struct vbm_qp_report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct vbm_qp_report *r, const char *fmt, ...)
{
	size_t used = strlen(r->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text + used, sizeof(r->text) - used, fmt, ap);
	va_end(ap);
}

static void say_bits(struct vbm_qp_report *r, int bits)
{
	const char *separator = "";
	size_t i;

	for (i = 0; i < ATTRIBUTES; i++) {
		if (!(bits & attribute[i].bit))
			continue;
		say(r, "%s%s", separator, attribute[i].name);
		bits &= ~attribute[i].bit;
		separator = ", ";
	}
	if (bits)
		say(r, "%sunknown bits 0x%x", separator, (unsigned int)bits);
}

static int bad_values(enum ibv_qp_state from, const struct ibv_qp_attr *a)
{
	const struct {
		int bit;
		bool bad;
	} value[] = {
		{IBV_QP_CUR_STATE, a->cur_qp_state != from},
		{IBV_QP_EN_SQD_ASYNC_NOTIFY, a->en_sqd_async_notify > 1},
		{IBV_QP_ACCESS_FLAGS, (a->qp_access_flags & ~(unsigned int)REMOTE_ACCESS) != 0},
		{IBV_QP_PORT, a->port_num == 0},
		{IBV_QP_AV, a->ah_attr.port_num == 0 || a->ah_attr.sl > BITS(4) ||
			    a->ah_attr.grh.flow_label > BITS(20)},
		{IBV_QP_PATH_MTU, a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096},
		{IBV_QP_TIMEOUT, a->timeout > BITS(5)},
		{IBV_QP_RETRY_CNT, a->retry_cnt > BITS(3)},
		{IBV_QP_RNR_RETRY, a->rnr_retry > BITS(3)},
		{IBV_QP_RQ_PSN, a->rq_psn > BITS(24)},
		{IBV_QP_SQ_PSN, a->sq_psn > BITS(24)},
		{IBV_QP_MIN_RNR_TIMER, a->min_rnr_timer > BITS(5)},
		{IBV_QP_DEST_QPN, a->dest_qp_num > BITS(24)},
		{IBV_QP_ALT_PATH, a->alt_port_num == 0 || a->alt_timeout > BITS(5)},
		{IBV_QP_PATH_MIG_STATE, (unsigned int)a->path_mig_state > IBV_MIG_ARMED},
	};
	int bad = 0;
	size_t i;

	for (i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		bad |= value[i].bad ? value[i].bit : 0;
	return bad;
}

static unsigned int next_states(enum ibv_qp_type qp_type, enum ibv_qp_state from)
{
	const struct vbm_qp_transition *t;
	unsigned int next = 0;
	size_t i, count;

	t = vbm_qp_transitions(&count);
	for (i = 0; i < count; i++)
		if (t[i].qp_type == qp_type && t[i].from == from)
			next |= 1u << t[i].to;
	return next;
}

static void say_next(struct vbm_qp_report *r)
{
	const char *separator = "";
	int s;

	for (s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++) {
		if (!(r->next & 1u << s))
			continue;
		say(r, "%s%s", separator, vbm_qp_state_name((enum ibv_qp_state)s));
		separator = ", ";
	}
}

static void say_all(struct vbm_qp_report *r, const char *type, enum ibv_qp_state from,
		    enum ibv_qp_state to)
{
	const struct vbm_qp_transition *t = r->transition;

	say(r, "%s queue pair, %s to %s: ", type, vbm_qp_state_name(from), vbm_qp_state_name(to));
	if (!t) {
		say(r, "there is no such transition; from %s it can go to ", vbm_qp_state_name(from));
		say_next(r);
		return;
	}
	if (r->missing) {
		say(r, "missing ");
		say_bits(r, r->missing);
		say(r, "; ");
	}
	if (r->foreign) {
		say(r, "not allowed ");
		say_bits(r, r->foreign);
		say(r, "; ");
	}
	if (r->out_of_range) {
		say(r, "value out of range ");
		say_bits(r, r->out_of_range);
		say(r, "; ");
	}
	say(r, "required: ");
	say_bits(r, t->required | (from == to ? 0 : IBV_QP_STATE));
	if (t->optional) {
		say(r, "; optional: ");
		say_bits(r, t->optional);
	}
}

int vbm_qp_check(enum ibv_qp_type qp_type, enum ibv_qp_state from,
		 const struct ibv_qp_attr *attr, int attr_mask, struct vbm_qp_report *report)
{
	const char *type = vbm_qp_type_name(qp_type);
	struct vbm_qp_report r = {0};
	enum ibv_qp_state to;

	if (!attr)
		return EINVAL;
	to = attr_mask & IBV_QP_STATE ? attr->qp_state : from;
	if (!type) {
		say(&r, "queue pairs of type %d are not in the table", (int)qp_type);
	} else {
		r.transition = vbm_qp_transition(qp_type, from, to);
		r.next = next_states(qp_type, from);
		if (r.transition) {
			r.missing = r.transition->required & ~attr_mask;
			r.foreign = attr_mask & ~(r.transition->required | r.transition->optional |
						  IBV_QP_STATE);
			r.out_of_range = bad_values(from, attr) & attr_mask & ~r.foreign;
		}
		if (!r.transition || r.missing || r.foreign || r.out_of_range)
			say_all(&r, type, from, to);
	}
	if (report)
		*report = r;
	return !type ? EOPNOTSUPP : r.text[0] ? EINVAL : 0;
}
