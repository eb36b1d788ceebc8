/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "dns/server.h"
#include "event/kinds.h"
#include "event/read.h"
#include "event/sent.h"
#include "fabric/fabric.h"
#include "machines/machine-fabric.h"
#include "job/counted.h"
#include "job-run/beyond.h"
#include "job-run/devices.h"
#include "job-run/execute.h"
#include "job-run/resting.h"
#include "job-run/leaks.h"
#include "job-run/programs.h"
#include "job/fabric-pool.h"
#include "job/interrupt.h"
#include "job/job.h"
#include "job/kmsg.h"
#include "job/loaded.h"
#include "lib/base/fail.h"
#include "plan/plan.h"
#include "plan/require.h"
#include "process/line.h"

struct run {
	struct job *job;
	struct fabric_pool pool;
	struct dns_pool *dns;	/* owned */
	struct resting *resting;	/* owned; NULL: each agent serves one variant */
	struct facts facts;
	struct utsname uts;
	struct devices_can can;
	char *calls;		/* owned; the calls that the target offers, or NULL until it was asked */
	char *no_target;	/* owned; why it could not be asked, or NULL */
	char *complaint;	/* owned; of the kernel, while no scenario ran */
	struct value *complaints;	/* owned; all complaints of the kernel since the last verdict */
	char *before;		/* owned; the variant before this one, or NULL */
	bool had_fabric;	/* at least one fabric could be made */
};

static struct value *variant_event(struct run *r, const char *kind, const struct variant *v)
{
	struct value *event = emit_new(r->job->emit, kind);

	value_set_int(event, "variant", (int64_t)v->number);
	value_set_string(event, "name", v->name);
	return event;
}

static void emit_scenario(struct run *r, const struct variant *v)
{
	struct value *event = variant_event(r, "scenario", v);

	value_set_string(event, "id", v->id);
	value_set_string(event, "title", v->title);
	value_set_string(event, "path", v->path);
	value_set(event, "clauses", value_dup(v->clauses));
	if (v->specs->list.count)
		value_set(event, "specs", value_dup(v->specs));
	emit_take(r->job->emit, event);
}

/*
 * Gives the complaints to the front end, which knows the findings and can excuse them. It
 * needs all complaints, and only if the steps were carried out.
 */
static void put_complaints(struct run *r, struct value *event, bool carried_out)
{
	if (carried_out && r->complaints->list.count && !r->job->broken)
		value_set(event, "complaints", r->complaints);
	else
		value_free(r->complaints);
	r->complaints = value_list();
}

static void emit_verdict(struct run *r, const struct variant *v, const struct outcome *out,
			 bool carried_out, int64_t total_ns)
{
	struct value *event = variant_event(r, "verdict", v);

	put_complaints(r, event, carried_out);
	value_set_string(event, "verdict", verdict_name(out->verdict));
	value_set(event, "reason", out->reason ? value_string(out->reason) : value_null());
	value_set_int(event, "took_ms", total_ns / 1000000);
	value_set_int(event, "own_us", (total_ns - out->calls_ns) / 1000);
	if (out->left->list.count)
		value_set(event, "left", value_dup(out->left));
	emit_take(r->job->emit, event);
}

static void error_for(struct outcome *out, char *reason)
{
	free(out->reason);
	out->reason = reason;
	out->verdict = VERDICT_ERROR;
}

/* The machines of --hosts on which this job runs, or NULL. They stay the pool's until it ends. */
static struct fabric *machines_of(const struct run *r)
{
	return r->pool.fabric && fabric_is_elsewhere(r->pool.fabric) ? r->pool.fabric : NULL;
}

static enum kmsg_severity read_kernel_log(struct run *r, const struct variant *v, char **text)
{
	struct kmsg_source from = {.fd = r->job->kmsg_fd, .far = machines_of(r)};

	return kmsg_hear(&from, r->job->emit, v, r->complaints, text);
}

/*
 * Reads the kernel's messages during the variant. A complaint changes the verdict,
 * whatever the steps did; after an oops this kernel can no longer be trusted.
 */
static void hear_kernel(struct run *r, const struct variant *v, struct outcome *out)
{
	auto_free char *text = NULL;
	enum kmsg_severity worst = read_kernel_log(r, v, &text);

	if (worst != KMSG_FINE)
		error_for(out, xasprintf("the kernel complained: %s", text));
	if (worst == KMSG_OOPS)
		r->job->broken = true;
}

