/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "catalogue/fragments.h"
#include "catalogue/suite.h"
#include "lib/base/fail.h"

#define FOLDERS_DEEP_MAX 16

void scenario_file_fini(struct scenario_file *f)
{
	free(f->path);
	free(f->id);
	free(f->root);
	string_list_fini(&f->variants);
}

void scenario_files_fini(struct scenario_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		scenario_file_fini(&files->item[i]);
	for (i = 0; i < files->finding_count; i++)
		scenario_file_fini(&files->finding[i]);
	free(files->item);
	free(files->finding);
	*files = (struct scenario_files){0};
}

bool scenario_file_has_suffix(const char *name)
{
	size_t n = strlen(name), s = strlen(SCENARIO_SUFFIX);

	return n > s && strcmp(name + n - s, SCENARIO_SUFFIX) == 0;
}

/* A path that does not exist stays as it is. The reader of the file reports it. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);

	if (real)
		return real;
	return path[0] == '/' ? xstrdup(path) : xasprintf("/%s", path);
}

/* A file of findings belongs to the folder above its own folder. */
static bool cut_findings(char *dir)
{
	char *slash = strrchr(dir, '/');

	if (!slash || strcmp(slash + 1, SUITE_FINDINGS) != 0)
		return false;
	*slash = '\0';
	return true;
}

struct scenario_file *scenario_files_add(struct scenario_files *out, const char *path)
{
	auto_free char *real = real_path(path), *dir = xstrdup(real);
	struct scenario_file f = {.path = xstrdup(path)};
	const char *below;

	*strrchr(dir, '/') = '\0';
	if (cut_findings(dir)) {
		f.root = steal(&dir);
		f.in_suite = true;
		f.id = xstrdup(real);
		GROW(out->finding, out->finding_count);
		out->finding[out->finding_count] = f;
		return &out->finding[out->finding_count++];
	}
	f.root = suite_of(dir);
	f.in_suite = f.root != NULL;
	if (!f.root)
		f.root = steal(&dir);
	below = real + strlen(f.root) + 1;
	f.id = xstrndup(below, strlen(below) -
			       (scenario_file_has_suffix(below) ? strlen(SCENARIO_SUFFIX) : 0));
	GROW(out->item, out->count);
	out->item[out->count] = f;
	return &out->item[out->count++];
}

static int walk_folder(struct scenario_files *out, const char *dir, int depth, struct vbm_error *err);

static int walk_entry(struct scenario_files *out, const char *dir, const char *name, int depth,
		      struct vbm_error *err)
{
	auto_free char *path = NULL;
	struct stat st;
	size_t n = strlen(dir);

	if (name[0] == '.')
		return 0;
	path = xasprintf("%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
	if (stat(path, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode) && strcmp(name, FRAGMENTS_FOLDER) == 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return walk_folder(out, path, depth + 1, err);
	if (S_ISREG(st.st_mode) && scenario_file_has_suffix(name))
		scenario_files_add(out, path);
	return 0;
}

static int walk_folder(struct scenario_files *out, const char *dir, int depth, struct vbm_error *err)
{
	auto_dir DIR *d = NULL;
	struct dirent *entry;
	int ret = 0;

	if (depth > FOLDERS_DEEP_MAX)
		return vbm_fail(err, ELOOP, "%s: folders are nested too deep", dir);
	d = opendir(dir);
	if (!d)
		return vbm_fail(err, errno, "%s: %s", dir, strerror(errno));
	while (ret == 0 && (entry = readdir(d)))
		ret = walk_entry(out, dir, entry->d_name, depth, err);
	return ret;
}

int scenario_files_walk(struct scenario_files *out, const char *dir, struct vbm_error *err)
{
	return walk_folder(out, dir, 0, err);
}

bool scenario_file_wants(const struct scenario_file *file, const char *variant)
{
	size_t i;

	for (i = 0; i < file->variants.count; i++)
		if (strcmp(file->variants.item[i], variant) == 0)
			return true;
	return file->variants.count == 0;
}

int scenario_file_read(const char *path, char **text, size_t *len, struct vbm_error *err)
{
	return file_read_max(path, YAML_SIZE_MAX, text, len, err);
}
