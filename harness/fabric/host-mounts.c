/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "fail.h"

/*
 * What a host sees in its own mounts. All runs in a process that has them; what is
 * mounted here is gone with the last process and descriptor of the host.
 */
#define NODES "/dev/infiniband"
#define CLASSES "/sys/class"
#define HOSTS_FILE NODES "/.hosts"
#define MARK NODES "/.verbatim"	/* these nodes are those of a host only */
#define OLD_TMP "/.old"		/* below the layer of /tmp */

static const char *const classes[] = {"infiniband", "infiniband_verbs", "infiniband_mad"};

static int fail_mount(struct vbm_error *err, const char *what)
{
	return vbm_fail(err, errno, "cannot mount %s: %s", what, strerror(errno));
}

/* sysfs shows the network it was mounted in. */
int host_mount_sysfs(const struct host *host, struct vbm_error *err)
{
	if (host->netns < 0)
		return 0;
	return mount("sysfs", "/sys", "sysfs", 0, NULL) < 0 ? fail_mount(err, "/sys") : 0;
}

/* The device that an entry of a class belongs to is in its file ibdev. */
static bool belongs(const char *class, const char *entry, const char *dev)
{
	auto_free char *path = xasprintf(CLASSES "/%s/%s/ibdev", class, entry), *text = NULL;

	if (strcmp(entry, dev) == 0)
		return true;
	if (file_read(path, &text, NULL, NULL) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, dev) == 0;
}

static void make_node(const char *class, const char *entry)
{
	auto_free char *path = xasprintf(CLASSES "/%s/%s/dev", class, entry), *text = NULL;
	auto_free char *node = xasprintf(NODES "/%s", entry);
	unsigned int major, minor;

	if (file_read(path, &text, NULL, NULL) < 0 || sscanf(text, "%u:%u", &major, &minor) != 2)
		return;
	if (mknod(node, S_IFCHR | 0666, makedev(major, minor)) == 0)
		chmod(node, 0666);
}

/* One entry of a class as it will be: a link's text, or a file's. */
struct entry {
	char *name, *link, *text;	/* owned */
};

static void restore(const char *class, const struct entry *e)
{
	auto_free char *path = xasprintf(CLASSES "/%s/%s", class, e->name);

	if (e->link && symlink(e->link, path) == 0)
		return;
	if (e->text)
		file_replace(path, e->text, NULL);
}

static bool read_entry(const char *class, const char *name, const char *dev, struct entry *e)
{
	auto_free char *path = xasprintf(CLASSES "/%s/%s", class, name);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	*e = (struct entry){0};
	if (n > 0 && !belongs(class, name, dev))
		return false;
	if (n > 0)
		e->link = xstrndup(target, (size_t)n);
	else if (file_read(path, &e->text, NULL, NULL) < 0)
		return false;
	e->name = xstrdup(name);
	return true;
}

/* Leaves of a class what is of @dev, and makes the nodes of that. */
static int mask_class(const char *class, const char *dev, struct vbm_error *err)
{
	auto_free char *folder = xasprintf(CLASSES "/%s", class);
	auto_dir DIR *dir = opendir(folder);
	struct entry *kept = NULL;
	const struct dirent *d;
	size_t count = 0, i;
	int ret = 0;

	while (dir && (d = readdir(dir))) {
		GROW(kept, count);
		if (d->d_name[0] != '.' && read_entry(class, d->d_name, dev, &kept[count]))
			make_node(class, kept[count++].name);
	}
	if (dir && mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
		ret = fail_mount(err, folder);
	for (i = 0; i < count; i++) {
		if (ret == 0)
			restore(class, &kept[i]);
		free(kept[i].name);
		free(kept[i].link);
		free(kept[i].text);
	}
	free(kept);
	return ret;
}

static int mount_devices(const struct host *host, struct vbm_error *err)
{
	size_t i;
	int ret = 0;

	mkdir(NODES, 0755);
	if (ret == 0 && mount("tmpfs", NODES, "tmpfs", MS_NOSUID, "mode=0755,size=1m") < 0)
		ret = fail_mount(err, NODES);
	if (ret == 0)
		ret = file_replace(MARK, host->info.name, err);
	if (ret == 0)
		make_node("misc", "rdma_cm");
	for (i = 0; ret == 0 && i < ARRAY_SIZE(classes); i++)
		ret = mask_class(classes[i], host->info.dev, err);
	return ret;
}

int host_see_all(struct vbm_error *err)
{
	size_t i;

	if (access(MARK, F_OK) < 0)
		return 0;
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot make mounts: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		auto_free char *folder = xasprintf(CLASSES "/%s", classes[i]);

		umount2(folder, MNT_DETACH);
	}
	if (umount2(NODES, MNT_DETACH) < 0)
		return vbm_fail(err, errno, "cannot unmount " NODES ": %s", strerror(errno));
	return 0;
}

