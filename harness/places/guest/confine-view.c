/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* The new root is mounted here until it becomes the root. */
#define BASE "/tmp"

#define ROOT_MODE "mode=0755"
#define OWN_SLACK_MB 64

const char *const confine_system[] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", NULL,
};
const char *const confine_settings[] = {"/etc", "/opt", NULL};

static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};

/* Makes a detached mount of @path and all below it. */
static int clone_mount(const char *path, bool writable)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | (writable ? 0 : MOUNT_ATTR_RDONLY),
	};
	auto_close int fd = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return -1;
	return steal_fd(&fd);
}

/* The name of "/a/b" in the folder that becomes the root. */
static const char *below(const char *path)
{
	path += strspn(path, "/");
	return *path ? path : ".";
}

/* Makes the file or folder that a mount needs, if the new root does not have it. */
static void make_place(const char *path, bool folder)
{
	auto_free char *copy = xstrdup(path);
	char *slash;

	for (slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0755);
		*slash = '/';
	}
	if (folder)
		mkdir(copy, 0755);
	else
		mknod(copy, S_IFREG | 0444, 0);
}

static int hang(int mount_fd, const char *path, struct vbm_error *err)
{
	struct stat st;

	make_place(below(path), fstat(mount_fd, &st) == 0 && S_ISDIR(st.st_mode));
	if (move_mount(mount_fd, "", AT_FDCWD, below(path), MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return vbm_fail(err, errno, "cannot show %s: %m", path);
	return 0;
}

static int mount_memory(const char *path, const char *options, struct vbm_error *err)
{
	mkdir(path, 0755);
	if (mount("tmpfs", path, "tmpfs", MS_NOSUID, options) < 0)
		return vbm_fail(err, errno, "cannot mount memory at /%s: %m", path);
	return 0;
}

/* The mounts of the paths to show, taken while they can be reached. */
struct confine_view_source {
	char *path;	/* owned */
	int fd;		/* owned */
};

struct confine_view_sources {
	struct confine_view_source *item;	/* owned */
	size_t count;
};

static void auto_sources_fn(struct confine_view_sources *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		free(s->item[i].path);
		if (s->item[i].fd >= 0)
			close(s->item[i].fd);
	}
	free(s->item);
}
#define auto_sources __attribute__((cleanup(auto_sources_fn)))

static int add_source(struct confine_view_sources *s, const char *path, bool writable)
{
	int fd = clone_mount(path, writable);

	if (fd < 0)
		return -errno;
	GROW(s->item, s->count);
	s->item[s->count++] = (struct confine_view_source){xstrdup(path), fd};
	return 0;
}

/* Folders of the system may be links, for example /lib; they stay links. */
static void add_system(struct confine_view_sources *s, const char *const *path)
{
	struct stat st;

	for (; *path; path++)
		if (lstat(*path, &st) == 0 && S_ISDIR(st.st_mode))
			add_source(s, *path, false);
}

static int collect_sources(struct confine_view_sources *s, const struct confine *c, struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		auto_free char *path = xasprintf("/dev/%s", devices[i]);

		add_source(s, path, true);
	}
	if (c->kvm)
		add_source(s, "/dev/kvm", true);
	add_source(s, "/proc/cpuinfo", false);
	if (!c->sees_all) {
		add_system(s, confine_system);
		if (c->sees_settings)
			add_system(s, confine_settings);
	}
	if (c->program && !c->sees_all && add_source(s, c->program, false) < 0)
		return vbm_fail(err, errno, "cannot show %s: %m", c->program);
	for (i = 0; i < c->paths; i++)
		if ((!c->sees_all || c->path[i].writable) &&
		    add_source(s, c->path[i].path, c->path[i].writable) < 0)
			return vbm_fail(err, errno, "cannot show %s: %m", c->path[i].path);
	return 0;
}

/* Copies the file, because it belongs to other mounts. */
static int copy_own(int from, struct vbm_error *err)
{
	auto_close int fd = -1;
	struct stat st;
	off_t at = 0;

	if (from < 0)
		return 0;
	fd = open("." CONFINE_COPY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(from, &st) < 0)
		return vbm_fail(err, errno, "cannot copy the guest's image: %m");
	while (at < st.st_size)
		if (sendfile(fd, from, &at, (size_t)(st.st_size - at)) <= 0)
			return vbm_fail(err, errno, "cannot copy the guest's image: %m");
	return 0;
}

