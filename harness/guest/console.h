/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_GUEST_CONSOLE_H
#define VBM_GUEST_CONSOLE_H

/* What is known of a guest when its event stream has ended or stopped. Pure. */
struct guest_end {
	const char *console;	/* all that came on its console */
	const char *errors;	/* what QEMU itself said */
	int running;		/* it has not ended */
	int status;		/* of waitpid(2), when it has */
};

/*
 * One line that says how it went down, then the last lines of the console;
 * NULL when it ended properly. The caller frees it.
 */
char *console_obituary(const struct guest_end *end);

#endif
