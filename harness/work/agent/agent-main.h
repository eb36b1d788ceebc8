/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_AGENT_MAIN_H
#define VBM_AGENT_AGENT_MAIN_H

#include <stddef.h>
#include <sys/types.h>

#include "agent/agent.h"

struct number_board;

/* The agent's name in messages: "a", or "a.1" for the second process of host a. */
void agent_name(const struct agent_options *opts, char *name, size_t size);

/*
 * The agent's side, in the forked process: it enters its host, answers requests
 * on @fd until @fd ends, and exits with a status. The kernel ends it when
 * @parent ends. The agent shares @board with the other agents.
 */
_Noreturn void agent_main(int fd, const struct agent_options *opts, pid_t parent,
			  struct number_board *board);

#endif
