/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/counted.h"

#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

#define KERNEL_COUNTED "/sys/kernel/debug/gcov"
#define SUFFIX ".gcda"

static const char *keep_in;	/* a global, because nftw(3) passes no argument to its callback */

static int copy_counts(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	auto_free char *to = xasprintf("%s/kernel%s", keep_in, path + strlen(KERNEL_COUNTED));
	auto_free char *copy = xstrdup(to), *data = NULL;
	auto_close int fd = -1;
	size_t n = strlen(path), len;

	(void)st;
	(void)ftw;
	if (type != FTW_F || n < strlen(SUFFIX) || strcmp(path + n - strlen(SUFFIX), SUFFIX) != 0)
		return 0;
	if (file_read(path, &data, &len, NULL) < 0 || file_make_dirs(dirname(copy), NULL) < 0)
		return 0;
	fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0)
		file_write(fd, data, len);
	return 0;
}

void counted_keep(void)
{
	keep_in = getenv(COUNTED_FOLDER);
	if (keep_in)
		nftw(KERNEL_COUNTED, copy_counts, 16, FTW_PHYS);
}
