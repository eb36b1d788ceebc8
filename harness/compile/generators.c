/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile/qp-cases.h"
#include "compile/scenario.h"

/*
 * Transitions of a reliable connection's queue pair that the InfiniBand
 * specification (volume 1, 10.3.1, figure 124) does not have: the state it is
 * in and the one that is asked for. RESET and ERR can be asked for always.
 */
static struct value *illegal_transitions(void)
{
	static const struct {
		const char *from, *to;
	} pair[] = {
		{"RESET", "RTR"}, {"RESET", "RTS"}, {"RESET", "SQD"}, {"INIT", "RTS"},
		{"INIT", "SQD"},  {"RTR", "INIT"},  {"RTR", "SQD"},   {"RTS", "INIT"},
		{"RTS", "RTR"},
	};
	struct value *rows = value_list(), *row;
	size_t i;

	for (i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		row = value_map();
		value_set_string(row, "from", pair[i].from);
		value_set_string(row, "to", pair[i].to);
		value_append(rows, row);
	}
	return rows;
}

const struct case_generator case_generators[] = {
	{"illegal_transitions", "transitions of an RC queue pair that do not exist: from, to",
	 illegal_transitions},
	{"qp_transitions", "calls of ibv_modify_qp for each pair of states of RC, UC and UD queue "
	 "pairs, as vbm_qp_transitions(3) has them: type, tries (case, start, call, return, state)", qp_transition_cases},
	{NULL, NULL, NULL},
};
