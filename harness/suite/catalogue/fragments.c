/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/fragments.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "catalogue/files.h"
#include "catalogue/suite.h"

static char *path_in(const char *root, const char *name)
{
	return xasprintf("%s/" FRAGMENTS_FOLDER "/%s.yaml", root, name);
}

/* The path relative to the current folder if it is below, so that a person can open it. */
static char *from_here(const char *path)
{
	auto_free char *here = getcwd(NULL, 0);
	size_t n = here ? strlen(here) : 0;

	if (n > 1 && strncmp(path, here, n) == 0 && path[n] == '/')
		return xstrdup(path + n + 1);
	return xstrdup(path);
}

/*
 * The trees of fragment files that were read. Hundreds of scenarios use the same
 * few files. To read them again took a third of the time of compiling everything.
 */
static struct kept {
	char *path;		/* owned */
	struct stat st;
	struct value *tree;	/* owned */
} *kept;
static size_t kept_count;

static struct kept *find_kept(const char *path)
{
	size_t i;

	for (i = 0; i < kept_count; i++)
		if (strcmp(kept[i].path, path) == 0)
			return &kept[i];
	return NULL;
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A file with errors is not stored (NULL): the compiler reads its text and reports them. */
static const struct value *store_fragment(const char *path, const struct stat *st,
					  const struct fragment_file *file)
{
	struct diagnostics ignored = {0};
	struct value *tree = yaml_read(file->text, file->len, &ignored);
	struct kept *k = find_kept(path);

	diagnostics_fini(&ignored);
	if (!tree)
		return NULL;
	if (!k) {
		GROW(kept, kept_count);
		k = &kept[kept_count++];
		*k = (struct kept){.path = xstrdup(path)};
	}
	value_free(k->tree);
	k->tree = tree;
	k->st = *st;
	return tree;
}

static int read_in(const char *root, const char *name, struct fragment_file *file,
		   struct vbm_error *err)
{
	auto_free char *path = path_in(root, name);
	const struct kept *k;
	struct stat st;

	if (stat(path, &st) < 0)
		return -ENOENT;
	k = find_kept(path);
	if (k && unchanged(&k->st, &st))
		file->tree = k->tree;
	else if (scenario_file_read(path, &file->text, &file->len, err) < 0)
		return -err->code;
	else
		file->tree = store_fragment(path, &st, file);
	file->path = from_here(path);
	return 0;
}

static int read_fragment(void *arg, const char *name, struct fragment_file *file,
			 struct vbm_error *err)
{
	auto_free char *shipped = NULL;
	const char *root = arg;
	int rc = -ENOENT;

	if (root)
		rc = read_in(root, name, file, err);
	if (rc == -ENOENT && suite_shipped(&shipped, NULL) == 0)
		rc = read_in(shipped, name, file, err);
	return rc;
}

struct fragment_source fragments_of(const char *root)
{
	return (struct fragment_source){.read = read_fragment,
					.arg = (void *)(uintptr_t)root};
}

static bool is_listed(const struct value *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (strcmp(value_get_string(list->list.item[i], "name", ""), name) == 0)
			return true;
	return false;
}

static void describe_file(struct value *list, const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	auto_free char *name = xstrndup(base, strlen(base) - strlen(".yaml")), *text = NULL;
	struct diagnostics diag = {0};
	struct value *m = NULL;
	size_t len = 0;

	if (is_listed(list, name))
		return;
	if (scenario_file_read(path, &text, &len, NULL) == 0)
		m = fragment_describe(text, len, &diag);
	diagnostics_fini(&diag);
	if (!m)
		return;
	value_set_string(m, "name", name);
	value_set(m, "path", value_string_take(from_here(path)));
	value_append(list, m);
}

static void describe_all(struct value *list, const char *root)
{
	auto_free char *pattern = path_in(root, "*");
	glob_t g = {0};
	size_t i;

	if (glob(pattern, 0, NULL, &g) == 0)
		for (i = 0; i < g.gl_pathc; i++)
			describe_file(list, g.gl_pathv[i]);
	globfree(&g);
}

static bool check_file(const char *root, const char *path, fragment_say_fn *say, void *arg)
{
	struct fragment_source source = fragments_of(root);
	auto_free char *text = NULL, *shown = from_here(path);
	struct scenario_input in = {.path = shown, .fragments = &source};
	struct diagnostics diag auto_diagnostics = {0};
	struct vbm_error err = {0};
	bool ok;

	ok = scenario_file_read(path, &text, &in.len, &err) == 0;
	in.text = text;
	if (ok)
		fragment_check(&in, &diag);
	ok = ok && !diag.count;
	if (!ok)
		say(arg, shown, &diag, &err);
	return ok;
}

size_t fragments_check(const char *root, fragment_say_fn *say, void *arg, size_t *looked_at)
{
	auto_free char *pattern = path_in(root, "*");
	size_t i, bad = 0;
	glob_t g = {0};

	if (glob(pattern, 0, NULL, &g) == 0)
		for (i = 0; i < g.gl_pathc; i++)
			bad += !check_file(root, g.gl_pathv[i], say, arg);
	*looked_at += g.gl_pathc;
	globfree(&g);
	return bad;
}

struct value *fragments_describe(const char *root)
{
	struct value *list = value_list();
	auto_free char *shipped = NULL;

	if (root)
		describe_all(list, root);
	if (suite_shipped(&shipped, NULL) == 0)
		describe_all(list, shipped);
	return list;
}