static int make_dev(const struct confine *c, struct vbm_error *err)
{
	auto_free char *options = xasprintf(ROOT_MODE ",size=%dm", c->own_mb + OWN_SLACK_MB);
	int ret = mount_memory("dev", options, err);

	if (ret < 0)
		return ret;
	/* A user-mode kernel tries to open a terminal when it starts. */
	mkdir("dev/pts", 0755);
	if (mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666") == 0)
		(void)!symlink("pts/ptmx", "dev/ptmx");
	if (mkdir("." CONFINE_OWN, 0755) < 0)
		return vbm_fail(err, errno, "cannot make " CONFINE_OWN ": %m");
	return copy_own(c->copied_fd, err);
}

/*
 * A full /proc would lead to other processes and out of the new root. A user-mode kernel
 * needs only the name of its program.
 */
static int make_proc(const struct confine *c, int self, struct vbm_error *err)
{
	int ret = mount_memory("proc", ROOT_MODE ",size=1m", err);

	if (ret < 0)
		return ret;
	if (c->own_proc)
		return hang(self, "/proc/self", err);
	mkdir("proc/self", 0755);
	if (c->program && symlink(c->program, "proc/self/exe") < 0)
		return vbm_fail(err, errno, "cannot make /proc/self/exe: %m");
	return 0;
}

/* Mounts an empty file or folder over each secret. */
static int hide_secrets(const char *folder, struct vbm_error *err)
{
	auto_close int fd = open(below(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct confine_secrets s = {0};
	struct stat st;
	size_t i;
	int ret = 0;

	if (fd >= 0)
		confine_secrets_find(&s, fd);
	for (i = 0; ret == 0 && i < s.count; i++) {
		auto_free char *path = xasprintf("%s/%s", below(folder), s.path[i]);
		const char *nothing = "proc/nothing-to-read";

		if (lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			nothing = "proc/nothing";
		if (mount(nothing, path, NULL, MS_BIND, NULL) < 0)
			ret = vbm_fail(err, errno, "cannot hide /%s: %m", path);
	}
	confine_secrets_fini(&s);
	return ret;
}

static int hide_all_secrets(struct vbm_error *err)
{
	const char *const *folder;
	int ret = 0;

	mkdir("proc/nothing", 0);
	mknod("proc/nothing-to-read", S_IFREG, 0);
	for (folder = confine_settings; ret == 0 && *folder; folder++)
		ret = hide_secrets(*folder, err);
	return ret;
}

static int make_root(const struct confine *c, struct vbm_error *err)
{
	/* A guest mounts its own file systems on these folders, and programs expect them. */
	static const char *const places[] = {
		"dev", "proc", "sys", "run", "tmp", "var", "var/tmp", "home", "root", "mnt", "media", "srv",
	};
	auto_close int all = c->sees_all ? clone_mount("/", false) : -1;
	size_t i;

	if (c->sees_all && all < 0)
		return vbm_fail(err, errno, "cannot copy the mounts: %m");
	if (c->sees_all ? move_mount(all, "", AT_FDCWD, BASE, MOVE_MOUNT_F_EMPTY_PATH) < 0 :
			  mount("tmpfs", BASE, "tmpfs", MS_NOSUID, ROOT_MODE ",size=16m") < 0)
		return vbm_fail(err, errno, "cannot mount a new root: %m");
	if (chdir(BASE) < 0)
		return vbm_fail(err, errno, "cannot enter the new root: %m");
	for (i = 0; !c->sees_all && i < ARRAY_SIZE(places); i++)
		mkdir(places[i], 0755);
	if (!c->sees_all && (chmod("tmp", 01777) < 0 || chmod("var/tmp", 01777) < 0 ||
			     symlink("/run", "var/run") < 0))
		return vbm_fail(err, errno, "cannot make the new root: %m");
	return 0;
}

static void link_system(void)
{
	const char *const *path;
	char target[64];
	ssize_t n;

	for (path = confine_system; *path; path++) {
		n = readlink(*path, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = '\0';
			(void)!symlink(target, below(*path));
		}
	}
}

static int close_root(bool sees_all, struct vbm_error *err)
{
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return vbm_fail(err, errno, "cannot leave the old root: %m");
	if (!sees_all && mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, NULL) < 0)
		return vbm_fail(err, errno, "cannot make the new root read-only: %m");
	return 0;
}

int confine_view(const struct confine *c, struct vbm_error *err)
{
	auto_sources struct confine_view_sources s = {0};
	auto_free char *own = xasprintf("/proc/%d", getpid());
	auto_close int self = -1;
	size_t i;
	int ret;

	/* Otherwise these mounts would appear outside. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return vbm_fail(err, errno, "cannot keep mounts apart: %m");
	self = clone_mount(own, false);
	ret = collect_sources(&s, c, err);
	if (ret == 0)
		ret = make_root(c, err);
	if (ret == 0)
		ret = make_dev(c, err);
	if (ret == 0)
		ret = make_proc(c, self, err);
	for (i = 0; ret == 0 && i < s.count; i++)
		ret = hang(s.item[i].fd, s.item[i].path, err);
	if (ret == 0 && !c->sees_all) {
		link_system();
		ret = c->sees_settings ? hide_all_secrets(err) : 0;
	}
	return ret ? ret : close_root(c->sees_all, err);
}
