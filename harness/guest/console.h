/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONSOLE_H
#define VBM_GUEST_CONSOLE_H

#include <stdbool.h>

struct value;

/* What is known about a guest when its event stream has ended or has stopped. Pure. */
struct guest_end {
	const char *program;	/* what runs it, for people: "QEMU" */
	const char *console;	/* all that came on its console */
	const char *errors;	/* what the program itself said */
	int running;		/* the program has not ended */
	int status;		/* of waitpid(2), when it has */
};

/*
 * One line that says why the guest ended, then what console_crash() finds or else
 * the last lines of the console; NULL when it ended properly. The caller frees it.
 */
char *console_end_cause(const struct guest_end *end);

/* The kernel's first complaint, from its head on; NULL when there is none. */
char *console_trouble(const char *console);

/* Whether @line is the head of a complaint. */
bool console_is_trouble(const char *line);

/* The first complaint whose head ends with none of the texts in the list @told; likewise. */
char *console_untold(const char *console, const struct value *told);

/*
 * What a kernel that ended itself (a panic) said on the way: from its first complaint
 * on, lines of the console's end. NULL when it did not. The caller frees it.
 */
char *console_crash(const char *console);

#endif
