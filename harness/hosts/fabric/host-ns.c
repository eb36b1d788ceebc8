/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/host-ns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"
#include "process/child.h"

int host_ns_enter(const struct host_ns *ns, struct vbm_error *err)
{
	if (ns->net >= 0 && setns(ns->net, CLONE_NEWNET) < 0)
		return vbm_fail(err, errno, "cannot enter the host's network: %s", strerror(errno));
	if (setns(ns->uts, CLONE_NEWUTS) < 0 || setns(ns->mnt, CLONE_NEWNS) < 0)
		return vbm_fail(err, errno, "cannot enter the host's namespaces: %s",
				strerror(errno));
	/*
	 * After setns(2) the root is that of the whole mount namespace, so the process
	 * changes to the host's root.
	 */
	if (fchdir(ns->root) < 0 || chroot(".") < 0)
		return vbm_fail(err, errno, "cannot enter the host's root: %s", strerror(errno));
	return 0;
}

/*
 * The mounts of a host. The calling process has mounts of its own; they end with the last
 * process and descriptor of the host.
 */
#define ROOM "/dev/shm"			/* memory that is hidden by a later mount */
#define HOSTS_FILE ROOM "/.hosts"
#define OLD_TMP ROOM "/.old"		/* the lower layer of /tmp */
#define UPPER ROOM "/.upper"
#define WORK ROOM "/.work"

static int fail_mount(struct vbm_error *err, const char *what)
{
	return vbm_fail(err, errno, "cannot mount %s: %s", what, strerror(errno));
}

/* A sysfs shows the network namespace in which it was mounted. */
static int mount_sysfs(const struct host *host, struct vbm_error *err)
{
	if (host->netns < 0)
		return 0;
	return mount("sysfs", "/sys", "sysfs", 0, NULL) < 0 ? fail_mount(err, "/sys") : 0;
}

/* The names in the machine's /etc/hosts, and those of the hosts. */
static int mount_names(const struct fabric *fabric, struct vbm_error *err)
{
	auto_text struct text text = {0};
	auto_free char *machine = NULL;
	int i, ret;

	if (file_read("/etc/hosts", &machine, NULL, NULL) < 0)
		return 0;
	text_addf(&text, "%s%s", machine, *machine ? "\n" : "");
	for (i = 0; i < fabric->count; i++)
		text_addf(&text, "%s\t%s\n%s\t%s\n", fabric->host[i].info.ip4,
			  fabric->host[i].info.name, fabric->host[i].info.ip6,
			  fabric->host[i].info.name);
	ret = file_replace(HOSTS_FILE, text.s, err);
	if (ret < 0)
		return ret;
	chmod(HOSTS_FILE, 0644);
	if (mount(HOSTS_FILE, "/etc/hosts", NULL, MS_BIND, NULL) < 0)
		return fail_mount(err, "/etc/hosts");
	/* The file must stay, because a removed file cannot be mounted. */
	return 0;
}

/*
 * Move a mount from below the old /tmp, for example a shared folder, to the same path in
 * the new one.
 */
static void bring_back(const char *below)
{
	auto_free char *text = NULL;
	char *pos, *line, point[PATH_MAX];

	if (file_read("/proc/self/mountinfo", &text, NULL, NULL) < 0)
		return;
	for (pos = text; (line = file_next_line(&pos));) {
		auto_free char *old = NULL;

		if (sscanf(line, "%*d %*d %*s %*s %4095s", point) != 1 ||
		    strncmp(point, "/tmp/", 5) != 0)
			continue;
		old = xasprintf("%s%s", below, point + strlen("/tmp"));
		mount(old, point, NULL, MS_BIND, NULL);
	}
}

/*
 * Mount an overlay over /tmp: the files that are there can be read, and new writes stay
 * with the host. On a kernel without overlays all hosts share /tmp.
 */
static int mount_tmp(struct vbm_error *err)
{
	mkdir(OLD_TMP, 0700);
	mkdir(UPPER, 01777);
	mkdir(WORK, 0700);
	chmod(UPPER, 01777);
	if (mount("/tmp", OLD_TMP, NULL, MS_BIND | MS_REC, NULL) < 0)
		return fail_mount(err, OLD_TMP);
	if (mount("overlay", "/tmp", "overlay", 0,
		  "lowerdir=/tmp,upperdir=" UPPER ",workdir=" WORK) == 0)
		bring_back(OLD_TMP);
	umount2(OLD_TMP, MNT_DETACH);
	return 0;
}

static int mount_for_programs(const struct fabric *fabric, struct vbm_error *err)
{
	static const char *const more[][2] = {
		{"debugfs", "/sys/kernel/debug"},
		{"tracefs", "/sys/kernel/tracing"},
		{"configfs", "/sys/kernel/config"},
	};
	const unsigned long flags = MS_NOSUID | MS_NODEV;
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(more); i++)
		mount(more[i][0], more[i][1], more[i][0], flags | MS_NOEXEC, NULL);
	mkdir(ROOM, 01777);
	if (mount("tmpfs", ROOM, "tmpfs", flags, "mode=0755") < 0)
		ret = fail_mount(err, ROOM);
	if (ret == 0)
		ret = mount_names(fabric, err);
	if (ret == 0)
		ret = mount_tmp(err);
	if (ret == 0 && mount("tmpfs", ROOM, "tmpfs", flags, "mode=1777") < 0)
		ret = fail_mount(err, ROOM);
	return ret;
}

