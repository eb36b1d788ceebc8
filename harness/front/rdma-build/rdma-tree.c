/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdma-build/rdma-tree.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "names/rdma-core.h"

static const char *machine_name(unsigned int machine)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{EM_X86_64, "x86-64"}, {EM_386, "i386"},     {EM_AARCH64, "arm64"},
		{EM_ARM, "arm"},       {EM_PPC64, "ppc64"},  {EM_S390, "s390"},
		{EM_RISCV, "riscv"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another machine";
}

static int read_header(const char *path, Elf64_Ehdr *eh, struct vbm_error *err)
{
	auto_close int fd = file_open(path, err);

	if (fd < 0)
		return fd;
	/* The headers of 32 and of 64 bits are the same up to the member for the machine. */
	if (read(fd, eh, sizeof(*eh)) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return vbm_fail(err, ENOEXEC, "%s is no shared object", path);
	return 0;
}

int rdma_tree_check_object(const char *path, struct vbm_error *err)
{
	Elf64_Ehdr it, self;
	int ret = read_header(path, &it, err);

	if (ret == 0)
		ret = read_header("/proc/self/exe", &self, err);
	if (ret < 0)
		return ret;
	if (it.e_machine == self.e_machine &&
	    it.e_ident[EI_CLASS] == self.e_ident[EI_CLASS] &&
	    it.e_ident[EI_DATA] == self.e_ident[EI_DATA])
		return 0;
	return vbm_fail(err, ENOEXEC, "%s is built for %s (%d bits), and this program for %s "
			"(%d bits)", path, machine_name(it.e_machine),
			it.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64, machine_name(self.e_machine),
			self.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64);
}

#define LIBRDMACM "librdmacm.so.1"
#define LIBIBVERBS "libibverbs.so.1"

/* A guest's kernel command line has the path four times, and at most 2048 bytes. */
#define PATH_LENGTH_MAX 400

/*
 * The folders of the libraries below the named folder: of a build, of an installation, or
 * the folder itself.
 */
static const char *const lib_folders[] = {"/lib", "/lib64", ""};

/* The folders of the providers below the libraries' folder: of a build, of an installation. */
static const char *const provider_folders[] = {"", "/libibverbs"};

static bool is_there(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	return access(path, F_OK) == 0;
}

static char *find_lib(const char *dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lib_folders); i++) {
		auto_free char *lib = xasprintf("%s%s", dir, lib_folders[i]);

		if (is_there(lib, LIBRDMACM))
			return steal(&lib);
	}
	return NULL;
}

static int explain_none(const char *dir, struct vbm_error *err)
{
	if (is_there(dir, "build/lib/" LIBRDMACM))
		return vbm_fail(err, ENOENT, "%s is a source tree of rdma-core; name its build: "
				"%s/build", dir, dir);
	if (is_there(dir, "librdmacm/cma.c"))
		return vbm_fail(err, ENOENT, "%s is a source tree of rdma-core that is not built; "
				"build it (./build.sh there), then name %s/build", dir, dir);
	if (is_there(dir, "CMakeCache.txt"))
		return vbm_fail(err, ENOENT, "%s is not built yet: it has no lib/" LIBRDMACM
				"; build it: cmake --build %s", dir, dir);
	return vbm_fail(err, ENOENT, "%s is no build of rdma-core: it has no lib/" LIBRDMACM, dir);
}

/* Says how to build @target of the tree, as a part of a message. The caller frees it. */
static char *way_to_get(const struct rdma_tree *t, const char *target)
{
	auto_free char *build = xstrndup(t->lib, (size_t)(strrchr(t->lib, '/') - t->lib));

	if (is_there(build, "CMakeCache.txt"))
		return xasprintf("build it: cmake --build %s --target %s", build, target);
	return xasprintf("it belongs to the same rdma-core; %s was not built there, so "
			 "install all of it", t->lib);
}

static int explain_no_provider(const struct rdma_tree *t, const struct device_type *device, const char *suffix,
			       struct vbm_error *err)
{
	auto_free char *target = xasprintf("%s%.*s", device->provider, (int)strcspn(suffix, "."), suffix);
	auto_free char *way = way_to_get(t, target);

	return vbm_fail(err, ENOENT, "%s has no provider for %s: %s/lib%s%s is missing; %s", t->dir,
			device->name, t->lib, device->provider, suffix, way);
}

/* Finds the provider of one type. 1: there is none. */
static int find_provider(const struct rdma_tree *t, const struct device_type *device, const char *suffix, char **out,
			 struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(provider_folders); i++) {
		auto_free char *path = xasprintf("%s%s/lib%s%s", t->lib, provider_folders[i],
						 device->provider, suffix);

		if (access(path, F_OK) == 0) {
			*out = steal(&path);
			return rdma_tree_check_object(*out, err);
		}
	}
	return 1;
}

/*
 * A tree that was built more than once has providers of several versions. A provider that is needed must be there; the others
 * are for scenarios that give a host a device of another type.
 */
