/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NAMES_EXIT_STATUS_H
#define VBM_NAMES_EXIT_STATUS_H

/* Exit statuses of every subcommand. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,	/* something did not hold */
	EXIT_USAGE = 2,		/* bad arguments or an invalid scenario file */
	EXIT_NO_FABRIC = 3,	/* no place to run in */
};

#endif
