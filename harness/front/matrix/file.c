/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the file of a matrix, and makes its cells. Pure. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "lane/lane.h"
#include "lib/base/fail.h"
#include "matrix/matrix.h"
#include "names/device-types.h"
#include "names/host.h"
#include "names/targets.h"

static int check_kernel(const char *text, struct vbm_error *err)
{
	if (!strcmp(text, "running"))
		return vbm_fail(err, EINVAL, "the running kernel is that of lane native: say 'kernel: default' and 'lane: native'");
	return 0;
}

static int check_rdma_core(const char *text, struct vbm_error *err)
{
	if (!strcmp(text, "system") || strchr(text, '/') ||
	    (isdigit((unsigned char)*text) && strspn(text, "0123456789.") == strlen(text)))
		return 0;
	return vbm_fail(err, EINVAL, "an rdma-core is 'system', a version such as 56 or 56.1, or the path of a "
			"build with a slash in it, not '%s'", text);
}

static int check_target(const char *text, struct vbm_error *err)
{
	auto_free char *all = NULL;

	if (choice_has(target_name, text) || strchr(text, '/'))
		return 0;
	all = choice_text(target_name, ", or the path of a shared object with a slash in it");
	return vbm_fail(err, EINVAL, "no target is called '%s': %s", text, all);
}

const struct axis_kind matrix_axes[AXES] = {
	[AXIS_KERNEL] = {"kernel", "default", "--kernel", check_kernel, NULL},
	[AXIS_RDMA_CORE] = {"rdma-core", "system", NULL, check_rdma_core, NULL},
	[AXIS_LAYOUT] = {"layout", "auto", "--layout", NULL, layout_nth},
	[AXIS_LANE] = {"lane", "auto", "--lane", NULL, lane_name},
	[AXIS_DEVICE] = {"device", "rxe", "--device", NULL, device_type_name},
	[AXIS_TARGET] = {"target", "system", NULL, check_target, NULL},
};

enum matrix_axis matrix_axis_find(const char *name)
{
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (!strcmp(name, matrix_axes[i].name))
			break;
	return i;
}

bool matrix_axis_given(const struct matrix *m, enum matrix_axis axis)
{
	return m->axis[axis].count > 0 && m->axis[axis].value[0].pos.line > 0;
}

const char *matrix_value(const struct matrix *m, const struct matrix_cell *cell, enum matrix_axis axis)
{
	return m->axis[axis].value[cell->at[axis]].text;
}

/* ---- cells ---- */

static char *name_of(const struct matrix *m, const struct matrix_cell *cell)
{
	struct text t = {0};
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (matrix_axis_given(m, i))
			text_addf(&t, "%s%s=%s", t.len ? "," : "", matrix_axes[i].name, matrix_value(m, cell, i));
	return t.s;
}

static bool fits(const struct matrix_exclude *x, const struct matrix_cell *cell)
{
	enum matrix_axis i;

	for (i = 0; i < AXES; i++)
		if (x->has[i] && !x->has[i][cell->at[i]])
			return false;
	return true;
}

/* A cell that two exclusions fit counts for the first one. */
static bool is_excluded(struct matrix *m, const struct matrix_cell *cell)
{
	size_t i;

	for (i = 0; i < m->exclude_count; i++) {
		if (!fits(&m->exclude[i], cell))
			continue;
		m->exclude[i].met++;
		return true;
	}
	return false;
}

/* The next combination: the last axis changes first. False after the last one. */
static bool advance(const struct matrix *m, size_t at[AXES])
{
	size_t i = AXES;

	while (i-- > 0) {
		if (++at[i] < m->axis[i].count)
			return true;
		at[i] = 0;
	}
	return false;
}

static bool is_too_large(const struct matrix *m)
{
	size_t i, product = 1;

	for (i = 0; i < AXES; i++) {
		product *= m->axis[i].count;
		if (product > MATRIX_CELLS_MAX)
			return true;
	}
	return false;
}

/* Makes the cells; each mistake of axes and exclusions is a diagnostic. */
static void matrix_make_cells(struct matrix *m, struct diagnostics *diag)
{
	struct matrix_cell cell = {0};
	size_t i;

	if (is_too_large(m)) {
		diag_add(diag, (struct pos){1, 1, 0}, NULL, "a matrix has at most %d cells", MATRIX_CELLS_MAX);
		return;
	}
	do {
		if (is_excluded(m, &cell))
			continue;
		GROW(m->cell, m->cells);
		m->cell[m->cells] = cell;
		m->cell[m->cells++].name = name_of(m, &cell);
	} while (advance(m, cell.at));
	for (i = 0; i < m->exclude_count; i++)
		if (!m->exclude[i].met)
			diag_add(diag, m->exclude[i].pos, NULL, "this exclusion leaves out no cell, or only cells that exclusions before it leave out");
	if (!m->cells)
		diag_add(diag, m->exclude[0].pos, NULL, "the exclusions leave no cell");
}