static int find_providers(struct rdma_tree *t, const struct device_words *devices, struct vbm_error *err)
{
	const struct device_type *type;
	auto_free char *data = NULL;
	char suffix[32];
	size_t len, i;
	int ret;

	ret = file_read(t->libibverbs, &data, &len, err);
	if (ret < 0)
		return ret;
	if (rdma_core_provider_suffix(data, len, suffix, sizeof(suffix)) < 0)
		return vbm_fail(err, ENOENT, "%s loads no providers (no name ends with "
				"-rdmavNN.so in it)", t->libibverbs);
	for (i = 0; ret >= 0 && (type = device_type_nth(i)); i++) {
		ret = find_provider(t, type, suffix, &t->provider[i], err);
		if (ret == 1 && device_words_have(devices, DEVICE_HOSTS, type))
			ret = explain_no_provider(t, type, suffix, err);
	}
	return ret < 0 ? ret : 0;
}

/* The version is in the file's name; the sources may be newer than the build. */
static void find_version(struct rdma_tree *t)
{
	static const char *const builds[] = {"include/config.h", "../include/config.h",
					     "../CMakeLists.txt", "../../CMakeLists.txt"};
	size_t i;

	t->version[0] = '\0';
	if (rdma_core_parse(t->file, t->version, sizeof(t->version)) == 0)
		return;
	for (i = 0; i < ARRAY_SIZE(builds); i++) {
		auto_free char *path = xasprintf("%s/%s", t->dir, builds[i]);
		auto_free char *text = NULL;

		if (file_read(path, &text, NULL, NULL) == 0 &&
		    rdma_core_parse_build(text, t->version, sizeof(t->version)) == 0)
			return;
	}
}

static int check_path(const char *path, struct vbm_error *err)
{
	if (strpbrk(path, " \t\n\"'\\:;$"))
		return vbm_fail(err, EINVAL, "the dynamic linker cannot use a path with a blank, a "
				"quote or one of \\:;$ in it: %s", path);
	if (strlen(path) > PATH_LENGTH_MAX)
		return vbm_fail(err, EINVAL, "%s: a target's path has %d bytes at most", path,
				PATH_LENGTH_MAX);
	return 0;
}

/* A build in place looks for the path service below the build. */
static void find_services(struct rdma_tree *t)
{
	auto_free char *data = NULL;
	size_t len;

	if (file_read(t->file, &data, &len, NULL) == 0)
		t->services = rdma_core_service_folder(data, len);
	if (t->services && check_path(t->services, NULL) < 0) {
		free(t->services);
		t->services = NULL;
	}
}

static int open_lib(struct rdma_tree *t, const struct device_words *devices, struct vbm_error *err)
{
	auto_free char *way = NULL;
	int ret = check_path(t->lib, err);

	if (ret < 0)
		return ret;
	t->librdmacm = xasprintf("%s/" LIBRDMACM, t->lib);
	t->libibverbs = xasprintf("%s/" LIBIBVERBS, t->lib);
	t->file = realpath(t->librdmacm, NULL);
	if (!t->file)
		return vbm_fail(err, errno, "%s: %s", t->librdmacm, strerror(errno));
	if (access(t->libibverbs, F_OK) < 0) {
		way = way_to_get(t, "ibverbs");
		return vbm_fail(err, ENOENT, "%s has librdmacm but no libibverbs: %s is missing; %s",
				t->dir, t->libibverbs, way);
	}
	ret = rdma_tree_check_object(t->librdmacm, err);
	if (ret == 0)
		ret = rdma_tree_check_object(t->libibverbs, err);
	return ret < 0 ? ret : find_providers(t, devices, err);
}

static void find_configs(struct rdma_tree *t)
{
	const struct device_type *type;
	size_t i;

	for (i = 0; (type = device_type_nth(i)); i++) {
		auto_free char *path = xasprintf("%s/etc/libibverbs.d/%s.driver", t->dir, type->provider);

		if (t->provider[i] && access(path, F_OK) == 0)
			t->config[i] = steal(&path);
	}
}

int rdma_tree_open(struct rdma_tree *t, const char *path, const struct device_words *devices,
		   struct vbm_error *err)
{
	const struct device_words usual = {0};
	struct stat st;
	bool is_file;
	int ret;

	*t = (struct rdma_tree){.dir = realpath(path, NULL)};
	if (!t->dir)
		return vbm_fail(err, errno, "target %s: %s", path, strerror(errno));
	is_file = stat(t->dir, &st) == 0 && !S_ISDIR(st.st_mode);
	if (is_file)
		*strrchr(t->dir, '/') = '\0';
	t->lib = find_lib(t->dir);
	if (t->lib)
		ret = open_lib(t, devices ? devices : &usual, err);
	else if (is_file)
		ret = vbm_fail(err, ENOENT, "%s is no file of a build of rdma-core: " LIBRDMACM " is not beside it", path);
	else
		ret = explain_none(t->dir, err);
	if (ret < 0) {
		rdma_tree_fini(t);
		return ret;
	}
	find_configs(t);
	find_version(t);
	find_services(t);
	return 0;
}

