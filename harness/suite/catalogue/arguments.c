/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "catalogue/suite.h"
#include "lib/base/fail.h"

/* Two scenarios of a run must differ in their ids, two files of a check only in their paths. */
enum purpose {
	TO_RUN,
	TO_CHECK,	/* also takes files of findings */
};

static size_t wanted_count(const struct scenario_files *files, enum purpose purpose)
{
	return files->count + (purpose == TO_CHECK ? files->finding_count : 0);
}

static int find_path(struct scenario_files *out, const char *arg, bool is_dir,
		     enum purpose purpose, struct vbm_error *err)
{
	size_t before = wanted_count(out, purpose);
	int ret = 0;

	if (is_dir)
		ret = scenario_files_walk(out, arg, err);
	else
		scenario_files_add(out, arg);
	if (ret < 0 || wanted_count(out, purpose) > before)
		return ret;
	return is_dir ?
		vbm_fail(err, ENOENT, "%s: there is no scenario (*" SCENARIO_SUFFIX ") in it", arg) :
		vbm_fail(err, ENOENT, "%s: this is a file of findings, not a scenario", arg);
}

/* Whether @arg may be a name: no such file exists, and it does not look like a path. */
static bool may_be_name(const char *arg)
{
	struct stat st;

	return stat(arg, &st) < 0 && (errno == ENOENT || errno == ENOTDIR) && arg[0] &&
	       arg[0] != '/' && arg[0] != '.' && !scenario_file_has_suffix(arg);
}

/* Paths come first, because the suites of the paths are searched for the names. */
static int find_each(struct scenario_files *out, char *const *arg, int count,
		     enum purpose purpose, struct vbm_error *err)
{
	struct stat st;
	int ret = 0, i;

	for (i = 0; ret == 0 && i < count; i++) {
		if (may_be_name(arg[i]))
			continue;
		ret = stat(arg[i], &st) == 0 ?
			find_path(out, arg[i], S_ISDIR(st.st_mode), purpose, err) :
			vbm_fail(err, errno, "%s: %s", arg[i], strerror(errno));
	}
	for (i = 0; ret == 0 && i < count; i++)
		if (may_be_name(arg[i]))
			ret = scenario_files_lookup(out, arg[i], err);
	return ret;
}

static int by_id(const void *a, const void *b)
{
	const struct scenario_file *fa = a, *fb = b;
	int order = strcmp(fa->id, fb->id);

	return order ? order : strcmp(fa->root, fb->root);
}

static bool is_same(const struct scenario_file *a, const struct scenario_file *b)
{
	return by_id(a, b) == 0 || (strcmp(a->id, b->id) == 0 && suite_same_file(a->path, b->path));
}

/* Both are the same file. @into also gets the variants that @from selects. */
static void merge(struct scenario_file *into, struct scenario_file *from)
{
	size_t i;

	if (!into->variants.count || !from->variants.count)
		string_list_fini(&into->variants);
	else
		for (i = 0; i < from->variants.count; i++)
			string_list_add(&into->variants, from->variants.item[i]);
	scenario_file_fini(from);
}

/* Sorts the files and removes duplicates. Returns how many are left. */
static size_t merge_duplicates(struct scenario_file *file, size_t count)
{
	size_t i, kept = 0;

	if (count)	/* without entries there may be no array */
		qsort(file, count, sizeof(*file), by_id);
	for (i = 0; i < count; i++)
		if (kept && is_same(&file[kept - 1], &file[i]))
			merge(&file[kept - 1], &file[i]);
		else
			file[kept++] = file[i];
	return kept;
}

static int refuse_same_ids(const struct scenario_files *files, struct vbm_error *err)
{
	const struct scenario_file *a, *b;
	size_t i;

	for (i = 1; i < files->count; i++) {
		a = &files->item[i - 1];
		b = &files->item[i];
		if (strcmp(a->id, b->id) == 0)
			return vbm_fail(err, EEXIST, "two scenarios have the id '%s': %s and %s; "
					"%s", a->id, a->path, b->path, a->in_suite || b->in_suite ?
					"name them in two runs or rename one" :
					"to keep them apart, put an empty file '" SUITE_MARKER "' into a "
					"folder above both");
	}
	return 0;
}

static int find_files(struct scenario_files *out, char *const *arg, int count, enum purpose purpose,
		      struct vbm_error *err)
{
	auto_free char *dir = NULL;
	int ret = 0;

	*out = (struct scenario_files){0};
	if (count == 0) {
		ret = suite_default(&dir, err);
		if (ret == 0)
			ret = find_path(out, dir, true, purpose, err);
	}
	if (ret == 0)
		ret = find_each(out, arg, count, purpose, err);
	out->count = merge_duplicates(out->item, out->count);
	out->finding_count = merge_duplicates(out->finding, out->finding_count);
	if (ret == 0 && purpose == TO_RUN)
		ret = refuse_same_ids(out, err);
	if (ret)
		scenario_files_fini(out);
	return ret;
}

int scenario_files_find(struct scenario_files *out, char *const *arg, int count,
			struct vbm_error *err)
{
	return find_files(out, arg, count, TO_RUN, err);
}

int scenario_files_find_all(struct scenario_files *out, char *const *arg, int count,
			    struct vbm_error *err)
{
	return find_files(out, arg, count, TO_CHECK, err);
}
