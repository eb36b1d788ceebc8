/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "dns/server.h"
#include "fail.h"
#include "runner/execute.h"
#include "runner/fabric-pool.h"
#include "runner/job.h"
#include "runner/kmsg.h"
#include "plan/require.h"
#include "step/target.h"

struct run {
	struct job *job;
	struct fabric_pool pool;
	struct dns_pool *dns;	/* owned */
	struct facts facts;
	struct utsname uts;
	int kmsg_fd;		/* -1: not readable here */
	bool had_fabric;	/* one could be made at least once */
};

static void emit_scenario(struct run *r, const struct scenario *sc,
			  const struct variant *var)
{
	struct value *event = emit_new(r->job->emit, "scenario"), *clauses = value_list();
	size_t i;

	for (i = 0; i < sc->clause_count; i++)
		value_append(clauses, value_string(sc->clauses[i]));
	value_set_string(event, "id", sc->id);
	value_set_string(event, "name", var->name);
	value_set_string(event, "title", sc->title);
	value_set_string(event, "path", sc->path);
	value_set(event, "clauses", clauses);
	emit_take(r->job->emit, event);
}

static void emit_verdict(struct run *r, const struct variant *var,
			 const struct outcome *out, int64_t total_ns)
{
	struct value *event = emit_new(r->job->emit, "verdict");

	value_set_string(event, "name", var->name);
	value_set_string(event, "verdict", verdict_name(out->verdict));
	value_set(event, "reason", out->reason ? value_string(out->reason) : value_null());
	value_set_int(event, "took_ms", total_ns / 1000000);
	value_set_int(event, "own_us", (total_ns - out->calls_ns) / 1000);
	emit_take(r->job->emit, event);
}

/*
 * What the kernel said meanwhile. A complaint turns the verdict whatever the
 * steps made of it; after an oops nothing that this kernel says counts.
 */
static void hear_kernel(struct run *r, const struct variant *var, struct outcome *out)
{
	enum kmsg_severity severity, worst = KMSG_FINE;
	struct kmsg_record rec;
	struct value *event;

	while (r->kmsg_fd >= 0 && kmsg_next(r->kmsg_fd, &rec)) {
		severity = kmsg_classify(&rec);
		event = emit_new(r->job->emit, "kernel");
		value_set_string(event, "name", var->name);
		value_set_int(event, "level", rec.level);
		value_set_string(event, "text", rec.text);
		value_set_bool(event, "bad", severity != KMSG_FINE);
		emit_take(r->job->emit, event);
		if (severity <= worst)
			continue;
		worst = severity;
		free(out->reason);
		out->reason = xasprintf("the kernel complained: %s", rec.text);
	}
	if (worst != KMSG_FINE)
		out->verdict = VERDICT_ERROR;
	if (worst == KMSG_OOPS)
		r->job->broken = true;
}

/* Why the scenario cannot be asked here, or NULL. */
static char *missing(struct run *r, const struct scenario *sc)
{
	struct require req;
	char *why = NULL;
	size_t i;

	for (i = 0; sc->requires && i < sc->requires->list.count; i++) {
		if (require_parse(&req, sc->requires->list.item[i]->s, NULL) < 0)
			continue;	/* the checker has refused the file */
		if (!require_holds(&req, &r->facts, &why))
			return why;
		free(why);
		why = NULL;
	}
	return NULL;
}

static int run_on_fabric(struct run *r, const struct scenario *sc,
			 const struct variant *var, struct outcome *out,
			 struct vbm_error *err)
{
	const char *target = value_get_string(r->job->spec, "target", "system");
	struct fabric *fabric;
	int64_t t = clock_now_ns();
	int rc;

	rc = fabric_pool_get(&r->pool, sc->hosts, &fabric, err);
	/* Not the scenario's own cost: the fabric event tells it. */
	out->calls_ns += clock_now_ns() - t;
	if (rc < 0)
		return rc;
	r->had_fabric = true;
	execute(r->job->emit, sc, var, fabric, target, r->dns, out);
	fabric_pool_put(&r->pool);
	return 0;
}

