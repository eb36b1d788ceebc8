/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lane/lane.h"

static void keep(const char *console)
{
	const char *dir = getenv("TMPDIR");
	auto_free char *path = xasprintf("%s/verbatim-console-XXXXXX.log",
					 dir && *dir ? dir : "/tmp");
	auto_close int fd = mkostemps(path, 4, O_CLOEXEC);

	if (fd < 0 || file_write(fd, console, strlen(console)) < 0)
		visible_complain("cannot keep the console in %s: %s", path, strerror(errno));
	else
		visible_complain("the kernel's console is in %s", path);
}

bool exec_keep_console(struct lane *lane, bool head)
{
	auto_free char *console = lane_console(lane), *trouble = NULL;

	if (!console || !*console)
		return false;
	trouble = head ? lane_trouble(console) : NULL;
	if (trouble) {
		visible_put(trouble, stderr);
		fputc('\n', stderr);
	}
	if (lane->lanes->opts.artifacts)
		visible_complain("the kernel's console is in %s/console-1.log",
			 lane->lanes->opts.artifacts);
	else
		keep(console);
	return trouble != NULL;
}
