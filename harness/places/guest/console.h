/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONSOLE_H
#define VBM_GUEST_CONSOLE_H

#include <stdbool.h>

struct value;

/* The facts about a guest whose event stream has ended or stopped. All here is pure. */
struct guest_end {
	const char *program;	/* the program that runs it, for people: "QEMU" */
	const char *console;	/* the whole text of its console */
	const char *errors;	/* the program's standard error */
	int running;		/* the program has not ended */
	int status;		/* from waitpid(2), if it has ended */
};

/*
 * One line that says why the guest ended, then the text of console_crash() or the last
 * lines of the console; NULL if it ended properly. The caller frees it.
 */
char *console_end_cause(const struct guest_end *end);

/* The kernel's first complaint, from its head on; NULL if there is none. */
char *console_trouble(const char *console);

/* Whether @line is the head of a complaint. */
bool console_is_trouble(const char *line);

/* The same for the first complaint whose head does not end with a text in the list @told. */
char *console_untold(const char *console, const struct value *told);

/*
 * The last lines of a kernel that ended itself (a panic), from its first complaint on;
 * NULL if it did not. The caller frees it.
 */
char *console_crash(const char *console);

#endif
