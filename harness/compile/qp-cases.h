/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPILE_QP_CASES_H
#define VBM_COMPILE_QP_CASES_H

#include "base/value.h"

/*
 * The table of transitions as rows for "cases: {from: qp_transitions}". A row
 * stands for one pair of states and one way to get it wrong, and has
 *
 *	case	"rc-init-rtr-missing"
 *	clause	what it proves
 *	type	RC, UC or UD
 *	start	calls of modify_qp that bring a new queue pair to the state
 *	from	that state
 *	tries	a map each: case (what it is about), call (of modify_qp), return, state
 */
struct value *qp_transition_cases(void);

#endif
