/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/execute.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job-run/execution.h"
#include "job-run/programs.h"
#include "job/interrupt.h"
#include "job/state.h"
#include "lib/base/fail.h"
#include "services/services.h"

#define NAMED_MAX 3

static void add_step(struct text *out, const struct variant *v, size_t at)
{
	const struct item *it = &v->items[at];

	text_addf(out, "%s.%s (line %d)", v->actors[it->actor].name, it->kind->name,
		  it->origin.pos.line);
}

char *execute_not_begun(const struct variant *v, size_t waited, size_t from, size_t to)
{
	struct text out = {0};
	size_t i, n = 0;

	for (i = from; i < to; i++) {
		if (v->items[i].actor == v->items[waited].actor)
			continue;
		if (n < NAMED_MAX) {
			text_add(&out, n ? ", " : "; ");
			add_step(&out, v, i);
		}
		n++;
	}
	if (!n)
		return NULL;
	if (n > NAMED_MAX)
		text_addf(&out, " and %zu more", n - NAMED_MAX);
	text_addf(&out, " had not begun: %s after ", n == 1 ? "it comes" : "they come");
	add_step(&out, v, from);
	text_addf(&out, ", which waits for line %d", v->items[waited].origin.pos.line);
	return out.s;
}

static void call_fini(struct call *call)
{
	bound_fini(&call->bound);
	value_free(call->result);
	mismatches_fini(&call->wrong);
	free(call->not_begun);
}

/*
 * The actor's first item also waits for the start of its agent, which is not the call's
 * time.
 */
static int start_actor(struct execution *x, struct call *call)
{
	if (!actors_get(x->actors, call->item->actor, &call->err))
		return -call->err.code;
	/* A signal ends the running agents; this agent may have started after the signal. */
	if (interrupt_came())
		return vbm_fail(&call->err, EINTR, "the run was interrupted");
	call->began_ns = clock_now_ns();
	return 0;
}

static int bind(const struct execution *x, struct call *call)
{
	int rc = item_bind(call->item, x->env, &call->bound, &call->err);

	if (rc == 0 && call->item->kind->starts_program)
		programs_set_folder(x->on.programs, x->v, call->item, call->bound.args);
	return rc;
}

/* Binds and posts; collect_answer() handles an error. */
static void post(struct execution *x, struct call *call)
{
	const struct item *item = call->item;

	/* Between the end of a call and the next one there is nothing worth a look at the clock. */
	call->began_ns = x->now_ns ? x->now_ns : clock_now_ns();
	x->now_ns = 0;
	if (!call->tries++)
		call->asked_ns = call->began_ns;
	if (!call->bound.args)
		call->rc = bind(x, call);
	if (call->rc == 0 && !actors_has(x->actors, item->actor))
		call->rc = start_actor(x, call);
	if (call->rc < 0)
		return;
	call->agent = actors_get(x->actors, item->actor, &call->err);
	if (item->kind->by_runner)
		call->rc = agent_kill(call->agent,
				      (int)value_get_int(call->bound.args, "signal", 9),
				      &call->err);
	else
		call->rc = agent_post(call->agent, item->kind, call->bound.args, item->as,
				      call->began_ns, item->deadline_ms, &call->err);
}

static void collect_answer(struct execution *x, struct call *call)
{
	if (call->rc == 0 && call->item->kind->by_runner) {
		call->result = value_map();
		value_set_int(call->result, "return", 0);
	} else if (call->rc == 0) {
		call->rc = agent_collect(call->agent, &call->result, &call->err);
	}
	call->ended_ns = x->now_ns = clock_now_ns();
	call->collected = true;
}

/* Judges a process that ended by itself: the item may expect that. */
static bool judge_death(struct call *call)
{
	const struct item *item = call->item;
	const struct agent_end *end = call->agent ? agent_end(call->agent) : NULL;
	char *got;

	if (!end || end->by_runner)
		return false;
	if (item->death > 0 && end->signal == item->death)
		return true;
	got = end->signal ? xasprintf("SIG%s", sigabbrev_np(end->signal)) :
			    xasprintf("exit status %d", end->status);
	mismatches_add(&call->wrong, item->origin.pos, "death",
		       item->death > 0 ? xasprintf("SIG%s", sigabbrev_np(item->death)) :
					 xstrdup("none"), got);
	return true;
}

/*
 * The call could not be made, or never answered. If the process died in its call or the
 * call did not end, the stack is at fault (FAIL); any other error says nothing about the
 * stack (ERROR).
 */
