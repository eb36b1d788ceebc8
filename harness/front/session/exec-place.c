/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-place.h"

#include <argp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "names/exit-status.h"
#include "event/read.h"
#include "names/host.h"
#include "worker/as-they-are.h"
#include "rdma-build/caller.h"
#include "rdma-build/tree-age.h"
#include "lib/base/fail.h"
#include "session/exec-programs.h"
#include "session/exec-trace.h"
#include "session/meeting.h"

enum { OPT_SHARE = 640, OPT_SEE, OPT_MEMORY, OPT_CPUS, OPT_TARGET, OPT_TRACE, OPT_ROUTED, OPT_MAY_CONFIGURE };

#define MEMORY_MIN_MB 128
#define MEMORY_MAX_MB 1048576
#define CPUS_MAX 64

static const struct argp_option options[] = {
	{"trace", OPT_TRACE, "verbs", 0,
	 "print each call of libibverbs and librdmacm that fails, and why", 0},
	{"target", OPT_TARGET, "DIR", 0,
	 "a build of rdma-core, or a folder in which it is installed, for the programs on the hosts", 0},
	{"routed", OPT_ROUTED, NULL, 0, "give each host a network of its own, and put a router between them", 0},
	{"may-configure", OPT_MAY_CONFIGURE, NULL, 0, "with --hosts FILE: configure what is missing on these machines: the interface's state, "
	 "its MTU, addresses, and a device (make: in the hosts file); undone at the end", 0},
	{"share", OPT_SHARE, "DIR[:ro]", 0,
	 "folder that programs in a guest may change; with :ro they may only read it", 0},
	{"see", OPT_SEE, "PATH", 0,
	 "show a guest only this path and the system's folders (default: all that you can read; "
	 "may be repeated)", 0},
	{"memory", OPT_MEMORY, "MB", 0, "memory of a guest", 0},
	{"cpus", OPT_CPUS, "N", 0, "processors of a guest", 0},
	{0},
};

static int number_of(const char *name, const char *arg, long min, long max,
		     struct argp_state *state)
{
	int64_t n = 0;

	if (!number_read(arg, min, max, &n))
		argp_error(state, "%s takes a number from %ld to %ld, not '%s'", name, min, max, arg);
	return (int)n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct exec_options *o = state->input;

