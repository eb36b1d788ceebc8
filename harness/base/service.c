/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fds.h"
#include "base/xalloc.h"
#include "fail.h"

void service_begin(const char *name, pid_t parent, const int *keep, size_t count)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fds_close_others(keep, count);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, name);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void service_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int service_log(const char *name, struct vbm_error *err)
{
	auto_close int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
		return vbm_fail(err, errno, "cannot keep a log (%s): %s", name, strerror(errno));
	return steal_fd(&fd);
}

char *service_log_read(int fd, const char *whose, struct vbm_error *err)
{
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n = -1;

	if (fstat(fd, &st) == 0) {
		text = xcalloc(1, (size_t)st.st_size + 1);
		n = pread(fd, text, (size_t)st.st_size, 0);
	}
	if (n < 0) {
		vbm_fail(err, errno, "cannot read the %s's notes: %s", whose, strerror(errno));
		return NULL;
	}
	text[n] = '\0';
	return steal(&text);
}

int service_log_clear(int fd, const char *whose, struct vbm_error *err)
{
	if (ftruncate(fd, 0) == 0)
		return 0;
	return vbm_fail(err, errno, "cannot clear the %s's notes: %s", whose, strerror(errno));
}
