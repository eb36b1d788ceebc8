/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_CMD_CMD_VERB_H
#define VBM_CMD_CMD_VERB_H

#include <stddef.h>
#include <stdio.h>

/* A subcommand whose first argument is a verb: verbatim kernel list. */
struct cmd_verb {
	const char *name;
	const char *args;	/* for the synopsis: "", or a space and the arguments */
	const char *doc;
	int (*run)(int argc, char **argv);	/* with the arguments behind the verb */
};

struct cmd_verbs {
	const char *command;
	const struct cmd_verb *verb;
	size_t count;
	int (*usage)(FILE *f);	/* writes the help text, returns the exit status */
};

/* The lines of the help text: "Usage: verbatim kernel list" and so on, and what each does. */
void cmd_verb_synopsis(const struct cmd_verbs *v, FILE *f);
void cmd_verb_docs(const struct cmd_verbs *v, FILE *f);

/* Runs the verb of argv[1]; an unknown one is an error with a suggestion. */
int cmd_verb_run(const struct cmd_verbs *v, int argc, char **argv);

/* Says what is wrong with a verb's arguments, then how to use it. Returns the exit status. */
int cmd_verb_wrong(const struct cmd_verbs *v, const char *verb, const char *what);

/*
 * Runs one of the program's own scripts (scripts/NAME) and waits for its end; signals go to
 * the script, which cleans up. @argv[0] is set here, and the list ends with NULL. Returns
 * an exit status (cmd.h), or that of a shell for a script that a signal ended.
 */
int cmd_script(const char *name, char **argv);

#endif
