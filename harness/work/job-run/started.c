/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/started.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "job-run/actors.h"
#include "step/step.h"

#define ASK "read_program"

struct started_program {
	const struct item *item;	/* borrowed; the item that started it */
	char *name;			/* owned; the object's name */
};

static void forget_program(struct started *s, size_t at)
{
	free(s->item[at].name);
	memmove(s->item + at, s->item + at + 1, (--s->count - at) * sizeof(*s->item));
}

/* The program that an actor calls @name, which may be NULL; s->count if there is none. */
static size_t find_program(const struct started *s, int actor, const char *name)
{
	const char *wanted = name ? name : step_default_name(OBJECT_PROGRAM);
	size_t i, only = s->count, count = 0;

	for (i = 0; i < s->count; i++) {
		if (s->item[i].item->actor != actor)
			continue;
		if (!strcmp(s->item[i].name, wanted))
			return i;
		only = i;
		count++;
	}
	return !name && count == 1 ? only : s->count;
}

static bool takes_program(const struct step_kind *kind)
{
	const struct param *p;

	for (p = kind->params; p && p->name; p++)
		if (p->type == PARAM_OBJECT && p->object == OBJECT_PROGRAM)
			return true;
	return false;
}

void started_note(struct started *s, const struct item *item, const struct value *args,
		  const struct value *result)
{
	bool starts = item->kind->makes == OBJECT_PROGRAM;
	const char *name = item->as ? item->as : step_default_name(OBJECT_PROGRAM);
	size_t at;

	/* Without an answer no step has reported its end. */
	if (!starts && (!result || item->kind->query || !takes_program(item->kind)))
		return;
	at = find_program(s, item->actor, starts ? name : value_get_string(args, "program", NULL));
	if (at < s->count)
		forget_program(s, at);
	/* If it was not ready, its own step has failed. */
	if (!starts || value_get_int(result, "return", -1) != 0 ||
	    value_get_bool(args, "may_fail", false))
		return;
	GROW(s->item, s->count);
	s->item[s->count++] = (struct started_program){item, xstrdup(name)};
}

/* How it died; NULL if it did not. The caller frees the text. */
static char *death_of(const struct started_program *p, struct agent *agent)
{
	const struct step_kind *ask = step_find(ASK);
	auto_value struct value *args = value_map(), *result = NULL;
	const char *signal;
	int64_t status;

	value_set_string(args, "program", p->name);
	if (agent_end(agent) || agent_call(agent, ask, args, NULL, clock_now_ns(),
					   step_deadline_ms(ask), &result, NULL) < 0)
		return NULL;
	status = value_get_int(result, "status", 0);
	signal = value_get_string(result, "signal", NULL);
	if (!status)
		return NULL;
	return signal ? xasprintf("SIG%s", signal) : xasprintf("exit status %d", (int)status);
}

void started_look(const struct started *s, struct actors *actors,
		  void (*dead)(void *arg, const struct item *item, const char *how), void *arg)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		const struct started_program *p = &s->item[i];
		auto_free char *how = NULL;

		if (actors_has(actors, p->item->actor))
			how = death_of(p, actors_get(actors, p->item->actor, NULL));
		if (how)
			dead(arg, p->item, how);
	}
}

void started_fini(struct started *s)
{
	while (s->count)
		forget_program(s, s->count - 1);
	free(s->item);
	s->item = NULL;
}
