/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CHOICE_H
#define VBM_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The names that an option accepts, as a phrase. A function returns the names of a table,
 * so that help and messages need no list of their own.
 */
typedef const char *choice_name(size_t i);	/* NULL after the last one */

/*
 * "pretty, tap, junit or json" followed by @rest, which may name more (" or a path"). The
 * caller frees.
 */
char *choice_text(choice_name *name, const char *rest);

/* The number of @word among the names, or how many names there are. */
size_t choice_find(choice_name *name, const char *word);

/* Whether @word is one of the names. */
bool choice_has(choice_name *name, const char *word);

#endif
