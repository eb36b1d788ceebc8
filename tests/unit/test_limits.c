/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/limits.c */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "guest/limits.h"
#include "../help/folder.h"

/* A folder with an emulator, an image and a library; without mounts all paths are in the table. */
static struct folder home;
static char *emulator, *image;	/* owned */

static int begin(void **state)
{
	(void)state;
	setenv("VERBATIM_CONFINE", "none", 1);
	unsetenv("LD_LIBRARY_PATH");
	folder_make(&home);
	folder_put(&home, "bin/emulator", "");
	folder_put(&home, "image", "");
	folder_put(&home, "lib/x", "");
	emulator = folder_path(&home, "bin/emulator");
	image = folder_path(&home, "image");
	return 0;
}

static int end(void **state)
{
	(void)state;
	folder_remove(&home);
	free(steal(&emulator));
	free(steal(&image));
	return 0;
}

UNIT(.each = {begin, end});

static struct machine machine_of(void)
{
	return (struct machine){
		.program = emulator, .image = image, .memory_mb = 256, .initrd_fd = 7, .console_fd = 8,
	};
}

/* The paths without the folder of the test, writable ones with a +. */
static char *paths(const struct limits *l)
{
	struct text out = {0};
	size_t i, n = strlen(home.path);

	for (i = 0; i < l->c.paths; i++) {
		const char *path = l->c.path[i].path;

		if (!strcmp(path, "/etc/ld.so.cache"))
			continue;
		text_addf(&out, "%s%s ", l->c.path[i].writable ? "+" : "",
			  !strncmp(path, home.path, n) ? path + n : path);
	}
	return out.s ? out.s : xstrdup("");
}

static void sees(const struct machine *m, const char *wanted)
{
	auto_limits struct limits l;
	auto_free char *all = NULL;

	limits_make(&l, m);
	all = paths(&l);
	assert_string_equal(all, wanted);
}

TEST(test_limits__emulator__sees_its_folder_and_image)
{
	struct machine m = machine_of();
	auto_limits struct limits l;

	sees(&m, "/bin /image ");
	limits_make(&l, &m);
	assert_false(l.c.sees_all);
	assert_false(l.c.sees_settings);
	assert_int_equal(l.c.own_mb, 0);
	assert_true(l.c.own_proc);
	assert_int_equal(l.c.copied_fd, 7);
	assert_int_equal(l.c.written_fd, 8);
	assert_ptr_equal(l.c.program, emulator);
	assert_false(l.c.kvm);
}

/* Its folders are in its table only if nothing else separates it from the others. */
TEST(test_limits__user_mode__writes_to_its_folders)
{
	struct machine m = machine_of();
	auto_limits struct limits l;

	m.image = NULL;
	m.folder = "/own";
	m.memory_folder = "/memory";
	sees(&m, "+/own +/memory ");
	m.coverage = "/counted";
	sees(&m, "+/own +/memory +/counted ");
	limits_make(&l, &m);
	assert_int_equal(l.c.own_mb, 256);
	assert_false(l.c.own_proc);
}

TEST(test_limits__libraries__of_the_caller)
{
	struct machine m = machine_of();
	auto_free char *list = xasprintf("%s/lib::/not/there:%s/bin/..", home.path, home.path);

	setenv("LD_LIBRARY_PATH", list, 1);
	/* Existing paths, each as its real path. */
	sees(&m, "/bin /image /lib  ");
	unsetenv("LD_LIBRARY_PATH");
}

TEST(test_limits__shares__come_last_with_their_rights)
{
	struct machine m = machine_of();
	auto_free char *lib = folder_path(&home, "lib");
	const char *const see[] = {lib, "/not/there", NULL};
	const struct shared_folder share[] = {{.path = (char[]){"/rw"}}, {.path = (char[]){"/ro"}, .readonly = true}};
	auto_limits struct limits l;

	m.share = share;
	m.shares = 2;
	m.see = see;
	m.kept = "/kept";
	m.modules = lib;
	/* The programs see no files, so nothing of them is in the table. */
	sees(&m, "/bin /image ");
	m.files_seen = GUEST_FILES_ALL;
	sees(&m, "/bin /image /lib /lib +/rw /ro +/kept ");
	limits_make(&l, &m);
	assert_false(l.c.sees_all);
	assert_true(l.c.sees_settings);
}

TEST(test_limits__no_paths__mean_all)
{
	struct machine m = machine_of();
	auto_limits struct limits l;

	m.files_seen = GUEST_FILES_PROGRAMS;
	m.kvm = true;
	limits_make(&l, &m);
	assert_true(l.c.sees_all);
	assert_true(l.c.kvm);
}