static int run_variant(struct run *r, const struct scenario *sc, const struct variant *var,
		       struct vbm_error *err)
{
	struct outcome out = {.verdict = VERDICT_SKIP};
	int64_t started_ns = clock_now_ns();
	int rc = 0;

	emit_scenario(r, sc, var);
	out.reason = missing(r, sc);
	if (!out.reason)
		rc = run_on_fabric(r, sc, var, &out, err);
	if (rc < 0 && !r->had_fabric)
		return rc;
	if (rc < 0) {
		out.verdict = VERDICT_ERROR;
		out.reason = xasprintf("no fabric: %s", err->msg);
	}
	hear_kernel(r, var, &out);
	if (!runner_interrupted())
		emit_verdict(r, var, &out, clock_now_ns() - started_ns);
	free(out.reason);
	return 0;
}

static bool wanted(const struct value *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->list.count; i++)
		if (strcmp(names->list.item[i]->s, name) == 0)
			return true;
	return false;
}

static int run_file(struct run *r, const struct value *file, struct vbm_error *err)
{
	const char *text = value_get_string(file, "text", "");
	const char *path = value_get_string(file, "path", "?");
	const struct value *names = value_get(file, "variants");
	struct diagnostics diag = {0};
	struct variants variants;
	struct scenario *sc;
	size_t i;
	int rc;

	rc = scenario_parse(&sc, path, value_get_string(file, "id", "?"), text, strlen(text),
			    &diag);
	diagnostics_fini(&diag);
	if (rc < 0)
		return vbm_fail(err, EPROTO, "%s: the runner refuses what the front end "
				"accepted; are they of one build?", path);
	scenario_variants(sc, &variants);
	for (i = 0; rc == 0 && i < variants.count; i++) {
		if (runner_interrupted() || r->job->broken)
			break;
		if (!names || wanted(names, variants.item[i].name))
			rc = run_variant(r, sc, &variants.item[i], err);
	}
	variants_fini(&variants);
	scenario_free(sc);
	return rc;
}

static int run_files(struct run *r, struct vbm_error *err)
{
	const struct value *files = value_get(r->job->spec, "scenarios");
	struct value *event = emit_new(r->job->emit, "run");
	size_t i, n = files && files->type == VALUE_LIST ? files->list.count : 0;
	int rc = 0;

	value_set_int(event, "scenarios", (int64_t)n);
	value_set_string(event, "target", value_get_string(r->job->spec, "target", "system"));
	emit_take(r->job->emit, event);
	for (i = 0; rc == 0 && i < n && !r->job->broken && !runner_interrupted(); i++)
		rc = run_file(r, files->list.item[i], err);
	return rc;
}

static int job_run_main(struct job *job, struct vbm_error *err)
{
	struct run r = {.job = job};
	struct target *target;
	int rc;

	uname(&r.uts);
	r.facts = (struct facts){
		.kernel = r.uts.release,
		.rdma_core = value_get_string(job->spec, "rdma_core", "0"),
		.layout = layout_name(job->layout),
		.lane = value_get_string(job->spec, "lane", "native"),
		.target = value_get_string(job->spec, "target", "system"),
	};
	rc = target_open(&target, value_get_string(job->spec, "target", "system"), err);
	if (rc < 0)
		return rc;
	r.facts.call = target_calls(target);
	r.pool = (struct fabric_pool){.emit = job->emit, .layout = job->layout,
				       .any_layout = job->any_layout};
	r.dns = dns_pool_new();
	r.kmsg_fd = kmsg_open(NULL);
	rc = run_files(&r, err);
	dns_pool_free(r.dns);
	fabric_pool_fini(&r.pool);
	target_close(target);
	if (r.kmsg_fd >= 0)
		close(r.kmsg_fd);
	return rc;
}

const struct job_kind job_run = {
	.name = "run",
	.run = job_run_main,
};
