/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPLETE_H
#define VBM_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"

/*
 * What may stand at the end of a command line that somebody types. The options of a command
 * come from its tables, so they need no second list. Pure.
 */

/* Calls @fn with each option, until it returns false. @o may be NULL: a command without tables. */
void complete_each(const struct options *o, bool (*fn)(const struct option_line *line, void *arg), void *arg);

enum complete_kind {
	COMPLETE_OPTION,	/* the name of an option */
	COMPLETE_VALUE,		/* the value of an option */
	COMPLETE_ARGUMENT,	/* anything that belongs to no option */
};

struct complete_place {
	enum complete_kind kind;
	const struct option_line *option;	/* for a value; NULL: an unknown one */
	size_t argument;	/* for an argument: how many stand before it */
	const char *typed;	/* its first characters; borrowed from the words */
	int before;		/* the characters of the last word before them: "--format=" */
};

/*
 * The place of the last of the @count words, of which there is at least one. The words begin
 * behind the command's name.
 */
void complete_look(struct complete_place *out, const struct options *options, char *const *words, size_t count);

#endif
