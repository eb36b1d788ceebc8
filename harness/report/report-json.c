/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cleanup.h"
#include "base/json.h"
#include "event/event.h"
#include "report/formats.h"
#include "report/report.h"

static void on_event(struct report *r, const struct value *event)
{
	auto_free char *line = NULL;

	if (event_is(event, "progress"))
		return;
	line = json_write(event);
	text_add(&r->text, line);
	text_add(&r->text, "\n");
}

const struct report_ops report_json = {
	.name = "json",
	.doc = "every event as a line of JSON, as it happens",
	.event = on_event,
};
