/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_CMD_SCRIPT_H
#define VBM_CMD_CMD_SCRIPT_H

/*
 * Runs one of the program's own scripts (scripts/NAME) and waits for its end; signals go to
 * the script, which cleans up. @argv[0] is set here, and the list ends with NULL. Returns
 * an exit status (cmd.h), or that of a shell for a script that a signal ended.
 */
int cmd_script(const char *name, char **argv);

#endif
