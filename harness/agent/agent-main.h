/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_AGENT_MAIN_H
#define VBM_AGENT_MAIN_H

#include <sys/types.h>

#include "agent/agent.h"

/*
 * The agent's side, in the forked process: stands on its host, answers
 * requests on @fd until its end, and leaves with an exit status. Ends by
 * itself when @parent does.
 */
_Noreturn void agent_main(int fd, const struct agent_options *opts, pid_t parent);

#endif
