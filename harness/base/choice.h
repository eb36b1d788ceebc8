/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_CHOICE_H
#define VBM_BASE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The names that an option takes, in a sentence. A table tells its names by a
 * function, so that help and messages never have a list of their own.
 */
typedef const char *choice_name(size_t i);	/* NULL behind the last one */

/* "pretty, tap, junit or json", and @rest, which may name more (" or a path"). The caller frees. */
char *choice_text(choice_name *name, const char *rest);

/* Whether @word is one of the names. */
bool choice_has(choice_name *name, const char *word);

/*
 * The help of options, for the help_filter of argp, which frees it: for the option
 * @key the names and what its text goes on with. The options end with a NULL name.
 */
struct choice_option {
	int key;
	choice_name *name;
};
char *choice_help(const struct choice_option *options, int key, const char *text);

#endif
