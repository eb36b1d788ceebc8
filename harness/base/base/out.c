/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/visible.h"

static int first;	/* errno of the first failed write */
static bool told;
static bool sigpipe_ends;	/* the caller wants programs to end by SIGPIPE, as it ends them by default */
static bool unread;		/* the reader went away, and nobody was told */

static ssize_t write_stdout(void *cookie, const char *data, size_t len)
{
	int rc = file_write(STDOUT_FILENO, data, len);

	(void)cookie;
	if (rc == 0)
		return (ssize_t)len;
	if (!first)
		first = -rc;
	return 0;
}

/*
 * The caller may have closed standard input, output or error. The next file or socket that this program opens would get
 * that number, and the program would print into it. Reading from or writing to these descriptors fails as if they were
 * closed.
 */
static void fill_closed(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) < 0)
			return;
}

void out_begin(void)
{
	FILE *f;

	fill_closed();
	sigpipe_ends = signal(SIGPIPE, SIG_IGN) == SIG_DFL;
	f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_stdout});

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

	if (code && !told) {
		unread = code == EPIPE && sigpipe_ends;
		if (!unread)
			visible_complain("cannot write to standard output: %s", strerror(code));
	}
	told = true;
	return code == 0;
}

void out_end_by_signal(void)
{
	if (!unread)
		return;
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}
