/* SPDX-License-Identifier: BSD-2-Clause */
#include "points.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *(*points_about)(void);
static int point, failures;

void ok(bool good, const char *what)
{
	failures += !good;
	printf("%sok %d - ", good ? "" : "not ", ++point);
	if (points_about)
		printf("%s: ", points_about());
	puts(what);
	fflush(stdout);
}

void die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

void die_errno(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

int end_points(void)
{
	printf("1..%d\n", point);
	return failures > 0;
}