/* A version such as 56 is an integer in YAML, and "6.1" is a text. NULL: neither of the two. */
static char *word_of(const struct value *v)
{
	if (v->type == VALUE_INT)
		return xasprintf("%" PRId64, v->i);
	return v->type == VALUE_STRING && *v->s ? xstrdup(v->s) : NULL;
}

/* A single value counts as a list of one. */
static size_t count_of(const struct value *v)
{
	return v->type == VALUE_LIST ? v->list.count : 1;
}

static const struct value *item_of(const struct value *v, size_t i)
{
	return v->type == VALUE_LIST ? v->list.item[i] : v;
}

static size_t find_value(const struct axis *axis, const char *text)
{
	size_t i;

	for (i = 0; i < axis->count; i++)
		if (!strcmp(axis->value[i].text, text))
			break;
	return i;
}

static void add_value(struct axis *axis, const char *text, struct pos pos)
{
	GROW(axis->value, axis->count);
	axis->value[axis->count++] = (struct axis_value){.text = xstrdup(text), .pos = pos};
}

/* 0, or -EINVAL and why @text is no value of this axis. */
static int check_value(const struct axis_kind *axis, const char *text, struct vbm_error *err)
{
	auto_free char *all = NULL;

	if (axis->check)
		return axis->check(text, err);
	if (choice_has(axis->names, text))
		return 0;
	all = choice_text(axis->names, "");
	return vbm_fail(err, EINVAL, "no %s is called '%s': %s", axis->name, text, all);
}

static void take_value(struct axis *axis, enum matrix_axis kind, const struct value *v, struct diagnostics *diag)
{
	auto_free char *text = word_of(v);
	struct vbm_error err = {0};
	size_t old;

	if (!text) {
		diag_add(diag, v->pos, NULL, "a value of '%s' must be a text or a number, not %s",
			 matrix_axes[kind].name, v->type == VALUE_STRING ? "empty" : value_type_name(v->type));
		return;
	}
	if (check_value(&matrix_axes[kind], text, &err) < 0) {
		diag_add(diag, v->pos, NULL, "%s", err.msg);
		return;
	}
	old = find_value(axis, text);
	if (old < axis->count)
		diag_add(diag, v->pos, NULL, "'%s' is already in line %d, so its cells would run twice", text,
			 axis->value[old].pos.line);
	else
		add_value(axis, text, v->pos);
}

static void take_axis(struct matrix *m, enum matrix_axis kind, const struct value *v, struct diagnostics *diag)
{
	size_t i;

	if (count_of(v) == 0)
		diag_add(diag, v->pos, NULL, "'%s' has no value, so there would be no cell; give one, or leave the "
			 "axis out", matrix_axes[kind].name);
	for (i = 0; i < count_of(v); i++)
		take_value(&m->axis[kind], kind, item_of(v, i), diag);
}

static void take_run(struct matrix *m, const struct value *v, struct diagnostics *diag)
{
	size_t i;

	if (count_of(v) == 0)
		diag_add(diag, v->pos, NULL, "'run' has no entry; leave it out to run every scenario");
	for (i = 0; i < count_of(v); i++) {
		const struct value *item = item_of(v, i);

		if (item->type != VALUE_STRING || !*item->s || *item->s == '-') {
			diag_add(diag, item->pos, NULL, "an entry of 'run' is a file, a folder, the id of a scenario or "
				 "the name of a variant");
			continue;
		}
		m->run = xreallocarray(m->run, m->run_count + 1, sizeof(*m->run));
		m->run_pos = xreallocarray(m->run_pos, m->run_count + 1, sizeof(*m->run_pos));
		m->run_pos[m->run_count] = item->pos;
		m->run[m->run_count++] = xstrdup(item->s);
	}
}

/* The hint for a misspelt axis, or for a key of the file. */
static char *nearest(const char *key, bool is_key)
{
	static const char *const others[] = {"matrix", "run", "exclude"};
	struct suggestion s;
	size_t i;

	suggest_init(&s, key);
	for (i = 0; i < AXES; i++)
		suggest_offer(&s, matrix_axes[i].name);
	for (i = 0; is_key && i < ARRAY_SIZE(others); i++)
		suggest_offer(&s, others[i]);
	return suggest_hint(suggest_best(&s));
}

static void take_excluded(struct matrix *m, struct matrix_exclude *x, const struct value_member *member,
			  struct diagnostics *diag)
{
	enum matrix_axis kind = matrix_axis_find(member->key);
	const struct axis *axis;
	size_t i, at;

