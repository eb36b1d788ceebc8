/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define MEANS_VARIABLE "VERBATIM_CONFINE"
#define NAMESPACES (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC)

/* The means that work here; the first call finds out. */
static struct {
	bool known;
	unsigned int means;
	unsigned long namespaces;
} here;

/* A map in which every number of the parent's map stands for itself. */
static char *identity_of(const char *map)
{
	unsigned long inside, outside, count;
	struct text t = {0};
	const char *line;

	for (line = map; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, "%lu %lu %lu", &inside, &outside, &count) == 3)
			text_addf(&t, "%lu %lu %lu\n", inside, inside, count);
	return t.s ? t.s : xstrdup("");
}

static int write_to(pid_t pid, const char *name, const char *text)
{
	auto_free char *path = xasprintf("/proc/%d/%s", pid, name);
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

/* Root's user namespace has all users, another user's only that user. */
static int write_map(pid_t pid, const char *name, unsigned int own)
{
	auto_free char *map = NULL, *identity = NULL, *single = NULL;
	auto_free char *path = xasprintf("/proc/self/%s", name);

	if (file_read(path, &map, NULL, NULL) == 0) {
		identity = identity_of(map);
		if (write_to(pid, name, identity) == 0)
			return 0;
	}
	single = xasprintf("%u %u 1\n", own, own);
	write_to(pid, "setgroups", "deny");
	return write_to(pid, name, single);
}

/* The child waits until the map of its users is written. */
static pid_t fork_with(unsigned long namespaces)
{
	auto_close int in = -1, out = -1;
	int pipefd[2];
	char byte;
	pid_t pid;

	if (!namespaces)
		return fork();
	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -1;
	in = pipefd[0];
	out = pipefd[1];
	pid = (pid_t)syscall(SYS_clone, namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		close(steal_fd(&out));
		if (read(in, &byte, 1) != 1)
			_exit(126);
		return 0;
	}
	if (pid > 0 && (!(namespaces & CLONE_NEWUSER) || (write_map(pid, "uid_map", geteuid()) == 0 &&
							  write_map(pid, "gid_map", getegid()) == 0)))
		(void)!write(out, "", 1);
	return pid;
}

/* The capabilities that root needs to read and write files, if it sees all. */
static const int of_files[] = {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_CHOWN, CAP_FOWNER, CAP_FSETID};

static int drop_capabilities(bool sees_all, struct vbm_error *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	unsigned int kept = 0;
	size_t i;
	int cap;

	/*
	 * Another user than root keeps none: those of the user namespace were only for
	 * the mounts.
	 */
	for (i = 0; geteuid() == 0 && sees_all && i < ARRAY_SIZE(of_files); i++)
		kept |= 1u << of_files[i];
	for (cap = 0; cap <= 63; cap++)
		if (cap > 31 || !(kept & 1u << cap))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (syscall(SYS_capget, &head, data) < 0)
		return vbm_fail(err, errno, "cannot read capabilities: %m");
	kept &= data[0].permitted;
	data[0] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
	data[1] = (struct __user_cap_data_struct){0};
	if (syscall(SYS_capset, &head, data) < 0)
		return vbm_fail(err, errno, "cannot drop capabilities: %m");
	return 0;
}

static int enter_confinement(const struct confine *c, unsigned int means, struct vbm_error *err)
{
	bool mounted = means & CONFINE_MOUNTS;
	int ret = 0;

	if (!means)
		return 0;
	if (mounted)
		ret = confine_view(c, err);
	if (ret == 0)
		ret = drop_capabilities(c->sees_all, err);
	if (ret == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		ret = vbm_fail(err, errno, "cannot give up new privileges: %m");
	if (ret == 0 && (means & CONFINE_LANDLOCK))
		ret = confine_landlock(c, mounted, err);
	return ret ? ret : confine_calls(mounted, err);
}

/* Whether this machine allows these means, tried with an empty process. */
static bool works(unsigned long namespaces, unsigned int means)
{
	const struct confine c = {.sees_all = true, .own_mb = 1, .copied_fd = -1, .written_fd = -1};
	struct vbm_error err = {0};
	pid_t pid = fork_with(namespaces);
	int status = -1;

	if (pid == 0)
		_exit(enter_confinement(&c, means, &err) < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* An unknown word of VERBATIM_CONFINE leaves nothing out. */
static unsigned int wanted_means(void)
{
	const char *only = getenv(MEANS_VARIABLE);

	if (only && !strcmp(only, "mounts"))
		return CONFINE_MOUNTS;
	if (only && !strcmp(only, "landlock"))
		return CONFINE_LANDLOCK;
	return only && !strcmp(only, "none") ? 0 : CONFINE_MOUNTS | CONFINE_LANDLOCK;
}

static void probe_means(void)
{
	static const unsigned long tried[] = {CLONE_NEWUSER | NAMESPACES, NAMESPACES};
	unsigned int wanted = wanted_means();
	size_t i;

	here.known = true;
	for (i = 0; (wanted & CONFINE_MOUNTS) && !here.namespaces && i < ARRAY_SIZE(tried); i++)
		if (works(tried[i], CONFINE_MOUNTS))
			here.namespaces = tried[i];
	if (here.namespaces)
		here.means |= CONFINE_MOUNTS;
	if ((wanted & CONFINE_LANDLOCK) && confine_landlock_is_there() &&
	    (here.namespaces || works(0, CONFINE_LANDLOCK)))
		here.means |= CONFINE_LANDLOCK;
}

unsigned int confine_means(void)
{
	if (!here.known)
		probe_means();
	return here.means;
}

const char *confine_warning(void)
{
	switch (confine_means()) {
	case 0:
		return "nothing confines a guest on this machine, which has neither user namespaces nor "
		       "Landlock: programs in it may change your files (SECURITY.md)";
	default:
		return NULL;
	}
}

pid_t confine_fork(void)
{
	confine_means();
	return fork_with(here.namespaces);
}

int confine_enter(const struct confine *c, struct vbm_error *err)
{
	return enter_confinement(c, confine_means(), err);
}
