/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/uml.c guest/uml-file.c guest/uml-folder.c */
#include "cmocka_all.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "guest/kernel.h"
#include "guest/machine.h"
#include "guest/uml.h"

TEST(test_uml__frequency__is_the_first_processors)
{
	assert_int_equal(uml_mhz("processor\t: 0\ncpu MHz\t\t: 2650.500\ncpu MHz\t\t: 1.0\n"), 2650);
	assert_int_equal(uml_mhz("processor\t: 0\n"), 1000);
	assert_int_equal(uml_mhz("x\ncpu MHz\t\t: nan\n"), 1000);
}

TEST(test_uml__program__must_be_whole_and_for_this_machine)
{
	auto_free char *data = NULL;
	struct vbm_error err = {0};
	size_t len;

	assert_int_equal(file_read("/proc/self/exe", &data, &len, &err), 0);
	assert_int_equal(uml_check_elf(data, len, &err), 0);
	assert_int_equal(uml_check_elf(data, len - 1, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "not whole"));
	assert_int_equal(uml_check_elf(data, sizeof(Elf64_Ehdr) - 1, &err), -ENOEXEC);
	assert_int_equal(uml_check_elf("#!/bin/sh\n", 10, &err), -ENOEXEC);
	((Elf64_Ehdr *)(void *)data)->e_shoff = UINT64_MAX;
	assert_int_equal(uml_check_elf(data, len, &err), -ENOEXEC);
	((Elf64_Ehdr *)(void *)data)->e_machine = EM_AARCH64;
	assert_int_equal(uml_check_elf(data, len, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "x86-64"));
}

TEST(test_uml__other_programs__are_no_kernels)
{
	struct vbm_error err = {0};
	struct kernel k = {0};

	assert_int_equal(uml_inspect(&k, "/bin/sh", &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "no user-mode kernel"));
	assert_int_equal(uml_inspect(&k, "/nowhere", &err), -ENOENT);
	assert_int_equal(uml_inspect(&k, "/etc/passwd", &err), -ENOEXEC);
}

static void assert_label(const char *release, const char *variant, const char *label)
{
	auto_free char *got = uml_label(release, variant);

	assert_string_equal(got, label);
}

TEST(test_uml__label__is_what_the_release_ends_with)
{
	assert_label("7.3.4-uml", "", "");
	assert_label("7.3.4-uml-debug", "debug", "");
	assert_label("7.4.0-rc1-uml-my-tree", "", "my-tree");
	assert_label("7.4.0-rc1-uml-my-tree-debug", "debug", "my-tree");
	assert_label("7.4.0-uml-bug", "debug", "bug");
	/* A kernel that somebody else built is named by its whole release. */
	assert_label("7.4.0", "", "7.4.0");
}

static bool has_word(const struct args *a, const char *word)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if (!strcmp(a->item[i], word))
			return true;
	return false;
}

TEST(test_uml__command_line__has_its_lines_to_the_outside)
{
	struct machine m = {
		.program = "/k/linux", .folder = "/f", .memory_mb = 256, .initrd_fd = 5,
		.console_fd = 6, .events_fd = 7, .events_taken_fd = 8, .terminal_fd = -1,
		.terminal_taken_fd = -1, .factor = 4,
	};
	auto_args struct args without = {0}, with = {0};
	auto_free char *image = machine_initrd(&m), *word = xasprintf("initrd=%s", image);

	uml_args(&without, &m);
	assert_string_equal(without.item[0], "/k/linux");
	assert_true(has_word(&without, word));
	assert_true(has_word(&without, "con0=null,fd:6"));
	assert_true(has_word(&without, "con1=fd:7,fd:7"));
	assert_true(has_word(&without, GUEST_ARG_EVENTS "=/dev/tty1,/dev/tty2"));
	assert_false(has_word(&without, GUEST_ARG_TERMINAL "=/dev/tty3,/dev/tty4"));
	assert_true(has_word(&without, "con2=fd:8,fd:8"));
	assert_false(has_word(&without, "time-travel"));
	m.virtual_time = true;
	m.terminal_fd = 9;
	m.terminal_taken_fd = 10;
	uml_args(&with, &m);
	assert_true(has_word(&with, GUEST_ARG_TERMINAL "=/dev/tty3,/dev/tty4"));
	assert_true(has_word(&with, "time-travel"));
	assert_null(with.item[with.count]);
}

static void put_below(const char *folder, const char *name)
{
	auto_free char *dir = xasprintf("%s/made", folder), *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(file_make_dirs(dir, NULL), 0);
	assert_int_equal(file_replace(path, "1\n", NULL), 0);
}

static void remove_empty(const char *dir, const char *below)
{
	auto_free char *path = xasprintf("%s/%s", dir, below);

	assert_int_equal(rmdir(path), 0);
}

TEST(test_uml__folder_of_a_dead_run__goes_with_the_next)
{
	char dir[] = "/tmp/verbatim-test-XXXXXX";
	auto_free char *first = NULL, *second = NULL, *third = NULL;
	int first_lock, second_lock, third_lock;
	struct vbm_error err = {0};

	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	assert_int_equal(uml_folder_make(&first, &first_lock, &err), 0);
	put_below(first, "pid");
	assert_int_equal(uml_folder_make(&second, &second_lock, &err), 0);
	assert_int_equal(access(first, F_OK), 0);
	/* As if its owner was killed. */
	close(first_lock);
	assert_int_equal(uml_folder_make(&third, &third_lock, &err), 0);
	assert_int_equal(access(first, F_OK), -1);
	assert_int_equal(access(second, F_OK), 0);
	close(second_lock);
	close(third_lock);
	assert_int_equal(uml_folders_sweep(true), 2);
	assert_int_equal(uml_folders_sweep(false), 2);
	assert_int_equal(uml_folders_sweep(false), 0);
	remove_empty(dir, "verbatim/uml");
	remove_empty(dir, "verbatim");
	remove_empty(dir, "");
}

TEST(test_uml__memory__lies_where_it_fits)
{
	struct vbm_error err = {0};
	auto_free char *path = NULL, *none = NULL;

	assert_int_equal(uml_memory_folder(1, &path, &err), 0);
	assert_int_equal(path[0], '/');
	assert_int_equal(uml_memory_folder(1 << 30, &none, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "set TMPDIR"));
}
