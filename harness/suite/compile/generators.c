/* SPDX-License-Identifier: BSD-2-Clause */
#include <verbatim/qp.h>

#include "compile/qp-cases.h"
#include "compile/scenario.h"
#include "litmus/shapes.h"
#include "model/cases.h"
#include "names/consts.h"

/*
 * The pairs of states between which vbm_qp_transitions(3) has no transition for a
 * reliable connection's queue pair.
 */
static struct value *illegal_transitions(void)
{
	struct value *rows = value_list(), *row;
	int from, to;

	for (from = IBV_QPS_RESET; from <= IBV_QPS_RTS; from++)
		for (to = IBV_QPS_INIT; to <= IBV_QPS_SQD; to++) {
			if (from == to || vbm_qp_transition(IBV_QPT_RC, (enum ibv_qp_state)from,
							    (enum ibv_qp_state)to))
				continue;
			row = value_map();
			value_set_string(row, "from", const_name(&const_qp_state, from));
			value_set_string(row, "to", const_name(&const_qp_state, to));
			value_append(rows, row);
		}
	return rows;
}

const struct case_generator case_generators[] = {
	{"illegal_transitions", "transitions of an RC queue pair that do not exist: from, to",
	 illegal_transitions},
	{"qp_transitions", "calls of ibv_modify_qp for each pair of states of RC, UC and UD queue "
	 "pairs, from the table of vbm_qp_transitions(3): type, tries (case, start, call, return, state)", qp_transition_cases},
	{"model_windows", "each operation on a memory window, its region or its key, in each state of the window: case, "
	 "clause, steps on the fragment two_pairs", model_window_cases},
	{"model_regions", "each operation on a memory region or its key, for regions with different rights and states: case, "
	 "clause, steps on the fragment two_pairs", model_region_cases},
	{"model_peers", "each operation on a queue pair, in each pair of states of the two ends: case, clause, steps on the "
	 "fragment two_pairs", model_peer_cases},
	{"model_shared", "each operation on a shared receive queue, for each number of requests and state of its queue pair: case, "
	 "clause, steps on the fragment pairs_of_kinds", model_shared_cases},
	{"model_datagrams", "each operation on a queue pair for datagrams, in each pair of states of the two ends: case, clause, "
	 "steps on the fragment pairs_of_kinds", model_datagram_cases},
	{"model_attributes", "each attribute of a queue pair that is set in each of its states, and what its peer can do then: case, "
	 "clause, steps on the fragment pairs_of_kinds", model_attribute_cases},
	{"model_completions", "each operation on a completion queue, for each number of completions in it and state of its queue pair: "
	 "case, clause, steps on the fragment two_pairs", model_completion_cases},
	{"litmus", "programs of several actors on the same memory, and an outcome that the documents forbid: case, clause, program, "
	 "outcome", litmus_cases},
	{"litmus_open", "the same with outcomes that no document forbids: case, program, outcome", litmus_open_cases},
	{NULL, NULL, NULL},
};
