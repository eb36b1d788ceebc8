/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_JOB_WALK_JUDGE_H
#define VBM_JOB_WALK_JUDGE_H

#include "model/draw.h"
#include "job-walk/hosts.h"

/* The first answer that the model does not allow. */
struct walk_astray {
	size_t op;		/* its operation, from 0 */
	char host;		/* 'a' */
	enum model_rule rule;	/* that the answer breaks */
	char call[24], field[16], expected[80], actual[80];
};

/* The listener hears of each operation before it is carried out. A negative value ends the sequence. */
struct walk_listener {
	int (*before)(void *arg, size_t op);
	void *arg;
};

/*
 * Carries out a sequence, and compares each answer with what the model predicts. Leaves
 * no region or window behind, and both connections as they were at first. Returns 1 and
 * fills @astray at the first answer that the model does not allow; then the objects
 * cannot be used any more. @listener may be NULL. A negative errno: the objects could not be restored.
 */
int walk_sequence(struct walk_hosts *hosts, const struct sequence *s, struct model_stack stack, struct walk_astray *astray,
		  const struct walk_listener *listener, struct vbm_error *err);

#endif
