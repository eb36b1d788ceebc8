/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_COMPLETE_H
#define VBM_COMPLETE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"

/*
 * What may stand at the end of a command line that somebody types. The options of a command
 * come from its argp, so they need no second list. Pure.
 */

/* An option in the tables of a command, and the argp that has it. */
struct complete_option {
	const struct argp_option *line;
	const struct argp *argp;
};

/* Calls @fn with each option that a user may see, until it returns false. */
void complete_each(const struct argp *argp, bool (*fn)(const struct complete_option *o, void *arg),
		   void *arg);

enum complete_kind {
	COMPLETE_OPTION,	/* the name of an option */
	COMPLETE_VALUE,		/* the value of an option */
	COMPLETE_ARGUMENT,	/* anything that belongs to no option */
};

struct complete_place {
	enum complete_kind kind;
	struct complete_option option;	/* for a value */
	size_t argument;	/* for an argument: how many stand before it */
	const char *typed;	/* its first characters; borrowed from the words */
	int before;		/* the characters of the last word before them: "--format=" */
};

/*
 * The place of the last of the @count words, of which there is at least one. The words begin
 * behind the command's name.
 */
void complete_look(struct complete_place *out, const struct argp *argp, char *const *words,
		   size_t count);

/* complete-choices.c: the names that the option takes, by the help text that argp would print. */
void complete_choices(const struct complete_option *o, struct string_list *out);

/* The help text of the option, which the caller frees. */
char *complete_text(const struct complete_option *o);

#endif
