/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/vmlinux.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "guest/bzimage.h"
#include "base/file.h"
#include "guest/kernel.h"
#include "base/program.h"

static int write_new(char *path, int suffix_len, const char *data, size_t len)
{
	auto_close int fd = mkostemps(path, suffix_len, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	ret = file_write(fd, data, len);
	if (ret < 0)
		unlink(path);
	return ret;
}

static int unpack(const struct bzimage_payload *p, const char *dir, char **data, size_t *len)
{
	auto_free char *packed = xasprintf("%s/.packed.XXXXXX%s", dir, p->suffix);
	auto_free char *tool = xstrdup(p->tool);
	char how[] = "-dc";
	char *argv[] = {tool, how, packed, NULL};
	int ret;

	if (write_new(packed, (int)strlen(p->suffix), p->data, p->len) < 0)
		return -1;
	ret = program_output(argv, data, len, NULL);
	unlink(packed);
	if (ret < 0)
		return ret;
	return *len == p->unpacked_len && vmlinux_has_entry(*data, *len) ? 0 : -1;
}

static int build(const char *image, const char *dir, const char *path)
{
	auto_free char *packed = NULL, *data = NULL, *tmp = xasprintf("%s/.new.XXXXXX", dir);
	struct bzimage_payload payload;
	size_t len;

	if (file_read(image, &packed, &len, NULL) < 0 ||
	    !bzimage_find_payload(packed, len, &payload) ||
	    unpack(&payload, dir, &data, &len) < 0 || write_new(tmp, 0, data, len) < 0)
		return -1;
	if (chmod(tmp, 0644) == 0 && rename(tmp, path) == 0)
		return 0;
	unlink(tmp);
	return -1;
}

char *vmlinux_path(const struct kernel *kernel)
{
	auto_free char *path = xasprintf("%s/vmlinux", kernel->root);

	/* Beside the boot image, where that is in a folder of ours. */
	if (kernel->suite[0] && (access(path, R_OK) == 0 ||
				 build(kernel->image, kernel->root, path) == 0))
		return steal(&path);
	return xstrdup(kernel->image);
}
