/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/out.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/visible.h"

static int first;	/* errno of the first failed write */
static bool told;

static ssize_t put(void *cookie, const char *data, size_t len)
{
	int rc = file_write(STDOUT_FILENO, data, len);

	(void)cookie;
	if (rc == 0)
		return (ssize_t)len;
	if (!first)
		first = -rc;
	return 0;
}

void out_begin(void)
{
	FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});

	if (!f)
		return;
	setvbuf(f, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	stdout = f;
}

int out_error(void)
{
	fflush(stdout);
	return first;
}

void out_error_told(void)
{
	told = true;
}

bool out_end(void)
{
	int code = out_error();

	if (code && !told)
		visible_complain("cannot write to standard output: %s", strerror(code));
	told = true;
	return code == 0;
}
