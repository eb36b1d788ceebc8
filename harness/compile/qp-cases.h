/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_QP_CASES_H
#define VBM_COMPILE_QP_CASES_H

#include "base/value.h"

/*
 * The table of transitions as rows for "cases: {from: qp_transitions}". A row
 * stands for one transport and one way to get a call wrong or right, and has
 *
 *	case	"RC-foreign"
 *	clause	what it proves
 *	type	RC, UC or UD
 *	tries	a map each, for all pairs of states:
 *		case	"INIT to RTR with QKEY"
 *		start	calls of modify_qp that bring a new queue pair to the first
 *		call	the parameters of modify_qp
 *		return	what it must return
 *		state	the state afterwards
 *
 * A row has many tries, as a process of its own for each would cost ten times
 * the calls.
 */
struct value *qp_transition_cases(void);

#endif
