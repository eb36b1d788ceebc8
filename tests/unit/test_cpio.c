/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: guest/cpio.c */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "guest/image.h"

/* Read one entry's header field (0: inode, 1: mode, 6: size, 11: name size). */
static unsigned long field(const char *entry, int index)
{
	char text[9] = {0};

	memcpy(text, entry + 6 + 8 * index, 8);
	return strtoul(text, NULL, 16);
}

static size_t up4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static const char *next(const char *entry)
{
	return entry + up4(110 + field(entry, 11)) + up4(field(entry, 6));
}

/* The entry called @name; NULL when the archive has none. */
static const char *search(const struct cpio *c, const char *name)
{
	const char *e;

	for (e = c->data; e < c->data + c->len; e = next(e)) {
		assert_memory_equal(e, "070701", 6);
		if (!strcmp(e + 110, name))
			return e;
		if (!strcmp(e + 110, "TRAILER!!!"))
			return NULL;
	}
	return NULL;
}

TEST(test_cpio__file__has_its_content_and_folders)
{
	struct cpio c = {0};
	const char *e;

	cpio_add(&c, "/usr/lib/x.so", S_IFREG | 0755, "hello", 5);
	cpio_finish(&c);
	assert_int_equal(c.len % 512, 0);
	e = search(&c, "usr/lib/x.so");
	assert_non_null(e);
	assert_int_equal(field(e, 1), S_IFREG | 0755);
	assert_int_equal(field(e, 6), 5);
	assert_memory_equal(e + up4(110 + field(e, 11)), "hello", 5);
	assert_true(search(&c, "usr") < search(&c, "usr/lib"));
	assert_true(search(&c, "usr/lib") < e);
	assert_int_equal(field(search(&c, "usr"), 1), S_IFDIR | 0755);
	assert_non_null(search(&c, "TRAILER!!!"));
	cpio_fini(&c);
}

TEST(test_cpio__same_path__is_added_once)
{
	struct cpio c = {0};

	cpio_add_symlink(&c, "/lib", "usr/lib");
	cpio_add_folder(&c, "/lib");
	cpio_add_text(&c, "lib/a", "1");
	cpio_finish(&c);
	assert_int_equal(c.count, 2);
	assert_int_equal(field(search(&c, "lib"), 1), S_IFLNK | 0777);
	assert_non_null(search(&c, "lib/a"));
	cpio_fini(&c);
}

TEST(test_cpio__every_entry__has_an_inode_of_its_own)
{
	struct cpio c = {0};

	cpio_add_text(&c, "a", "");
	cpio_add_text(&c, "b", "bb");
	cpio_finish(&c);
	assert_int_not_equal(field(search(&c, "a"), 0), field(search(&c, "b"), 0));
	assert_int_equal(field(search(&c, "TRAILER!!!"), 0), 0);
	cpio_fini(&c);
}
