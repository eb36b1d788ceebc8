/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/base/fail.h"
#include "process/child.h"

void service_begin(const char *name, pid_t parent, const int *keep, size_t count)
{
	if (child_begin(&(struct child_setup){
			.parent = parent,
			.name = name,
			.keep = keep,
			.keep_count = count,
			.ignore = {SIGPIPE, SIGINT},
		}) < 0)
		_exit(1);
}

int service_log(const char *name, struct vbm_error *err)
{
	auto_close int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
		return vbm_fail(err, errno, "cannot make a log (%s): %s", name, strerror(errno));
	return steal_fd(&fd);
}

char *service_log_read(int fd, const char *whose, struct vbm_error *err)
{
	char *text;
	int ret = file_fd_read_whole(fd, SIZE_MAX, &text, NULL);

	if (ret == 0)
		return text;
	vbm_fail(err, -ret, "cannot read the %s's log: %s", whose, strerror(-ret));
	return NULL;
}

int service_log_clear(int fd, const char *whose, struct vbm_error *err)
{
	if (ftruncate(fd, 0) == 0)
		return 0;
	return vbm_fail(err, errno, "cannot clear the %s's log: %s", whose, strerror(errno));
}