/* The machine's own names, and those of the hosts. */
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
	/* It stays: nothing can be mounted over a file that is gone. */
	return 0;
}

/* A folder that is mounted below /tmp, such as a shared one, goes back to its place. */
static void bring_back(const char *below)
{
	auto_free char *text = NULL;
	char *pos, *line, point[PATH_MAX];

	if (file_read("/proc/self/mountinfo", &text, NULL, NULL) < 0)
		return;
	for (pos = text; (line = next_line(&pos));) {
		auto_free char *old = NULL;

		if (sscanf(line, "%*d %*d %*s %*s %4095s", point) != 1 ||
		    strncmp(point, "/tmp/", 5) != 0)
			continue;
		old = xasprintf("%s%s", below, point + strlen("/tmp"));
		mount(old, point, NULL, MS_BIND, NULL);
	}
}

/*
 * A layer over /tmp: what is there can be read, what is written stays with the
 * host. Where the kernel has no such layers /tmp is everybody's.
 */
static int mount_tmp(struct vbm_error *err)
{
	static const char room[] = "/dev/shm";
	auto_free char *old = xasprintf("%s" OLD_TMP, room);
	auto_free char *options = xasprintf("lowerdir=/tmp,upperdir=%s/.upper,workdir=%s/.work",
					    room, room);
	auto_free char *upper = xasprintf("%s/.upper", room), *work = xasprintf("%s/.work", room);

	mkdir(old, 0700);
	mkdir(upper, 01777);
	mkdir(work, 0700);
	chmod(upper, 01777);
	if (mount("/tmp", old, NULL, MS_BIND | MS_REC, NULL) < 0)
		return fail_mount(err, old);
	if (mount("overlay", "/tmp", "overlay", 0, options) == 0)
		bring_back(old);
	umount2(old, MNT_DETACH);
	return 0;
}

int host_mount_for_programs(const struct fabric *fabric, const struct host *host,
			    struct vbm_error *err)
{
	static const char *const more[][2] = {
		{"debugfs", "/sys/kernel/debug"},
		{"tracefs", "/sys/kernel/tracing"},
		{"configfs", "/sys/kernel/config"},
	};
	const unsigned long flags = MS_NOSUID | MS_NODEV;
	size_t i;
	int ret = mount_devices(host, err);

	if (ret == 0)
		ret = mount_names(fabric, err);

	for (i = 0; i < ARRAY_SIZE(more); i++)
		mount(more[i][0], more[i][1], more[i][0], flags | MS_NOEXEC, NULL);
	mkdir("/dev/shm", 01777);
	/* The layer of /tmp is in a memory that nobody sees below the new /dev/shm. */
	if (ret == 0 && mount("tmpfs", "/dev/shm", "tmpfs", flags, "mode=0755") < 0)
		ret = fail_mount(err, "/dev/shm");
	if (ret == 0)
		ret = mount_tmp(err);
	if (ret == 0 && mount("tmpfs", "/dev/shm", "tmpfs", flags, "mode=1777") < 0)
		ret = fail_mount(err, "/dev/shm");
	return ret;
}
