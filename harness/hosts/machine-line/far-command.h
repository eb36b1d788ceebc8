/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_DISTANT_FAR_COMMAND_H
#define VBM_DISTANT_FAR_COMMAND_H

#include <verbatim/error.h>

struct distant;
struct far_command;
struct far_commands;
struct loop;
struct value;

/*
 * Commands on machines of one's own. Each has descriptors of this process as its standard streams, as a child
 * would have, and a descriptor that is readable after its end. The lines on its channel:
 *
 *   runner:  {"data": BASE64}               for its standard input; at most one is not taken yet
 *            {"end": true}                  the end of that
 *            {"rows": R, "cols": C}         the size of its terminal
 *   station: {"taken": true}                the data were taken
 *            {"stream": 1 or 2, "data": BASE64}    what it wrote
 */

/* All commands whose descriptors @loop, a plain one, waits for. */
struct far_commands *far_commands_new(struct loop *loop);
void far_commands_free(struct far_commands *all);	/* kills those that are left; NULL is fine */

/* To be called before each wait of the loop. */
void far_commands_settle(struct far_commands *all);

/*
 * Starts one with the options @setup, which this call takes: "text", what sh -c runs (none: a shell); "env", a list of
 * "NAME=VALUE" (json_bytes()); "terminal" and its "rows" and "cols"; "quiet": what it writes is lost. @stdio: -1
 * for /dev/null; this call copies the descriptors. *@end_fd, which the caller owns, is readable when the
 * command has ended and all that it wrote is in @stdio.
 */
int far_command_start(struct far_commands *all, struct far_command **out, struct distant *distant, struct value *setup,
		      const int stdio[3], int *end_fd, struct vbm_error *err);
int far_command_number(const struct far_command *c);	/* by which questions name it */
void far_command_signal(struct far_command *c, int signal);
void far_command_resize(struct far_command *c, int rows, int cols);
/* Returns the status of waitpid(2), and frees @c. A command that still runs is killed. */
int far_command_reap(struct far_command *c);

#endif