	switch (key) {
	case OPT_SHARE:
		if (o->shares == SHARED_FOLDERS_MAX)
			argp_error(state, "at most %d folders can be shared", SHARED_FOLDERS_MAX);
		o->share[o->shares++] = arg;
		return 0;
	case OPT_SEE:
		GROW(o->see, o->sees);
		o->see[o->sees++] = arg;
		return 0;
	case OPT_TRACE:
		o->trace = arg;
		return 0;
	case OPT_TARGET:
		o->target = arg;
		return 0;
	case OPT_ROUTED:
		o->routed = true;
		return 0;
	case OPT_MAY_CONFIGURE:
		o->may_configure = true;
		return 0;
	case OPT_MEMORY:
		o->memory_mb = number_of("--memory", arg, MEMORY_MIN_MB, MEMORY_MAX_MB, state);
		return 0;
	case OPT_CPUS:
		o->cpus = number_of("--cpus", arg, 1, CPUS_MAX, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp place_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

void place_progress(const char *what, void *place)
{
	struct place *p = place;

	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%.78s", what);
	p->told = true;
}

void place_quiet(struct place *p)
{
	if (p->told)
		fputs("\r\033[K", stderr);
	p->told = false;
}

static int settle_target(struct place *p, const char *path, const struct lane_choice *choice, struct vbm_error *err)
{
	auto_free char *older = NULL;
	int ret;

	p->target.devices = lane_choice_devices(choice);
	ret = target_choice_settle_build(&p->target, path, err);
	older = ret == 0 ? rdma_tree_older_than(&p->target.tree) : NULL;
	if (older)
		visible_complain("warning: %s", older);
	return ret;
}

static int check_machines(const struct exec_options *o, struct vbm_error *err)
{
	const struct given_option senseless[] = {
		{"--device", o->choice.device}, {"--target", o->target}, {"--trace", o->trace}, {"--routed", o->routed}, {"--share", o->shares},
		{"--see", o->sees}, {"--memory", o->memory_mb}, {"--cpus", o->cpus}, {"--capture", o->capture},
		{"--wire", o->wire}, {"--virtual-time", o->virtual_time}, {NULL, false},
	};

	return as_they_are_check(o->machines_file, &o->choice, senseless, err);
}

static int check(struct place *p, const struct exec_options *opts, struct vbm_error *err)
{
	auto_free char *cwd = getcwd(NULL, 0), *programs = NULL;
	int ret = opts->machines ? check_machines(opts, err) : lane_choice_check(&opts->choice, opts->hosts, err);
	size_t i;

	if (ret == 0 && opts->may_configure && !opts->machines)
		ret = vbm_fail(err, EINVAL, "--may-configure needs --hosts FILE: without it this run makes its own hosts");
	if (ret == 0 && opts->routed && opts->hosts > FABRIC_ROUTED_MAX)
		ret = vbm_fail(err, EINVAL, "--routed: a router connects at most %d hosts, not %d", FABRIC_ROUTED_MAX,
			       opts->hosts);
	if (ret == 0 && !cwd)
		ret = vbm_fail(err, errno, "the current folder, in which commands would start, "
			       "no longer exists: %s", strerror(errno));
	for (i = 0; ret == 0 && i < opts->shares; i++)
		ret = seen_share(&p->seen, opts->share[i], err);
	p->seen.all = !opts->sees;
	for (i = 0; ret == 0 && i < opts->sees; i++)
		ret = seen_add(&p->seen, opts->see[i], "--see", err);
	seen_add_own(&p->seen);
	programs = exec_programs_folder();
	if (ret == 0 && programs)
		ret = seen_add(&p->seen, programs, "the folder of ssh", err);
	if (ret == 0 && opts->target)
		ret = settle_target(p, opts->target, &opts->choice, err);
	if (ret == 0 && opts->target)
		ret = seen_add(&p->seen, p->target.tree.dir, "--target", err);
	if (ret == 0 && opts->trace) {
		p->trace = exec_trace_find(opts->trace, err);
		ret = p->trace ? seen_add(&p->seen, p->trace, "--trace", err) : -EINVAL;
	}
	return ret;
}

static int check_time(const struct lane_ops *lane, const struct lane_options *opts, struct vbm_error *err)
{
	auto_free char *missing = lane_notice(lane, opts);

	if (strcmp(lane->name, "uml") != 0)
		return vbm_fail(err, EINVAL, "--virtual-time needs a kernel that is a program: --lane uml, not %s", lane->name);
	return missing ? vbm_fail(err, EINVAL, "--virtual-time: this kernel was built without it; 'verbatim kernel build' makes one "
					       "that has it, from Linux 6.12 on") : 0;
}

int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err)
{
	struct lane_options lane_opts = {
		.kernel = opts->choice.kernel,
		.devices = lane_choice_devices(&opts->choice),
		.files_seen = GUEST_FILES_ALL,
		.virtual_time = opts->virtual_time,
		.terminal = terminal,
		.cable_faults = opts->choice.cables > 0,
		.artifacts = opts->output,
		.memory_mb = opts->memory_mb,
		.cpus = opts->cpus,
		.machines = opts->machines,
		.progress = place_progress,
		.arg = p,
	};
	const struct lane_ops *lane = NULL;
	int rc;

	*p = (struct place)PLACE_NONE;
	*status = EXIT_USAGE;
	/* A shell that joins would be on this machine. */
	p->meeting = opts->machines ? NULL : meeting_open();
	rc = check(p, opts, err);
	if (rc < 0)
		return rc;
	seen_put(&p->seen, &lane_opts);
	rc = lane_choose(opts->machines ? "native" : opts->choice.lane, &lane_opts, &lane, err);
	if (rc == 0 && opts->virtual_time)
		rc = check_time(lane, &lane_opts, err);
	else if (lane)
		*status = EXIT_NO_FABRIC;
	if (rc == 0 && lane_warning(lane))
		visible_complain("warning: %s", lane_warning(lane));
	if (rc == 0)
		*status = EXIT_NO_FABRIC;
	if (rc == 0)
		rc = signals_open(&p->signals, err);
	if (rc == 0)
		rc = lanes_open(&p->lanes, lane, &lane_opts, err);
	if (rc == 0)
		rc = worker_open(&p->worker, p->lanes, err);
	if (rc < 0)
		place_quiet(p);
	return rc;
}

int place_follow(struct place *p, const struct follow_ops *ops, void *arg,
		 struct vbm_error *err)
{
	int rc = follow(&(struct follow){
		.workers = &p->worker,
		.count = 1,
		.signals = &p->signals,
		.ops = ops,
		.arg = arg,
	}, err);

	place_quiet(p);
	return rc;
}

void place_event(struct place *p, const struct value *event)
{
	const struct value *lines = event_is(event, "machine") && event_has(event, "put_back") ? event_strings(event, "put_back") : NULL;
	const char *host = lines || event_is(event, "configures") ? event_string(event, "host") : "";
	size_t i;

	if (event_is(event, "configures")) {
		place_quiet(p);
		visible_complain("machine %s: %s, until the run ends", host, event_string(event, "text"));
	}
	for (i = 0; lines && i < lines->list.count; i++) {
		place_quiet(p);
		visible_complain("machine %s: restored after a killed run: %s", host, lines->list.item[i]->s);
	}
}

struct value *place_job(const char *kind, const struct exec_options *opts)
{
	struct value *job = value_map();

	value_set_string(job, "job", kind);
	value_set_int(job, "run", opts->machines ? 0 : getpid());
	caller_describe(job);
	lane_choice_put(&opts->choice, job);
	if (opts->machines)
		value_set(job, "machines", value_dup(opts->machines));
	if (opts->may_configure)
		value_set_bool(job, "may_configure", true);
	if (opts->routed)
		value_set_bool(job, "routed", true);
	if (!opts->machines)
		exec_programs_put(job);
	return job;
}

void place_put_target(const struct place *p, struct value *job)
{
	if (p->target.environment[0])
		caller_add(job, p->target.environment);
	if (p->trace)
		exec_trace_put(job, p->trace);
}

void place_close(struct place *p)
{
	meeting_close(p->meeting);
	worker_close(p->worker);
	lanes_close(p->lanes);
	seen_fini(&p->seen);
	target_choice_fini(&p->target);
	free(p->trace);
	signals_close(&p->signals);
}
