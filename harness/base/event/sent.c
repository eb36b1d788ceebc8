/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/sent.h"

#include <string.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "event/members.h"

#define JOB(name, ...)                                                        \
	{name, true, {STRING("job"), STRING("layout"), STRING("lane"), INTEGER("factor"), \
		      OPTIONAL("device", STRING), \
		      OPTIONAL("key", STRING), OPTIONAL("cable", MAPS), OPTIONAL("routed", FLAG), OPTIONAL("machines", MAPS), \
		      OPTIONAL("may_disturb", FLAG), OPTIONAL("may_configure", FLAG), \
		      __VA_ARGS__}, "job"}
#define CALLER {"env", EVENT_TEXTS}, {"env_bytes", EVENT_BYTES_LIST}, {"cwd", EVENT_BYTES}
#define COMMANDS                                                              \
	CALLER, INTEGER("run"), OPTIONAL("rsh", BYTES), OPTIONAL("rsh_socket", STRING), \
	OPTIONAL("host_programs", BYTES)
#define SIZE OPTIONAL("rows", INTEGER), OPTIONAL("cols", INTEGER)
#define LINE(name, jobs, ...) {name, true, {__VA_ARGS__}, "line", jobs}

static const struct event_kind jobs[] = {
	JOB("run", STRING("target"), STRING("rdma_core"), OPTIONAL("librdmacm", STRING),
	    OPTIONAL("connects", STRING),
	    {"target_env", EVENT_TEXTS}, INTEGER("scenarios"), OPTIONAL("env", TEXTS),
	    OPTIONAL("packets", FLAG), OPTIONAL("env_bytes", BYTES_LIST), OPTIONAL("cwd", BYTES)),
	JOB("exec", COMMANDS, {"commands", EVENT_MAPS}, INTEGER("hosts"),
	    OPTIONAL("capture", BYTES), OPTIONAL("rules", MAPS), INTEGER("timeout_ms")),
	JOB("shell", COMMANDS, STRING("host"), SIZE),
	JOB("walk", STRING("target"), OPTIONAL("librdmacm", STRING), INTEGER("seed"), INTEGER("steps"),
	    INTEGER("groups"), INTEGER("exceptions")),
};

static const struct event_kind lines[] = {
	{"variant", true, {{"items", EVENT_ANY}, OPTIONAL("known", MAPS)}, "line",
	 "run", true},
	LINE("known", NULL, STRING("field"), OPTIONAL("step", STRING), OPTIONAL("got", STRING),
	     OPTIONAL("round", STRING)),
	LINE("end", "run walk", FLAG("end")),
	LINE("walk", "walk", INTEGER("walk"), INTEGER("count"), OPTIONAL("each", FLAG)),
	LINE("command", NULL, {"command", EVENT_BYTES}, STRING("host"), OPTIONAL("ready", BYTES),
	     OPTIONAL("ready_line", BYTES), FLAG("service"), FLAG("fed")),
	LINE("rule", NULL, STRING("step"), STRING("host"), INTEGER("line"), {"args", EVENT_MAP}),
	LINE("cable", NULL, STRING("fault"), INTEGER("value"), OPTIONAL("host", STRING)),
	LINE("input", "exec", STRING("input")),
	LINE("input_end", "exec", FLAG("input_end")),
	LINE("stop", "exec", STRING("stop")),
	LINE("join", "exec shell", INTEGER("join"), OPTIONAL("host", STRING), OPTIONAL("shell", STRING),
	     OPTIONAL("term", STRING), OPTIONAL("cwd", BYTES), OPTIONAL("data", STRING),
	     OPTIONAL("hangup", FLAG), SIZE),
	LINE("rows", "shell", INTEGER("rows"), INTEGER("cols")),
};

const struct event_kind *sent_kind_at(size_t i)
{
	if (i < ARRAY_SIZE(jobs))
		return &jobs[i];
	i -= ARRAY_SIZE(jobs);
	return i < ARRAY_SIZE(lines) ? &lines[i] : NULL;
}

const struct event_kind *sent_kind_of(const struct value *v)
{
	const char *job = value_get_string(v, "job", "");
	size_t i;

	for (i = 0; value_get(v, "job") && i < ARRAY_SIZE(jobs); i++)
		if (strcmp(jobs[i].name, job) == 0)
			return &jobs[i];
	for (i = 0; !value_get(v, "job") && i < ARRAY_SIZE(lines); i++)
		if (value_get(v, lines[i].member[0].name))
			return &lines[i];
	return NULL;
}

bool sent_is(const struct value *v, const char *kind)
{
	const struct event_kind *is = sent_kind_of(v);

	return is && strcmp(is->name, kind) == 0;
}
