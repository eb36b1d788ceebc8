/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_MACHINE_LINE_MACHINE_COMMAND_H
#define VBM_MACHINE_LINE_MACHINE_COMMAND_H

#include <verbatim/error.h>

struct machine_line;
struct machine_command;
struct machine_commands;
struct loop;
struct value;

/*
 * Commands on machines. Each has descriptors of this process as its standard streams, as a child
 * would have, and a descriptor that is readable after its end. The lines on its channel:
 *
 *   runner:  {"data": BASE64}               for its standard input; at most one is not taken yet
 *            {"end": true}                  the end of that
 *            {"rows": R, "cols": C}         the size of its terminal
 *   station: {"taken": true}                the data were taken
 *            {"stream": 1 or 2, "data": BASE64}    what it wrote
 */

/* All commands whose descriptors @loop, a plain one, waits for. */
struct machine_commands *machine_commands_new(struct loop *loop);
void machine_commands_free(struct machine_commands *all);	/* kills those that are left; NULL is fine */

/* To be called before each wait of the loop. */
void machine_commands_settle(struct machine_commands *all);

/*
 * Starts one with the options @setup, which this call takes: "text", what sh -c runs (none: a shell); "env", a list of
 * "NAME=VALUE" (json_bytes()); "terminal" and its "rows" and "cols"; "quiet": what it writes is lost. @stdio: -1
 * for /dev/null; this call copies the descriptors. *@end_fd, which the caller owns, is readable when the
 * command has ended and all that it wrote is in @stdio.
 */
int machine_command_start(struct machine_commands *all, struct machine_command **out, struct machine_line *there, struct value *setup,
		      const int stdio[3], int *end_fd, struct vbm_error *err);
int machine_command_number(const struct machine_command *c);	/* by which questions name it */
void machine_command_signal(struct machine_command *c, int signal);
void machine_command_resize(struct machine_command *c, int rows, int cols);
/* Returns the status of waitpid(2), and frees @c. A command that still runs is killed. */
int machine_command_reap(struct machine_command *c);

#endif
