/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_QP_CASES_H
#define VBM_COMPILE_QP_CASES_H

#include "base/value.h"

/*
 * The table of transitions as rows for "cases: {from: qp_transitions}". A row
 * belongs to one transport and one right or wrong way to make the call:
 *
 *	case	"RC-foreign"
 *	clause	the clause that the row proves
 *	type	RC, UC or UD
 *	tries	a list of maps, for all pairs of states:
 *		case	"INIT to RTR with QKEY"
 *		start	calls of modify_qp that bring a new queue pair to the first state
 *		call	the parameters of modify_qp
 *		return	what the call must return
 *		state	the state afterwards
 *
 * A row has many tries because a new process for each would take ten times as
 * long as the calls.
 */
struct value *qp_transition_cases(void);

#endif
