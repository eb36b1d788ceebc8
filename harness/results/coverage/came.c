/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/came.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "event/read.h"

/* Pure. Whether the value is in @result, the result of a step. */
static bool came_result_has(const struct value *result, const struct code_use *use)
{
	const struct value *v;
	size_t i;

	if (result->type == VALUE_LIST)
		for (i = 0; i < result->list.count; i++)
			if (came_result_has(result->list.item[i], use))
				return true;
	if (result->type != VALUE_MAP)
		return false;
	v = use->field ? value_get(result, use->field) : NULL;
	if (v && v->type == VALUE_INT && v->i == use->value)
		return true;
	for (i = 0; i < result->map.count; i++)
		if (came_result_has(result->map.member[i].value, use))
			return true;
	return false;
}

/* The evidence is a file of the user, so nothing about its lines is certain. */
static bool line_has(const char *line, const struct code_use *use)
{
	auto_value struct value *event = json_read(line, strlen(line), NULL);
	struct vbm_error err;

	return event && event_check_any(event, &err) == 0 && event_is(event, "step") &&
	       event_integer(event, "index") == (int64_t)use->item &&
	       came_result_has(event_any(event, "result"), use);
}

bool came_use(const struct stored_run *run, const struct variant *v, const struct code_use *use)
{
	const struct stored_variant *row = stored_find(run, v->name);
	auto_free char *path = NULL, *text = NULL;
	char *rest, *line;

	if (!run->dir || !row || !row->folder)
		return false;
	path = xasprintf("%s/%s/events.jsonl", run->dir, row->folder);
	text = text_of_file(path, NULL);
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (line_has(line, use))
			return true;
	return false;
}
