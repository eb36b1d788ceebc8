/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/guest.h"
#include "guest/image.h"

#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "guest/kernel.h"
#include "lib/base/fail.h"
#include "names/device-words.h"
#include "process/program.h"

/* Raise this number when the code makes another image from the same contents. */
#define PLAN_VERSION 1

static const char *const other_modules[] = {
	"virtio_pci", "virtio_console", "veth", "bridge", KERNEL_NETEM "?", NULL,
};
static const char *const root_modules[] = {
	"virtio_pci", "virtio_console", "veth", "bridge", "9pnet_virtio", "9p", "overlay",
	"configfs?", KERNEL_NETEM "?", NULL,
};

static const struct {
	const char *path, *text;
} texts[] = {
	{"/etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n"},
	{"/etc/resolv.conf", ""},
	{"/etc/services", ""},	/* used if this machine has no such file */
	{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"
			       "services: files\nprotocols: files\n"},
	{"/etc/passwd", "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"},
	{"/etc/group", "root:x:0:\nnogroup:x:65534:\n"},
};

static const char *const wanted_files[] = {
	"/etc/services", "/etc/protocols", "/etc/ld.so.cache",
};

static void add_content(struct contents *contents, enum contents_kind kind, const char *path, const char *source)
{
	GROW(contents->entry, contents->count);
	contents->entry[contents->count++] = (struct contents_entry){
		.kind = kind,
		.path = xstrdup(path),
		.source = xstrdup(source),
	};
}

/* Resolve links in the path of the folder: /lib/x is /usr/lib/x on most hosts. */
static void add_file(struct contents *contents, const char *path)
{
	auto_free char *d = xstrdup(path), *b = xstrdup(path);
	auto_free char *dir = realpath(dirname(d), NULL);
	auto_free char *where = NULL;

	if (!dir)
		return;
	where = xasprintf("%s/%s", strcmp(dir, "/") ? dir : "", basename(b));
	add_content(contents, CONTENT_FILE, where, path);
}

static void add_root_links(struct contents *contents)
{
	static const char *const links[] = {"/bin", "/sbin", "/lib", "/lib64"};
	char target[PATH_MAX];
	ssize_t n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		n = readlink(links[i], target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		add_content(contents, CONTENT_SYMLINK, links[i], target);
	}
}

/* glibc loads this library by name when a process ends a thread. */
static void add_libgcc(const struct string_list *libs, struct string_list *more)
{
	struct stat st;
	size_t i;

	for (i = 0; i < libs->count; i++) {
		auto_free char *copy = xstrdup(libs->item[i]);
		auto_free char *path = xasprintf("%s/libgcc_s.so.1", dirname(copy));

		if (stat(path, &st) == 0) {
			string_list_add(more, path);
			return;
		}
	}
}

/*
 * @dir is the folder of the loaded libibverbs, of the caller's LD_LIBRARY_PATH or of the
 * machine.
 */
static int explain_no_provider(const char *dir, const char *pattern,
			       const struct device_type *device, struct vbm_error *err)
{
	auto_free char *in_place = xasprintf("%s/librdmacm.so.1", dir);
	const char *path = getenv("LD_LIBRARY_PATH");

	if (path && *path && access(in_place, F_OK) == 0)
		return vbm_fail(err, ENOENT, "LD_LIBRARY_PATH (%s) leads to the rdma-core in %s, which "
				"was not installed there: it has no %s; to measure it, unset "
				"LD_LIBRARY_PATH and say --target %s", path, dir, pattern, dir);
	return vbm_fail(err, ENOENT, "no %s provider (%s); install it: apt-get install "
			"ibverbs-providers", device->provider, pattern);
}

