/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for the scenarios, the kernels and the releases of rdma-core of a matrix on this machine. */
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
#include "guest/kernel.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "matrix/matrix.h"
#include "names/rdma-core.h"
#include "rdma-build/rdma-store.h"
#include "rdma-build/rdma-tree.h"

/*
 * @entry of the matrix's file @file: a path counts from the folder of that file. What is
 * no path there stays as it is. The caller frees it.
 */
static char *matrix_path(const char *file, const char *entry)
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

/* ---- kernels ---- */

/* Finds the kernel that @lane would boot; returns its release, which the caller frees, or NULL and @err. */
static char *release_for(const char *lane, const char *name, struct vbm_error *err)
{
	size_t k;

	*err = (struct vbm_error){0};
	for (k = KERNEL_KINDS; k-- > 0;) {
		auto_kernel struct kernel found = {0};

		if (lane_boots(lane, (enum kernel_kind)k) && kernel_find(&found, (enum kernel_kind)k, name, err) == 0)
			return xstrdup(found.release);
	}
	return NULL;
}

/* Compares the kernel at @at with those before it, in one lane. */
static void check_kernel(const struct matrix *m, size_t at, const struct axis_value *lane, char **release,
			 struct diagnostics *diag)
{
	const struct axis_value *v = &m->axis[AXIS_KERNEL].value[at];
	const char *name = v->pos.line ? v->word : NULL;
	struct vbm_error err;
	size_t i;

	if (name && !strcmp(name, matrix_axes[AXIS_KERNEL].fallback))
		name = NULL;
	release[at] = release_for(lane->text, name, &err);
	if (!release[at] && err.code)
		diag_add(diag, v->pos.line ? v->pos : lane->pos, NULL, "%s", err.msg);
	for (i = 0; release[at] && i < at; i++)
		if (release[i] && !strcmp(release[i], release[at]))
			diag_add(diag, v->pos, NULL, "'%s' and '%s' are both the kernel %s, so its cells would run twice",
				 m->axis[AXIS_KERNEL].value[i].text, v->text, release[at]);
}

/* Whether a cell has these two values. */
static bool is_wanted(const struct matrix *m, size_t kernel, size_t lane)
{
	size_t i;

	for (i = 0; i < m->cells; i++)
		if (m->cell[i].at[AXIS_KERNEL] == kernel && m->cell[i].at[AXIS_LANE] == lane)
			return true;
	return false;
}

static void settle_kernels(struct matrix *m, struct diagnostics *diag)
{
	const struct axis *kernels = &m->axis[AXIS_KERNEL], *lanes = &m->axis[AXIS_LANE];
	size_t k, l;

	m->release = xcalloc(kernels->count * lanes->count, sizeof(*m->release));
	for (l = 0; l < lanes->count; l++)
		for (k = 0; k < kernels->count; k++)
			if (is_wanted(m, k, l))
				check_kernel(m, k, &lanes->value[l], m->release + l * kernels->count, diag);
}

/* ---- rdma-core ---- */

static void say_missing(const char *name, const struct rdma_releases *all, struct pos pos, struct diagnostics *diag)
{
	struct text has auto_text = {0};
	size_t i;

	text_addf(&has, "this machine has %s", rdma_core_version());
	for (i = 0; i < all->count; i++)
		text_addf(&has, "%s %s", i ? "," : ", its cache", all->item[i].version);
	diag_add(diag, pos, NULL, "no rdma-core %s is here: %s; get it: verbatim rdma-core build %s", name, has.s, name);
}

/* Finds the build of @name, and its version. For this machine's own libraries *@build stays NULL. */
static int find_build(const char *name, char **build, char **version, struct pos pos, struct diagnostics *diag)
{
	auto_rdma_releases struct rdma_releases all = {0};
	struct vbm_error err = {0};
	struct rdma_tree tree;
	size_t i;

	if (!strcmp(name, "system") || rdma_version_matches(name, rdma_core_version())) {
		*version = xstrdup(rdma_core_version());
		return 0;
	}
	if (strchr(name, '/')) {
		if (rdma_tree_open(&tree, name, NULL, &err) < 0) {
			diag_add(diag, pos, NULL, "%s", err.msg);
			return -1;
		}
		*build = xstrdup(tree.dir);
		*version = xstrdup(tree.dir);
		rdma_tree_fini(&tree);
		return 0;
	}
	rdma_store_list(&all);
	for (i = 0; i < all.count; i++) {
		if (!rdma_version_matches(name, all.item[i].version))
			continue;
		*build = xstrdup(all.item[i].build);
		*version = xstrdup(all.item[i].version);
		return 0;
	}
	say_missing(name, &all, pos, diag);
	return -1;
}

static void settle_builds(struct matrix *m, struct diagnostics *diag)
{
	const struct axis *axis = &m->axis[AXIS_RDMA_CORE];
	size_t i, k;
	char **version;

	m->build = xcalloc(axis->count, sizeof(*m->build));
	m->version = version = xcalloc(axis->count, sizeof(*version));
	for (i = 0; i < axis->count; i++) {
		const struct axis_value *v = &axis->value[i];

		if (find_build(v->word, &m->build[i], &version[i], v->pos, diag) < 0)
			continue;
		for (k = 0; k < i; k++)
			if (version[k] && !strcmp(version[k], version[i]))
				diag_add(diag, v->pos, NULL, "'%s' and '%s' are both the rdma-core %s, so its cells would run "
					 "twice", axis->value[k].text, v->text, version[i]);
	}
}

/* libverbatim is linked with this machine's rdma-core, and cannot be measured over another one. */
static void check_target(const struct matrix *m, const struct matrix_cell *cell, struct diagnostics *diag)
{
	const char *target = matrix_value(m, cell, AXIS_TARGET);

	if (cell->build && !strcmp(target, "reference"))
		diag_add(diag, m->axis[AXIS_TARGET].value[cell->at[AXIS_TARGET]].pos, NULL,
			 "the target reference runs over this machine's rdma-core only, which is %s; exclude the other "
			 "cells: - {target: reference, rdma-core: %s}", rdma_core_version(),
			 matrix_value(m, cell, AXIS_RDMA_CORE));
}

/* Only a value with a slash can be a path; "7.3" stays a name, also if there is such a file. */
static void make_words(struct axis *axis, const char *file)
{
	size_t i;

	for (i = 0; i < axis->count; i++)
		axis->value[i].word = strchr(axis->value[i].text, '/') ? matrix_path(file, axis->value[i].text) :
								      xstrdup(axis->value[i].text);
}

void matrix_settle(struct matrix *m, const char *file, struct diagnostics *diag)
{
	size_t i;

	for (i = 0; i < AXES; i++)
		make_words(&m->axis[i], file);

	settle_kernels(m, diag);
	settle_builds(m, diag);
	for (i = 0; i < m->cells; i++) {
		struct matrix_cell *cell = &m->cell[i];

		cell->build = m->build[cell->at[AXIS_RDMA_CORE]];
		cell->version = m->version[cell->at[AXIS_RDMA_CORE]];
		cell->release = m->release[cell->at[AXIS_LANE] * m->axis[AXIS_KERNEL].count + cell->at[AXIS_KERNEL]];
		check_target(m, cell, diag);
	}
}
