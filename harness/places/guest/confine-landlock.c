/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* Headers may be older than the kernel. */
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
#define SCOPE_ABSTRACT_SOCKETS 1ull
#define SCOPE_SIGNALS 2ull

#define FS_READ (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_CHANGE                                                                           \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                    \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                     \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                       \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER | \
	 FS_TRUNCATE)
#define FS_DEVICES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)
#define FS_OF_FILES                                                                          \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 FS_TRUNCATE | FS_IOCTL_DEV)

/* The form since Linux 6.12; older kernels take only the first one or two members. */
struct ruleset_attr {
	uint64_t fs, net, scoped;
};

/* The rights that each version of the interface added. */
static const struct {
	int abi;
	uint64_t fs, scoped;
} brought[] = {
	{2, LANDLOCK_ACCESS_FS_REFER, 0},
	{3, FS_TRUNCATE, 0},
	{5, FS_IOCTL_DEV, 0},
	{6, 0, SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS},
};

/* The first version with a right for truncate(2). */
#define ABI_MIN 3

struct rules {
	int fd;
	uint64_t handled;
};

static int abi_here(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool confine_landlock_is_there(void)
{
	return abi_here() >= ABI_MIN;
}

static int allow_fd(const struct rules *r, int fd, uint64_t access, struct vbm_error *err)
{
	struct landlock_path_beneath_attr rule = {.parent_fd = fd, .allowed_access = access & r->handled};
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= FS_OF_FILES;
	if (!rule.allowed_access)
		return 0;
	if (syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0 &&
	    errno != EBADFD)	/* in memory, and so not subject to rules */
		return vbm_fail(err, errno, "cannot add a rule of Landlock: %m");
	return 0;
}

static int allow_at(const struct rules *r, int dir, const char *path, uint64_t access,
		    struct vbm_error *err)
{
	auto_close int fd = openat(dir, path, O_PATH | O_CLOEXEC);

	return fd < 0 ? 0 : allow_fd(r, fd, access, err);
}

static int allow(const struct rules *r, const char *path, uint64_t access, struct vbm_error *err)
{
	return allow_at(r, AT_FDCWD, path, access, err);
}

/*
 * Returns 0 if nothing at @path or below it is secret, 1 if something below it is, 2 if
 * @path itself is.
 */
static int secrecy(const struct confine_secrets *s, const char *path)
{
	size_t i, n = strlen(path);

	for (i = 0; i < s->count; i++) {
		if (!strcmp(s->path[i], path))
			return 2;
		if (!strncmp(s->path[i], path, n) && s->path[i][n] == '/')
			return 1;
	}
	return 0;
}

/*
 * A rule cannot exclude an entry, so in a folder with a secret each other entry gets a
 * rule.
 */
static int allow_rest(const struct rules *r, int fd, const struct confine_secrets *s, const char *prefix,
		      struct vbm_error *err)
{
	auto_dir DIR *dir = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	const struct dirent *d;
	int ret = 0;

	while (ret == 0 && dir && (d = readdir(dir))) {
		auto_free char *path = xasprintf("%s%s", prefix, d->d_name), *more = xasprintf("%s/", path);
		auto_close int sub = -1;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		switch (secrecy(s, path)) {
		case 0:
			ret = allow_at(r, fd, d->d_name, FS_READ, err);
			break;
		case 1:
			sub = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (sub >= 0)
				ret = allow_rest(r, sub, s, more, err);
			break;
		}
	}
	return ret;
}

static int allow_settings(const struct rules *r, const char *path, struct vbm_error *err)
{
	auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct confine_secrets s = {0};
	int ret;

	if (fd < 0)
		return 0;
	confine_secrets_find(&s, fd);
	ret = allow_fd(r, fd, LANDLOCK_ACCESS_FS_READ_DIR, err);
	if (ret == 0)
		ret = allow_rest(r, fd, &s, "", err);
	confine_secrets_fini(&s);
	return ret;
}

static int allow_system(const struct rules *r, bool settings, struct vbm_error *err)
{
	const char *const *path;
	int ret = allow(r, "/proc/cpuinfo", FS_READ, err);

	if (ret == 0)
		ret = allow(r, "/proc/self", FS_READ, err);
	for (path = confine_system; ret == 0 && *path; path++)
		ret = allow(r, *path, FS_READ, err);
	for (path = confine_settings; settings && ret == 0 && *path; path++)
		ret = allow_settings(r, *path, err);
	return ret;
}

static int allow_devices(const struct rules *r, const struct confine *c, bool mounted,
			 struct vbm_error *err)
{
	static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
					       "/dev/urandom"};
	const uint64_t access = FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE;
	int ret = mounted ? allow(r, "/dev", FS_READ | FS_CHANGE, err) : 0;
	size_t i;

	if (ret == 0 && mounted)
		ret = allow(r, "/dev/pts", access | FS_IOCTL_DEV, err);

	for (i = 0; ret == 0 && i < ARRAY_SIZE(harmless); i++)
		ret = allow(r, harmless[i], access, err);
	return ret == 0 && c->kvm ? allow(r, "/dev/kvm", access | FS_IOCTL_DEV, err) : ret;
}

static int add_rules(const struct rules *r, const struct confine *c, bool mounted, struct vbm_error *err)
{
	size_t i;
	int ret = allow_devices(r, c, mounted, err);

	/* Without mounts the process uses the original files. */
	if (ret == 0 && c->copied_fd >= 0)
		ret = allow_fd(r, c->copied_fd, FS_READ, err);
	if (ret == 0 && c->written_fd >= 0)
		ret = allow_fd(r, c->written_fd, LANDLOCK_ACCESS_FS_WRITE_FILE, err);
	for (i = 0; ret == 0 && i < c->paths; i++)
		ret = allow(r, c->path[i].path, FS_READ | (c->path[i].writable ? FS_CHANGE : 0), err);
	if (ret == 0 && !c->sees_all && c->program)
		ret = allow(r, c->program, FS_READ, err);
	return ret == 0 && !c->sees_all ? allow_system(r, c->sees_settings, err) : ret;
}

int confine_landlock(const struct confine *c, bool mounted, struct vbm_error *err)
{
	struct ruleset_attr attr = {.fs = (FS_CHANGE | FS_DEVICES) & ~(LANDLOCK_ACCESS_FS_REFER | FS_TRUNCATE)};
	auto_close int fd = -1;
	int abi = abi_here(), ret;
	size_t i;

	/* With mounts, secret files are hidden already. */
	if (!c->sees_all && !mounted)
		attr.fs |= FS_READ;
	for (i = 0; i < ARRAY_SIZE(brought); i++) {
		attr.fs |= abi >= brought[i].abi ? brought[i].fs : 0;
		attr.scoped |= abi >= brought[i].abi ? brought[i].scoped : 0;
	}
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0)
		return vbm_fail(err, errno, "cannot make rules of Landlock: %m");
	ret = add_rules(&(struct rules){fd, attr.fs}, c, mounted, err);
	if (ret == 0 && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		ret = vbm_fail(err, errno, "cannot set rules of Landlock: %m");
	return ret;
}