/* The provider is below the folder of the libibverbs that will load it. */
static int add_provider(const struct string_list *libs, struct string_list *more,
			const struct device_type *device, bool needed, struct vbm_error *err)
{
	size_t i, j, before = more->count;
	glob_t found;

	for (i = 0; i < libs->count; i++) {
		auto_free char *copy = xstrdup(libs->item[i]);
		auto_free char *dir = realpath(dirname(copy), NULL);
		auto_free char *pattern = NULL;

		if (!strstr(libs->item[i], "/libibverbs.so") || !dir)
			continue;
		pattern = xasprintf("%s/libibverbs/lib%s-rdmav*.so", dir, device->provider);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (j = 0; j < found.gl_pathc; j++)
				string_list_add(more, found.gl_pathv[j]);
		globfree(&found);
		if (more->count == before && needed)
			return explain_no_provider(dir, pattern, device, err);
	}
	return 0;
}

/* A scenario may give a host a device of another type than @devices, so an image has the providers of all. */
static int add_providers(const struct string_list *libs, struct string_list *more, const struct device_words *devices,
			 struct vbm_error *err)
{
	const struct device_type *type;
	int ret = 0;
	size_t i;

	for (i = 0; ret == 0 && (type = device_type_nth(i)); i++)
		ret = add_provider(libs, more, type, device_words_have(devices, DEVICE_HOSTS, type), err);
	return ret;
}

static int add_program(struct contents *contents, const struct device_words *devices, struct vbm_error *err)
{
	auto_string_list struct string_list libs = {0}, more = {0};
	auto_free char *self = realpath("/proc/self/exe", NULL);
	size_t i;
	int ret;

	if (!self)
		return vbm_fail(err, errno, "cannot find this program by /proc/self/exe: %m (is /proc mounted?)");
	add_content(contents, CONTENT_PROGRAM, "/init", self);
	ret = program_libraries(self, &libs, err);
	if (ret == 0)
		ret = add_providers(&libs, &more, devices, err);
	add_libgcc(&libs, &more);
	for (i = 0; ret == 0 && i < more.count; i++) {
		string_list_add(&libs, more.item[i]);
		ret = program_libraries(more.item[i], &libs, err);
	}
	for (i = 0; i < libs.count; i++)
		add_file(contents, libs.item[i]);
	return ret;
}

static int add_modules(struct contents *contents, const struct kernel *k, const char *const *names,
		       const char *list_path, struct vbm_error *err)
{
	auto_string_list struct string_list paths = {0};
	auto_free char *dir = xasprintf("%s/lib/modules/%s", k->root, k->release);
	auto_free char *list = xstrdup("");
	size_t i;
	int ret;

	ret = kernel_check_lists(k, err);
	if (ret < 0)
		return ret;
	ret = modules_closure(dir, names, &paths, err);
	if (ret < 0 && k->in_store)
		return kernel_is_damaged(k, err->msg, err);
	if (ret < 0)
		return vbm_wrap(err, "kernel %s", k->release);
	ret = kernel_check_modules(k, &paths, err);
	if (ret < 0)
		return ret;
	for (i = 0; i < paths.count; i++) {
		auto_free char *name = module_name(paths.item[i]);
		auto_free char *where = xasprintf("%s/%s.ko", GUEST_MODULES, name);
		char *longer = xasprintf("%s%s\n", list, where);

		/*
		 * Debian's kernels load modules without a signature; others may
		 * not.
		 */
		add_content(contents, k->suite[0] ? CONTENT_MODULE : CONTENT_SIGNED_MODULE, where,
			    paths.item[i]);
		free(list);
		list = longer;
	}
	add_content(contents, CONTENT_TEXT, list_path, list);
	return 0;
}

/*
 * The modules of a driver do not name all that it asks for, and not every kernel has those. A kernel may lack the driver of
 * a type that the run does not name.
 */