/*
 * Reads the kernel's messages while no variant ran: a fabric was made or removed, or
 * objects of an earlier variant were removed late.
 */
static void hear_between(struct run *r)
{
	char *text = NULL;
	enum kmsg_severity worst = read_kernel_log(r, NULL, &text);

	if (worst == KMSG_OOPS)
		r->job->broken = true;
	if (r->complaint)
		free(text);
	else
		r->complaint = text;
}

/* The variant did not cause the complaint, but its result does not count either. */
static void fail_for_complaint(struct run *r, struct outcome *out)
{
	if (!r->complaint)
		return;
	error_for(out, xasprintf("the kernel complained before the first step%s%s: %s",
				 r->before ? ", after " : "", r->before ? r->before : "",
				 r->complaint));
	free(r->complaint);
	r->complaint = NULL;
}

/*
 * Only agents open the target, so this starts an agent on no host, to list the target's
 * calls.
 */
static void ask_target(struct run *r)
{
	struct agent_options opts = {
		.target = r->facts.target,
		.log_fd = -1,
		.there = machines_of(r) ? machines_line(machines_of(r), 0) : NULL,
	};
	struct vbm_error err = {0};
	struct agent *agent = NULL;

	if (r->calls || r->no_target)
		return;
	snprintf(opts.host.name, sizeof(opts.host.name), "-");
	if (agent_start(&agent, &opts, &err) < 0)
		r->no_target = xstrdup(err.msg);
	else
		r->calls = xstrdup(value_get_string(agent_offers(agent), "calls", ""));
	agent_stop(agent);
	r->facts.call = r->calls;
}

static bool is_ability(const struct require *req)
{
	return strcmp(req->capability->name, "can") == 0;
}

/*
 * Machines may have different kernels and libraries: all that have a device have to meet the
 * requirement. The reason names the first that does not.
 */
static bool holds(struct run *r, const struct require *req, char **why)
{
	struct fabric *machines = machines_of(r);
	struct facts facts = r->facts;
	struct described said;
	char *reason;
	int i;

	for (i = 0; machines && i < machines_count(machines); i++) {
		said = machines_described(machines, i);
		if (fabric_is_scripted(machines, i))
			continue;
		facts.kernel = said.kernel;
		facts.kernel_a = machines_described(machines, 0).kernel;
		facts.kernel_b = machines_count(machines) > 1 ? machines_described(machines, 1).kernel : NULL;
		if (!machines_have_kernels(machines))
			facts.rdma_core = said.rdma_core;
		facts.device = said.driver;
		facts.can = said.can;
		if (require_holds(req, &facts, &reason))
			continue;
		*why = xasprintf("machine %s: %s", fabric_host(machines, i)->name, reason);
		free(reason);
		return false;
	}
	return machines ? true : require_holds(req, &r->facts, why);
}

/* Whether queue pairs of the machine's device can be connected by ibv_modify_qp(3). */
static bool is_by_hand(const struct fabric *machines, int i)
{
	struct facts facts = {.can = machines_described(machines, i).can};
	struct require req;
	auto_free char *why = NULL;

	return require_parse(&req, "can=by_hand", NULL) == 0 && require_holds(&req, &facts, &why);
}

/*
 * The files were compiled for devices of one kind, before the machines were known. Devices of different transports do not reach
 * each other.
 */
static int check_machines(const struct run *r, struct vbm_error *err)
{
	const struct fabric *machines = machines_of(r);
	int i;

	for (i = 1; machines && i < machines_count(machines); i++)
		if (!fabric_is_scripted(machines, i) && is_by_hand(machines, i) != is_by_hand(machines, 0))
			return vbm_fail(err, EINVAL, "the devices of machine a (%s) and machine %s (%s) have different transports, "
					"so they cannot talk to each other", machines_described(machines, 0).driver,
					fabric_host(machines, i)->name, machines_described(machines, i).driver);
	if (machines && !is_by_hand(machines, 0) && !device_words_by_cm(&r->job->devices, 1))
		return vbm_fail(err, EINVAL, "only rdma_cm connects queue pairs of these devices (%s), so the run needs --device siw", machines_described(machines, 0).driver);
	return 0;
}

