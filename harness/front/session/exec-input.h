/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_INPUT_H
#define VBM_SESSION_EXEC_INPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct worker;

/*
 * Standard input of "verbatim exec", for one command or for none. If no command gets it,
 * it is not read, and input is an error, because its caller expects that a command gets
 * it.
 */
struct exec_input {
	bool wanted;		/* a command gets it */
	bool watched;		/* more may come */
	bool under_way;		/* a piece was sent that the command has not taken yet */
};

/* Returns -EINVAL if there is input that no command gets. */
int exec_input_begin(struct exec_input *in, bool wanted, struct vbm_error *err);

/* The descriptor to wait for, and its handler; when the hosts are ready. */
struct pollfd exec_input_wants(const struct exec_input *in);
int exec_input_act(struct exec_input *in, struct worker *w, struct vbm_error *err);

#endif
