/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define LINES_MAX (1 << 20)

struct record_line {
	uint64_t digest;
	int64_t size;
	const char *name;	/* in the text that was cut into lines */
};

static char *read_lines(const char *dir)
{
	auto_free char *path = xasprintf("%s/digests", dir);
	char *text = NULL;

	return file_read_max(path, LINES_MAX, &text, NULL, NULL) == 0 ? text : xstrdup("");
}

static bool parse_record(char *text, struct record_line *out)
{
	int name = 0;

	if (sscanf(text, "xxh3 %16" SCNx64 " %" SCNd64 " %n", &out->digest, &out->size, &name) < 2 ||
	    !name)
		return false;
	out->name = text + name;
	return true;
}

static bool find_record(char *text, const char *name, struct record_line *out)
{
	char *line;

	while ((line = file_next_line(&text)))
		if (parse_record(line, out) && !strcmp(out->name, name))
			return true;
	return false;
}

static int measure(const char *dir, const char *name, struct record_line *out, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);
	auto_close int fd = file_open(path, err);
	off_t size = 0;
	int ret;

	if (fd < 0)
		return fd;
	ret = digest_of_fd(fd, &out->digest, &size);
	out->size = size;
	return ret < 0 ? vbm_fail(err, -ret, "%s: %s", path, strerror(-ret)) : 0;
}

int record_compare(const char *dir, const char *name, struct vbm_error *err)
{
	auto_free char *text = read_lines(dir);
	struct record_line was = {0}, is = {0};
	bool known = find_record(text, name, &was);
	int ret = measure(dir, name, &is, err);

	if (ret < 0)
		return ret;
	if (!known)
		return RECORD_NONE;
	if (was.size != is.size)
		vbm_fail(err, EIO, "%s/%s has %" PRId64 " bytes, and had %" PRId64, dir, name,
			 is.size, was.size);
	else if (was.digest != is.digest)
		vbm_fail(err, EIO, "%s/%s has other bytes than it had", dir, name);
	else
		return RECORD_SAME;
	return RECORD_DIFFERS;
}

void record_keep(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/digests", dir), *text = read_lines(dir);
	struct text all auto_text = {0};
	struct record_line is = {0}, other;
	char *rest = text, *line;

	if (measure(dir, name, &is, NULL) < 0)
		return;
	while ((line = file_next_line(&rest)))
		if (parse_record(line, &other) && strcmp(other.name, name) != 0)
			text_addf(&all, "%s\n", line);
	text_addf(&all, "xxh3 %016" PRIx64 " %" PRId64 " %s\n", is.digest, is.size, name);
	file_replace(path, all.s, NULL);
}
