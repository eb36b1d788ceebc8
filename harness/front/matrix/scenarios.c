/* SPDX-License-Identifier: BSD-2-Clause */
#include "matrix/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "catalogue/files.h"
#include "lib/base/fail.h"

char *matrix_path(const char *file, const char *entry)
{
	const char *slash = strrchr(file, '/');
	auto_free char *path = NULL;

	if (*entry == '/' || !slash)
		return xstrdup(entry);
	path = xasprintf("%.*s/%s", (int)(slash - file), file, entry);
	return xstrdup(access(path, F_OK) == 0 ? path : entry);
}

static void add_digest(struct value *out, const struct scenario_file *file)
{
	auto_free char *text = NULL, *sum = NULL;
	size_t len = 0;

	if (scenario_file_read(file->path, &text, &len, NULL) < 0)
		return;
	sum = xasprintf("%016" PRIx64, digest_of(text, len));
	value_set_string(out, file->id, sum);
}

/* One checksum over all files, because a suite has hundreds. */
static struct value *sum_up(const struct value *each)
{
	struct value *out = value_map();
	auto_free char *text = json_write(each), *sum = NULL;

	sum = xasprintf("%016" PRIx64, digest_of(text, strlen(text)));
	value_set_int(out, "count", (int64_t)each->map.count);
	value_set_string(out, "digest", sum);
	return out;
}

/* A cell would only say the same about a file that does not compile, and each cell again. */
static int check_files(const struct scenario_files *files, struct text *lines, struct vbm_error *err)
{
	size_t bad = scenario_files_check(files, lines, err);

	if (!bad)
		return 0;
	return vbm_wrap(err, "no cell runs, because %zu of %zu scenario files %s not valid", bad, files->count,
			bad == 1 ? "is" : "are");
}

/* @lines NULL: the files are not compiled. */
static struct value *digest_files(const struct string_list *args, struct text *lines, struct vbm_error *err)
{
	auto_value struct value *each = value_map();
	struct scenario_files files;
	size_t i;
	int rc;

	if (scenario_files_find(&files, args->item, (int)args->count, err) < 0)
		return NULL;
	rc = lines ? check_files(&files, lines, err) : 0;
	for (i = 0; i < files.count; i++)
		add_digest(each, &files.item[i]);
	scenario_files_fini(&files);
	return rc == 0 ? sum_up(each) : NULL;
}

struct value *matrix_find_scenarios(const struct matrix *m, const char *file, struct string_list *args,
				    struct diagnostics *diag, struct text *lines)
{
	struct vbm_error err = {0};
	struct value *files;
	size_t i, before = diag->count;

	for (i = 0; i < m->run_count; i++) {
		auto_free char *arg = matrix_path(file, m->run[i]);
		auto_string_list struct string_list one = {0};

		string_list_add(&one, arg);
		files = digest_files(&one, NULL, &err);
		if (!files)
			diag_add(diag, m->run_pos[i], NULL, "%s", err.msg);
		value_free(files);
		string_list_add(args, arg);
	}
	if (diag->count > before)
		return NULL;
	files = digest_files(args, lines, &err);
	if (!files)
		diag_add(diag, m->run_count ? m->run_pos[0] : (struct pos){1, 1, 0}, NULL, "%s", err.msg);
	return files;
}
