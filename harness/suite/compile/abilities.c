/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/compile.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "base/xalloc.h"
#include "names/abilities.h"
#include "names/packet-rules.h"

#define ANY_RULE NULL	/* each step that makes a rule for packets */
#define ANY (-1)		/* the parameter may have any value, or there is none to look at */

/*
 * The steps that need an ability of the device. A row with a parameter counts if the scenario
 * gives it that value; one of flags if it has that flag.
 */
static const struct {
	const char *step, *param;
	int64_t value;
	enum ability ability;
	bool flag;
} table[] = {
	{"create_qp", "qp_type", IBV_QPT_UD, ABILITY_UD, false},
	{"create_qp", "qp_type", IBV_QPT_UC, ABILITY_UC, false},
	{"create_qp_ex", "qp_type", IBV_QPT_UD, ABILITY_UD, false},
	{"create_qp_ex", "qp_type", IBV_QPT_UC, ABILITY_UC, false},
	{"rdma_create_qp", "qp_type", IBV_QPT_UD, ABILITY_UD, false},
	{"rdma_create_qp", "qp_type", IBV_QPT_UC, ABILITY_UC, false},
	{"create_id", "port_space", RDMA_PS_UDP, ABILITY_UD, false},
	{"create_ep", "qp_type", IBV_QPT_UD, ABILITY_UD, false},
	{"create_ep", "qp_type", IBV_QPT_UC, ABILITY_UC, false},
	{"try_modify_qp", NULL, ANY, ABILITY_BY_HAND, false},
	{"modify_qp", "state", IBV_QPS_RTR, ABILITY_BY_HAND, false},
	{"modify_qp", "state", IBV_QPS_RTS, ABILITY_BY_HAND, false},
	{"modify_qp", "state", IBV_QPS_SQD, ABILITY_BY_HAND, false},
	{"post_send", "opcode", IBV_WR_SEND_WITH_IMM, ABILITY_IMMEDIATE, false},
	{"post_send", "opcode", IBV_WR_RDMA_WRITE_WITH_IMM, ABILITY_IMMEDIATE, false},
	{"post_send", "opcode", IBV_WR_ATOMIC_CMP_AND_SWP, ABILITY_ATOMICS, false},
	{"post_send", "opcode", IBV_WR_ATOMIC_FETCH_AND_ADD, ABILITY_ATOMICS, false},
	{"post_send", "opcode", IBV_WR_LOCAL_INV, ABILITY_WINDOWS, false},	/* it is for keys of windows */
	{"post_send", "opcode", IBV_WR_BIND_MW, ABILITY_WINDOWS, false},
	{"post_send", "opcode", 14, ABILITY_FLUSH, false},	/* FLUSH, in later headers */
	{"post_send", "opcode", 15, ABILITY_FLUSH, false},	/* ATOMIC_WRITE */
	{"alloc_mw", NULL, ANY, ABILITY_WINDOWS, false},
	{"bind_mw", NULL, ANY, ABILITY_WINDOWS, false},
	{"reg_mr", "access", IBV_ACCESS_ON_DEMAND, ABILITY_ON_DEMAND, true},
	{"reg_mr", "access", 1 << 8, ABILITY_FLUSH, true},	/* FLUSH_GLOBAL, in later headers */
	{"reg_mr", "access", 1 << 9, ABILITY_FLUSH, true},	/* FLUSH_PERSISTENT */
	{"rereg_mr", NULL, ANY, ABILITY_REREG, false},
	{"create_srq", NULL, ANY, ABILITY_SRQ, false},
	{"query_srq", NULL, ANY, ABILITY_QUERY_SRQ, false},
	{"modify_srq", "max_wr", ANY, ABILITY_RESIZE_SRQ, true},
	{"resize_cq", NULL, ANY, ABILITY_RESIZE_CQ, false},
	{"create_ah", NULL, ANY, ABILITY_AH, false},
	{"create_ah_from_wc", NULL, ANY, ABILITY_AH, false},
	{"attach_mcast", NULL, ANY, ABILITY_MULTICAST, false},
	{"join_multicast", NULL, ANY, ABILITY_MULTICAST, false},
	{"query_pkey", NULL, ANY, ABILITY_PKEYS, false},
	{"read_counter", NULL, ANY, ABILITY_COUNTERS, false},
	{"notify", NULL, ANY, ABILITY_IB_CM, false},
	{"create_qp_ex", "send_ops", ANY, ABILITY_SEND_OPS, true},
	{"watch_packets", NULL, ANY, ABILITY_ROCE, false},
	{ANY_RULE, NULL, ANY, ABILITY_ROCE, false},
};

/* A value that is known only when the variant runs counts as none. */
static bool is_meant(size_t row, const struct value *args)
{
	const struct value *v = table[row].param ? value_get(args, table[row].param) : NULL;

	if (!table[row].param)
		return true;
	if (!v || v->type != VALUE_INT)
		return false;
	return table[row].flag ? (v->i & table[row].value) != 0 : v->i == table[row].value;
}

/* A step "post_send_list" needs what each request of its list needs as a "post_send". */
static bool is_meant_by(size_t row, const char *step, const struct value *args)
{
	const struct value *list = value_get(args, "list");
	size_t i, n;

	if (table[row].step == ANY_RULE)
		return rule_action_of(step) != RULE_OFF;
	if (!strcmp(table[row].step, step))
		return is_meant(row, args);
	n = strlen(table[row].step);
	if (strncmp(table[row].step, step, n) != 0 || strcmp(step + n, "_list") != 0)
		return false;
	for (i = 0; list && list->type == VALUE_LIST && i < list->list.count; i++)
		if (is_meant(row, list->list.item[i]))
			return true;
	return false;
}

const char *abilities_of_step(const char *step, const struct value *args, size_t *next)
{
	size_t i;

	while (*next < ARRAY_SIZE(table)) {
		i = (*next)++;
		if (is_meant_by(i, step, args))
			return ability_name(table[i].ability);
	}
	return NULL;
}
