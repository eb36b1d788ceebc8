/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/kept.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define NAME ".guest.XXXXXX"

/* A limit, because a guest may make any number of entries. */
#define ENTRIES_MAX 4096
#define NAME_LEN_MAX 200
#define SIZE_MAX_GB 64
#define DEPTH_MAX 64

struct taker {
	void (*say)(const char *line, void *arg);
	void *arg;
	int left;	/* entries that may still be looked at */
	int left_out;
};

int kept_make(const char *artifacts, char **path, struct vbm_error *err)
{
	auto_free char *made = xasprintf("%s/" NAME, artifacts);

	if (!mkdtemp(made))
		return vbm_fail(err, errno, "cannot make a folder in %s: %m", artifacts);
	*path = steal(&made);
	return 0;
}

/* Checks a name that the guest chose and people will see. */
static bool is_harmless(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-@:,=", *c))
			return false;
	return *name != '.' && *name != '-' && c - name <= NAME_LEN_MAX;
}

/* The names of hosts are letters; init uses "runner" for processes on no host. */
static bool is_host(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0' && strlen(name) <= NAME_LEN_MAX;
}

/* @fd is opened with O_PATH, because opening a FIFO would wait. */
static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       st.st_size <= (off_t)SIZE_MAX_GB << 30;
}

static bool make_ours(int fd)
{
	auto_free char *path = xasprintf("/proc/self/fd/%d", fd);
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == geteuid() || chown(path, geteuid(), getegid()) == 0) &&
	       chmod(path, 0600 | (st.st_mode & 0044)) == 0;
}

static bool take_file(int from, const char *name, int to)
{
	auto_close int fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && is_harmless(name) && is_file(fd) && make_ours(fd) &&
	       renameat2(from, name, to, name, RENAME_NOREPLACE) == 0;
}

static DIR *entries_of(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (copy >= 0 && !dir)
		close(copy);
	return dir;
}

static const struct dirent *next_entry(DIR *dir)
{
	const struct dirent *d;

	do
		d = dir ? readdir(dir) : NULL;
	while (d && (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")));
	return d;
}

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void take_all(struct taker *t, int from, int to)
{
	auto_dir DIR *dir = entries_of(from);
	const struct dirent *d;

	while (t->left > 0 && (d = next_entry(dir))) {
		t->left--;
		if (!take_file(from, d->d_name, to))
			t->left_out++;
	}
}

/* Takes the files of a host's folder. */
static bool take_folder(struct taker *t, int from, const char *name, int to)
{
	auto_close int in = open_folder(from, name), out = -1;

	if (in < 0 || !is_host(name) || mkdirat(to, name, 0755) < 0)
		return false;
	out = open_folder(to, name);
	if (out < 0)
		return false;
	take_all(t, in, out);
	return true;
}

static void take_top(struct taker *t, int from, int to)
{
	auto_dir DIR *dir = entries_of(from);
	const struct dirent *d;

	while (t->left > 0 && (d = next_entry(dir))) {
		t->left--;
		if (!take_folder(t, from, d->d_name, to) &&
		    (strcmp(d->d_name, KEPT_CAPTURE) != 0 || !take_file(from, d->d_name, to)))
			t->left_out++;
	}
}

static void empty(int fd, int depth)
{
	auto_dir DIR *dir = entries_of(fd);
	const struct dirent *d;

	while ((d = next_entry(dir))) {
		auto_close int sub = -1;

		if (unlinkat(fd, d->d_name, 0) == 0)
			continue;
		(void)!fchmodat(fd, d->d_name, 0700, AT_SYMLINK_NOFOLLOW);
		sub = open_folder(fd, d->d_name);
		if (sub >= 0 && depth < DEPTH_MAX)
			empty(sub, depth + 1);
		unlinkat(fd, d->d_name, AT_REMOVEDIR);
	}
}

static void __attribute__((format(printf, 2, 3))) report_trouble(struct taker *t, const char *fmt, ...)
{
	auto_free char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	if (t->say)
		t->say(line, t->arg);
}

void kept_take(const char *path, const char *artifacts, void (*hears)(const char *line, void *arg),
	       void *arg)
{
	auto_close int from = -1, to = open(artifacts, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct taker t = {.say = hears, .arg = arg, .left = ENTRIES_MAX};

	/* The guest may have changed its own folder's mode, too. */
	chmod(path, 0700);
	from = open_folder(AT_FDCWD, path);
	if (from >= 0 && to >= 0)
		take_top(&t, from, to);
	if (t.left_out || !t.left)
		report_trouble(&t, "%d files or folders that a guest made for the output are left out: only files "
			       "in the folders of hosts are taken, no links and no devices", t.left_out);
	if (from >= 0)
		empty(from, 0);
	if (rmdir(path) < 0)
		report_trouble(&t, "%s cannot be removed: %s", path, strerror(errno));
}
