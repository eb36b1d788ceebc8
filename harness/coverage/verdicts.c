/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/verdicts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

int verdicts_take(struct verdicts *out, struct value *summary, struct vbm_error *err)
{
	const struct value *list = value_get(summary, "scenarios");

	*out = (struct verdicts){.summary = summary};
	out->target = value_get_string(summary, "target", NULL);
	if (out->target && list && list->type == VALUE_LIST)
		return 0;
	verdicts_fini(out);
	return vbm_fail(err, EINVAL, "this is not the summary of a run: it lacks 'scenarios' or "
			"'target'");
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
	return 0;
}

void verdicts_fini(struct verdicts *v)
{
	value_free(v->summary);
	*v = (struct verdicts){0};
}

enum verdict verdicts_of(const struct verdicts *v, const char *variant)
{
	const struct value *list = value_get(v->summary, "scenarios");
	enum verdict verdict;
	size_t i;

	for (i = 0; i < list->list.count; i++)
		if (!strcmp(value_get_string(list->list.item[i], "name", ""), variant) &&
		    verdict_parse(value_get_string(list->list.item[i], "verdict", ""),
				  &verdict) == 0)
			return verdict;
	return VERDICT_COUNT;
}
