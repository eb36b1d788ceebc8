/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a call of ibv_modify_qp(3) is wrong: by its mask, by its values, and by the limits of a device. Pure. */
#include "lib/qp/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/qp/qp.h"

#define BITS(n) ((1u << (n)) - 1)

/* The headers of old releases lack names for the two access flags of FLUSH, bits 8 and 9. */
#define QP_ACCESS                                                             \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | 1 << 8 | 1 << 9)

/* Append to the text of the report. */
static void __attribute__((format(printf, 2, 3))) say(struct vbm_qp_report *r, const char *fmt, ...)
{
	size_t used = strlen(r->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text + used, sizeof(r->text) - used, fmt, ap);
	va_end(ap);
}

/* Add @bit to a set of the report, and an item to its text, after "; " if it is not the first one. */
static void __attribute__((format(printf, 4, 5)))
item(struct vbm_qp_report *r, int *set, int bit, const char *fmt, ...)
{
	size_t used = strlen(r->text);
	va_list ap;

	*set |= bit;
	if (used >= 2 && r->text[used - 2] != ':')
		say(r, "; ");
	used = strlen(r->text);
	va_start(ap, fmt);
	vsnprintf(r->text + used, sizeof(r->text) - used, fmt, ap);
	va_end(ap);
}

#define WRONG(bit, ...) item(r, &r->out_of_range, bit, __VA_ARGS__)
#define DOUBT(bit, ...) item(r, &r->doubtful, bit, __VA_ARGS__)

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
		WRONG(number[i].bit, "%s is %u, and the largest is %u", number[i].member, number[i].value,
		      number[i].max);
	}
}

static void check_port(struct vbm_qp_report *r, int bit, const char *member, unsigned int port)
{
	if (port)
		return;
	WRONG(bit, "%s is 0, and ports count from 1", member);
}

static bool is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid zero;

	return memcmp(gid, &zero, sizeof(zero)) == 0;
}

static bool is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

/* Check that the GRH is there and that its GID and hop limit can work. */
static void check_grh(struct vbm_qp_report *r, int bit, const char *member,
		      const struct ibv_ah_attr *ah, bool asked)
{
	if (!ah->is_global && !ah->dlid) {
		WRONG(bit, "%s.is_global is 0: RoCE needs a GRH (is_global 1, grh.dgid, grh.sgid_index), InfiniBand "
		      "at least a dlid", member);
	} else if (!ah->is_global && asked) {
		return;
	} else if (!ah->is_global) {
		DOUBT(bit, "%s.is_global is 0, which only InfiniBand allows: RoCE needs a GRH (is_global 1, "
		      "grh.dgid, grh.sgid_index)", member);
	} else if (is_zero(&ah->grh.dgid)) {
		WRONG(bit, "%s.grh.dgid is zero: it must be the peer's GID", member);
	} else {
		if (!asked && ah->grh.sgid_index == 0 && is_ipv4(&ah->grh.dgid))
			DOUBT(bit, "%s.grh.dgid is an IPv4 address and grh.sgid_index is 0, normally a link-local "
			      "IPv6 address: see vbm_find_gid(3)", member);
		if (ah->grh.hop_limit == 0)
			DOUBT(bit, "%s.grh.hop_limit is 0: no router forwards such a packet (on RoCE Linux sends "
			      "another hop limit)", member);
	}
}

static void check_address(struct vbm_qp_report *r, int bit, const char *member,
			  const struct ibv_ah_attr *ah, bool asked)
{
	if (ah->port_num == 0)
		WRONG(bit, "%s.port_num is 0, and ports count from 1", member);
	if (ah->sl > BITS(4))
		WRONG(bit, "%s.sl is %u, and the largest is %u", member, ah->sl, BITS(4));
	if (ah->grh.flow_label > BITS(20))
		WRONG(bit, "%s.grh.flow_label is 0x%x, and has 20 bits", member, ah->grh.flow_label);
	check_grh(r, bit, member, ah, asked);
}

static void check_mtu(struct vbm_qp_report *r, unsigned int mtu)
{
	unsigned int code;

	if (mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096)
		return;
	for (code = IBV_MTU_256; code <= IBV_MTU_4096; code++)
		if (mtu == 128u << code)
			break;
	if (code <= IBV_MTU_4096)
		WRONG(IBV_QP_PATH_MTU, "path_mtu is %u, and must be a code: IBV_MTU_%u, which is %u", mtu, mtu, code);
	else
		WRONG(IBV_QP_PATH_MTU, "path_mtu is %u, and must be a code: 1 to 5, for 256 to 4096 bytes", mtu);
}

