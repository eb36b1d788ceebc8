/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/options.h"
#include "cmd/cmd.h"

static const struct options options = {.doc = "Print the version of this program."};

static int run_version(int argc, char **argv)
{
	options_parse(&options, argc, argv, NULL);
	printf("verbatim %s\n", PACKAGE_VERSION);
	return EXIT_OK;
}

const struct cmd cmd_version = {
	.name = "version",
	.doc = "the version of this program",
	.run = run_version,
	.options = &options,
};
