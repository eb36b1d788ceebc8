/* SPDX-License-Identifier: BSD-2-Clause */
/* Long: it leads one run from its options to its exit status; its parts have files of their own. */
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "names/exit-status.h"
#include "dns/unbound.h"
#include "event/event.h"
#include "event/read.h"
#include "worker/lane-choice.h"
#include "rdma-build/caller.h"
#include "worker/seen.h"
#include "worker/signals.h"
#include "rdma-build/target-choice.h"
#include "rdma-build/rdma-tree.h"
#include "worker/worker.h"
#include "lib/base/fail.h"
#include "names/device-types.h"
#include "report/report.h"
#include "run/findings.h"
#include "run/left-files.h"
#include "run/machines-choice.h"
#include "run/places.h"
#include "run/reorder.h"
#include "run/repeat.h"
#include "run/selection.h"
#include "run/tracker.h"
#include "runs/stored.h"

struct front_run {
	const struct run_options *opts;
	struct selection selection;
	struct value *shard;	/* owned; which part of the plan this run is, or NULL */
	struct tracker tracker;
	struct findings_filter known;
	struct report *report;
	struct stored_run earlier;	/* the last one of --history, for a format that compares */
	struct left_files left;
	const struct lane_ops *lane;
	struct lane_options lane_opts;
	struct lanes *lanes;		/* owned */
	struct signals signals;
	struct seen seen;		/* by programs of scenarios */
	struct machines_choice machines;
	char kernel[64], accelerator[16];
	bool virtual_time;
	struct target_choice target;
	const char *files[8 + 2 * DEVICE_TYPES_MAX];	/* what the guest needs of this machine */
	int64_t started_ns;
	enum verdict *verdict;	/* owned; by variant; VERDICT_COUNT: none yet */
	int unexpected;		/* verdicts */
	struct vbm_error unwritten;	/* code 0: every write has succeeded so far */
	bool begun;
	bool empty;		/* the shard has no scenario */
	bool unread;		/* nobody reads the report any more */
	bool told_error;		/* the report already has the runner's error */
};

static void report_lost(struct front_run *c, int rc)
{
	if (!c->unwritten.code)
		vbm_fail(&c->unwritten, -rc, "the report could not be written: %s",
			 strerror(-rc));
}

static void send_to_reports(struct front_run *c, const struct value *event, bool more)
{
	struct event_line line = {.event = event, .more = more};
	int rc = report_line(c->report, &line);

	if (rc < 0)
		report_lost(c, rc);
	left_files_event(&c->left, &line);
	event_line_fini(&line);
}

/* Gives the reports an event that the front end itself makes. */
static void tell_own(struct front_run *c, const struct value *event)
{
	event_made(event);
	send_to_reports(c, event, false);
}

static void progress(const char *what, void *arg)
{
	auto_value struct value *event = value_map();

	value_set_string(event, "event", "progress");
	value_set_string(event, "text", what);
	tell_own(arg, event);
}

static void put_target(const struct front_run *c, struct value *event)
{
	value_set_string(event, "target", c->target.name);
	value_set_string(event, "rdma_core", c->target.version);
	value_set_string(event, "device", c->opts->choice.device ? c->opts->choice.device : device_type_default()->name);
	value_set_string(event, "librdmacm", c->target.librdmacm);
}

static void put_shard(const struct front_run *c, struct value *event)
{
	if (c->shard)
		value_set(event, "shard", value_dup(c->shard));
}

static const char *lane_of(const struct front_run *c)
{
	return c->lane ? c->lane->name : "none";
}

static void put_time(const struct front_run *c, struct value *event)
{
	if (c->virtual_time)
		value_set_bool(event, "virtual_time", true);
}