/*
 * Check the values of the attributes in @mask. @asked: the device was asked as well, so this function
 * does not guess values that the device knows.
 */
static void check_values(struct vbm_qp_report *r, enum ibv_qp_state from,
			 const struct ibv_qp_attr *a, int mask, bool asked)
{
	unsigned int unknown = a->qp_access_flags & ~(unsigned int)QP_ACCESS;

	if (mask & IBV_QP_CUR_STATE && a->cur_qp_state != from)
		WRONG(IBV_QP_CUR_STATE, "cur_qp_state is %s, and the queue pair is in %s",
		      vbm_qp_state_name(a->cur_qp_state), vbm_qp_state_name(from));
	if (mask & IBV_QP_ACCESS_FLAGS && unknown)
		WRONG(IBV_QP_ACCESS_FLAGS, "qp_access_flags has 0x%x, which is not an access flag of a queue pair",
		      unknown);
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

/* Check the numbers that the device limits. */
static void check_number_limits(struct vbm_qp_report *r, const struct vbm_qp_limits *l,
				const struct ibv_qp_attr *a, int mask)
{
	const struct {
		int bit;
		const char *member;
		int value, max;
	} number[] = {
		{IBV_QP_PORT, "port_num", a->port_num, l->device.phys_port_cnt},
		{IBV_QP_AV, "ah_attr.port_num", a->ah_attr.port_num, l->device.phys_port_cnt},
		{IBV_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic", a->max_rd_atomic,
		 l->device.max_qp_init_rd_atom},
		{IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic", a->max_dest_rd_atomic,
		 l->device.max_qp_rd_atom},
	};
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		if (!(mask & number[i].bit) || number[i].value <= number[i].max)
			continue;
		WRONG(number[i].bit, "%s is %d, and the device has %d", number[i].member, number[i].value,
		      number[i].max);
	}
}

static void check_port_limits(struct vbm_qp_report *r, const struct ibv_port_attr *port,
			      const struct ibv_qp_attr *a, int mask)
{
	int bytes;

	if (mask & IBV_QP_PKEY_INDEX && a->pkey_index >= port->pkey_tbl_len)
		WRONG(IBV_QP_PKEY_INDEX, "pkey_index is %u, and the P_Key table has %u", a->pkey_index,
		      port->pkey_tbl_len);
	if (!(mask & IBV_QP_PATH_MTU) || r->out_of_range & IBV_QP_PATH_MTU)
		return;
	bytes = 128 << (int)a->path_mtu;
	if (a->path_mtu > port->max_mtu)
		WRONG(IBV_QP_PATH_MTU, "path_mtu is %d bytes, and the port has at most %d", bytes,
		      128 << (int)port->max_mtu);
	else if (a->path_mtu > port->active_mtu)
		DOUBT(IBV_QP_PATH_MTU, "path_mtu is %d bytes, and the port has %d now", bytes,
		      128 << (int)port->active_mtu);
}

static void check_address_limits(struct vbm_qp_report *r, const struct vbm_qp_limits *l,
				 const struct ibv_ah_attr *ah)
{
	const struct ibv_global_route *grh = &ah->grh;
	int begun = r->out_of_range & IBV_QP_AV;

	if (!ah->is_global && !begun && l->port_known &&
	    l->port.link_layer == IBV_LINK_LAYER_ETHERNET)
		WRONG(IBV_QP_AV, "ah_attr.is_global is 0, and a RoCE port needs a GRH (is_global 1, grh.dgid, "
		      "grh.sgid_index)");
	if (!ah->is_global || !l->port_known)
		return;
	if (grh->sgid_index >= l->port.gid_tbl_len)
		WRONG(IBV_QP_AV, "ah_attr.grh.sgid_index is %u, and the GID table has %d", grh->sgid_index,
		      l->port.gid_tbl_len);
	else if (l->own_known && is_zero(&l->own))
		WRONG(IBV_QP_AV, "ah_attr.grh.sgid_index is %u, and that entry of the GID table is empty: see "
		      "vbm_find_gid(3)", grh->sgid_index);
	else if (l->own_known && !is_zero(&grh->dgid) && is_ipv4(&l->own) != is_ipv4(&grh->dgid))
		WRONG(IBV_QP_AV, "ah_attr.grh.dgid is an %s address, and the device's GID at sgid_index %u is not: "
		      "see vbm_find_gid(3)", is_ipv4(&grh->dgid) ? "IPv4" : "IPv6", grh->sgid_index);
}

