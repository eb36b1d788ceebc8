/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of a page: only a whole page replaces an older one. */
#include "page/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "lib/base/fail.h"

int page_file_open(struct page_file *file, const char *path, struct vbm_error *err)
{
	struct stat st;
	bool replace = stat(path, &st) < 0 || S_ISREG(st.st_mode);
	int fd;

	*file = (struct page_file){.path = xstrdup(path)};
	if (replace)
		file->temp = xasprintf("%s.XXXXXX", path);
	fd = replace ? mkostemp(file->temp, O_CLOEXEC) : open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && (!replace || fchmod(fd, 0644) == 0))
		file->f = fdopen(fd, "w");
	if (file->f)
		return 0;
	vbm_fail(err, errno, "cannot write the page %s: %s", path, strerror(errno));
	free(file->temp);
	free(file->path);
	*file = (struct page_file){0};
	return -err->code;
}

int page_file_close(struct page_file *file, struct page *page, struct vbm_error *err)
{
	int rc = 0;

	if (!file->f)
		return 0;
	if (page)
		rc = page_write(page, file->f);
	if (fclose(file->f) != 0 && rc == 0)
		rc = -errno;
	if (page && rc == 0 && file->temp && rename(file->temp, file->path) < 0)
		rc = -errno;
	if (file->temp && (!page || rc < 0))
		unlink(file->temp);
	if (rc < 0 && err)
		vbm_fail(err, -rc, "page %s: %s", file->path, strerror(-rc));
	free(file->temp);
	free(file->path);
	*file = (struct page_file){0};
	return rc;
}
