/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machine-station/station-priv.h"

void station_say(struct station *s, int channel, const char *text)
{
	auto_free char *line = xasprintf("%d %s\n", channel, text);

	if (!s->gone && file_write(s->out, line, strlen(line)) < 0)
		s->gone = true;
}

void station_say_value(struct station *s, const struct value *v)
{
	auto_free char *text = json_write(v);

	station_say(s, 0, text);
}

void station_tell_end(struct station *s, int number, int status, const char *log)
{
	auto_value struct value *v = value_map();

	value_set_int(v, "ended", number);
	value_set_int(v, "status", status);
	value_set_string(v, "log", log);
	station_say_value(s, v);
}

void station_note_line(const char *line, void *list)
{
	value_append(list, value_string(line));
}
