/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_RESET_H
#define VBM_AGENT_AGENT_RESET_H

#include "step/step.h"

/*
 * A request between two variants, in the form of a step that no file can name. The agent releases all its
 * objects; "clean" of the result says whether its process is again as it was at its start.
 */
extern const struct step_kind agent_reset_kind;

/* Stores the state with which a reset compares. To be called once, when the agent is ready. */
void agent_reset_baseline(void);

#endif