/* The reason to skip the variant here, or NULL. */
static char *missing(struct run *r, const struct variant *v, struct outcome *out)
{
	struct fabric *machines = machines_of(r);
	struct require req;
	char *why = machines ? beyond_machines(machines, v) : NULL;
	size_t i;

	if (!why)
		why = devices_forbid(&r->job->devices, v);
	if (!why && v->crashes)
		return xasprintf("may crash %s, by finding %s; --may-crash runs it",
				 machines ? "the kernels of these machines" : "this machine's kernel", v->crashes);
	for (i = 0; !why && i < v->needs->list.count; i++) {
		if (require_parse(&req, v->needs->list.item[i]->s, NULL) < 0)
			continue;	/* the compiler has refused the file */
		if (is_ability(&req))
			continue;	/* the devices are not there yet */
		if (strcmp(req.capability->name, "call") == 0)
			ask_target(r);
		if (strcmp(req.capability->name, "program") == 0)
			r->facts.program = programs_have(r->job->spec, req.value) ? req.value : "";
		if (r->no_target) {
			out->verdict = VERDICT_ERROR;
			return xstrdup(r->no_target);
		}
		if (!holds(r, &req, &why))
			return why;
		free(why);
		why = NULL;
	}
	return why;
}

/*
 * The reason to skip the variant with these devices, or NULL. *@rc is a negative errno, with @err, if a
 * device cannot be asked.
 */
static char *unable(struct run *r, struct fabric *fabric, const struct variant *v, int *rc,
		    struct vbm_error *err)
{
	struct require req;
	char *why = v->devices ? devices_unopened(&r->can, fabric, v) : NULL;
	const char *can = NULL;
	size_t i;

	for (i = 0; !why && i < v->needs->list.count; i++) {
		if (require_parse(&req, v->needs->list.item[i]->s, NULL) < 0 || !is_ability(&req))
			continue;
		if (!can)
			can = r->facts.can = devices_can(&r->can, fabric, v->devices, err);
		if (!can) {
			*rc = -err->code;
			return NULL;
		}
		if (!holds(r, &req, &why))
			return why;
		free(steal(&why));
	}
	return why;
}

static int run_on_fabric(struct run *r, const struct variant *v, struct outcome *out,
			 struct vbm_error *err)
{
	struct fabric_wish wish = {.hosts = v->hosts, .routed = v->routed, .scripted = v->scripted, .devices = v->devices};
	struct fabric *fabric;
	int64_t t = clock_now_ns();
	bool runs;
	int rc, put;

	r->pool.programs = variant_wants_programs(v);
	rc = fabric_pool_get(&r->pool, &wish, &fabric, err);
	/*
	 * The time for the fabric is in its event, and does not count as the scenario's
	 * own.
	 */
	out->calls_ns += clock_now_ns() - t;
	if (rc < 0)
		return rc;
	r->had_fabric = true;
	out->reason = unable(r, fabric, v, &rc, err);
	hear_between(r);
	runs = rc == 0 && !out->reason && !r->job->broken;
	if (runs)
		execute_variant(&(struct execute_on){
			.emit = r->job->emit,
			.fabric = fabric,
			.target = r->facts.target,
			.dns = r->dns,
			.resting = r->resting,
			.spec = r->job->spec,
		}, v, out);
	put = fabric_pool_put(&r->pool, runs && variant_disturbs(v), out->left, rc < 0 ? NULL : err);
	return rc < 0 ? rc : put;
}

/* Whether a kernel of a place of this run, on which a host was, is gone. */
static bool lost_kernel(struct run *r)
{
	struct fabric *machines = machines_of(r);

	if (machines && machines_have_kernels(machines) && machines_broken(machines))
		r->job->lost = true;
	return r->job->lost;
}

static int run_variant(struct run *r, const struct variant *v, struct vbm_error *err)
{
	struct outcome out = {.verdict = VERDICT_SKIP, .left = value_list()};
	int64_t started_ns = clock_now_ns();
	bool carried_out;
	int rc = 0;

	hear_between(r);
	emit_scenario(r, v);
	out.reason = missing(r, v, &out);
	if (!out.reason && !r->job->broken)
		rc = run_on_fabric(r, v, &out, err);
	if (rc < 0 && (!r->had_fabric || machines_of(r))) {
		lost_kernel(r);
		value_free(out.left);
		return rc;
	}
	if (rc < 0) {
		out.verdict = VERDICT_ERROR;
		out.reason = xasprintf("no fabric: %s", err->msg);
	}
	carried_out = out.verdict == VERDICT_PASS || out.verdict == VERDICT_FAIL;
	hear_kernel(r, v, &out);
	fail_for_complaint(r, &out);
	if (!interrupt_came() && !lost_kernel(r))
		emit_verdict(r, v, &out, carried_out, clock_now_ns() - started_ns);
	free(out.reason);
	value_free(out.left);
	free(r->before);
	r->before = xstrdup(v->name);
	return 0;
}

