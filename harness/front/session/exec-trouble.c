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

static void save_console(const char *console)
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

/* What a complaint with this text may come from, if that is not the kernel. */
static const struct {
	const char *text, *cause;
} causes[] = {
	{" int3: 0000 [#", "public reports of such an end without KVM name QEMU before 8.1: a kernel changes its own code, and "
	 "another emulated processor runs the old code once more. Whether it was so here is not known; with --cpus 1 there is "
	 "no other processor"},
};

static void explain(const char *trouble)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (strstr(trouble, causes[i].text))
			visible_complain("%s", causes[i].cause);
}

bool exec_keep_console(struct lane *lane, bool head)
{
	auto_free char *console = lane_console(lane), *trouble = NULL;

	if (!console || !*console)
		return false;
	trouble = lane_trouble(console);
	if (trouble && head) {
		visible_put(trouble, stderr);
		fputc('\n', stderr);
	}
	if (trouble)
		explain(trouble);
	if (lane->lanes->opts.artifacts)
		visible_complain("the kernel's console is in %s/console-1.log",
			 lane->lanes->opts.artifacts);
	else
		save_console(console);
	return head && trouble;
}
