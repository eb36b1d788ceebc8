/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CHOICE_H
#define VBM_BASE_CHOICE_H

#include <stddef.h>

/*
 * The names that an option takes, in a sentence. A table tells its names by a
 * function, so that help and messages never have a list of their own.
 */
typedef const char *choice_name(size_t i);	/* NULL behind the last one */

/* "pretty, tap, junit or json", and @rest. The caller frees. */
char *choice_text(choice_name *name, const char *rest);

#endif
