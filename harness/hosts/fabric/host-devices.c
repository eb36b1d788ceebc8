/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/host-devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "fabric/fabric-priv.h"
#include "lib/base/fail.h"

#define NODES "/dev/infiniband"
#define CLASSES "/sys/class"
#define MARK NODES "/.verbatim"	/* shows that only one host uses these nodes */

static const char *const classes[] = {"infiniband", "infiniband_verbs", "infiniband_mad"};

/*
 * The entries of a device in sysfs, and the clients of the RDMA core whose nodes have the
 * same names.
 */
static const struct {
	const char *class, *client;
	uint32_t port;
} entries[] = {
	{"infiniband", NULL, 0},	/* the entry has the device's name; it has no node */
	{"infiniband_verbs", "uverbs", 0},
	{"infiniband_mad", "umad", 1},
	{"infiniband_mad", "issm", 1},
};

/* Since Linux 5.2. The header of the C library has it only since glibc 2.36. */
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif

/* A copy of the mounted sysfs, without the mounts over its folders. */
static int whole_sysfs(struct vbm_error *err)
{
	int fd = (int)syscall(SYS_open_tree, AT_FDCWD, "/sys", OPEN_TREE_CLONE | O_CLOEXEC);

	return fd >= 0 ? fd : vbm_fail(err, errno, "cannot open /sys: %s", strerror(errno));
}

/* A folder in that sysfs, without a mount over it. */
static char *class_folder(int sysfs, const char *class)
{
	return xasprintf("/proc/self/fd/%d/class/%s", sysfs, class);
}

static int make_node(const struct rdma_node *n, struct vbm_error *err)
{
	auto_free char *path = xasprintf(NODES "/%s", n->name);

	if (mknod(path, S_IFCHR | 0666, n->number) < 0 || chmod(path, 0666) < 0)
		return vbm_fail(err, errno, "cannot make %s: %s", path, strerror(errno));
	return 0;
}

/* An entry that the kernel has removed meanwhile is not shown. */
static int make_entry(const char *folder, const char *class, const char *name,
		      struct vbm_error *err)
{
	auto_free char *from = xasprintf("%s/%s", folder, name);
	auto_free char *to = xasprintf(CLASSES "/%s/%s", class, name);
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0)
		return 0;
	target[n] = '\0';
	/* If the kernel made the class after the mounts, its entries are visible already. */
	if (symlink(target, to) < 0 && errno != EEXIST)
		return vbm_fail(err, errno, "cannot make %s: %s", to, strerror(errno));
	return 0;
}

/* The node comes first: a program that finds the entry must find the node, too. */
static int show_entry(struct netlink *nl, int sysfs, size_t i, const char *dev, uint32_t index,
		      struct vbm_error *err)
{
	auto_free char *folder = class_folder(sysfs, entries[i].class);
	const struct rdma_port port = {index, entries[i].port};
	struct vbm_error none;
	struct rdma_node node;

	/*
	 * Without this check the kernel would load the module of a class that nobody asked
	 * for.
	 */
	if (access(folder, F_OK) < 0)
		return 0;
	if (!entries[i].client)
		return make_entry(folder, entries[i].class, dev, err);
	if (netlink_rdma_node(nl, entries[i].client, &port, &node, &none) < 0)
		return 0;
	return make_node(&node, err) ?:
	       make_entry(folder, entries[i].class, node.name, err);
}

static int show_device(struct netlink *nl, int sysfs, const char *dev, struct vbm_error *err)
{
	uint32_t index;
	size_t i;
	int ret = netlink_rdma_find(nl, dev, &index, err);

	for (i = 0; ret == 0 && i < ARRAY_SIZE(entries); i++)
		ret = show_entry(nl, sysfs, i, dev, index, err);
	return ret;
}

static void clear_class(const char *class)
{
	auto_free char *folder = xasprintf(CLASSES "/%s", class);
	auto_dir DIR *dir = opendir(folder);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		auto_free char *entry = xasprintf("%s/%s", folder, d->d_name);
		auto_free char *node = xasprintf(NODES "/%s", d->d_name);

		if (d->d_type != DT_LNK)
			continue;
		unlink(entry);
		unlink(node);
	}
}

