/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CRITIC_H
#define VBM_BASE_CRITIC_H

#include "base/value.h"

/*
 * Who reads a part of a scenario, a zone or a list of names, tells a critic
 * what is wrong with it, and goes on reading.
 */
struct critic {
	void (*say)(void *arg, struct pos pos, const char *text);
	void *arg;
	bool references;	/* texts that begin with "$" stand for what will do */
	bool failed;		/* something was said */
};

/* Keeps the first complaint in @arg, a struct vbm_error that begins empty. */
void critic_keep_first(void *arg, struct pos pos, const char *text);

void critic_say(struct critic *critic, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* @v is a reference that nobody can look behind yet. */
bool critic_spares(const struct critic *critic, const struct value *v);

#endif