/* The first event for the reports, when the first place has started. */
static void begin_reports(void *arg, const struct lane *lane)
{
	struct front_run *c = arg;
	auto_value struct value *event = value_map();

	snprintf(c->kernel, sizeof(c->kernel), "%s", lane->kernel);
	snprintf(c->accelerator, sizeof(c->accelerator), "%s", lane->accelerator);
	c->virtual_time = lane->virtual_time;
	c->known.facts = (struct facts){
		.lane = lane_of(c),
		.kernel = c->kernel,
		.rdma_core = c->target.version,
		.target = c->target.name,
		.device = device_type_default()->name,
		.layout = c->known.layout, .connects = selection_connects(c->opts),
	};
	c->known.devices = &c->lane_opts.devices;
	c->known.spares_kernel = c->lane && c->lane->own_kernel && !c->opts->may_crash;
	c->known.any_kernel = c->machines.list;
	if (c->begun)
		return;
	c->begun = true;
	value_set_string(event, "event", "begin");
	value_set_string(event, "lane", lane_of(c));
	value_set_string(event, "accelerator", lane->accelerator);
	value_set_string(event, "kernel", lane->kernel);
	put_time(c, event);
	put_target(c, event);
	put_shard(c, event);
	value_set_int(event, "total", (int64_t)c->tracker.count);
	tell_own(c, event);
}

static void end_reports(struct front_run *c, int status)
{
	auto_value struct value *event = tracker_summary(&c->tracker);

	value_set_string(event, "lane", lane_of(c));
	value_set_string(event, "accelerator", c->accelerator);
	if (!value_get(event, "kernel") || c->lane_opts.kernels)
		value_set_string(event, "kernel", c->kernel);
	put_time(c, event);
	put_target(c, event);
	put_shard(c, event);
	value_set_int(event, "took_ms", (clock_now_ns() - c->started_ns) / 1000000);
	value_set_int(event, "exit", status);
	tell_own(c, event);
}

/* The report also has the error that ended the run. */
static void tell_error(struct front_run *c, const struct vbm_error *err)
{
	auto_value struct value *event = value_map();

	if (c->told_error)
		return;
	value_set_string(event, "event", "error");
	value_set_int(event, "code", err->code);
	value_set_string(event, "text", err->msg);
	tell_own(c, event);
}

/* If a report read an event wrongly, the verdicts of this run prove nothing. */
static int after_faults(struct front_run *c, int status)
{
	struct vbm_error err = {0};

	if (!event_faulted())
		return status;
	vbm_fail(&err, EPROTO, "an internal error, which standard error names: this report may be wrong");
	tell_error(c, &err);
	return status == EXIT_OK ? EXIT_FAILED : status;
}

/* The caller's values of the variables @names, a list that ends with NULL, or NULL. */
static struct value *named_variables(const char *const *names)
{
	struct value *env = value_map();

	for (; names && *names; names++)
		if (getenv(*names))
			value_set_string(env, *names, getenv(*names));
	return env;
}

static struct value *make_job(void *arg)
{
	const struct front_run *c = arg;
	struct value *job = value_map();

	value_set_string(job, "job", "run");
	lane_choice_put(&c->opts->choice, job);
	if (c->machines.list)
		value_set(job, "machines", value_dup(c->machines.list));
	value_set_string(job, "target", c->target.name);
	value_set_string(job, "connects", selection_connects(c->opts));
	value_set_string(job, "rdma_core", c->target.version);
	if (c->target.tree.librdmacm)
		value_set_string(job, "librdmacm", c->target.tree.librdmacm);
	value_set(job, "target_env", named_variables(c->opts->env));
	value_set_int(job, "scenarios", (int64_t)tracker_remaining(&c->tracker));
	if (selection_wants_programs(&c->selection)) {
		caller_describe_named(job, c->opts->env, c->target.environment);
		caller_add_own_folder(job);
	}
	return job;
}

static void describe_variant(void *arg, size_t variant, struct value *line)
{
	const struct front_run *c = arg;

	findings_filter_describe(&c->known, variant, line);
}

/*
 * Takes an event in the order of the plan: compares it with findings, counts it, reports
 * it.
 */
