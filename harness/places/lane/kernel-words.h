/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LANE_KERNEL_WORDS_H
#define VBM_LANE_KERNEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <verbatim/error.h>

/*
 * The value of --kernel that gives each host a kernel of its own: "a=6.12,b=7.3". A host that is not
 * named has the default kernel. Pure.
 */

/* One wire connects them, and it has two ends. */
#define KERNELS_HOSTS 2

struct kernel_words {
	char *name[KERNELS_HOSTS];	/* owned; NULL: the default */
};

/* Whether the text has this form; a version, a suite and a path do not. */
bool kernel_words_are(const char *text);

/* -EINVAL: @err says which word is wrong, and where it begins. */
int kernel_words_read(struct kernel_words *out, const char *text, struct vbm_error *err);
void kernel_words_fini(struct kernel_words *w);

#endif
