/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/program.h"

/* Unpacked, with all symbols. */
#define MODULE_MAX (256 << 20)

/*
 * A temporary file in the cache. When this process dies, prune() of a later run
 * removes it.
 */
static int temporary(char **path)
{
	auto_free char *dir = NULL;

	if (cache_scratch_make(IMAGES_FOLDER, &dir, NULL) < 0)
		return -1;
	*path = xasprintf("%s/.slim.XXXXXX", dir);
	return mkostemp(*path, O_CLOEXEC);
}

static int objcopy(const char *path, const char *const *options, char **data, size_t *len)
{
	auto_free char *out = NULL, *in = xstrdup(path), *said = NULL, *text = NULL;
	char *argv[8] = {NULL};
	char tool[] = "objcopy";
	size_t n, i;
	int ret = -1;
	auto_close int fd = temporary(&out);

	if (fd < 0)
		return -1;
	argv[0] = tool;
	for (i = 0; options[i]; i++)
		argv[i + 1] = xstrdup(options[i]);
	argv[i + 1] = in;
	argv[i + 2] = out;
	if (program_output(argv, PROGRAM_SAYS_MAX, &said, &n, NULL) == 0)
		ret = file_read(out, &text, len, NULL);
	/* If the disk is full, objcopy may succeed and leave an empty file. */
	if (ret == 0 && *len > 0)
		*data = steal(&text);
	else
		ret = -1;
	while (i > 0)
		free(argv[i--]);
	unlink(out);
	return ret;
}

int slim_program(const char *path, char **data, size_t *len, struct vbm_error *err)
{
	static const char *const options[] = {"--strip-debug", NULL};

	return objcopy(path, options, data, len) == 0 ? 0 : file_read(path, data, len, err);
}

int slim_module_unpack(const char *path, char **data, size_t *len, struct vbm_error *err)
{
	static const struct {
		const char *end, *tool;
	} packers[] = {{".xz", "xz"}, {".zst", "zstd"}, {".gz", "gzip"}};
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; dot && i < ARRAY_SIZE(packers); i++) {
		auto_free char *tool = xstrdup(packers[i].tool), *arg = xstrdup(path);
		char how[] = "-dc";
		char *argv[] = {tool, how, arg, NULL};

		if (strcmp(dot, packers[i].end) != 0)
			continue;
		if (access(path, R_OK) < 0)
			return vbm_fail(err, errno, "%s: %m", path);
		if (program_output(argv, MODULE_MAX, data, len, err) < 0)
			return vbm_wrap(err, "%s cannot be unpacked", path);
		return 0;
	}
	return file_read(path, data, len, err);
}

static int without_types(const char *module, size_t n, char **data, size_t *len)
{
	static const char *const options[] = {
		"--remove-section=.BTF", "--remove-section=.BTF.base", NULL,
	};
	auto_free char *path = NULL;
	auto_close int fd = temporary(&path);
	int ret = -1;

	if (fd < 0)
		return -1;
	if (file_write(fd, module, n) == 0)
		ret = objcopy(path, options, data, len);
	unlink(path);
	return ret;
}

int slim_module(const char *path, bool whole, char **data, size_t *len,
		struct vbm_error *err)
{
	char *slim = NULL;
	size_t n;
	int ret = slim_module_unpack(path, data, len, err);

	if (ret < 0 || whole)
		return ret;
	*len = module_unsigned_len(*data, *len);
	if (without_types(*data, *len, &slim, &n) == 0) {
		free(*data);
		*data = slim;
		*len = n;
	}
	return 0;
}