static void on_event(void *arg, const struct value *said, bool more)
{
	auto_value struct value *event = value_dup(said);
	struct front_run *c = arg;

	findings_filter_event(&c->known, event);
	tracker_count(&c->tracker, event);
	if (event_is(event, "verdict")) {
		c->verdict[event_variant(event)] = event_verdict(event);
		c->unexpected += !verdict_is_expected(event_verdict(event));
	}
	send_to_reports(c, event, more);
	c->told_error |= event_is(event, "error") && event_has(event, "seq");
}

/* Another place is worth its boot if there are this many variants for each place. */
#define VARIANTS_A_PLACE 40

static int jobs_of(const struct front_run *c)
{
	int carried = lane_capacity(c->lane, &c->lane_opts);
	int useful = (int)(c->tracker.count / VARIANTS_A_PLACE) + 1;

	if (c->opts->jobs)
		return c->opts->jobs;
	return useful < carried ? useful : carried;
}

static bool is_enough(void *arg)
{
	const struct front_run *c = arg;

	return c->unexpected >= c->opts->fail_fast;
}

static void tell_rest(const struct front_run *c)
{
	size_t left = tracker_remaining(&c->tracker);

	if (c->opts->fail_fast && c->unexpected >= c->opts->fail_fast && left)
		visible_complain("--fail-fast: %zu variant%s did not run", left, left == 1 ? "" : "s");
	repeat_tell(&c->selection, c->verdict, c->opts->repeat, stderr);
}

static int run_everywhere(struct front_run *c, struct vbm_error *err)
{
	struct places p = {
		.plan = &c->selection.plan,
		.tracker = &c->tracker,
		.signals = &c->signals,
		.jobs = jobs_of(c),
		.silence_ms = WORKER_SILENCE_MS + (c->machines.list ? MACHINES_CONNECT_MS : 0),
		.ready = begin_reports,
		.job = make_job,
		.describe = describe_variant,
		.event = on_event,
		.arg = c,
	};
	const struct run_options *o = c->opts;
	auto_free size_t *turn = o->fail_fast ? NULL : reorder_by_time(&c->selection, o->rerun, o->history, p.jobs);
	int rc = lanes_open(&c->lanes, c->lane, &c->lane_opts, err);

	p.lanes = c->lanes;
	p.turn = turn;
	p.enough = o->fail_fast ? is_enough : NULL;
	return rc < 0 ? rc : places_run(&p, err);
}

/* Wrong words are told at once: to read all scenarios takes seconds. */
static int check_words(const struct run_options *opts, struct vbm_error *err)
{
	auto_free char *names = NULL;

	if (lane_check_name(opts->choice.lane, err) < 0 || lane_choice_check(&opts->choice, 0, err) < 0)
		return -err->code;
	if (report_find(opts->format))
		return 0;
	names = choice_text(report_name, "");
	return vbm_fail(err, EINVAL, "no format is called '%s': %s", opts->format, names);
}

static int open_reports(struct front_run *c, struct vbm_error *err)
{
	struct report_options ro = {
		.out = stdout,
		.color = c->opts->color,
		.live = c->opts->live,
		.verbose = c->opts->verbose,
	};
	const struct report_ops *ops = report_find(c->opts->format);

	/* This run is not in the history yet. */
	if (ops->compares && c->opts->history && stored_read(&c->earlier, c->opts->history, 0, NULL) == 0) {
		ro.earlier = stored_verdict_of;
		ro.earlier_run = &c->earlier;
	}
	if (left_files_open(&c->left, c->opts, err) < 0)
		return -err->code;
	c->report = report_open(ops, &ro);
	return 0;
}

static int close_reports(struct front_run *c)
{
	struct vbm_error left = {0};
	int rc = report_close(c->report);

	if (rc < 0)
		report_lost(c, rc);
	if (out_error())
		report_lost(c, -out_error());
	/* A reader of the standard output who goes away takes no file along. */
	if (left_files_close(&c->left, &left) < 0) {
		if (c->unwritten.code)
			visible_complain("%s", left.msg);
		else
			c->unwritten = left;
	}
	if (c->unwritten.code && !c->unread)
		visible_complain("%s", c->unwritten.msg);
	if (c->unwritten.code)
		out_error_told();
	return -c->unwritten.code;
}

