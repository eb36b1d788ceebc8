/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_SESSION_EXEC_INPUT_H
#define VBM_SESSION_EXEC_INPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

struct worker;

/*
 * Standard input of "verbatim exec": for one command, or for nobody. In the
 * latter case it is not read, and what stands in it is an error: the caller
 * believes that somebody gets it.
 */
struct exec_input {
	bool wanted;		/* a command gets it */
	bool watched;		/* more may come */
	bool under_way;		/* a piece was sent, and was not taken yet */
};

/* -EINVAL when there is input, and nobody who wants it. */
int exec_input_begin(struct exec_input *in, bool wanted, struct vbm_error *err);

/* What to wait for, and what to do when it is ready; once there are hosts. */
struct pollfd exec_input_wants(const struct exec_input *in);
int exec_input_act(struct exec_input *in, struct worker *w, struct vbm_error *err);

#endif