static int add_rdma_modules(struct contents *contents, const struct kernel *kernel,
			    const struct device_words *devices, struct vbm_error *err)
{
	auto_string_list struct string_list names = {0};
	auto_free const char **list = NULL;
	const struct device_type *type;
	size_t i;

	for (i = 0; (type = device_type_nth(i)); i++) {
		auto_free char *need = type->first_need ? xasprintf("%s?", type->first_need) : NULL;
		auto_free char *module = xasprintf("%s%s", type->module, device_words_have(devices, DEVICE_HOSTS, type) ? "" : "?");

		if (need)
			string_list_add(&names, need);
		string_list_add(&names, module);
	}
	string_list_add(&names, "ib_uverbs");
	string_list_add(&names, "rdma_ucm");
	list = xcalloc(names.count + 1, sizeof(*list));
	memcpy(list, names.item, names.count * sizeof(*list));
	return add_modules(contents, kernel, list, GUEST_MODULE_LIST, err);
}

static int add_all_modules(struct contents *contents, const struct kernel *kernel,
			   const struct device_words *devices, enum guest_files seen, struct vbm_error *err)
{
	int ret = add_rdma_modules(contents, kernel, devices, err);

	return ret ? ret : add_modules(contents, kernel, seen ? root_modules : other_modules,
				       GUEST_MODULE_LIST2, err);
}

int contents_base(struct contents *contents, const struct kernel *kernel,
		  const struct device_words *devices, enum guest_files seen, struct vbm_error *err)
{
	const struct device_type *type;
	size_t i;
	int ret;

	add_root_links(contents);
	ret = add_program(contents, devices, err);
	if (ret == 0 && kernel->kind == KERNEL_GUEST)
		ret = add_all_modules(contents, kernel, devices, seen, err);
	if (ret < 0)
		return ret;
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		add_content(contents, CONTENT_TEXT, texts[i].path, texts[i].text);
	for (i = 0; i < ARRAY_SIZE(wanted_files); i++)
		if (access(wanted_files[i], R_OK) == 0)
			add_file(contents, wanted_files[i]);
	for (i = 0; (type = device_type_nth(i)); i++) {
		auto_free char *driver = xasprintf("/etc/libibverbs.d/%s.driver", type->provider);

		if (access(driver, R_OK) == 0)
			add_file(contents, driver);
	}
	return 0;
}

int contents_files(struct contents *contents, const char *const *files, struct vbm_error *err)
{
	auto_string_list struct string_list all = {0};
	size_t i;
	int ret;

	for (; files && *files; files++) {
		auto_free char *path = realpath(*files, NULL);

		if (!path)
			return vbm_fail(err, errno, "cannot take %s into the guest: %m", *files);
		add_file(contents, **files == '/' ? *files : path);
		ret = program_libraries(path, &all, err);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < all.count; i++)
		add_file(contents, all.item[i]);
	return 0;
}

static void mix(uint64_t *hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		*hash = (*hash ^ *p++) * 0x100000001b3ull;	/* FNV-1a */
}

uint64_t contents_hash(const struct contents *contents)
{
	uint64_t hash = 0xcbf29ce484222325ull + PLAN_VERSION;
	const struct contents_entry *e;
	struct stat st;

	for (e = contents->entry; e < contents->entry + contents->count; e++) {
		mix(&hash, &e->kind, sizeof(e->kind));
		mix(&hash, e->path, strlen(e->path) + 1);
		mix(&hash, e->source, strlen(e->source) + 1);
		if (e->kind == CONTENT_TEXT || e->kind == CONTENT_SYMLINK || stat(e->source, &st) < 0)
			continue;
		mix(&hash, &st.st_size, sizeof(st.st_size));
		mix(&hash, &st.st_mtim, sizeof(st.st_mtim));
		mix(&hash, &st.st_ino, sizeof(st.st_ino));
	}
	return hash;
}

void contents_fini(struct contents *contents)
{
	size_t i;

	for (i = 0; i < contents->count; i++) {
		free(contents->entry[i].path);
		free(contents->entry[i].source);
	}
	free(contents->entry);
	memset(contents, 0, sizeof(*contents));
}