int host_devices_show(const char *dev, const char *second, struct vbm_error *err)
{
	auto_close int sysfs = -1;
	struct netlink *nl;
	size_t i;
	int ret;

	if (access(MARK, F_OK) < 0)
		return 0;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		clear_class(classes[i]);
	if (!dev && !second)
		return 0;
	sysfs = whole_sysfs(err);
	if (sysfs < 0)
		return sysfs;
	ret = netlink_open(&nl, -1, err);
	if (ret < 0)
		return ret;
	ret = dev ? show_device(nl, sysfs, dev, err) : 0;
	if (ret == 0 && second)
		ret = show_device(nl, sysfs, second, err);
	netlink_close(nl);
	return ret;
}

/* Copy the files that belong to the class itself: abi_version. */
static int copy_files(const char *from, const char *to, struct vbm_error *err)
{
	auto_dir DIR *dir = opendir(from);
	const struct dirent *d;
	int ret = 0;

	while (ret == 0 && dir && (d = readdir(dir))) {
		auto_free char *old = xasprintf("%s/%s", from, d->d_name), *text = NULL;
		auto_free char *new = xasprintf("%s/%s", to, d->d_name);

		if (d->d_type == DT_REG && file_read(old, &text, NULL, NULL) == 0)
			ret = file_replace(new, text, err);
	}
	return ret;
}

static int mount_empty(const char *folder, unsigned long flags, struct vbm_error *err)
{
	if (mount("tmpfs", folder, "tmpfs", flags, "mode=0755,size=1m") < 0)
		return vbm_fail(err, errno, "cannot mount %s: %s", folder, strerror(errno));
	return 0;
}

static int mount_class(int sysfs, const char *class, struct vbm_error *err)
{
	auto_free char *from = class_folder(sysfs, class);
	auto_free char *to = xasprintf(CLASSES "/%s", class);

	if (access(from, F_OK) < 0)
		return 0;
	return mount_empty(to, MS_NOSUID | MS_NODEV, err) ?:
	       copy_files(from, to, err);
}

/* rdma_cm has no device. The request makes the kernel load its module. */
static int make_cm_node(struct netlink *nl, struct vbm_error *err)
{
	struct rdma_node node;
	struct vbm_error none;

	if (netlink_rdma_node(nl, "rdma_cm", NULL, &node, &none) < 0)
		return 0;
	return make_node(&node, err);
}

static int mount_all(struct netlink *nl, const struct host *host, int sysfs, struct vbm_error *err)
{
	int ret = mount_empty(NODES, MS_NOSUID, err);
	size_t i;

	if (ret == 0)
		ret = file_replace(MARK, host->info.name, err);
	if (ret == 0)
		ret = make_cm_node(nl, err);
	for (i = 0; ret == 0 && i < ARRAY_SIZE(classes); i++)
		ret = mount_class(sysfs, classes[i], err);
	if (ret == 0 && host_has_device(host))
		ret = show_device(nl, sysfs, host->info.dev, err);
	if (ret == 0 && host->second)
		ret = show_device(nl, sysfs, host->info.dev2, err);
	return ret;
}

static int unmount_all(struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		auto_free char *folder = xasprintf(CLASSES "/%s", classes[i]);

		umount2(folder, MNT_DETACH);
	}
	if (umount2(NODES, MNT_DETACH) < 0)
		return vbm_fail(err, errno, "cannot unmount " NODES ": %s", strerror(errno));
	return 0;
}

/*
 * Root without CAP_MKNOD (in a container) can make no nodes. The host then sees the
 * devices of the machine.
 */
int host_mount_devices(const struct host *host, struct vbm_error *err)
{
	auto_close int sysfs = whole_sysfs(err);
	struct netlink *nl;
	int ret;

	if (sysfs < 0)
		return sysfs;
	ret = netlink_open(&nl, -1, err);
	if (ret < 0)
		return ret;
	mkdir(NODES, 0755);
	ret = mount_all(nl, host, sysfs, err);
	netlink_close(nl);
	if (ret != -EPERM)
		return ret;
	*err = (struct vbm_error){0};
	return unmount_all(err);
}

int host_devices_see_all(struct vbm_error *err)
{
	if (access(MARK, F_OK) < 0)
		return 0;
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot make mounts: %s", strerror(errno));
	return unmount_all(err);
}
