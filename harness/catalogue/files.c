/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fail.h"
#include "base/yaml.h"
#include "catalogue/fragments.h"

#define SUFFIX ".yaml"
#define ROOT_NAME "scenarios"
#define NOT_SCENARIOS "deviations"	/* its files say what is known not to hold */
#define FOLDERS_DEEP_MAX 16

static void file_fini(struct scenario_file *f)
{
	free(f->path);
	free(f->id);
	free(f->root);
}

void scenario_files_fini(struct scenario_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		file_fini(&files->item[i]);
	for (i = 0; i < files->deviation_count; i++)
		file_fini(&files->deviation[i]);
	free(files->item);
	free(files->deviation);
	*files = (struct scenario_files){0};
}

static bool has_suffix(const char *name)
{
	size_t n = strlen(name), s = strlen(SUFFIX);

	return n > s && strcmp(name + n - s, SUFFIX) == 0;
}

/* What follows the last "/scenarios/" in an absolute path, or NULL. */
static const char *below_root(const char *real)
{
	const char *at = real, *last = NULL;

	while ((at = strstr(at, "/" ROOT_NAME "/"))) {
		at += strlen("/" ROOT_NAME);
		last = at + 1;
	}
	return last;
}

/* Its folder's folder, when its folder is that of the deviations; else NULL. */
static char *deviations_root(const char *real)
{
	const char *name = "/" NOT_SCENARIOS "/", *slash = strrchr(real, '/');
	size_t n = strlen(name) - 1, before = (size_t)(slash - real);

	if (before <= n || strncmp(slash - n, name, n + 1) != 0)
		return NULL;
	return xstrndup(real, before - n);
}

static bool add_deviations(struct scenario_files *out, const char *path, const char *real)
{
	auto_free char *root = real ? deviations_root(real) : NULL;

	if (!root)
		return false;
	GROW(out->deviation, out->deviation_count);
	out->deviation[out->deviation_count++] = (struct scenario_file){
		.path = xstrdup(path),
		.id = xstrdup(real),
		.root = steal(&root),
	};
	return true;
}

/* @given is the argument that led here: a folder, or the file itself. */
static void add_file(struct scenario_files *out, const char *path, const char *given)
{
	auto_free char *real = realpath(path, NULL);
	const char *below = real ? below_root(real) : NULL;
	struct scenario_file f = {.path = xstrdup(path)};
	size_t skip = strlen(given);

	if (add_deviations(out, path, real)) {
		free(f.path);
		return;
	}
	if (below) {
		f.root = xstrndup(real, (size_t)(below - 1 - real));
	} else if (strcmp(path, given) == 0) {
		below = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	} else {
		below = path + skip + strspn(path + skip, "/");
	}
	f.id = xstrndup(below, strlen(below) - (has_suffix(below) ? strlen(SUFFIX) : 0));
	GROW(out->item, out->count);
	out->item[out->count++] = f;
}

static int walk(struct scenario_files *out, const char *dir, const char *given, int depth,
		struct vbm_error *err);

static int walk_entry(struct scenario_files *out, const char *dir, const char *name,
		      const char *given, int depth, struct vbm_error *err)
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
		return walk(out, path, given, depth + 1, err);
	if (S_ISREG(st.st_mode) && has_suffix(name))
		add_file(out, path, given);
	return 0;
}

static int walk(struct scenario_files *out, const char *dir, const char *given, int depth,
		struct vbm_error *err)
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
		ret = walk_entry(out, dir, entry->d_name, given, depth, err);
	return ret;
}

static size_t wanted_count(const struct scenario_files *files)
{
	return files->count + (files->all ? files->deviation_count : 0);
}

static int find_one(struct scenario_files *out, const char *arg, struct vbm_error *err)
{
	size_t before = wanted_count(out);
	struct stat st;
	int ret = 0;

	if (stat(arg, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", arg, strerror(errno));
	if (S_ISDIR(st.st_mode))
		ret = walk(out, arg, arg, 0, err);
	else
		add_file(out, arg, arg);
	if (ret < 0 || wanted_count(out) > before)
		return ret;
	return S_ISDIR(st.st_mode) ?
		vbm_fail(err, ENOENT, "%s: there is no scenario (*" SUFFIX ") in it", arg) :
		vbm_fail(err, ENOENT, "%s: it tells of known deviations and is no scenario", arg);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct scenario_file *)a)->id,
		      ((const struct scenario_file *)b)->id);
}

