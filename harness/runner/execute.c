/* SPDX-License-Identifier: BSD-2-Clause */
#include "runner/execute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "runner/job.h"
#include "runner/naming.h"

/* How much of an agent's stderr is worth reporting. */
#define LOG_MAX 65536

struct actor {
	struct agent *agent;	/* owned; NULL until its first step */
	int log_fd;		/* its stderr, or -1 */
	const struct plan_step *last;
	struct value *result;	/* owned; of @last, or NULL */
};

struct execution {
	struct emitter *emit;
	const struct scenario *sc;
	const struct variant *var;
	struct fabric *fabric;
	const char *target;
	struct env *env;
	struct naming *naming;	/* owned, or NULL */
	struct actor *actors;	/* one for each host */
	int hosts;
	struct outcome *out;
};

static void decide(struct execution *x, enum verdict verdict, char *reason)
{
	x->out->verdict = verdict;
	free(x->out->reason);
	x->out->reason = reason;
}

static struct value *step_event(struct execution *x, const char *kind,
				const struct plan_step *step)
{
	struct value *event = emit_new(x->emit, kind);

	value_set_string(event, "name", x->var->name);
	value_set_int(event, "line", step->pos.line);
	value_set_int(event, "col", step->pos.col);
	value_set_string(event, "host", fabric_host(x->fabric, step->host)->name);
	value_set_string(event, "call", step->kind->name);
	return event;
}

static void emit_step(struct execution *x, const struct plan_step *step,
		      const struct value *args, const struct value *result, int64_t ns,
		      bool ok)
{
	struct value *event = step_event(x, "step", step);

	value_set_int(event, "index", step - x->sc->steps);
	value_set(event, "args", args ? value_dup(args) : value_map());
	value_set(event, "result", result ? value_dup(result) : value_null());
	value_set_int(event, "us", ns / 1000);
	value_set_bool(event, "ok", ok);
	emit_take(x->emit, event);
}

static void emit_fail(struct execution *x, const struct plan_step *step, struct pos pos,
		      const char *field, const char *expected, const char *actual)
{
	struct value *event = step_event(x, "fail", step);

	value_set_int(event, "line", pos.line);
	value_set_int(event, "col", pos.col);
	value_set_string(event, "field", field);
	value_set_string(event, "expected", expected);
	value_set_string(event, "actual", actual);
	emit_take(x->emit, event);
	decide(x, VERDICT_FAIL,
	       xasprintf("%s:%d:%d: %s.%s: %s: expected %s, got %s", x->sc->path, pos.line,
			 pos.col, fabric_host(x->fabric, step->host)->name, step->kind->name,
			 field, expected, actual));
}

/* For whoever debugs a failure: where each host had got to. */
static void emit_last(struct execution *x)
{
	struct value *event;
	struct actor *a;
	int i;

	for (i = 0; i < x->hosts; i++) {
		a = &x->actors[i];
		if (!a->last)
			continue;
		event = step_event(x, "last", a->last);
		value_set(event, "result", a->result ? value_dup(a->result) : value_null());
		emit_take(x->emit, event);
	}
}

static int actor_start(struct execution *x, int host, struct vbm_error *err)
{
	struct actor *a = &x->actors[host];
	struct agent_options opts = {
		.host = *fabric_host(x->fabric, host),
		.netns_fd = fabric_netns_fd(x->fabric, host),
		.target = x->target,
		.names = naming_of(x->naming, host),
	};

	if (a->agent)
		return 0;
	a->log_fd = memfd_create("agent-log", MFD_CLOEXEC);
	opts.log_fd = a->log_fd;
	return agent_start(&a->agent, &opts, err);
}

/*
 * The call could not be made or never answered. A wait that ran out is the
 * stack's doing (FAIL); anything else says nothing about it (ERROR).
 */
static void step_broke(struct execution *x, const struct plan_step *step, int rc,
		       const struct vbm_error *err)
{
	const char *host = fabric_host(x->fabric, step->host)->name;

	if (rc == -ETIMEDOUT) {
		emit_fail(x, step, step->pos, "answer", "one within the deadline", err->msg);
		return;
	}
	decide(x, VERDICT_ERROR, xasprintf("%s:%d:%d: %s.%s: %s", x->sc->path, step->pos.line,
					   step->pos.col, host, step->kind->name, err->msg));
}

