/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/actors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-run/programs.h"
#include "machines/machine-fabric.h"
#include "fabric/host-ns.h"
#include "job/loaded.h"
#include "plan/expect.h"
#include "services/services.h"

/* At most this much of an agent's stderr is reported. */

/* A longer text helps nobody, and an event's line must not be too long. */
#define RESULT_TEXT_MAX 4096

struct one {
	struct agent *agent;	/* owned; NULL until its first item */
	int log_fd;		/* its stderr, or -1 */
	const struct item *last;
	struct value *result;	/* owned; of @last, or NULL */
};

struct actors {
	const struct variant *v;
	struct stage on;
	struct one *one;	/* owned; as many as the variant's actors */
};

struct actors *actors_new(const struct variant *v, const struct stage *stage)
{
	struct actors *a = xcalloc(1, sizeof(*a));
	size_t i;

	*a = (struct actors){.v = v, .on = *stage};
	a->one = xcalloc(v->actor_count + 1, sizeof(*a->one));
	for (i = 0; i < v->actor_count; i++)
		a->one[i].log_fd = -1;
	return a;
}

static int start_agent(const struct actors *a, const struct actor *who, struct one *one,
		       struct vbm_error *err)
{
	if (one->log_fd < 0)
		one->log_fd = memfd_create("agent-log", MFD_CLOEXEC);
	return agent_start(&one->agent, &(struct agent_options){
		.host = *fabric_host(a->on.fabric, who->host),
		.host_index = who->host,
		.ns = fabric_namespaces(a->on.fabric, who->host),
		.there = machines_line(a->on.fabric, who->host),
		.target = a->on.target,
		.variant = a->v->name,
		.env = a->on.env,
		.log_fd = one->log_fd,
		.number = who->number,
		.names = services_of(a->on.services, who->host),
		.programs = programs_of(a->on.programs, who->host),
	}, err);
}

bool actors_has(const struct actors *a, int actor)
{
	return a->one[actor].agent;
}

struct agent *actors_get(struct actors *a, int actor, struct vbm_error *err)
{
	struct one *one = &a->one[actor];

	if (!one->agent && start_agent(a, &a->v->actors[actor], one, err) < 0)
		return NULL;
	return one->agent;
}

void actors_note(struct actors *a, const struct item *item, const struct value *result)
{
	struct one *one = &a->one[item->actor];

	one->last = item;
	value_free(one->result);
	one->result = result ? value_dup(result) : NULL;
}

struct value *item_event(struct emitter *emit, const char *kind, const struct variant *v,
			 const struct item *item, int64_t at_ns)
{
	struct value *event = emit_new_at(emit, kind, at_ns);
	const struct origin *o = &item->origin;

	value_set_int(event, "variant", (int64_t)v->number);
	value_set_string(event, "name", v->name);
	value_set_int(event, "line", o->pos.line);
	value_set_int(event, "col", o->pos.col);
	value_set_string(event, "host", v->actors[item->actor].name);
	value_set_string(event, "call", item->kind->name);
	if (o->fragment)
		value_set(event, "fragment",
			  value_format_string("%s:%d:%d", o->fragment, o->fragment_pos.line,
					      o->fragment_pos.col));
	if (o->round)
		value_set_string(event, "round", o->round);
	return event;
}

void item_event_set_result(struct value *event, const struct item *item,
			   const struct value *result)
{
	auto_free char *text = result ? expect_result_show(item->kind, result) : NULL;

	value_set(event, "result", result ? value_dup(result) : value_null());
	if (text && strlen(text) <= RESULT_TEXT_MAX)
		value_set_string(event, "text", text);
}

void actors_emit_last(const struct actors *a, struct emitter *emit)
{
	const struct one *one;
	struct value *event;
	size_t i;

	for (i = 0; i < a->v->actor_count; i++) {
		one = &a->one[i];
		if (!one->last)
			continue;
		event = item_event(emit, "last", a->v, one->last, clock_now_ns());
		item_event_set_result(event, one->last, one->result);
		emit_take(emit, event);
	}
}

static void emit_log(const struct actors *a, size_t i, struct emitter *emit)
{
	auto_free char *text = NULL;
	struct value *event;
	struct stat st;
	ssize_t n;
	int fd = a->one[i].log_fd;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return;
	text = xcalloc(1, AGENT_LOG_MAX + 1);
	n = pread(fd, text, AGENT_LOG_MAX, st.st_size > AGENT_LOG_MAX ? st.st_size - AGENT_LOG_MAX : 0);
	if (n <= 0)
		return;
	event = emit_new(emit, "log");
	value_set_int(event, "variant", (int64_t)a->v->number);
	value_set_string(event, "name", a->v->name);
	value_set_string(event, "host", a->v->actors[i].name);
	value_set_string(event, "text", text);
	emit_take(emit, event);
}

static void stop_agents(struct actors *a, bool stuck, struct emitter *emit)
{
	size_t i;

	for (i = 0; i < a->v->actor_count; i++) {
		if (!a->one[i].agent || agent_is_stuck(a->one[i].agent) != stuck)
			continue;
		if (agent_pid(a->one[i].agent))
			loaded_tell(agent_pid(a->one[i].agent), emit);
		agent_stop(a->one[i].agent);
		a->one[i].agent = NULL;
	}
}

/* A process that is stuck can end when the others have closed what it waits for. */
void actors_free(struct actors *a, struct emitter *emit)
{
	size_t i;

	stop_agents(a, false, emit);
	programs_close(a->on.programs);
	stop_agents(a, true, emit);
	for (i = 0; i < a->v->actor_count; i++) {
		emit_log(a, i, emit);
		if (a->one[i].log_fd >= 0)
			close(a->one[i].log_fd);
		value_free(a->one[i].result);
	}
	free(a->one);
	free(a);
}