static void check_limits(struct vbm_qp_report *r, const struct vbm_qp_limits *limits,
			 const struct ibv_qp_attr *a, int mask)
{
	check_number_limits(r, limits, a, mask);
	if (limits->port_known)
		check_port_limits(r, &limits->port, a, mask);
	if (mask & IBV_QP_AV)
		check_address_limits(r, limits, &a->ah_attr);
}

/* The attributes by their bit. */
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

/* List the attributes that the mask lacks, and those that it must not have. */
static void say_mask(struct vbm_qp_report *r, enum ibv_qp_state from, int attr_mask)
{
	if (r->missing) {
		item(r, &r->missing, 0, "missing ");
		say_bits(r, r->missing);
	}
	if (r->foreign) {
		item(r, &r->missing, 0, "not allowed ");
		say_bits(r, r->foreign);
		if (!(attr_mask & IBV_QP_STATE))
			item(r, &r->foreign, 0, "IBV_QP_STATE is not in the mask, so the queue pair stays in %s",
				    vbm_qp_state_name(from));
	}
}

static void say_table(struct vbm_qp_report *r, enum ibv_qp_state from, enum ibv_qp_state to)
{
	int required = r->transition->required | (from == to ? 0 : IBV_QP_STATE);

	if (required) {
		item(r, &r->missing, 0, "required: ");
		say_bits(r, required);
	}
	if (r->transition->optional) {
		item(r, &r->missing, 0, "optional: ");
		say_bits(r, r->transition->optional);
	}
}

static void check_transition(struct vbm_qp_report *r, enum ibv_qp_state from, enum ibv_qp_state to,
			     const struct ibv_qp_attr *attr, int attr_mask,
			     const struct vbm_qp_limits *limits)
{
	const struct vbm_qp_transition *t = r->transition;

	if (!t) {
		say(r, "there is no such transition; from %s it can go to ",
			   vbm_qp_state_name(from));
		say_next(r);
		return;
	}
	r->missing = t->required & ~attr_mask;
	r->foreign = attr_mask & ~(t->required | t->optional | IBV_QP_STATE);
	say_mask(r, from, attr_mask);
	check_values(r, from, attr, attr_mask & ~r->foreign, limits != NULL);
	if (limits)
		check_limits(r, limits, attr, attr_mask & ~r->foreign);
	if (r->missing || r->foreign)
		say_table(r, from, to);
}

int vbm_qp_check_call(enum ibv_qp_type qp_type, enum ibv_qp_state from,
		      const struct ibv_qp_attr *attr, int attr_mask,
		      const struct vbm_qp_limits *limits, struct vbm_qp_report *report)
{
	const char *type = vbm_qp_type_name(qp_type);
	struct vbm_qp_report r = {0};
	enum ibv_qp_state to;
	size_t begun;

	if (!attr)
		return EINVAL;
	to = attr_mask & IBV_QP_STATE ? attr->qp_state : from;
	if (!type) {
		say(&r, "queue pairs of type %d are not in the table", (int)qp_type);
	} else {
		say(&r, "%s queue pair, %s to %s: ", type, vbm_qp_state_name(from),
			   vbm_qp_state_name(to));
		begun = strlen(r.text);
		r.transition = vbm_qp_transition(qp_type, from, to);
		r.next = next_states(qp_type, from);
		check_transition(&r, from, to, attr, attr_mask, limits);
		if (!r.text[begun])
			r.text[0] = '\0';
	}
	if (report)
		*report = r;
	if (!type)
		return EOPNOTSUPP;
	return !r.transition || r.missing || r.foreign || r.out_of_range ? EINVAL : 0;
}

int vbm_qp_check(enum ibv_qp_type qp_type, enum ibv_qp_state from,
		 const struct ibv_qp_attr *attr, int attr_mask, struct vbm_qp_report *report)
{
	return vbm_qp_check_call(qp_type, from, attr, attr_mask, NULL, report);
}