/* Reads one line of the front end: a variant, or the end of the variants (returns 0). */
static int take_variant(struct run *r, struct variant *v, struct vbm_error *err)
{
	auto_value struct value *m = NULL;
	const char *line;
	size_t len;
	int rc;

	rc = line_read(r->job->in, &line, &len, -1);
	if (rc <= 0)
		return rc < 0 ? vbm_fail(err, -rc, "no further variant: %s", strerror(-rc)) : 0;
	m = job_line(r->job, line, len, err);
	if (!m)
		return -err->code;
	if (sent_is(m, "end"))
		return 0;
	if (!sent_is(m, "variant"))
		return vbm_fail(err, EPROTO, "line '%s' where a variant has to be", event_label(m));
	rc = variant_from_value(v, m, err);
	return rc < 0 ? vbm_wrap(err, "the runner refuses a line of the front end") : 1;
}

static int run_variants(struct run *r, struct vbm_error *err)
{
	struct value *event = emit_new(r->job->emit, "run");
	struct variant v;
	int rc = 1;

	value_set_int(event, "scenarios", event_integer(r->job->spec, "scenarios"));
	value_set_string(event, "target", r->facts.target);
	emit_take(r->job->emit, event);
	while (rc > 0 && !r->job->broken && !r->job->lost && !interrupt_came()) {
		rc = take_variant(r, &v, err);
		if (rc <= 0)
			break;
		rc = run_variant(r, &v, err);
		rc = rc < 0 ? rc : 1;
		variant_fini(&v);
	}
	return rc < 0 ? rc : 0;
}

static void drop_resting(void *resting)
{
	resting_drop(resting);
}

/*
 * A target of the user may keep anything in its process, and wants to know the name of each variant.
 * The agents of machines are asked by ssh, which takes longer than a fork.
 */
static bool may_let_agents_rest(const struct run *r)
{
	return !strchr(r->facts.target, '/') && !machines_of(r);
}

static int job_run_main(struct job *job, struct vbm_error *err)
{
	/* A kernel that was started with this word has a clock that jumps. */
	auto_free char *travels = file_kernel_word("time-travel");
	struct run r = {.job = job};
	int rc;

	uname(&r.uts);
	r.facts = (struct facts){
		.kernel = r.uts.release,
		.rdma_core = event_string(job->spec, "rdma_core"),
		.layout = layout_name(job->layout),
		.lane = event_string(job->spec, "lane"),
		.target = event_string(job->spec, "target"),
		.device = device_words_of(&job->devices, 0).first->name,
		.connects = event_string_or(job->spec, "connects", NULL),
		.faults = access("/proc/self/fail-nth", W_OK) == 0 ? "yes" : "no",
		.time = travels ? "virtual" : "real",
	};
	r.pool = fabric_pool_for(job, false);
	r.dns = dns_pool_new();
	if (may_let_agents_rest(&r)) {
		r.resting = resting_new();
		r.pool.leave = drop_resting;
		r.pool.leave_arg = r.resting;
	}
	r.complaints = value_list();
	leaks_begin();
	rc = loaded_expect(event_string_or(job->spec, "librdmacm", NULL), err);
	if (rc == 0)
		rc = check_machines(&r, err);
	if (rc == 0)
		rc = run_variants(&r, err);
	dns_pool_free(r.dns);
	fabric_pool_fini(&r.pool);
	resting_free(r.resting);
	hear_between(&r);
	leaks_tell(job->emit);
	counted_keep();
	free(r.complaint);
	value_free(r.complaints);
	free(r.before);
	devices_can_fini(&r.can);
	free(r.calls);
	free(r.no_target);
	return rc;
}

const struct job_kind job_run = {
	.name = "run",
	.run = job_run_main,
};