static int make_namespaces(const struct fabric *fabric, const struct host *host,
			   const struct host_use *use, struct vbm_error *err)
{
	int ret;

	if (host->netns >= 0 && setns(host->netns, CLONE_NEWNET) < 0)
		return vbm_fail(err, errno, "cannot enter the host's network: %s", strerror(errno));
	if (unshare(CLONE_NEWNS | CLONE_NEWUTS) < 0 ||
	    mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot make namespaces: %s", strerror(errno));
	if (use->root && (chroot(use->root) < 0 || chdir("/") < 0))
		return vbm_fail(err, errno, "cannot enter %s: %s", use->root, strerror(errno));
	if (sethostname(host->info.name, strlen(host->info.name)) < 0)
		return vbm_fail(err, errno, "cannot name the host: %s", strerror(errno));
	ret = mount_sysfs(host, err) ?:
	      host_mount_devices(host, err);
	return ret == 0 && use->programs ? mount_for_programs(fabric, err) : ret;
}

/*
 * The process that makes the namespaces keeps them alive until the parent has opened them.
 * It writes the error, or nothing.
 */
static void __attribute__((noreturn))
make_inside(const struct fabric *fabric, const struct host *host, const struct host_use *use,
	    int line, pid_t parent)
{
	const int keep[] = {line, host->netns};
	struct vbm_error err = {0};
	char byte;

	child_begin(&(struct child_setup){
		.parent = parent,
		.name = "verbatim-host",
		.keep = keep,
		.keep_count = ARRAY_SIZE(keep),
	});
	if (make_namespaces(fabric, host, use, &err) < 0 &&
	    send(line, err.msg, strlen(err.msg), MSG_NOSIGNAL) < 0)
		_exit(1);
	if (err.code == 0 && send(line, "", 1, MSG_NOSIGNAL) < 0)
		_exit(1);
	while (read(line, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int open_one(pid_t pid, const char *what, int flags)
{
	auto_free char *path = xasprintf("/proc/%d/%s", pid, what);

	return open(path, flags | O_CLOEXEC);
}

static int open_namespaces(struct host *host, pid_t pid, int line, struct vbm_error *err)
{
	struct host_ns *ns = &host->ns;
	char text[sizeof(err->msg)] = "its process ended";
	ssize_t n = recv(line, text, sizeof(text) - 1, 0);

	if (n != 1 || text[0]) {
		text[n > 0 ? n : (ssize_t)strlen(text)] = '\0';
		return vbm_fail(err, EIO, "no namespaces for host %s: %s", host->info.name, text);
	}
	ns->net = host->netns;
	ns->mnt = open_one(pid, "ns/mnt", O_RDONLY);
	ns->uts = open_one(pid, "ns/uts", O_RDONLY);
	ns->root = open_one(pid, "root", O_PATH | O_DIRECTORY);
	if (ns->mnt < 0 || ns->uts < 0 || ns->root < 0)
		return vbm_fail(err, errno, "cannot open the namespaces of host %s: %s",
				host->info.name, strerror(errno));
	return 0;
}

static int make_one(struct fabric *fabric, struct host *host, const struct host_use *use,
		    struct vbm_error *err)
{
	auto_close int ours = -1;
	pid_t parent = getpid(), pid;
	int pair[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket pair: %s", strerror(errno));
	ours = pair[0];
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		make_inside(fabric, host, use, pair[1], parent);
	close(pair[1]);
	if (pid < 0)
		return vbm_fail(err, errno, "cannot start a process: %s", strerror(errno));
	ret = open_namespaces(host, pid, ours, err);
	child_end(pid);
	return ret;
}

static void host_ns_close(struct host_ns *ns)
{
	const int fds[] = {ns->mnt, ns->uts, ns->root};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*ns = (struct host_ns)HOST_NS_NONE;
}

int fabric_make_namespaces(struct fabric *fabric, const struct host_use *use,
			   struct vbm_error *err)
{
	int i, ret = 0;

	for (i = 0; !fabric->hosts->elsewhere && ret == 0 && i < fabric->count; i++)
		if (fabric->host[i].ns.mnt < 0)
			ret = make_one(fabric, &fabric->host[i], use, err);
	return ret;
}

void fabric_drop_namespaces(struct fabric *fabric)
{
	int i;

	for (i = 0; i < fabric->count; i++)
		host_ns_close(&fabric->host[i].ns);
}

const struct host_ns *fabric_namespaces(const struct fabric *fabric, int i)
{
	return fabric->host[i].ns.mnt < 0 ? NULL : &fabric->host[i].ns;
}

static bool is_same_file(int fd, const char *path)
{
	struct stat ours, theirs;

	return fd >= 0 && fstat(fd, &ours) == 0 && stat(path, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* A program may have left one of its host's namespaces, but seldom leaves both. */
int fabric_host_of(const struct fabric *fabric, pid_t pid)
{
	auto_free char *mnt = xasprintf("/proc/%d/ns/mnt", pid);
	auto_free char *uts = xasprintf("/proc/%d/ns/uts", pid);
	int i;

	for (i = 0; i < fabric->count; i++)
		if (is_same_file(fabric->host[i].ns.uts, uts) ||
		    is_same_file(fabric->host[i].ns.mnt, mnt))
			return i;
	return -1;
}

size_t fabric_namespace_fds(const struct fabric *fabric, int fds[FABRIC_NAMESPACE_FDS_MAX])
{
	size_t n = 0;
	int i;

	for (i = 0; i < fabric->count; i++) {
		const struct host_ns *ns = &fabric->host[i].ns;

		fds[n++] = ns->net;
		fds[n++] = ns->mnt;
		fds[n++] = ns->uts;
		fds[n++] = ns->root;
	}
	return n;
}
