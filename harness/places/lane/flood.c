/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/flood.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

void flood_begin(struct flood *f, int console_fd)
{
	auto_free char *path = xasprintf("/proc/self/fd/%d", console_fd);
	auto_close int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	*f = (struct flood)FLOOD_NONE;
	if (fd < 0 || inotify_add_watch(fd, path, IN_MODIFY) < 0)
		return;
	f->watch_fd = steal_fd(&fd);
	f->console_fd = console_fd;
}

bool flood_look(const struct flood *f)
{
	char events[4096];
	struct stat st;

	while (read(f->watch_fd, events, sizeof(events)) > 0)
		;
	return fstat(f->console_fd, &st) == 0 && st.st_size > (off_t)FLOOD_MB << 20;
}

void flood_end(struct flood *f)
{
	if (f->watch_fd >= 0)
		close(f->watch_fd);
	*f = (struct flood)FLOOD_NONE;
}
