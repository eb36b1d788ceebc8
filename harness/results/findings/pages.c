/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings/pages.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

/* The way from the folder @from to @to, which are both absolute: "../../scenarios". */
static char *way(const char *from, const char *to)
{
	struct text t auto_text = {0};
	size_t same = 0, i;

	for (i = 0; from[i] && from[i] == to[i]; i++)
		if (from[i] == '/')
			same = i + 1;
	if (!from[i] && to[i] == '/')
		same = i + 1;
	for (i = same; i <= strlen(from) && from[same]; i++)
		if (from[i] == '/' || !from[i])
			text_add(&t, "../");
	text_add(&t, same <= strlen(to) ? to + same : "");
	return xstrdup(t.s && *t.s ? t.s : ".");
}

static char *resolve_path(const char *path, struct vbm_error *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	return real;
}

/* The trace of the page at @path; NULL: there is no page, or it has none. */
static char *kept_trace(const char *path)
{
	auto_free char *text = text_of_file(path, NULL);
	const char *trace = text ? strstr(text, FINDINGS_TRACE) : NULL;

	return trace ? xstrdup(trace + strlen(FINDINGS_TRACE)) : NULL;
}

static FILE *open_text(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	if (!f)
		abort();	/* out of memory */
	return f;
}

/* The names of a foreign suite become names of files here. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < NAME_MAX - 20;
}

static int write_page(const struct value *finding, const char *suite, const char *dir, const struct value *traces,
		      struct vbm_error *err)
{
	const char *name = value_get_string(finding, "name", "");
	auto_free char *path = xasprintf("%s/%s.md", dir, name), *kept = NULL, *text = NULL;
	const struct findings_around around = {.suite = suite, .index = strrchr(dir, '/') + 1};
	size_t len;
	FILE *f;

	if (!is_plain(name))
		return vbm_fail(err, EINVAL, "a finding is called '%s', which cannot be the name of a page", name);
	kept = kept_trace(path);
	f = open_text(&text, &len);
	findings_one_page(f, finding, &around, value_get_string(traces, name, kept));
	fclose(f);
	return file_replace(path, text, err);
}

static int write_index(const struct value *list, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s.md", dir), *text = NULL;
	size_t len;
	FILE *f = open_text(&text, &len);

	findings_index(f, list, strrchr(dir, '/') + 1);
	fclose(f);
	return file_replace(path, text, err);
}

int findings_pages_write(const struct value *list, const char *suite, const char *dir,
			 const struct value *traces, struct vbm_error *err)
{
	auto_free char *from = NULL, *to = NULL, *link = NULL;
	size_t i;
	int rc = file_make_dirs(dir, err);

	if (rc < 0)
		return rc;
	from = resolve_path(dir, err);
	to = from ? resolve_path(suite, err) : NULL;
	if (!to)
		return -err->code;
	link = way(from, to);
	for (i = 0; rc == 0 && i < list->list.count; i++)
		rc = write_page(list->list.item[i], link, from, traces, err);
	return rc < 0 ? rc : write_index(list, from, err);
}
