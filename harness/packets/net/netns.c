/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/base/fail.h"

#define OWN_NETNS "/proc/thread-self/ns/net"

/* Open the namespace of the calling thread. The caller owns *@fd. */
static int netns_current(int *fd, struct vbm_error *err)
{
	*fd = open(OWN_NETNS, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return vbm_fail(err, errno, "cannot open %s: %s (is /proc mounted?)",
				OWN_NETNS, strerror(errno));
	return 0;
}

/* A thread that cannot return would continue in the wrong network, so the process ends. */
static void go_back(int home)
{
	if (setns(home, CLONE_NEWNET) == 0)
		return;
	fprintf(stderr, "verbatim: cannot return to verbatim's network namespace: %s\n",
		strerror(errno));
	abort();
}

int netns_new(int *fd, struct vbm_error *err)
{
	auto_close int home = -1;
	int ret;

	ret = netns_current(&home, err);
	if (ret < 0)
		return ret;
	if (unshare(CLONE_NEWNET) < 0)
		return vbm_fail(err, errno, "cannot make a network namespace: %s%s",
				strerror(errno),
				errno == EPERM ? " (this needs root: CAP_SYS_ADMIN)" : "");
	ret = netns_current(fd, err);
	go_back(home);
	return ret;
}

int netns_call(int fd, int (*fn)(void *arg, struct vbm_error *err), void *arg,
	       struct vbm_error *err)
{
	auto_close int home = -1;
	int ret;

	if (fd < 0)
		return fn(arg, err);
	ret = netns_current(&home, err);
	if (ret < 0)
		return ret;
	if (setns(fd, CLONE_NEWNET) < 0)
		return vbm_fail(err, errno, "cannot enter a network namespace: %s",
				strerror(errno));
	ret = fn(arg, err);
	go_back(home);
	return ret;
}

struct socket_call {
	int domain, type, sock;
};

static int open_socket(void *arg, struct vbm_error *err)
{
	struct socket_call *call = arg;

	call->sock = socket(call->domain, call->type | SOCK_CLOEXEC, 0);
	if (call->sock < 0)
		return vbm_fail(err, errno, "cannot open a socket: %s", strerror(errno));
	return 0;
}

int netns_socket(int fd, int domain, int type, int *sock, struct vbm_error *err)
{
	struct socket_call call = {.domain = domain, .type = type, .sock = -1};
	int ret = netns_call(fd, open_socket, &call, err);

	*sock = call.sock;
	return ret;
}

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

static int set_sysctl(void *arg, struct vbm_error *err)
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

int netns_sysctl_set(int netns, const char *path, const char *value, struct vbm_error *err)
{
	struct setting s = {path, value};

	return netns_call(netns, set_sysctl, &s, err);
}

void netns_name(char name[NETNS_NAME_MAX])
{
	ssize_t n = readlink(OWN_NETNS, name, NETNS_NAME_MAX - 1);

	name[n > 0 ? n : 0] = '\0';
}
