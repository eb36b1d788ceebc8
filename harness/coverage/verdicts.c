/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/verdicts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "lib/base/fail.h"

/* A row of the list is the variant that it names. */
static int take_row(struct variant_verdict *v, const struct value *row, struct vbm_error *err)
{
	const struct value *name = value_get(row, "name"), *verdict = value_get(row, "verdict");

	if (!name || name->type != VALUE_STRING || !verdict || verdict->type != VALUE_STRING)
		return vbm_fail(err, EINVAL, "one of its 'scenarios' has no 'name' or no 'verdict'");
	if (verdict_parse(verdict->s, &v->verdict) < 0)
		return vbm_fail(err, EINVAL, "'%s' has the verdict '%.40s', which is not known",
				name->s, verdict->s);
	v->name = name->s;
	v->folder = value_get_string(row, "folder", NULL);
	return 0;
}

static int take(struct verdicts *v, const struct value *summary, struct vbm_error *err)
{
	const struct value *list;
	size_t i;
	int rc = event_check_any(summary, err);

	if (rc < 0)
		return rc;
	if (!event_is(summary, "summary") || !event_has(summary, "scenarios"))
		return vbm_fail(err, EINVAL, "it has no 'scenarios'");
	v->target = event_string(summary, "target");
	list = event_maps(summary, "scenarios");
	v->item = xcalloc(list->list.count + 1, sizeof(*v->item));
	for (i = 0; rc == 0 && i < list->list.count; i++)
		rc = take_row(&v->item[v->count++], list->list.item[i], err);
	return rc;
}

int verdicts_take(struct verdicts *out, struct value *summary, struct vbm_error *err)
{
	struct vbm_error why = {0};

	*out = (struct verdicts){.summary = summary};
	if (take(out, summary, &why) == 0)
		return 0;
	verdicts_fini(out);
	return vbm_fail(err, EINVAL, "this is not the summary of a run: %s", why.msg);
}

int verdicts_load(struct verdicts *out, const char *dir, struct vbm_error *err)
{
	auto_free char *path = xasprintf("%s/summary.json", dir), *text = NULL;
	struct value *summary;
	struct vbm_error why;

	*out = (struct verdicts){0};
	text = text_of_file(path, &why);
	if (!text)
		return vbm_fail(err, why.code, "%s (only a run with --output writes one, "
				"at its end)", why.msg);
	summary = json_read(text, strlen(text), err);
	if (!summary || verdicts_take(out, summary, err) < 0)
		return vbm_wrap(err, "%s", path);
	out->dir = xstrdup(dir);
	return 0;
}

void verdicts_fini(struct verdicts *v)
{
	value_free(v->summary);
	free(v->dir);
	free(v->item);
	*v = (struct verdicts){0};
}

enum verdict verdicts_of(const struct verdicts *v, const char *variant)
{
	size_t i;

	for (i = 0; i < v->count; i++)
		if (!strcmp(v->item[i].name, variant))
			return v->item[i].verdict;
	return VERDICT_COUNT;
}
