/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: rdma-build/rdma-tree.c rdma-build/target-choice.c rdma-build/libraries.c names/rdma-core.c job/loaded.c */
#include "cmocka_all.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "rdma-build/libraries.h"
#include "job/loaded.h"
#include "names/rdma-core.h"
#include "rdma-build/rdma-tree.h"
#include "rdma-build/target-choice.h"

/* A tree of files with the right headers and no function. */
static char *root;

static char *below(const char *name)
{
	return xasprintf("%s/%s", root, name);
}

static void put(const char *name, const void *data, size_t len)
{
	auto_free char *path = below(name), *dir = xstrdup(path);
	int fd;

	*strrchr(dir, '/') = '\0';
	assert_int_equal(file_make_dirs(dir, NULL), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, data, len), 0);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

/* A header like this program's except for @machine (0: the same), then @text. */
static void put_object(const char *name, unsigned int machine, const char *text)
{
	char bytes[sizeof(Elf64_Ehdr) + 64] = "";
	Elf64_Ehdr *eh = (void *)bytes;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, eh, sizeof(*eh)), sizeof(*eh));
	close(fd);
	if (machine)
		eh->e_machine = (Elf64_Half)machine;
	snprintf(bytes + sizeof(*eh), 64, "%s", text);
	put(name, bytes, sizeof(bytes));
}

static void put_link(const char *name, const char *to)
{
	auto_free char *path = below(name);

	assert_int_equal(symlink(to, path), 0);
}

static void drop(const char *name)
{
	auto_free char *path = below(name);

	assert_int_equal(unlink(path), 0);
}

static void make_build(void)
{
	put_object("build/lib/librdmacm.so.1.5.65.0", 0, "/b/var/run/ibacm.port");
	put_link("build/lib/librdmacm.so.1", "librdmacm.so.1.5.65.0");
	put_object("build/lib/libibverbs.so.1", 0, "lib%s-rdmav65.so");
	put_object("build/lib/librxe-rdmav65.so", 0, "");
	/* The rest of an older build. */
	put_object("build/lib/librxe-rdmav34.so", 0, "");
	put_text("build/etc/libibverbs.d/rxe.driver", "driver rxe\n");
}

static int setup(void **state)
{
	char template[] = "/tmp/verbatim-tree-XXXXXX";

	(void)state;
	root = realpath(mkdtemp(template), NULL);
	make_build();
	return 0;
}

static int teardown(void **state)
{
	auto_free char *command = xasprintf("rm -r '%s'", root);
	int ret = system(command);

	(void)state;
	free(root);
	return ret;
}