static void sort(struct scenario_file *file, size_t count)
{
	if (count)	/* or there may be no array at all */
		qsort(file, count, sizeof(*file), by_id);
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

static void settle_deviations(struct scenario_files *files)
{
	size_t i, kept = 0;

	sort(files->deviation, files->deviation_count);
	for (i = 0; i < files->deviation_count; i++)
		if (kept && strcmp(files->deviation[kept - 1].id, files->deviation[i].id) == 0)
			file_fini(&files->deviation[i]);
		else
			files->deviation[kept++] = files->deviation[i];
	files->deviation_count = kept;
}

/* Sorted; a file that was named twice is kept once. */
static int settle(struct scenario_files *files, struct vbm_error *err)
{
	struct scenario_file *last = NULL;
	size_t i, kept = 0;
	int ret = 0;

	sort(files->item, files->count);
	for (i = 0; i < files->count; i++) {
		if (!last || strcmp(last->id, files->item[i].id)) {
			files->item[kept] = files->item[i];
			last = &files->item[kept++];
			continue;
		}
		if (ret == 0 && !same_file(last->path, files->item[i].path))
			ret = vbm_fail(err, EEXIST, "two scenarios have the id '%s': %s and %s; "
				       "run them apart or rename one", last->id, last->path,
				       files->item[i].path);
		file_fini(&files->item[i]);
	}
	files->count = kept;
	settle_deviations(files);
	return ret;
}

static int find(struct scenario_files *out, char *const *arg, int count, bool all,
		struct vbm_error *err)
{
	auto_free char *dir = NULL;
	int ret = 0, i;

	*out = (struct scenario_files){.all = all};
	if (count == 0) {
		ret = scenario_default_dir(&dir, err);
		if (ret == 0)
			ret = find_one(out, dir, err);
	}
	for (i = 0; ret == 0 && i < count; i++)
		ret = find_one(out, arg[i], err);
	if (ret == 0)
		ret = settle(out, err);
	if (ret)
		scenario_files_fini(out);
	return ret;
}

int scenario_files_find(struct scenario_files *out, char *const *arg, int count,
			struct vbm_error *err)
{
	return find(out, arg, count, false, err);
}

int scenario_files_find_all(struct scenario_files *out, char *const *arg, int count,
			    struct vbm_error *err)
{
	return find(out, arg, count, true, err);
}

static bool is_scenarios(const char *dir)
{
	auto_free char *catalogue = xasprintf("%s/clauses.tsv", dir);

	return access(catalogue, R_OK) == 0;
}

int scenario_default_dir(char **out, struct vbm_error *err)
{
	static const char *const near[] = {"", "/..", "/../.."};
	char exe[PATH_MAX];
	ssize_t n;
	size_t i;

	if (is_scenarios(ROOT_NAME)) {
		*out = xstrdup(ROOT_NAME);
		return 0;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	if (strrchr(exe, '/'))
		*strrchr(exe, '/') = '\0';
	for (i = 0; n > 0 && i < ARRAY_SIZE(near); i++) {
		auto_free char *dir = xasprintf("%s%s/" ROOT_NAME, exe, near[i]);

		if (is_scenarios(dir)) {
			*out = realpath(dir, NULL);
			return *out ? 0 : vbm_fail(err, errno, "%s: %s", dir, strerror(errno));
		}
	}
	if (is_scenarios(PKGDATADIR "/" ROOT_NAME)) {
		*out = xstrdup(PKGDATADIR "/" ROOT_NAME);
		return 0;
	}
	return vbm_fail(err, ENOENT, "there is no folder of scenarios here, near the program or "
			"in " PKGDATADIR "; name a file or a folder");
}

int scenario_read(const char *path, char **text, size_t *len, struct vbm_error *err)
{
	/* Not blocking: a FIFO must not hang the program. */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	auto_free char *buf = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return vbm_fail(err, EINVAL, "%s: not a regular file", path);
	/* One more than is allowed, so that the reader sees that it is too long. */
	buf = xcalloc(1, YAML_SIZE_MAX + 2);
	*len = 0;
	while (*len <= YAML_SIZE_MAX) {
		n = read(fd, buf + *len, YAML_SIZE_MAX + 1 - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return vbm_fail(err, errno, "%s: %s", path, strerror(errno));
		if (n == 0)
			break;
		*len += (size_t)n;
	}
	*text = xreallocarray(steal(&buf), *len + 1, 1);
	return 0;
}

int scenario_load(struct scenario **out, const struct scenario_file *file,
		  struct diagnostics *diag, struct vbm_error *err)
{
	struct fragment_source source;
	struct scenario_input in;
	auto_free char *text = NULL;
	size_t len = 0;
	int ret = scenario_read(file->path, &text, &len, err);

	if (ret)
		return ret;
	source = fragments_of(file->root);
	in = (struct scenario_input){
		.path = file->path, .id = file->id, .text = text, .len = len,
		.fragments = &source,
	};
	ret = scenario_parse(out, &in, diag);
	if (ret)
		vbm_fail(err, -ret, "%s: not a valid scenario", file->path);
	return ret;
}
