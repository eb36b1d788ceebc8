/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static size_t columns(const struct table_format *format)
{
	size_t n = 0;

	while (n < TABLE_CELLS_MAX && format->column[n])
		n++;
	return n;
}

/* False when the number of cells is wrong. */
static bool split_row(const struct table_format *format, char *line, char **cell)
{
	size_t i, n = columns(format);

	for (i = 0; i < n; i++) {
		cell[i] = strsep(&line, "\t");
		if (!cell[i])
			return false;
	}
	return !line;
}

static int check_header(const struct table_format *format, char *line, struct vbm_error *err)
{
	auto_text struct text names = {0};
	char *cell[TABLE_CELLS_MAX];
	size_t i, n = columns(format);
	bool same = split_row(format, line, cell);

	for (i = 0; i < n; i++) {
		same = same && strcmp(cell[i], format->column[i]) == 0;
		text_addf(&names, "%s%s", i ? ", " : "", format->column[i]);
	}
	return same ? 0 : vbm_fail(err, EINVAL, "%s:1: not the header: %s", format->file, names.s);
}

int table_refuse(const struct table_format *format, int number, struct vbm_error *err)
{
	return vbm_fail(err, EINVAL, "%s:%d: the line does not have %zu cells", format->file, number,
			columns(format));
}

int table_parse(const struct table_format *format, char *text, void *out, struct vbm_error *err)
{
	char *rest = text, *line, *cell[TABLE_CELLS_MAX];
	int number = 0, rc = 0;

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		if (number == 1)
			rc = check_header(format, line, err);
		else if (*line && !split_row(format, line, cell))
			rc = table_refuse(format, number, err);
		else if (*line)
			rc = format->take(out, cell, number, err);
	}
	return rc;
}

int table_load(const struct table_format *format, const char *dir, char **text,
	       struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/%s", dir, format->file);
	struct vbm_error why;

	*text = text_of_file(path, &why);
	if (*text || why.code == ENOENT)
		return 0;
	return vbm_fail(err, why.code, "%s", why.msg);
}
