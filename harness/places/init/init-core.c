/* SPDX-License-Identifier: BSD-2-Clause */
#include "init/init.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"

/*
 * The kernel starts this program again for a program that dies. /proc/1/exe exists in
 * each root that the kernel may use for that. Cores go through a pipe, because the kernel
 * writes a core file only if its owner is the user of the dead process, and files in a
 * folder of the host have the host's user.
 */
#define HANDLER "|" GUEST_CORE_HANDLER " core %h %p %s %E"

/* At most so many at the same time; a dead process waits until its core is written. */
#define HANDLERS_MAX "16"

#define CORE_MAX_MB 512
#define CHUNK 65536

static int set_sysctl(const char *name, const char *value, struct vbm_error *err)
{
	auto_free char *path = xasprintf("/proc/sys/kernel/%s", name);
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || file_write(fd, value, strlen(value)) < 0)
		return vbm_fail(err, errno, "cannot set kernel.%s: %m", name);
	return 0;
}

int init_keep_cores(struct vbm_error *err)
{
	int ret;

	/* Only some kernels write cores. */
	if (access("/proc/sys/kernel/core_pattern", F_OK) < 0)
		return 0;
	ret = set_sysctl("core_pipe_limit", HANDLERS_MAX, err);
	return ret ? ret : set_sysctl("core_pattern", HANDLER, err);
}

/*
 * The names of hosts are letters; processes on no host, such as the runner, have another
 * name.
 */
static const char *folder_of(const char *host)
{
	const char *c;

	for (c = host; islower((unsigned char)*c); c++)
		;
	return *c || c == host ? "runner" : host;
}

static bool is_zero(const char *data, size_t len)
{
	return len && !data[0] && !memcmp(data, data + 1, len - 1);
}

/*
 * Copies the core, with its holes. The kernel stops writing when this process stops
 * reading.
 */
static int copy_core(int fd, bool *was_cut)
{
	static char chunk[CHUNK];
	const off_t most = (off_t)CORE_MAX_MB << 20;
	off_t size = 0;
	ssize_t n;
	int ret = 0;

	*was_cut = false;
	while (ret == 0 && (n = read(STDIN_FILENO, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*was_cut = size + n > most;
		if (*was_cut)
			break;
		if (is_zero(chunk, (size_t)n))
			ret = lseek(fd, n, SEEK_CUR) < 0 ? -errno : 0;
		else
			ret = file_write(fd, chunk, (size_t)n);
		size += ret == 0 ? n : 0;
	}
	if (ftruncate(fd, size) < 0 && ret == 0)
		ret = -errno;
	return ret;
}

/* session/exec-cores.c reads it. */
static void describe_core(const char *path, const char *program, const char *pid, const char *sig,
			  const char *trouble)
{
	auto_file FILE *f = fopen(path, "we");

	if (!f)
		return;
	fprintf(f, "program: %s\nsignal: %s\nprocess: %s\n", program, sig,
		pid);
	if (trouble)
		fprintf(f, "the core is not complete: %s\n", trouble);
}

/* The kernel writes a path with '!' for each '/'. */
int init_core_main(char **argv)
{
	const char *host = folder_of(argv[0]), *pid = argv[1], *sig = argv[2];
	auto_free char *program = xstrdup(argv[3]), *base = NULL, *core = NULL, *text = NULL;
	auto_free char *dir = xasprintf(GUEST_KEPT "/%s", host);
	auto_close int fd = -1;
	bool was_cut = false;
	char *c;
	int ret;

	for (c = program; *c; c++)
		*c = *c == '!' ? '/' : *c;
	c = strrchr(program, '/');
	base = xasprintf("%s/%.80s.%s", dir, c ? c + 1 : program, pid);
	core = xasprintf("%s.core", base);
	text = xasprintf("%s.txt", base);
	mkdir(dir, 0755);
	fd = open(core, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ret = fd < 0 ? -errno : copy_core(fd, &was_cut);
	describe_core(text, program, pid, sig,
		      ret < 0 ? strerror(-ret) : was_cut ? "it would be larger than 512 MB" : NULL);
	return ret < 0;
}