static bool judge(struct execution *x, const struct plan_step *step,
		  const struct value *expect, const struct value *result)
{
	struct mismatch m = {0};

	if (expect_match(step->kind, step->pos, expect, result, &m))
		return true;
	emit_fail(x, step, m.pos, m.field, m.expected, m.actual);
	mismatch_fini(&m);
	return false;
}

static bool run_step(struct execution *x, const struct plan_step *step)
{
	auto_value struct value *args = NULL, *expect = NULL, *result = NULL;
	struct actor *a = &x->actors[step->host];
	struct vbm_error err = {0};
	int64_t ns = 0;
	int rc;
	bool ok;

	rc = plan_bind(step, x->env, &args, &expect, &err);
	if (rc == 0)
		rc = actor_start(x, step->host, &err);
	if (rc == 0) {
		ns = clock_now_ns();
		rc = agent_call(a->agent, step->kind, args, step->as, step->deadline_ms,
				&result, &err);
		ns = clock_now_ns() - ns;
		x->out->calls_ns += ns;
	}
	a->last = step;
	value_free(a->result);
	a->result = result ? value_dup(result) : NULL;
	if (rc < 0) {
		emit_step(x, step, args, NULL, ns, false);
		step_broke(x, step, rc, &err);
		return false;
	}
	ok = judge(x, step, expect, result);
	emit_step(x, step, args, result, ns, ok);
	if (step->as)
		env_set_result(x->env, fabric_host(x->fabric, step->host)->name, step->as,
			       result);
	return ok;
}

static void emit_log(struct execution *x, int host)
{
	struct actor *a = &x->actors[host];
	auto_free char *text = NULL;
	struct value *event;
	struct stat st;
	ssize_t n;

	if (a->log_fd < 0 || fstat(a->log_fd, &st) < 0 || st.st_size == 0)
		return;
	text = xcalloc(1, LOG_MAX + 1);
	n = pread(a->log_fd, text, LOG_MAX, st.st_size > LOG_MAX ? st.st_size - LOG_MAX : 0);
	if (n <= 0)
		return;
	event = emit_new(x->emit, "log");
	value_set_string(event, "name", x->var->name);
	value_set_string(event, "host", fabric_host(x->fabric, host)->name);
	value_set_string(event, "text", text);
	emit_take(x->emit, event);
}

static void actors_stop(struct execution *x)
{
	int i;

	for (i = 0; i < x->hosts; i++) {
		agent_stop(x->actors[i].agent);
		emit_log(x, i);
		if (x->actors[i].log_fd >= 0)
			close(x->actors[i].log_fd);
		value_free(x->actors[i].result);
	}
	free(x->actors);
}

/* Not the scenario's own cost, as the fabric is not. */
static bool start_naming(struct execution *x, struct dns_pool *dns)
{
	int64_t began = clock_now_ns();
	struct vbm_error err = {0};
	int rc = naming_new(&x->naming, x->sc, x->env, x->fabric, dns, &err);

	x->out->calls_ns += clock_now_ns() - began;
	if (rc < 0)
		decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->sc->path, err.msg));
	return rc == 0;
}

void execute(struct emitter *emit, const struct scenario *sc, const struct variant *var,
	     struct fabric *fabric, const char *target, struct dns_pool *dns,
	     struct outcome *out)
{
	struct execution x = {
		.emit = emit,
		.sc = sc,
		.var = var,
		.fabric = fabric,
		.target = target,
		.hosts = fabric_host_count(fabric),
		.out = out,
	};
	size_t i;
	int h;

	out->verdict = VERDICT_PASS;
	x.actors = xcalloc((size_t)x.hosts, sizeof(*x.actors));
	x.env = env_new(var->vars);
	for (h = 0; h < x.hosts; h++) {
		x.actors[h].log_fd = -1;
		env_set_host(x.env, fabric_host(fabric, h));
	}
	if (start_naming(&x, dns)) {
		for (i = 0; i < sc->step_count && !runner_interrupted(); i++) {
			if (run_step(&x, &sc->steps[i]))
				continue;
			emit_last(&x);
			break;
		}
	}
	actors_stop(&x);
	naming_free(x.naming);
	env_free(x.env);
}
