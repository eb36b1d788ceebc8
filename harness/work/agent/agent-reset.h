/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_RESET_H
#define VBM_AGENT_AGENT_RESET_H

#include "step/step.h"

/*
 * A request between two variants, in the form of a step that no file can name: the agent releases
 * all objects and answers whether its process is again as it was at its start. The result has
 * "left": null, or a text that names what is left.
 */
extern const struct step_kind agent_reset_kind;

/* Stores the state with which a reset compares. To be called once, when the agent is ready. */
void agent_reset_baseline(void);

#endif
