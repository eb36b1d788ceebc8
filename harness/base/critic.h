/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CRITIC_H
#define VBM_BASE_CRITIC_H

#include "base/value.h"

/*
 * The readers of a zone, of a list of names and of a path service's answers
 * tell a critic each thing that is wrong, and read on.
 */
struct critic {
	void (*say)(void *arg, struct pos pos, const char *text);
	void *arg;
	bool references;	/* a reference passes: its value is not known yet */
	bool failed;		/* something was said */
};

/* Keeps the first complaint in @arg, a struct vbm_error that begins empty. */
void critic_keep_first(void *arg, struct pos pos, const char *text);

void critic_say(struct critic *critic, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* @v is a reference, and these pass. */
bool critic_spares(const struct critic *critic, const struct value *v);

#endif