void rdma_tree_fini(struct rdma_tree *t)
{
	char *all[] = {t->dir, t->lib, t->librdmacm, t->libibverbs, t->file, t->services};
	size_t i;

	for (i = 0; i < DEVICE_TYPES_MAX; i++) {
		free(t->provider[i]);
		free(t->config[i]);
	}
	for (i = 0; i < ARRAY_SIZE(all); i++)
		free(all[i]);
	*t = (struct rdma_tree){0};
}

bool rdma_tree_has(const char *path)
{
	struct rdma_tree t;
	struct stat it, its;
	bool has;

	if (rdma_tree_open(&t, path, NULL, NULL) < 0)
		return false;
	has = stat(path, &it) == 0 && stat(t.librdmacm, &its) == 0 && it.st_dev == its.st_dev &&
	      it.st_ino == its.st_ino;
	rdma_tree_fini(&t);
	return has;
}

/* A library of a run, its folder in the sources and its target there. */
struct tree_age_part {
	const char *library, *folder, *target;
};

static bool is_newer(const char *path, const char *than)
{
	struct stat a, b;

	if (stat(path, &a) < 0 || stat(than, &b) < 0)
		return false;
	return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec :
						      a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

/* The folder of the sources, from cmake's cache; NULL: the cache does not name one. */
static char *sources_of(const char *build)
{
	static const char word[] = "CMAKE_HOME_DIRECTORY:INTERNAL=";
	auto_free char *path = xasprintf("%s/CMakeCache.txt", build), *text = NULL;
	char *at, *line;

	if (file_read(path, &text, NULL, NULL) < 0)
		return NULL;
	for (at = text; (line = file_next_line(&at));)
		if (!strncmp(line, word, strlen(word)))
			return xstrdup(line + strlen(word));
	return NULL;
}

/*
 * Each object is compiled from one source, so sources are compared with objects, headers
 * with the library.
 */
static bool is_uncompiled(const char *sources, const char *build, const struct tree_age_part *p,
			  const char *name)
{
	auto_free char *source = xasprintf("%s/%s/%s", sources, p->folder, name);
	auto_free char *object = xasprintf("%s/%s/CMakeFiles/%s.dir/%s.o", build, p->folder,
					   p->target, name);
	const char *dot = strrchr(name, '.');

	if (dot && !strcmp(dot, ".h"))
		return is_newer(source, p->library);
	return dot && !strcmp(dot, ".c") && is_newer(source, object);
}

/* The name of a source file that is newer; NULL: no file is newer. */
static char *find_newer(const char *sources, const char *build, const struct tree_age_part *p)
{
	auto_free char *path = xasprintf("%s/%s", sources, p->folder);
	auto_dir DIR *dir = opendir(path);
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (is_uncompiled(sources, build, p, d->d_name))
			return xasprintf("%s/%s", p->folder, d->d_name);
	return NULL;
}

/* "rxe-rdmav65" of ".../librxe-rdmav65.so" */
static char *provider_target(const char *provider)
{
	const char *name = strrchr(provider, '/') + strlen("/lib");

	return xstrndup(name, strcspn(name, "."));
}

static void add_target(struct text *targets, const char *provider)
{
	auto_free char *target = provider_target(provider);

	text_addf(targets, "%s%s", targets->len ? " " : "", target);
}

/* NULL: the part is not older than its sources. */
static char *say_older(const char *sources, const char *build, const struct tree_age_part *p, const char *targets)
{
	auto_free char *newer = find_newer(sources, build, p);

	return newer ? xasprintf("%s was changed after %s was built; build it again: cmake --build %s --target rdmacm %s", newer,
				 strrchr(p->library, '/') + 1, build, targets) : NULL;
}

static char *older_provider(const char *sources, const char *build, const struct device_type *type, const char *provider,
			    const char *targets)
{
	auto_free char *folder = xasprintf("providers/%s", type->provider), *target = provider_target(provider);

	return say_older(sources, build, &(struct tree_age_part){provider, folder, target}, targets);
}

char *rdma_tree_older_than(const struct rdma_tree *t)
{
	auto_free char *sources = NULL;
	auto_free char *build = xstrndup(t->lib, (size_t)(strrchr(t->lib, '/') - t->lib));
	const struct tree_age_part libraries[] = {
		{t->librdmacm, "librdmacm", "rdmacm"},
		{t->libibverbs, "libibverbs", "ibverbs"},
	};
	struct text targets auto_text = {0};
	char *said = NULL;
	size_t i;

	sources = sources_of(build);
	for (i = 0; i < DEVICE_TYPES_MAX; i++)
		if (t->provider[i])
			add_target(&targets, t->provider[i]);
	for (i = 0; sources && !said && i < ARRAY_SIZE(libraries); i++)
		said = say_older(sources, build, &libraries[i], targets.s);
	for (i = 0; sources && !said && i < DEVICE_TYPES_MAX; i++)
		said = t->provider[i] ? older_provider(sources, build, device_type_nth(i), t->provider[i], targets.s) : NULL;
	return said;
}
