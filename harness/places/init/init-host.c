/* SPDX-License-Identifier: BSD-2-Clause */
#include "init/init.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "job/counted.h"
#include "guest/guest.h"
#include "lib/base/fail.h"

#define BELOW "/below"
#define COVERAGE "/coverage"

/* How to mount the host's folders, for each type of file system. */
struct way {
	const char *type;
	const char *root, *share, *kept;	/* the source; a number follows that of a share */
	const char *data, *root_data;	/* NULL: the folder itself is the data */
};

#define V9P "trans=virtio,version=9p2000.L,msize=262144"

static const struct way ways[] = {
	{"9p", GUEST_TAG_ROOT, GUEST_TAG_SHARE, GUEST_TAG_KEPT, V9P, V9P ",cache=loose"},
	{"hostfs", "none", "none", "none", NULL, "/"},
};

static int bind_below(const char *what, struct vbm_error *err)
{
	auto_free char *where = xasprintf(INIT_HOST_ROOT "%s", what);

	if (mount(what, where, NULL, MS_BIND | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot mount %s: %m", where);
	return 0;
}

static const struct way *way_of(const char *type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(ways[i].type, type))
			return &ways[i];
	return NULL;
}

int init_mount_share(const char *type, int number, const char *share, struct vbm_error *err)
{
	const struct way *w = way_of(type);
	const char *path = share + strlen("rw:");
	auto_free char *where = xasprintf(INIT_HOST_ROOT "%s", path);
	auto_free char *source = w ? xasprintf("%s%d", w->share, number) : NULL;
	unsigned long flags = strncmp(share, "ro:", 3) == 0 ? MS_RDONLY : 0;

	if (!w || mount(source, where, w->type, flags, w->data ? w->data : path) < 0)
		return vbm_fail(err, errno, "cannot mount the shared folder %s: %m", path);
	return 0;
}

int init_mount_kept(const char *type, const char *path, struct vbm_error *err)
{
	const struct way *w = way_of(type);

	mkdir(GUEST_KEPT, 0755);
	if (!w || mount(w->kept, GUEST_KEPT, w->type, 0, w->data ? w->data : path) < 0)
		return vbm_fail(err, errno, "cannot mount the folder for the files to keep, %s: %m", path);
	return 0;
}

/*
 * If this machine's root has another number here, as in another user's user namespace,
 * its programs with a set-user-ID bit would run as nobody.
 */
static unsigned long layer_flags(void)
{
	struct stat st;

	return stat(BELOW, &st) == 0 && st.st_uid != 0 ? MS_NOSUID : 0;
}

int init_mount_host(const char *type, struct vbm_error *err)
{
	static const char *const ours[] = {"/proc", "/sys", "/dev", "/run"};
	static const char *const folders[] = {BELOW, "/layer", INIT_HOST_ROOT};
	const struct way *w = way_of(type);
	size_t i;
	int ret = 0;

	if (!w)
		return vbm_fail(err, EINVAL,
				"the host's file system has the type %s, which init does not know", type);
	for (i = 0; i < ARRAY_SIZE(folders); i++)
		mkdir(folders[i], 0755);
	if (mount(w->root, BELOW, w->type, MS_RDONLY, w->root_data) < 0)
		return vbm_fail(err, errno, "cannot mount the host's file system: %m");
	if (mount("tmpfs", "/layer", "tmpfs", 0, "mode=0755") < 0 ||
	    mkdir("/layer/upper", 0755) < 0 || mkdir("/layer/work", 0755) < 0 ||
	    mount("overlay", INIT_HOST_ROOT, "overlay", layer_flags(),
		  "lowerdir=" BELOW ",upperdir=/layer/upper,workdir=/layer/work") < 0)
		return vbm_fail(err, errno, "cannot put a layer over the host's files: %m");
	for (i = 0; ret == 0 && i < ARRAY_SIZE(ours); i++)
		ret = bind_below(ours[i], err);
	return ret;
}

int init_show_modules(const char *dir, struct vbm_error *err)
{
	auto_free char *where = NULL;
	auto_free char *below = xasprintf(INIT_HOST_ROOT "%s", dir);
	struct utsname u;
	int ret;

	uname(&u);
	where = xasprintf(INIT_HOST_ROOT "/lib/modules/%s", u.release);
	if (strcmp(below, where) == 0)
		return 0;
	ret = file_make_dirs(where, err);
	if (ret < 0)
		return ret;
	if (mount(below, where, NULL, MS_BIND, NULL) < 0)
		return vbm_fail(err, errno, "cannot mount the kernel's modules %s: %m", where);
	return 0;
}

int init_mount_coverage(const char *dir, struct vbm_error *err)
{
	auto_free char *id = NULL, *ours = NULL, *programs = NULL;
	int ret = file_read("/proc/sys/kernel/random/boot_id", &id, NULL, err);

	if (ret < 0)
		return ret;
	id[strcspn(id, "\n")] = '\0';
	ours = xasprintf(COVERAGE "/%s", id);
	programs = xasprintf("%s/programs", ours);
	mkdir(COVERAGE, 0755);
	if (mount("none", COVERAGE, "hostfs", 0, dir) < 0 || mkdir(ours, 0755) < 0)
		return vbm_fail(err, errno, "cannot make the folder %s for the counts of gcov: %m", dir);
	setenv(COUNTED_FOLDER, ours, 1);
	setenv("GCOV_PREFIX", programs, 1);
	return 0;
}
