/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_OPTIONS_H
#define VBM_BASE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <verbatim/error.h>

#include "base/choice.h"

/*
 * The options of a command as tables, which argp reads. A line says how an option is called, which member of the command's
 * arguments it sets, and under which name it goes into the job. The completion of shells reads the same tables.
 */
enum option_kind {
	OPTION_FLAG,	/* a bool */
	OPTION_TEXT,	/* a const char * */
	OPTION_ONE_OF,	/* the same: one of @names */
	OPTION_NUMBER,	/* an int, or a number of 64 bits, from @min to @max */
	OPTION_LIST,	/* one more text of an array, which the caller frees */
	OPTION_TAKEN,	/* @take gets the address of the member */
};

struct option_line {
	const char *name;	/* NULL: the end of the table */
	int letter;		/* or 0 */
	const char *arg, *doc;	/* @arg NULL: it takes no value */
	enum option_kind kind;
	size_t at;		/* of the member */
	bool nowhere;		/* there is no member: only the job has it */
	size_t size;		/* of a number */
	size_t count_at;	/* of the number of texts, a size_t */
	int64_t min, max;
	void (*take)(void *member, const struct option_line *line, char *arg, struct argp_state *state);
	choice_name *names;	/* the help text begins with them; or NULL */
	bool optional;		/* the value: a number is 1 without it */
	const char *job;	/* the member of a flag or a text in the job; or NULL */
};

/* Where a member is, which has to be of this type. */
#define OPTION_AT(wanted, type, member)                                       \
	(offsetof(type, member) +                                             \
	 0 * sizeof(struct {                                                  \
		 _Static_assert(__builtin_types_compatible_p(__typeof__(((type *)0)->member), wanted), "the member is of another type"); \
		 int any;                                                     \
	 }))

/* For the lines of a table, behind the texts. */
#define OPT_FLAG(type, member) .kind = OPTION_FLAG, .at = OPTION_AT(bool, type, member)
#define OPT_TEXT(type, member) .kind = OPTION_TEXT, .at = OPTION_AT(const char *, type, member)
#define OPT_ONE_OF(type, member, of) .kind = OPTION_ONE_OF, .at = OPTION_AT(const char *, type, member), .names = (of)
#define OPT_NUMBER(type, member, least, most)                                 \
	.kind = OPTION_NUMBER, .at = offsetof(type, member), .size = sizeof(((type *)0)->member), .min = (least), .max = (most)
#define OPT_LIST(type, member, counted)                                       \
	.kind = OPTION_LIST, .at = offsetof(type, member), .count_at = OPTION_AT(size_t, type, counted)
#define OPT_TAKE(type, member, by) .kind = OPTION_TAKEN, .at = offsetof(type, member), .take = (by)
#define OPT_TAKE_ALL(by) .kind = OPTION_TAKEN, .take = (by)	/* @by gets the struct of the table */
#define OPT_JOB_FLAG .kind = OPTION_FLAG, .nowhere = true	/* with .job */

/* An argument that belongs to no option; borrowed from argv. */
struct option_args {
	char **arg;
	int count;
};

#define OPTION_TABLES 4
struct options {
	const char *args_doc, *doc;
	struct {
		const struct option_line *line;	/* NULL: no further table */
		size_t at;	/* of the struct whose members its lines set */
	} table[OPTION_TABLES];
	size_t args_at;		/* of a struct option_args, if @has_args; otherwise an argument is a mistake */
	bool has_args;
	size_t job_at;		/* of a struct value *, which begins with NULL, for lines with a job; 0: there is none */
	void (*check)(void *arguments, struct argp_state *state);	/* when all is read; or NULL */
};

#define OPTIONS_ARGS(type, member) .has_args = true, .args_at = OPTION_AT(struct option_args, type, member)
#define OPTIONS_JOB(type, member) .job_at = OPTION_AT(struct value *, type, member)

/* Reads the command line into @arguments. If it is wrong, the program ends with argp_err_exit_status. */
void options_parse(const struct options *o, int argc, char **argv, void *arguments);

/* Ends the program: the option takes one of @names (and @rest, as " or a path"), not @arg. */
void option_refuse(const struct argp_state *state, const struct option_line *line, choice_name *names, const char *rest, const char *arg);

/* Ends the program: "--loss x: ..." */
void option_wrong(const struct option_line *line, const char *arg, const struct vbm_error *err);

/* The help text of an option, which the caller frees. */
char *option_doc(const struct option_line *line);

#endif
