/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_MAIN_H
#define VBM_AGENT_MAIN_H

#include <stddef.h>
#include <sys/types.h>

#include "agent/agent.h"

struct number_board;

/* What messages call it: "a", or "a.1" for the second process of host a. */
void agent_name(const struct agent_options *opts, char *name, size_t size);

/*
 * The agent's side, in the forked process: stands on its host, answers
 * requests on @fd until its end, and leaves with an exit status. Ends by
 * itself when @parent does. @board is shared with the other agents.
 */
_Noreturn void agent_main(int fd, const struct agent_options *opts, pid_t parent,
			  struct number_board *board);

#endif
