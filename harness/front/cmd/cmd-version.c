/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdio.h>

#include "cmd/cmd.h"

static const struct argp argp = {.doc = "Print the version of this program."};

static int run(int argc, char **argv)
{
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	printf("verbatim %s\n", PACKAGE_VERSION);
	return EXIT_OK;
}

const struct cmd cmd_version = {
	.name = "version",
	.doc = "the version of this program",
	.run = run,
	.argp = &argp,
};
