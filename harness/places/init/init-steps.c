/* SPDX-License-Identifier: BSD-2-Clause */
#include "init/init.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"

#define CPUINFO "/verbatim/cpuinfo"

struct mount_line {
	const char *type, *where, *options;
	unsigned long flags;
};

static const struct mount_line basics[] = {
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"devtmpfs", "/dev", "mode=0755", MS_NOSUID},
	{"tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV},
	{"devpts", "/dev/pts", "mode=0620,ptmxmode=0666", MS_NOSUID | MS_NOEXEC},
	{"tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV},
};

int init_mount_basics(struct vbm_error *err)
{
	const struct mount_line *m;

	for (m = basics; m < basics + ARRAY_SIZE(basics); m++) {
		mkdir(m->where, 0755);
		if (mount(m->type, m->where, m->type, m->flags, m->options) < 0 &&
		    errno != EBUSY)
			return vbm_fail(err, errno, "cannot mount %s: %m", m->where);
	}
	/* Only some kernels have this file system. */
	mount("debugfs", "/sys/kernel/debug", "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	if (symlink("/proc/self/fd", "/dev/fd") < 0 && errno != EEXIST)
		return vbm_fail(err, errno, "cannot make /dev/fd: %m");
	/* Nothing is mounted on /tmp, because the image may have a target there. */
	if (chmod("/tmp", 01777) < 0)
		return vbm_fail(err, errno, "cannot open /tmp to everybody: %m");
	return 0;
}

static int load_list(const char *list_path, struct vbm_error *err)
{
	auto_free char *list = NULL;
	char *pos, *path;
	int ret;

	ret = file_read(list_path, &list, NULL, err);
	if (ret < 0)
		return ret;
	for (pos = list; (path = file_next_line(&pos));) {
		auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return vbm_fail(err, errno, "cannot open %s: %m", path);
		if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
			return vbm_fail(err, errno, "cannot load %s: %m", path);
	}
	return 0;
}

int init_load_modules(struct vbm_error *err)
{
	struct vbm_error other = {0};
	int ret, status = 0;
	pid_t pid;

	/* A kernel may have all modules built in. */
	if (access(GUEST_MODULE_LIST, F_OK) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		ret = load_list(GUEST_MODULE_LIST2, &other);
		if (ret < 0)
			printf(GUEST_SAYS_FAILED "%s\n", other.msg);
		fflush(NULL);
		_exit(ret < 0);
	}
	ret = load_list(GUEST_MODULE_LIST, err);
	if (pid < 0 || (waitpid(pid, &status, 0) == pid && status != 0))
		return vbm_fail(err, EIO, "cannot load the modules of " GUEST_MODULE_LIST2);
	return ret;
}

int init_loopback_up(struct vbm_error *err)
{
	auto_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {.ifr_name = "lo"};

	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return vbm_fail(err, errno, "cannot bring up lo: %m");
	return 0;
}

int init_mount_cpuinfo(const char *mhz, struct vbm_error *err)
{
	auto_free char *own = NULL, *text = NULL;
	int ret = file_read("/proc/cpuinfo", &own, NULL, err);
	size_t n;

	if (ret < 0)
		return ret;
	n = strlen(own);
	while (n > 0 && own[n - 1] == '\n')
		n--;
	text = xasprintf("%.*s\ncpu MHz\t\t: %s\n\n", (int)n, own, mhz);
	mkdir("/verbatim", 0755);
	ret = file_replace(CPUINFO, text, err);
	if (ret == 0 && mount(CPUINFO, "/proc/cpuinfo", NULL, MS_BIND, NULL) < 0)
		return vbm_fail(err, errno, "cannot mount /proc/cpuinfo: %m");
	return ret;
}