/* Without any verdict there was no place to run in. */
static bool any_verdict(const struct tracker *t)
{
	size_t i;

	for (i = 0; i < VERDICT_COUNT; i++)
		if (t->verdicts[i])
			return true;
	return false;
}

/*
 * If both outputs are the same terminal or file, the report for people already has the
 * error.
 */
static bool is_said(const struct front_run *c)
{
	struct stat out, err;

	return !strcmp(c->opts->format, "pretty") && !c->unwritten.code &&
	       fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
	       out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

static int status_of(struct front_run *c, int rc, const struct vbm_error *err)
{
	if (rc < 0) {
		tell_error(c, err);
		if (!is_said(c))
			visible_complain("%s", err->msg);
		c->unread = rc == -EPIPE;
		return rc == -EINTR || c->unread || any_verdict(&c->tracker) ? EXIT_FAILED : EXIT_NO_FABRIC;
	}
	return tracker_all_expected(&c->tracker) ? EXIT_OK : EXIT_FAILED;
}

static void add_file(struct front_run *c, const char *path)
{
	size_t i = 0;

	while (c->files[i])
		i++;
	c->files[i] = path;
	c->lane_opts.files = c->files;
}

static int settle_target(struct front_run *c, struct vbm_error *err)
{
	struct target_choice *t = &c->target;
	auto_free char *older = NULL;
	const char **file;

	t->devices = c->lane_opts.devices;
	if (target_choice_settle(t, c->opts->target, c->opts->rdma_core, c->opts->over, err) < 0)
		return -err->code;
	older = t->tree.dir ? rdma_tree_older_than(&t->tree) : NULL;
	if (older)
		visible_complain("warning: %s", older);
	for (file = t->files; *file; file++)
		add_file(c, *file);
	if (t->environment[0])
		c->lane_opts.environment = t->environment;
	return 0;
}

/*
 * Programs of scenarios see their suites and the target. They see another folder only
 * if the user names it.
 */
static int settle_seen(struct front_run *c, struct vbm_error *err)
{
	const struct target_choice *t = &c->target;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->opts->shares; i++)
		ret = seen_share(&c->seen, c->opts->share[i], err);
	if (ret < 0 || !selection_wants_programs(&c->selection))
		return ret;
	c->lane_opts.files_seen = GUEST_FILES_PROGRAMS;
	seen_add_own(&c->seen);
	for (i = 0; i < c->selection.root_count; i++)
		seen_add_suite(&c->seen, c->selection.root[i]);
	if (t->tree.dir)
		ret = seen_add(&c->seen, t->tree.dir, "--target", err);
	else if (!target_is_named(t->name))
		ret = seen_add(&c->seen, t->name, "--target", err);
	seen_put(&c->seen, &c->lane_opts);
	return ret;
}

static int prepare_run(struct front_run *c, struct vbm_error *err)
{
	const char *unbound = NULL;

	if (machines_choose(&c->machines, c->opts, &c->lane_opts, err) < 0 ||
	    lane_choice_check(&c->opts->choice, selection_hosts(&c->selection), err) < 0)
		return -err->code;
	machines_of_plan(&c->machines, c->opts, &c->selection.plan, &c->lane_opts);
	if (findings_filter_load(&c->known, &c->selection, err) < 0)
		return -err->code;
	/* If unbound is missing, the scenarios that need it report that. */
	if (selection_wants_dns(&c->selection) && unbound_find(&unbound, NULL) == 0)
		add_file(c, unbound);
	return settle_seen(c, err);
}

