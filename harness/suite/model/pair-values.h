/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MODEL_PAIR_VALUES_H
#define VBM_MODEL_PAIR_VALUES_H

#include <stddef.h>

#include <infiniband/verbs.h>

/*
 * The values of a connected pair, for the steps that are rendered and for the walker. A test holds the fragments
 * connect_pair and ready_datagrams against them.
 */
#define PAIR_PSN 0x1234
#define PAIR_MTU 1024
#define PAIR_TIMEOUT 14
#define PAIR_RETRY_CNT 2
#define PAIR_RNR_RETRY 1
#define PAIR_MIN_RNR_TIMER 1
#define PAIR_RD_ATOMIC 1	/* in both directions */

struct pair_value {
	const char *name;	/* of the parameter of modify_qp */
	int bit;		/* of the attribute mask */
	int number;
	enum ibv_qp_state state;	/* the state to which a connected pair moves with it */
};

const struct pair_value *pair_value_nth(size_t i);	/* NULL after the last one */

#endif
