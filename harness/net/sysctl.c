/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "net/netns.h"
#include "fail.h"

struct setting {
	const char *path, *value;
};

static bool has_value(const char *path, const char *value)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char now[8];
	ssize_t n = fd >= 0 ? read(fd, now, sizeof(now)) : -1;

	return n == 2 && now[0] == value[0] && now[1] == '\n';
}

static int set(void *arg, struct vbm_error *err)
{
	const struct setting *s = arg;
	auto_close int fd = -1;
	char path[128];
	size_t n = strlen(s->value);

	snprintf(path, sizeof(path), "/proc/sys/net/%s", s->path);
	if (has_value(path, s->value))
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, s->value, n) != (ssize_t)n)
		return vbm_fail(err, errno, "cannot set %s to %s: %s", path, s->value,
				strerror(errno));
	return 0;
}

int sysctl_set(int netns, const char *path, const char *value, struct vbm_error *err)
{
	struct setting s = {path, value};

	return netns_call(netns, set, &s, err);
}