static void judge_error(struct call *call)
{
	const struct item *item = call->item;

	if (call->rc == -ETIMEDOUT && item->mode == ITEM_NOTHING)
		return;
	if (call->rc == -ECHILD && judge_death(call))
		return;
	if (call->rc == -ETIMEDOUT || call->rc == -ETIME) {
		mismatches_add(&call->wrong, item->origin.pos, "answer",
			       xstrdup(EXPECTED_IN_TIME),
			       xasprintf("%s%s", call->err.msg, call->not_begun ? call->not_begun : ""));
		return;
	}
	call->broke = true;
}

static void judge_call(struct call *call)
{
	const struct item *item = call->item;
	char *shown;

	if (call->rc < 0) {
		judge_error(call);
		return;
	}
	if (item->mode == ITEM_ANSWER && item->death <= 0) {
		expect_match(item->kind, item->origin.pos, call->bound.expect, call->result,
			     &call->wrong);
		return;
	}
	if (item->mode == ITEM_UNTIL)
		return;		/* judged each time */
	shown = expect_result_show(item->kind, call->result);
	if (item->mode == ITEM_NOTHING)
		mismatches_add(&call->wrong, item->origin.pos, "answer", xstrdup("nothing"), shown);
	else
		mismatches_add(&call->wrong, item->origin.pos, "death",
			       xasprintf("SIG%s", sigabbrev_np(item->death)), shown);
}

static bool is_of_program(const struct step_kind *kind)
{
	const struct param *p;

	for (p = kind->params; p && p->name; p++)
		if (p->type == PARAM_OBJECT && p->object == OBJECT_PROGRAM)
			return true;
	return kind->starts_program;
}

/* A wait that ran out, or a program: what was wrong may be on another host. */
static bool is_wait(const struct call *call)
{
	return call->rc == -ETIMEDOUT || call->rc == -ETIME || call->item->mode == ITEM_UNTIL ||
	       is_of_program(call->item->kind);
}

/*
 * Reports one item; returns whether the variant goes on. It goes on after a known
 * failure, so that one finding does not hide another. As long as all failures are known,
 * the first one is the reason of the verdict. The first unknown failure replaces it,
 * because no finding can excuse it.
 */
static bool finish_call(struct execution *x, struct call *call)
{
	const struct item *item = call->item;
	bool ok = !call->broke && !call->ruled_out && !call->wrong.count;
	bool known = execution_any_known(x, item, &call->wrong);
	size_t i;

	x->waited = !ok && is_wait(call);
	if (call->in_time)
		actors_note(x->actors, item, call->result);
	started_note(&x->started, item, call->bound.args, call->result);
	execution_tell_step(x, call, ok);
	packets_step(&x->packets, x, call);
	x->new_reason = x->only_known && !known;
	if (call->wrong.count)
		x->only_known = known && (x->only_known || x->out->verdict == VERDICT_PASS);
	for (i = 0; i < call->wrong.count; i++)
		execution_tell_fail(x, item, &call->wrong.item[i], 0);
	if (call->result && item->as)
		env_set_result(x->env, x->v->actors[item->actor].name, item->as, call->result);
	return ok || (known && call->rc == 0);
}

/* Nothing announces the change, so look again soon at first, then less often. */
static void pause_before(const struct call *call, int64_t deadline_ns)
{
	int ms = call->tries < 6 ? 1 << call->tries : 50, left = clock_left_ms(deadline_ns);
	struct pollfd p = {.fd = agent_pidfd(call->agent), .events = POLLIN};

	poll(&p, 1, ms < left ? ms : left);
}

/* Repeats the call until its answer is as expected, or until the deadline. */
static void run_until(struct execution *x, struct call *call)
{
	int64_t deadline = clock_deadline_ms(call->item->deadline_ms);
	bool longer = false;

	for (;;) {
		post(x, call);
		collect_answer(x, call);
		mismatches_fini(&call->wrong);
		if (call->rc < 0 ||
		    expect_match(call->item->kind, call->item->origin.pos, call->bound.expect,
				 call->result, &call->wrong) ||
		    interrupt_came())
			return;
		if (clock_left_ms(deadline) <= 0) {
			if (longer || !clock_stood_still(&deadline))
				return;
			longer = true;
		}
		pause_before(call, deadline);
		x->now_ns = 0;
		value_free(call->result);
		call->result = NULL;
	}
}

/*
 * An actor makes one call at a time, so its earlier calls have to end before the call
 * @at. Returns false if such a wait ran out: the calls from @at on could not end it.
 */