/* The message when @name is opened; it must fail with @code. */
static const char *refusal(const char *name, int code)
{
	static struct vbm_error err;
	auto_free char *path = below(name);
	struct rdma_tree t;

	memset(&err, 0, sizeof(err));
	assert_int_equal(rdma_tree_open(&t, path, NULL, &err), -code);
	return err.msg;
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void assert_below(const char *path, const char *name)
{
	auto_free char *want = below(name);

	assert_string_equal(path, want);
}

TEST_BETWEEN(test_tree__build, setup, teardown)
{
	auto_free char *path = below("build");
	struct rdma_tree t;

	assert_int_equal(rdma_tree_open(&t, path, NULL, NULL), 0);
	assert_below(t.lib, "build/lib");
	assert_below(t.librdmacm, "build/lib/librdmacm.so.1");
	assert_below(t.file, "build/lib/librdmacm.so.1.5.65.0");
	assert_below(t.libibverbs, "build/lib/libibverbs.so.1");
	assert_below(t.provider[0], "build/lib/librxe-rdmav65.so");
	assert_null(t.provider[1]);
	assert_below(t.config[0], "build/etc/libibverbs.d/rxe.driver");
	assert_string_equal(t.services, "/b/var/run");
	assert_string_equal(t.version, "65.0");
	rdma_tree_fini(&t);
}

/* A tree after "make install", or an unpacked package; the folder is that of the libraries. */
TEST_BETWEEN(test_tree__installed, setup, teardown)
{
	auto_free char *path = below("usr/lib/any-linux");
	struct rdma_tree t;

	put_object("usr/lib/any-linux/librdmacm.so.1.3.44.2", 0, "");
	put_link("usr/lib/any-linux/librdmacm.so.1", "librdmacm.so.1.3.44.2");
	put_object("usr/lib/any-linux/libibverbs.so.1", 0, "-rdmav -rdmav34.so");
	put_object("usr/lib/any-linux/libibverbs/librxe-rdmav34.so", 0, "");
	assert_int_equal(rdma_tree_open(&t, path, NULL, NULL), 0);
	assert_below(t.provider[0], "usr/lib/any-linux/libibverbs/librxe-rdmav34.so");
	assert_null(t.config[0]);
	assert_null(t.services);
	assert_string_equal(t.version, "44.2");
	rdma_tree_fini(&t);
}

/* A file of a tree means the tree, but only if the tree loads that file. */
TEST_BETWEEN(test_tree__file, setup, teardown)
{
	auto_free char *file = below("build/lib/librdmacm.so.1.5.65.0");
	auto_free char *other = below("build/lib/other.so"), *alone = below("alone/librdmacm.so.1");

	put_object("build/lib/other.so", 0, "");
	put_object("alone/librdmacm.so.1", 0, "");
	assert_true(rdma_tree_has(file));
	assert_false(rdma_tree_has(other));
	assert_false(rdma_tree_has(alone));
}

TEST_BETWEEN(test_tree__what_is_missing, setup, teardown)
{
	assert_says(refusal("nonesuch", ENOENT), "nonesuch: No such file");
	put_text("empty/file", "");
	assert_says(refusal("empty", ENOENT), "is no build of rdma-core: it has no lib/librdmacm.so.1");
	assert_says(refusal(".", ENOENT), "is a source tree of rdma-core; name its build");
	drop("build/lib/librxe-rdmav65.so");
	assert_says(refusal("build", ENOENT), "lib/librxe-rdmav65.so is missing; it belongs to");
	put_text("build/CMakeCache.txt", "");
	assert_says(refusal("build", ENOENT), "lib/librxe-rdmav65.so is missing; build it: cmake");
	assert_says(refusal("build/lib", ENOENT), "/build --target rxe-rdmav65");
	drop("build/lib/libibverbs.so.1");
	assert_says(refusal("build", ENOENT), "lib/libibverbs.so.1 is missing; build it: cmake");
	drop("build/lib/librdmacm.so.1");
	assert_says(refusal("build", ENOENT), "is not built yet");
	put_text("librdmacm/cma.c", "");
	assert_says(refusal(".", ENOENT), "that is not built; build it (./build.sh");
}

TEST_BETWEEN(test_tree__what_does_not_fit, setup, teardown)
{
	put_object("build/lib/libibverbs.so.1", 0, "no suffix");
	assert_says(refusal("build", ENOENT), "loads no providers");
	put_object("build/lib/libibverbs.so.1", EM_AARCH64, "-rdmav65.so");
	assert_says(refusal("build", ENOEXEC), "libibverbs.so.1 is built for arm64 (64 bits)");
	put_text("build/lib/librdmacm.so.1.5.65.0", "INPUT(librdmacm.so.1.5.65.0) a linker's script");
	assert_says(refusal("build", ENOEXEC), "librdmacm.so.1 is no shared object");
}

TEST_BETWEEN(test_tree__path_for_the_dynamic_linker, setup, teardown)
{
	auto_free char *from = below("build"), *to = below("two words");

	assert_int_equal(rename(from, to), 0);
	assert_says(refusal("two words", EINVAL), "cannot use a path with a blank");
}

/* The provider of another type is taken if it is there, and must be there if a host has such a device. */
TEST_BETWEEN(test_tree__providers_of_all_types, setup, teardown)
{
	auto_free char *path = below("build"), *rxe = below("build/lib/librxe"), *siw = below("build/lib/libsiw");
	auto_free char *both = xasprintf("RDMAV_DRIVERS=%s:%s", rxe, siw);
	struct target_choice c = {0};
	struct vbm_error err;

	assert_int_equal(device_words_read(&c.devices, "a=rxe,b=siw", NULL), 0);
	assert_int_equal(target_choice_settle_build(&c, path, &err), -ENOENT);
	assert_says(err.msg, "has no provider for siw: ");
	assert_says(err.msg, "build/lib/libsiw-rdmav65.so is missing");
	put_object("build/lib/libsiw-rdmav65.so", 0, "");
	put_text("build/etc/libibverbs.d/siw.driver", "driver siw\n");
	assert_int_equal(target_choice_settle_build(&c, path, &err), 0);
	assert_string_equal(c.environment[1], both);
	assert_below(c.tree.config[1], "build/etc/libibverbs.d/siw.driver");
	target_choice_fini(&c);
	/* The other way round: the devices of a run may all be of siw. */
	drop("build/lib/librxe-rdmav65.so");
	c = (struct target_choice){0};
	assert_int_equal(device_words_read(&c.devices, "siw", NULL), 0);
	assert_int_equal(target_choice_settle_build(&c, path, &err), 0);
	assert_null(c.tree.provider[0]);
	target_choice_fini(&c);
}

TEST_BETWEEN(test_tree__version, setup, teardown)
{
	auto_free char *path = below("build");
	struct target_choice c = {0};
	struct vbm_error err;
	struct rdma_tree t;

	/* A file whose name has no version. */
	drop("build/lib/librdmacm.so.1");
	put_object("build/lib/librdmacm.so.1", 0, "");
	assert_int_equal(target_choice_settle(&c, path, NULL, NULL, &err), -ENODATA);
	assert_says(err.msg, "give it: --rdma-core VERSION");
	target_choice_fini(&c);
	put_text("CMakeLists.txt", "set(PACKAGE_NAME \"RDMA\")\nset(PACKAGE_VERSION \"61.0\")\n");
	assert_int_equal(rdma_tree_open(&t, path, NULL, NULL), 0);
	assert_string_equal(t.version, "61.0");
	rdma_tree_fini(&t);
	put_text("build/include/config.h", "#define PACKAGE_VERSION \"62.1\"\n");
	assert_int_equal(rdma_tree_open(&t, path, NULL, NULL), 0);
	assert_string_equal(t.version, "62.1");
	rdma_tree_fini(&t);
}

TEST(test_target__version_of_the_user)
{
	struct target_choice c = {0};
	struct vbm_error err;

	assert_int_equal(target_choice_settle(&c, "system", "65.0", NULL, &err), -EINVAL);
	assert_says(err.msg, "for a target that is a path");
	assert_int_equal(target_choice_settle(&c, "/nonesuch", "new", NULL, &err), -EINVAL);
	assert_says(err.msg, "takes a version such as 65.0, not 'new'");
	assert_int_equal(target_choice_settle(&c, "nonesuch", NULL, NULL, &err), -EINVAL);
	assert_says(err.msg, "no target is called 'nonesuch'");
	/* An object stands over a build only. */
	assert_int_equal(target_choice_settle(&c, "system", NULL, "x.so", &err), -EINVAL);
	assert_says(err.msg, "say --target x.so");
	assert_int_equal(target_choice_settle(&c, "system", NULL, NULL, NULL), 0);
	assert_string_equal(c.version, rdma_core_version());
	assert_non_null(strstr(c.librdmacm, "/librdmacm.so.1"));
	assert_null(c.environment[0]);
	target_choice_fini(&c);
}

TEST(test_version__of_a_build)
{
	char version[8];

	assert_int_equal(rdma_core_parse_build("x PACKAGE_VERSION=1 PACKAGE_VERSION \"@V@\"\n"
					       "set(PACKAGE_VERSION\t\"65.0\")", version, 8), 0);
	assert_string_equal(version, "65.0");
	assert_int_equal(rdma_core_parse_build("PACKAGE_VERSION \"65.0", version, 8), -EINVAL);
	assert_int_equal(rdma_core_parse_build("PACKAGE_VERSION \"\"", version, 8), -EINVAL);
	assert_int_equal(rdma_core_parse_build("PACKAGE_VERSION \"1234567.0\"", version, 8), -EINVAL);
	assert_int_equal(rdma_core_parse_build("", version, 8), -EINVAL);
}

TEST(test_suffix__of_a_library)
{
	static const char bytes[] = "\0-rdmav\0-rdmavx.so\0lib%s-rdmav65.so\0-rdmav34.so";
	char suffix[16];

	assert_int_equal(rdma_core_provider_suffix(bytes, sizeof(bytes) - 1, suffix, 16), 0);
	assert_string_equal(suffix, "-rdmav65.so");
	assert_int_equal(rdma_core_provider_suffix("-rdmav65", 8, suffix, 16), -ENOENT);
	assert_int_equal(rdma_core_provider_suffix("-rdmav65.so.1", 13, suffix, 16), -ENOENT);
	assert_int_equal(rdma_core_provider_suffix("-rdmav65000000000.so", 20, suffix, 16), -ENOENT);
	assert_int_equal(rdma_core_provider_suffix("", 0, suffix, 16), -ENOENT);
}

TEST(test_services__of_a_library)
{
	static const char bytes[] = "\0ibacm.port\0/run/ibacm.port\0/elsewhere/ibacm.port";
	auto_free char *dir = rdma_core_service_folder(bytes, sizeof(bytes));

	assert_string_equal(dir, "/run");
	assert_null(rdma_core_service_folder("run/ibacm.port", 15));
	assert_null(rdma_core_service_folder("/run/ibacm.ports", 17));
	assert_null(rdma_core_service_folder("", 0));
}

TEST(test_loaded__files_of_a_process)
{
	char maps[] = "7f00-7f01 r--p 00000000 fe:00 12    /b/lib/librdmacm.so.1.5.65.0\n"
		      "7f01-7f02 r-xp 00001000 fe:00 12    /b/lib/librdmacm.so.1.5.65.0\n"
		      "7f02-7f03 r-xp 00000000 fe:00 13    /lib/libc.so.6\n"
		      "7f03-7f04 rw-p 00000000 00:00 0\n"
		      "7f04-7f05 r--p 00000000 fe:00 14    /b/lib/libibverbs.so.1\n"
		      "7f05-7f06 r--p 00000000 fe:00 15    /b/lib/librxe-rdmav65.so\n"
		      "7f06-7f07 rw-p 00000000 00:00 0     [stack]\n";
	auto_value struct value *known = value_list(), *files = NULL;

	value_append(known, value_string("/b/lib/libibverbs.so.1"));
	files = loaded_files(maps, known);
	assert_int_equal(files->list.count, 2);
	assert_string_equal(files->list.item[0]->s, "/b/lib/librdmacm.so.1.5.65.0");
	assert_string_equal(files->list.item[1]->s, "/b/lib/librxe-rdmav65.so");
}

/* A library that was not loaded must not be measured under another name. */
TEST_BETWEEN(test_loaded__another_file, setup, teardown)
{
	auto_free char *path = below("build/lib/librdmacm.so.1");
	struct vbm_error err;

	assert_int_equal(loaded_expect(path, &err), -ELIBBAD);
	assert_says(err.msg, "the dynamic linker loaded ");
	assert_int_equal(loaded_expect("/nonesuch", NULL), -ENOENT);
	assert_int_equal(loaded_expect(rdma_core_file(), NULL), 0);
	assert_int_equal(loaded_expect(NULL, NULL), 0);
}

static void set_time(const char *name, time_t when)
{
	auto_free char *path = below(name);
	const struct timespec times[] = {{.tv_sec = when}, {.tv_sec = when}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void assert_older_than(const char *part)
{
	auto_free char *path = below("build"), *said = NULL;
	struct rdma_tree t;

	assert_int_equal(rdma_tree_open(&t, path, NULL, NULL), 0);
	said = rdma_tree_older_than(&t);
	if (part && !said)
		fail_msg("nothing is said of %s", part);
	else if (part)
		assert_says(said, part);
	else
		assert_null(said);
	rdma_tree_fini(&t);
}

/* A build is older than its sources when one of them was changed after it was compiled. */
TEST_BETWEEN(test_tree__older_than_its_sources, setup, teardown)
{
	auto_free char *cache = xasprintf("X:STRING=1\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n", root);

	put_text("librdmacm/cma.c", "");
	put_text("librdmacm/cma.h", "");
	put_text("librdmacm/never-compiled.c", "");
	put_text("providers/rxe/rxe.c", "");
	put_text("build/librdmacm/CMakeFiles/rdmacm.dir/cma.c.o", "");
	put_text("build/providers/rxe/CMakeFiles/rxe-rdmav65.dir/rxe.c.o", "");
	set_time("librdmacm/cma.c", 1000);
	set_time("librdmacm/cma.h", 1000);
	set_time("providers/rxe/rxe.c", 1000);
	set_time("build/librdmacm/CMakeFiles/rdmacm.dir/cma.c.o", 2000);
	set_time("build/providers/rxe/CMakeFiles/rxe-rdmav65.dir/rxe.c.o", 2000);
	set_time("build/lib/librdmacm.so.1.5.65.0", 2001);
	assert_older_than(NULL);	/* nothing tells where the sources are */
	put_text("build/CMakeCache.txt", cache);
	assert_older_than(NULL);
	set_time("librdmacm/cma.h", 3000);
	assert_older_than("librdmacm/cma.h was changed after librdmacm.so.1 was built");
	set_time("librdmacm/cma.h", 1000);
	set_time("librdmacm/cma.c", 3000);
	assert_older_than("librdmacm/cma.c was changed after librdmacm.so.1 was built");
	set_time("librdmacm/cma.c", 1000);
	set_time("providers/rxe/rxe.c", 3000);
	assert_older_than("providers/rxe/rxe.c was changed after librxe-rdmav65.so was built");
	assert_older_than("/build --target rdmacm rxe-rdmav65");
}

static void assert_without(const char *path, const char *want)
{
	auto_free char *got = libraries_without(path);

	assert_string_equal(got, want);
}

/* Only the folders with an rdma-core are removed from the path. */
TEST_BETWEEN(test_tree__path_of_libraries_without_it, setup, teardown)
{
	auto_free char *lib = below("build/lib"), *first = xasprintf("%s:/tmp", lib);
	auto_free char *last = xasprintf("/nonesuch:/tmp;%s", lib);
	auto_free char *amid = xasprintf("/tmp::%s:/usr/nonesuch:", lib);

	assert_without(lib, "");
	assert_without(first, "/tmp");
	assert_without(last, "/nonesuch:/tmp");
	assert_without(amid, "/tmp::/usr/nonesuch:");
	assert_without("/tmp", "/tmp");
}