/* A shard without a scenario needs no place. It leaves the same files as the other shards. */
static int run_empty(struct front_run *c)
{
	static const struct lane none = {.kernel = "none", .accelerator = "none"};
	struct vbm_error err = {0};

	if (prepare_run(c, &err) < 0 || open_reports(c, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	visible_complain("shard %d of %d has none of the scenarios", c->opts->shard.number, c->opts->shard.of);
	begin_reports(c, &none);
	end_reports(c, EXIT_OK);
	return close_reports(c) < 0 ? EXIT_FAILED : EXIT_OK;
}

static int run_checked(struct front_run *c)
{
	auto_free char *notice = NULL;
	struct vbm_error err = {0};
	const char *warning;
	int rc, status;

	if (prepare_run(c, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	rc = lane_choose(c->opts->choice.lane, &c->lane_opts, &c->lane, &err);
	if (rc < 0) {
		visible_complain("%s", err.msg);
		return c->lane ? EXIT_NO_FABRIC : EXIT_USAGE;
	}
	warning = c->lane_opts.files_seen ? lane_warning(c->lane) : NULL;
	if (warning)
		visible_complain("warning: %s", warning);
	notice = lane_notice(c->lane, &c->lane_opts);
	if (notice)
		visible_complain("%s", notice);
	if (open_reports(c, &err) < 0) {
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	rc = signals_open(&c->signals, &err);
	if (rc == 0)
		rc = run_everywhere(c, &err);
	status = after_faults(c, status_of(c, rc, &err));
	if (c->begun)
		end_reports(c, status);
	if (close_reports(c) < 0 && status == EXIT_OK)
		status = EXIT_FAILED;
	tell_rest(c);
	lanes_close(c->lanes);
	signals_close(&c->signals);
	return status;
}

static int choose_variants(struct front_run *c)
{
	const struct run_options *opts = c->opts;
	struct selection *sel = &c->selection;
	int status = selection_make(sel, opts);

	if (status == EXIT_OK && opts->shard.of) {
		c->shard = reorder_divide(sel, &opts->shard, opts->rerun ? 0 : opts->repeat > 1 ? opts->repeat : 1);
		c->empty = sel->plan.count == 0;
		c->tracker.part = opts->shard.of > 1;
	}
	if (status == EXIT_OK && opts->rerun && !c->empty)
		status = reorder_rerun(sel, opts->rerun);
	if (status == EXIT_OK)
		repeat_add(sel, opts->repeat);
	if (status == EXIT_OK && opts->shuffle)
		reorder_shuffle(sel, opts->seed);
	return status;
}

int run_front(const struct run_options *opts)
{
	struct front_run c = {
		.opts = opts,
		.started_ns = clock_now_ns(),
		.lane_opts = {
			.kernel = opts->choice.kernel,
			.devices = opts->choice.devices,
			.virtual_time = !opts->real_time,
			.cable_faults = opts->choice.cables > 0,
			.artifacts = opts->output,
			.progress = progress,
		},
	};
	struct vbm_error err = {0};
	int status;
	size_t i;

	c.lane_opts.arg = &c;
	if (check_words(opts, &err) < 0 || settle_target(&c, &err) < 0) {
		target_choice_fini(&c.target);
		visible_complain("%s", err.msg);
		return EXIT_USAGE;
	}
	tracker_init(&c.tracker);
	status = choose_variants(&c);
	c.verdict = xcalloc(c.selection.plan.count + 1, sizeof(*c.verdict));
	for (i = 0; i < c.selection.plan.count; i++)
		c.verdict[i] = VERDICT_COUNT;
	for (i = 0; i < c.selection.plan.count; i++)
		tracker_expect(&c.tracker, c.selection.plan.item[i].name,
			       &c.selection.plan.item[i]);
	if (status == EXIT_OK && c.empty)
		status = run_empty(&c);
	else if (status == EXIT_OK && c.selection.plan.count)
		status = run_checked(&c);
	free(c.verdict);
	findings_filter_fini(&c.known);
	selection_fini(&c.selection);
	value_free(c.shard);
	value_free(c.machines.list);
	stored_fini(&c.earlier);
	tracker_fini(&c.tracker);
	target_choice_fini(&c.target);
	seen_fini(&c.seen);
	return status;
}