static bool collect_before(struct execution *x, struct call *calls, size_t at, size_t to)
{
	size_t from = (size_t)(calls[0].item - x->v->items), i;
	bool in_time = true;

	for (i = 0; i < at; i++) {
		if (calls[i].collected || calls[i].item->actor != calls[at].item->actor)
			continue;
		collect_answer(x, &calls[i]);
		if (calls[i].rc != -ETIMEDOUT || calls[i].item->mode != ITEM_ANSWER)
			continue;
		calls[i].not_begun = execute_not_begun(x->v, from + i, from + at, to);
		in_time = false;
	}
	return in_time;
}

/* Runs the items @from to @to - 1: a single one, or a group. */
static bool run_group(struct execution *x, size_t from, size_t to)
{
	struct call *calls = xcalloc(to - from, sizeof(*calls));
	bool ok = true, in_time = true;
	size_t i;

	for (i = 0; i < to - from; i++)
		calls[i] = (struct call){.item = &x->v->items[from + i], .in_time = true};
	if (calls[0].item->mode == ITEM_UNTIL) {
		run_until(x, &calls[0]);
	} else {
		for (i = 0; i < to - from; i++) {
			in_time = collect_before(x, calls, i, to) && in_time;
			calls[i].in_time = in_time;
			post(x, &calls[i]);
		}
		for (i = 0; i < to - from; i++)
			if (!calls[i].collected)
				collect_answer(x, &calls[i]);
	}
	x->out->calls_ns += calls[to - from - 1].ended_ns - calls[0].asked_ns;
	emit_hold(x->emit);
	for (i = 0; i < to - from; i++) {
		judge_call(&calls[i]);
		ok = finish_call(x, &calls[i]) && ok;
		call_fini(&calls[i]);
	}
	emit_release(x->emit);
	free(calls);
	return ok;
}

/* One outcome of an either:, and the item that ruled it out. */
struct alternative {
	const struct item *at;	/* NULL: the outcome is still possible */
	struct mismatches wrong;
};

struct alternatives {
	struct alternative *item;	/* owned */
	size_t count;
};

/* 1: an outcome is reached; 0: some outcomes are possible; -1: no outcome is possible. */
static int compare_outcomes(struct alternatives *c, const struct call *call, const struct item *after)
{
	const struct value *list = call->bound.outcomes, *next = after ? after->outcomes : NULL;
	const struct item *item = call->item;
	const struct value *expect;
	int alive = 0;
	size_t k;

	for (k = 0; k < c->count && k < list->list.count; k++) {
		expect = list->list.item[k];
		if (c->item[k].at || expect->type == VALUE_BOOL)
			continue;
		if (!expect_match(item->kind, item->origin.pos,
				  expect->type == VALUE_MAP ? expect : NULL, call->result,
				  &c->item[k].wrong)) {
			c->item[k].at = item;
			continue;
		}
		if (!next || k >= next->list.count || next->list.item[k]->type == VALUE_BOOL)
			return 1;
		alive++;
	}
	return alive ? 0 : -1;
}

/* Report for each outcome the mismatches that ruled it out. */
static void emit_alternatives(struct execution *x, const struct alternatives *c)
{
	size_t k, i;

	for (k = 0; k < c->count; k++)
		for (i = 0; i < c->item[k].wrong.count; i++)
			execution_tell_fail(x, c->item[k].at, &c->item[k].wrong.item[i], (int)k + 1);
}

static void alternatives_fini(struct alternatives *c)
{
	size_t k;

	for (k = 0; k < c->count; k++)
		mismatches_fini(&c->item[k].wrong);
	free(c->item);
}

/* Run the items of one either: until an outcome is reached or no outcome is possible. */
static bool run_either(struct execution *x, size_t from, size_t to)
{
	struct alternatives alternatives = {.count = x->v->items[from].outcomes->list.count};
	bool ok = true;
	int state = 0;
	size_t i;

	alternatives.item = xcalloc(alternatives.count + 1, sizeof(*alternatives.item));
	for (i = from; ok && state == 0 && i < to; i++) {
		struct call call = {.item = &x->v->items[i], .in_time = true};

		post(x, &call);
		collect_answer(x, &call);
		x->out->calls_ns += call.ended_ns - call.asked_ns;
		if (call.rc < 0)
			judge_error(&call);
		else
			state = compare_outcomes(&alternatives, &call, i + 1 < to ? call.item + 1 : NULL);
		call.ruled_out = state < 0;
		ok = finish_call(x, &call);
		call_fini(&call);
	}
	if (state < 0)
		emit_alternatives(x, &alternatives);
	alternatives_fini(&alternatives);
	return ok;
}

static size_t group_end(const struct variant *v, size_t from)
{
	const struct item *first = &v->items[from];
	size_t to = from + 1;

	while (to < v->item_count && ((first->group && v->items[to].group == first->group) ||
				      (first->either && v->items[to].either == first->either)))
		to++;
	return to;
}

