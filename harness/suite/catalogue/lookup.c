/* SPDX-License-Identifier: BSD-2-Clause */
#include "catalogue/files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/xalloc.h"
#include "catalogue/fragments.h"
#include "catalogue/suite.h"
#include "lib/base/fail.h"

/* A path below the current folder, relative to it, so that a person can open it. */
static char *as_seen(const char *real)
{
	auto_free char *here = realpath(".", NULL);
	size_t n = here ? strlen(here) : 0;

	return xstrdup(n && strncmp(real, here, n) == 0 && real[n] == '/' ? real + n + 1 : real);
}

static void add_here(struct string_list *roots)
{
	auto_free char *here = realpath(".", NULL), *suite = here ? suite_of(here) : NULL;
	auto_free char *below = realpath(SUITE_NAME, NULL);

	if (here)
		string_list_add(roots, suite ? suite : here);
	if (below)
		string_list_add(roots, below);
}

static void list_roots(struct string_list *roots, const struct scenario_files *files)
{
	auto_free char *shipped = NULL;
	size_t i;

	for (i = 0; i < files->count; i++)
		string_list_add(roots, files->item[i].root);
	add_here(roots);
	if (suite_shipped(&shipped, NULL) == 0)
		string_list_add(roots, shipped);
}

/* Adds the file of the suite @root with this id. Files of a suite inside it have other ids. */
static struct scenario_file *take_id(struct scenario_files *out, const char *root, const char *id)
{
	auto_free char *path = xasprintf("%s/%s.yaml", root, id), *seen = as_seen(path);
	struct scenario_files one = {0};
	struct scenario_file *f;
	bool is_it;

	if (access(path, F_OK) < 0)
		return NULL;
	f = scenario_files_add(&one, path);
	is_it = one.count && strcmp(f->root, root) == 0 && strcmp(f->id, id) == 0;
	scenario_files_fini(&one);
	return is_it ? scenario_files_add(out, seen) : NULL;
}

static struct scenario_file *find_in_roots(struct scenario_files *out, const struct string_list *roots,
					   const char *id)
{
	struct scenario_file *f = NULL;
	size_t i;

	for (i = 0; i < roots->count && !f; i++)
		f = take_id(out, roots->item[i], id);
	return f;
}

static int fail_near(struct vbm_error *err, const struct suggestion *near, const char *else_say)
{
	const char *best = suggest_best(near);

	return best ? vbm_fail(err, ENOENT, "there is no file, folder or scenario '%s'; did you "
			       "mean '%s'?", near->wanted, best) :
		      vbm_fail(err, ENOENT, "there is no file, folder or scenario '%s'; %s",
			       near->wanted, else_say);
}

/* The path of the first folder @name with scenarios in a suite, or NULL. */
static char *folder_of(const struct string_list *roots, const char *name)
{
	struct stat st;
	size_t i;

	if (!strcmp(name, FRAGMENTS_FOLDER) || !strcmp(name, SUITE_FINDINGS))
		return NULL;
	for (i = 0; i < roots->count; i++) {
		auto_free char *path = xasprintf("%s/%s", roots->item[i], name);

		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			return as_seen(path);
	}
	return NULL;
}

/* Suggests the ids of the suites. Other folders are not searched: they may be large. */
static void offer_ids(struct suggestion *near, struct scenario_files *all,
		      const struct string_list *roots)
{
	size_t i;

	for (i = 0; i < roots->count; i++) {
		auto_free char *suite = suite_of(roots->item[i]);

		if (suite && strcmp(suite, roots->item[i]) == 0)
			scenario_files_walk(all, suite, NULL);
	}
	for (i = 0; i < all->count; i++)
		suggest_offer(near, all->item[i].id);
}

static int no_such_id(const struct string_list *roots, const char *name, struct vbm_error *err)
{
	auto_free char *id = xstrndup(name, strcspn(name, "["));
	struct scenario_files all = {0};
	struct suggestion near;
	int ret;

	suggest_init(&near, id);
	offer_ids(&near, &all, roots);
	ret = fail_near(err, &near, "verbatim list prints the ids of scenarios");
	scenario_files_fini(&all);
	return ret;
}

/* Selects the variant @name. -ENOENT when @f is a valid scenario without such a variant. */
static int want_variant(struct scenario_file *f, const char *name, struct vbm_error *err)
{
	auto_free char *hint = NULL;
	struct diagnostics diag = {0};
	struct suggestion near;
	struct scenario *sc;
	bool found = false;
	size_t i;

	string_list_add(&f->variants, name);
	if (scenario_file_load(&sc, f, &diag, NULL) < 0) {
		/* The caller compiles the file again and prints its errors. */
		diagnostics_fini(&diag);
		return 0;
	}
	diagnostics_fini(&diag);
	suggest_init(&near, name);
	for (i = 0; i < sc->plan.count && !found; i++) {
		suggest_offer(&near, sc->plan.item[i].name);
		found = strcmp(sc->plan.item[i].name, name) == 0;
	}
	hint = xasprintf("a variant of %s is '%s'", f->id, sc->plan.item[0].name);
	if (!found)
		fail_near(err, &near, hint);
	scenario_free(sc);
	return found ? 0 : -ENOENT;
}

int scenario_files_lookup(struct scenario_files *out, const char *name, struct vbm_error *err)
{
	auto_free char *id = xstrndup(name, strcspn(name, "["));
	struct string_list roots auto_string_list = {0};
	auto_free char *folder = NULL;
	struct scenario_file *f;

	list_roots(&roots, out);
	if (find_in_roots(out, &roots, name))
		return 0;
	folder = folder_of(&roots, name);
	if (folder)
		return scenario_files_walk(out, folder, err);
	f = strcmp(id, name) != 0 ? find_in_roots(out, &roots, id) : NULL;
	return f ? want_variant(f, name, err) : no_such_id(&roots, name, err);
}
