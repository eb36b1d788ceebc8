/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

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
int host_mount_sysfs(const struct host *host, struct vbm_error *err)
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

int host_mount_for_programs(const struct fabric *fabric, struct vbm_error *err)
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