static int open_services(struct execution *x, struct dns_pool *dns, struct vbm_error *err)
{
	size_t i, hosts = (size_t)fabric_host_count(x->on.fabric);
	auto_free struct service_host *host = xcalloc(hosts, sizeof(*host));
	struct service_setup setup = {.host = host, .hosts = (int)hosts, .dns = dns};
	auto_value struct value *keys = NULL;

	for (i = 0; i < hosts; i++)
		host[i] = (struct service_host){
			.info = fabric_host(x->on.fabric, (int)i),
			.netns_fd = fabric_netns_fd(x->on.fabric, (int)i),
		};
	if (env_resolve(x->env, x->v->services, &keys, err) < 0)
		return -err->code;
	return services_start(&x->on.services, keys, &setup, err);
}

/* Starts the services; like the fabric, their time does not count as the scenario's own. */
static bool start_services(struct execution *x, struct dns_pool *dns)
{
	int64_t began = clock_now_ns();
	struct vbm_error err = {0};
	int rc = open_services(x, dns, &err);

	x->out->calls_ns += clock_now_ns() - began;
	if (rc < 0)
		execution_decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->v->path, err.msg));
	return rc == 0;
}

/* If a service ended by itself, the stack is not at fault: the verdict is ERROR. */
static void look_at_services(struct execution *x)
{
	struct vbm_error err = {0};

	if (services_look(x->on.services, &err) < 0)
		execution_decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->v->path, err.msg));
}

/* A program died that should have gone on. */
static void on_dead_program(void *arg, const struct item *item, const char *how)
{
	struct mismatches wrong = {0};
	struct execution *x = arg;

	mismatches_add(&wrong, item->origin.pos, "death", xstrdup("none"), xstrdup(how));
	execution_tell_fail(x, item, &wrong.item[0], 0);
	mismatches_fini(&wrong);
}

static void run_items(struct execution *x)
{
	size_t i, to;
	bool ok;

	for (i = 0; i < x->v->item_count && !interrupt_came(); i = to) {
		to = group_end(x->v, i);
		ok = x->v->items[i].either ? run_either(x, i, to) : run_group(x, i, to);
		if (!ok) {
			actors_emit_last(x->actors, x->emit);
			if (x->waited)
				execution_tell_state(x, x->since);
			return;
		}
	}
}

static bool prepare_programs(struct execution *x, const struct value *spec)
{
	struct vbm_error err = {0};
	int rc = 0;

	if (variant_wants_programs(x->v))
		rc = programs_open(&x->on.programs, x->on.fabric, spec, &err);
	if (rc < 0)
		execution_decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->v->path, err.msg));
	return rc == 0;
}

static bool prepare_packets(struct execution *x)
{
	int64_t began = clock_now_ns();
	struct vbm_error err = {0};
	int rc = packets_begin(&x->packets, x, &err);

	x->out->calls_ns += clock_now_ns() - began;
	if (rc < 0)
		execution_decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->v->path, err.msg));
	return rc == 0;
}

/* Like the services, its time does not count as the scenario's own. */
static void take_state(struct execution *x)
{
	int64_t began = clock_now_ns();

	x->since = state_take(x->on.fabric);
	x->out->calls_ns += clock_now_ns() - began;
}

void execute_variant(const struct execute_on *on, const struct variant *v, struct outcome *out)
{
	struct execution x = {
		.emit = on->emit, .v = v, .out = out,
		.on = {.fabric = on->fabric, .target = on->target,
		       .resting = variant_shares_processes(v) ? on->resting : NULL,
		       .env = event_texts(on->spec, "target_env"),
		       .all_packets = event_flag_or(on->spec, "packets", false)},
	};
	int h;

	out->verdict = VERDICT_PASS;
	x.env = env_new(v->ip);
	for (h = 0; h < fabric_host_count(on->fabric); h++)
		env_set_host(x.env, fabric_host(on->fabric, h));
	if (start_services(&x, on->dns) && prepare_programs(&x, on->spec) && prepare_packets(&x)) {
		x.actors = actors_new(v, &x.on);
		take_state(&x);
		run_items(&x);
		if (!interrupt_came())
			started_look(&x.started, x.actors, on_dead_program, &x);
		look_at_services(&x);
		started_fini(&x.started);
		if (!interrupt_came())
			packets_judge(&x.packets, &x);
		packets_tell(&x.packets, &x);
		actors_free(x.actors, out->verdict == VERDICT_PASS && !interrupt_came(), on->emit);
	}
	packets_end(&x.packets);
	free(x.since);
	services_stop(x.on.services);
	env_free(x.env);
}
