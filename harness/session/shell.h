/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_SHELL_H
#define VBM_SESSION_SHELL_H

struct exec_options;

/*
 * Opens a terminal on @host of a fabric; the commands of @opts are not used. Returns the
 * shell's exit status, or one of cmd.h.
 */
int shell_run(const char *host, const struct exec_options *opts);

#endif
