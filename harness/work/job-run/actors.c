/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/actors.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-run/resting.h"
#include "job-run/programs.h"
#include "machines/machine-fabric.h"
#include "fabric/host-ns.h"
#include "job/loaded.h"
#include "plan/expect.h"
#include "services/services.h"

/* A longer text helps nobody, and an event's line must not be too long. */
#define RESULT_TEXT_MAX 4096

struct one {
	struct agent *agent;	/* owned; NULL until its first item */
	int log_fd;		/* its stderr, or -1 */
	int served;		/* variants before this one */
	bool resets;		/* it was asked to release its objects */
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

static int make_log(void)
{
	int fd = memfd_create("agent-log", MFD_CLOEXEC);

	/* It is emptied between two variants, and the agent goes on writing at its end. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

static bool take_resting(const struct actors *a, const struct actor *who, struct one *one)
{
	struct resting_agent rested;

	if (!a->on.resting || !resting_take(a->on.resting, who->host, who->number, &rested))
		return false;
	one->agent = rested.agent;
	one->log_fd = rested.log_fd;
	one->served = rested.served;
	return true;
}

static int start_agent(const struct actors *a, const struct actor *who, struct one *one,
		       struct vbm_error *err)
{
	if (take_resting(a, who, one))
		return 0;
	if (one->log_fd < 0)
		one->log_fd = make_log();
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

static void tell_log(const struct actors *a, size_t i, const char *text, struct emitter *emit)
{
	struct value *event = emit_new(emit, "log");

	value_set_int(event, "variant", (int64_t)a->v->number);
	value_set_string(event, "name", a->v->name);
	value_set_string(event, "host", a->v->actors[i].name);
	value_set_string(event, "text", text);
	emit_take(emit, event);
}

/* Emits the stderr of an agent, and empties it. */
static void emit_log(const struct actors *a, size_t i, struct emitter *emit)
{
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n;
	int fd = a->one[i].log_fd;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return;
	text = xcalloc(1, AGENT_LOG_MAX + 1);
	n = pread(fd, text, AGENT_LOG_MAX, st.st_size > AGENT_LOG_MAX ? st.st_size - AGENT_LOG_MAX : 0);
	if (n <= 0)
		return;
	tell_log(a, i, text, emit);
	if (ftruncate(fd, 0) < 0)
		return;		/* a later variant shows these lines again */
}

/* Another variant may have changed the process in a way that no check sees. */
static void tell_served(const struct actors *a, size_t i, struct emitter *emit)
{
	auto_free char *text = NULL;

	if (!a->one[i].served)
		return;
	text = xasprintf("verbatim: this process had served %d variant%s before; 'verbatim run %s' gives this one a fresh process\n",
			 a->one[i].served, a->one[i].served == 1 ? "" : "s", a->v->name);
	tell_log(a, i, text, emit);
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
		tell_served(a, i, emit);
	}
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

static void leave_agents(struct actors *a, struct emitter *emit)
{
	struct one *one;
	size_t i;

	for (i = 0; i < a->v->actor_count; i++) {
		one = &a->one[i];
		one->resets = one->agent && agent_post_reset(one->agent) == 0;
	}
	for (i = 0; i < a->v->actor_count; i++) {
		one = &a->one[i];
		if (!one->resets || !agent_collect_reset(one->agent))
			continue;
		loaded_tell(agent_pid(one->agent), emit);
		emit_log(a, i, emit);
		resting_put(a->on.resting, &(struct resting_agent){
			.agent = steal(&one->agent), .log_fd = one->log_fd, .served = one->served + 1,
			.host = a->v->actors[i].host, .number = a->v->actors[i].number,
		});
		one->log_fd = -1;
	}
}

/* A process that is stuck can end when the others have closed what it waits for. */
void actors_free(struct actors *a, bool keep, struct emitter *emit)
{
	size_t i;

	if (keep && a->on.resting)
		leave_agents(a, emit);
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
