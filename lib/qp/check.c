/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "lib/qp/limits.h"
#include "lib/qp/table.h"
#include "lib/qp/values.h"

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
		vbm_qp_say(r, "%s%s", separator, attribute[i].name);
		bits &= ~attribute[i].bit;
		separator = ", ";
	}
	if (bits)
		vbm_qp_say(r, "%sunknown bits 0x%x", separator, (unsigned int)bits);
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
		vbm_qp_say(r, "%s%s", separator, vbm_qp_state_name((enum ibv_qp_state)s));
		separator = ", ";
	}
}

/* List the attributes that the mask lacks, and those that it must not have. */
static void say_mask(struct vbm_qp_report *r, enum ibv_qp_state from, int attr_mask)
{
	if (r->missing) {
		vbm_qp_item(r, "missing ");
		say_bits(r, r->missing);
	}
	if (r->foreign) {
		vbm_qp_item(r, "not allowed ");
		say_bits(r, r->foreign);
		if (!(attr_mask & IBV_QP_STATE))
			vbm_qp_item(r, "IBV_QP_STATE is not in the mask, so the queue pair stays in %s",
				    vbm_qp_state_name(from));
	}
}

static void say_table(struct vbm_qp_report *r, enum ibv_qp_state from, enum ibv_qp_state to)
{
	int required = r->transition->required | (from == to ? 0 : IBV_QP_STATE);

	if (required) {
		vbm_qp_item(r, "required: ");
		say_bits(r, required);
	}
	if (r->transition->optional) {
		vbm_qp_item(r, "optional: ");
		say_bits(r, r->transition->optional);
	}
}

static void check(struct vbm_qp_report *r, enum ibv_qp_state from, enum ibv_qp_state to,
		  const struct ibv_qp_attr *attr, int attr_mask,
		  const struct vbm_qp_limits *limits)
{
	const struct vbm_qp_transition *t = r->transition;

	if (!t) {
		vbm_qp_say(r, "there is no such transition; from %s it can go to ",
			   vbm_qp_state_name(from));
		say_next(r);
		return;
	}
	r->missing = t->required & ~attr_mask;
	r->foreign = attr_mask & ~(t->required | t->optional | IBV_QP_STATE);
	say_mask(r, from, attr_mask);
	vbm_qp_check_values(r, from, attr, attr_mask & ~r->foreign, limits != NULL);
	if (limits)
		vbm_qp_check_limits(r, limits, attr, attr_mask & ~r->foreign);
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
		vbm_qp_say(&r, "queue pairs of type %d are not in the table", (int)qp_type);
	} else {
		vbm_qp_say(&r, "%s queue pair, %s to %s: ", type, vbm_qp_state_name(from),
			   vbm_qp_state_name(to));
		begun = strlen(r.text);
		r.transition = vbm_qp_transition(qp_type, from, to);
		r.next = next_states(qp_type, from);
		check(&r, from, to, attr, attr_mask, limits);
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
