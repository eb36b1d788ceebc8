/* SPDX-License-Identifier: BSD-2-Clause */
#include "folder.h"

#include "../unit/cmocka_all.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

/* The start of this process, after its number, its name and 19 other fields. */
static unsigned long long start_of_this(void)
{
	auto_free char *stat = NULL;
	unsigned long long began = 0;
	const char *p;
	int i;

	assert_int_equal(file_read("/proc/self/stat", &stat, NULL, NULL), 0);
	p = strrchr(stat, ')');
	for (i = 0; p && i < 20; i++)
		p = strchr(p + 1, ' ');
	assert_true(p && sscanf(p, "%llu", &began) == 1);
	return began;
}

/* As tests/tap.sh does, which removes the folders of tests that were killed. */
static void say_owner(const struct folder *s)
{
	auto_free char *path = folder_path(s, ".owner"), *boot = NULL;
	auto_file FILE *f = fopen(path, "we");
	char ns[64] = "";

	assert_non_null(f);
	assert_true(readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1) > 0);
	assert_int_equal(file_read("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL), 0);
	fprintf(f, "%d %llu %s %s", getpid(), start_of_this(), ns, boot);
}

void folder_make(struct folder *s)
{
	strcpy(s->path, "/tmp/verbatim-test.XXXXXX");
	assert_non_null(mkdtemp(s->path));
	say_owner(s);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void folder_remove(const struct folder *s)
{
	assert_int_equal(nftw(s->path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

char *folder_path(const struct folder *s, const char *name)
{
	return xasprintf("%s/%s", s->path, name);
}

void folder_put_bytes(const struct folder *s, const char *name, const void *data, size_t len)
{
	auto_free char *path = folder_path(s, name), *above = xstrdup(path);
	auto_file FILE *f = NULL;

	*strrchr(above, '/') = '\0';
	assert_int_equal(file_make_dirs(above, NULL), 0);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
}

void folder_put(const struct folder *s, const char *name, const char *text)
{
	folder_put_bytes(s, name, text, strlen(text));
}

char *folder_text(const struct folder *s, const char *name)
{
	auto_free char *path = folder_path(s, name);
	char *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 ? text : NULL;
}

bool folder_has(const struct folder *s, const char *name)
{
	auto_free char *path = folder_path(s, name);
	struct stat st;

	return lstat(path, &st) == 0;
}

void overhear(struct overheard *o, int fd)
{
	auto_close int memory = memfd_create("overheard", MFD_CLOEXEC);

	fflush(NULL);
	*o = (struct overheard){.fd = fd, .saved = dup(fd)};
	assert_true(memory >= 0 && o->saved >= 0);
	assert_int_equal(dup2(memory, fd), fd);
}

char *overheard_text(struct overheard *o)
{
	char *text = NULL;

	fflush(NULL);
	assert_int_equal(file_fd_read_whole(o->fd, FILE_MAX, &text, NULL), 0);
	assert_int_equal(dup2(o->saved, o->fd), o->fd);
	close(steal_fd(&o->saved));
	return text;
}