	if (kind == AXES) {
		diag_add(diag, member->pos, nearest(member->key, false), "no axis is called '%s'", member->key);
		return;
	}
	axis = &m->axis[kind];
	x->has[kind] = xcalloc(axis->count + 1, sizeof(bool));
	for (i = 0; i < count_of(member->value); i++) {
		const struct value *item = item_of(member->value, i);
		auto_free char *text = word_of(item);

		at = text ? find_value(axis, text) : axis->count;
		if (at == axis->count)
			diag_add(diag, item->pos, NULL, "the axis '%s' has no value '%s'", member->key,
				 text ? text : value_type_name(item->type));
		else
			x->has[kind][at] = true;
	}
}

/* The axes are complete when this is called. */
static void take_exclude(struct matrix *m, const struct value *v, struct diagnostics *diag)
{
	size_t i, k;

	if (v->type != VALUE_LIST) {
		diag_add(diag, v->pos, NULL, "'exclude' is a list of maps, such as '- {kernel: 6.1, layout: netns}'");
		return;
	}
	for (i = 0; i < v->list.count; i++) {
		const struct value *item = v->list.item[i];
		struct matrix_exclude *x;

		if (item->type != VALUE_MAP || item->map.count == 0) {
			diag_add(diag, item->pos, NULL, "an exclusion is a map of axes and their values, such as "
				 "{kernel: 6.1, layout: netns}");
			continue;
		}
		GROW(m->exclude, m->exclude_count);
		x = &m->exclude[m->exclude_count++];
		*x = (struct matrix_exclude){.pos = item->pos};
		for (k = 0; k < item->map.count; k++)
			take_excluded(m, x, &item->map.member[k], diag);
	}
}

static void take_member(struct matrix *m, const struct value_member *member, struct diagnostics *diag)
{
	const struct value *v = member->value;
	enum matrix_axis kind = matrix_axis_find(member->key);

	if (kind < AXES)
		take_axis(m, kind, v, diag);
	else if (!strcmp(member->key, "run"))
		take_run(m, v, diag);
	else if (!strcmp(member->key, "matrix") && v->type == VALUE_STRING && *v->s)
		m->title = xstrdup(v->s);
	else if (!strcmp(member->key, "matrix"))
		diag_add(diag, v->pos, NULL, "'matrix' is the title, a text");
	else if (strcmp(member->key, "exclude") != 0)
		diag_add(diag, member->pos, nearest(member->key, true), "unknown key '%s'", member->key);
}

static void read_matrix(struct matrix *m, const struct value *root, struct diagnostics *diag)
{
	const struct value *exclude;
	bool any = false;
	size_t i;

	if (root->type != VALUE_MAP) {
		diag_add(diag, root->pos, NULL, "a matrix is a map with 'matrix' (its title) and axes");
		return;
	}
	for (i = 0; i < root->map.count; i++)
		take_member(m, &root->map.member[i], diag);
	if (!value_get(root, "matrix"))
		diag_add(diag, root->pos, NULL, "'matrix' is missing: the title, as 'matrix: kernels and releases of rdma-core'");
	for (i = 0; i < AXES; i++) {
		any |= value_get(root, matrix_axes[i].name) != NULL;
		if (m->axis[i].count == 0)
			add_value(&m->axis[i], matrix_axes[i].fallback, (struct pos){0});
	}
	if (!any)
		diag_add(diag, root->pos, NULL, "a matrix needs an axis, such as 'kernel: [6.1, 7.3]'");
	exclude = value_get(root, "exclude");
	if (exclude)
		take_exclude(m, exclude, diag);
}

int matrix_parse(struct matrix *out, const char *text, size_t len, struct diagnostics *diag)
{
	struct value *root = yaml_read(text, len, diag);

	*out = (struct matrix){0};
	if (root)
		read_matrix(out, root, diag);
	value_free(root);
	if (!diag->count)
		matrix_make_cells(out, diag);
	return diag->count ? -EINVAL : 0;
}

void matrix_fini(struct matrix *m)
{
	size_t i, k;

	for (i = 0; m->build && i < m->axis[AXIS_RDMA_CORE].count; i++) {
		free(m->build[i]);
		free(m->version[i]);
	}
	for (i = 0; m->release && i < m->axis[AXIS_LANE].count * m->axis[AXIS_KERNEL].count; i++)
		free(m->release[i]);
	for (i = 0; i < AXES; i++) {
		for (k = 0; k < m->axis[i].count; k++) {
			free(m->axis[i].value[k].text);
			free(m->axis[i].value[k].word);
		}
		for (k = 0; k < m->exclude_count; k++)
			free(m->exclude[k].has[i]);
		free(m->axis[i].value);
	}
	for (i = 0; i < m->run_count; i++)
		free(m->run[i]);
	for (i = 0; i < m->cells; i++)
		free(m->cell[i].name);
	free(m->run);
	free(m->run_pos);
	free(m->exclude);
	free(m->cell);
	free(m->build);
	free(m->version);
	free(m->release);
	free(m->title);
	*m = (struct matrix){0};
}
