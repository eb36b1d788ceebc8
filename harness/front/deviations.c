/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/deviations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"
#include "fail.h"
#include "event/event.h"
#include "catalogue/files.h"

static bool selected(const struct deviation *d, const struct selection *sel)
{
	size_t i;

	for (i = 0; i < sel->plan.count; i++)
		if (deviation_names(d, sel->plan.item[i].name))
			return true;
	return false;
}

static int check_names(const struct known *k, size_t from, const struct selection *sel,
		       char *root, struct vbm_error *err)
{
	struct scenario_files files = {0};
	struct scenario_names names = {0};
	const struct deviation *d;
	int rc = 0;
	size_t i;

	for (i = from; i < k->list.count && rc == 0; i++) {
		d = &k->list.item[i];
		if (selected(d, sel))
			continue;
		if (!files.count) {
			rc = scenario_files_find(&files, &root, 1, err);
			scenario_names_make(&names, &files);
		}
		if (rc == 0 && !deviation_names_any(d, &names))
			rc = vbm_fail(err, ENOENT, "%s:%d:%d: error: no scenario is called '%s': "
				      "correct the entry or take it out", d->file, d->pos.line,
				      d->pos.col, d->scenario);
	}
	scenario_names_fini(&names);
	scenario_files_fini(&files);
	return rc;
}

static int load_root(struct known *k, const struct selection *sel, char *root,
		     struct vbm_error *err)
{
	auto_free char *dir = xasprintf("%s/deviations", root);
	size_t before = k->list.count;
	int rc = deviations_load(&k->list, dir, err);

	return rc < 0 ? rc : check_names(k, before, sel, root, err);
}

int known_load(struct known *k, const struct selection *sel, struct vbm_error *err)
{
	char *root, *last = NULL;
	int rc = 0;
	size_t i;

	/* Sorted by id, files of one root need not stand together: seldom two. */
	for (i = 0; i < sel->root_count && rc == 0; i++) {
		root = sel->root[i];
		if (!root || (last && strcmp(root, last) == 0))
			continue;
		rc = load_root(k, sel, root, err);
		last = root;
	}
	return rc;
}

void known_fini(struct known *k)
{
	deviations_fini(&k->list);
	free(k->layout);
	free(k->field);
	free(k->got);
}

static void replace(char **slot, const char *text)
{
	free(*slot);
	*slot = text ? xstrdup(text) : NULL;
}

static void filter_verdict(struct known *k, struct value *event)
{
	const char *name = value_get_string(event, "name", "");
	const struct deviation *d = deviation_find(&k->list, name, &k->facts);
	enum verdict verdict;

	if (!d || verdict_parse(value_get_string(event, "verdict", ""), &verdict) < 0)
		return;
	if (verdict == VERDICT_PASS) {
		value_set_string(event, "verdict", verdict_name(VERDICT_XPASS));
		value_set(event, "reason",
			  value_format_string("%s:%d:%d: this is said to fail (%s), and passes: "
					      "take the entry out", d->file, d->pos.line,
					      d->pos.col, d->what));
	}
	if (verdict == VERDICT_FAIL && k->field && deviation_explains(d, k->field, k->got)) {
		value_set_string(event, "verdict", verdict_name(VERDICT_XFAIL));
		value_set(event, "reason", value_format_string("%s: %s (seen with %s)", d->clause,
							       d->what, d->seen));
	}
}

void known_filter(struct known *k, struct value *event)
{
	if (event_is(event, "layout")) {
		replace(&k->layout, value_get_string(event, "layout", NULL));
		k->facts.layout = k->layout;
	} else if (event_is(event, "scenario")) {
		replace(&k->field, NULL);
	} else if (event_is(event, "fail") && !k->field) {
		/* Other fields of that answer are wrong for the same reason. */
		replace(&k->field, value_get_string(event, "field", NULL));
		replace(&k->got, value_get_string(event, "actual", ""));
	} else if (event_is(event, "verdict")) {
		filter_verdict(k, event);
	}
}
