/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/own-path.h"
#include "base/value.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "names/exit-status.h"
#include "event/read.h"
#include "names/host.h"
#include "worker/lane-choice.h"
#include "rdma-build/caller.h"
#include "rdma-build/libraries.h"
#include "rdma-build/rdma-tree.h"
#include "lib/base/fail.h"
#include "session/meeting.h"

#define MEMORY_MIN_MB 128
#define MEMORY_MAX_MB 1048576
#define CPUS_MAX 64

static void take_share(void *options, const struct option_line *line, char *arg, struct argp_state *state)
{
	struct exec_options *o = options;

	(void)line;
	if (o->shares == SHARED_FOLDERS_MAX)
		argp_error(state, "at most %d folders can be shared", SHARED_FOLDERS_MAX);
	o->share[o->shares++] = arg;
}

const struct option_line place_options[] = {
	{"trace", 0, "verbs", "print each call of libibverbs and librdmacm that fails, and why", OPT_TEXT(struct exec_options, trace)},
	{"target", 0, "DIR", "a build of rdma-core, or a folder in which it is installed, for the programs on the hosts",
	 OPT_TEXT(struct exec_options, target)},
	{"routed", 0, NULL, "give each host a network of its own, and put a router between them", OPT_FLAG(struct exec_options, routed),
	 .job = "routed"},
	{"may-configure", 0, NULL, "with --hosts FILE: configure what is missing on these machines: the interface's state, "
	 "its MTU, addresses, and a device (make: in the hosts file); undone at the end",
	 OPT_FLAG(struct exec_options, may_configure), .job = "may_configure"},
	{"share", 0, "DIR[:ro]", "folder that programs in a guest may change; with :ro they may only read it", OPT_TAKE_ALL(take_share)},
	{"see", 0, "PATH",
	 "show a guest only this path and the system's folders (default: all that you can read; "
	 "may be repeated)", OPT_LIST(struct exec_options, see, sees)},
	{"memory", 0, "MB", "memory of a guest", OPT_NUMBER(struct exec_options, memory_mb, MEMORY_MIN_MB, MEMORY_MAX_MB)},
	{"cpus", 0, "N", "processors of a guest", OPT_NUMBER(struct exec_options, cpus, 1, CPUS_MAX)},
	{NULL},
};

void place_options_parse(const struct options *options, int argc, char **argv, void *arguments)
{
	struct exec_options *o = arguments;

	libraries_set_aside(argc, argv);
	exec_status_scan(&o->statuses, argv);
	argp_err_exit_status = exec_status_of(&o->statuses, EXEC_END_ARGUMENTS, 0);
	options_parse(options, argc, argv, arguments);
}

void place_options_fini(struct exec_options *o)
{
	free(o->see);
	value_free(o->machines);
	value_free(o->choice.job);
}

#define FOLDER "host-programs"
#define OBJECT "verbatim-trace.so"

/* In a build folder a file is beside the program. An installation may have been moved as a whole. */
static char *find_installed(const char *name, const char *moved_to, const char *installed)
{
	auto_free char *beside = own_path(name), *moved = own_path(moved_to);
	char *path = beside ? realpath(beside, NULL) : NULL;

	if (!path && moved)
		path = realpath(moved, NULL);
	return path ? path : realpath(installed, NULL);
}

/* The folder with the programs ssh and rsh that lead to hosts. The caller frees; NULL: it is missing. */
static char *exec_programs_folder(void)
{
	char *path = find_installed(FOLDER, "../libexec/verbatim/" FOLDER, PKGLIBEXECDIR "/" FOLDER);

	/* No folder with a colon in its name can be in PATH. */
	if (path && strchr(path, ':')) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Puts the programs that lead to hosts, and this run's socket, into @job. */
static void exec_programs_put(struct value *job)
{
	auto_free char *beside = own_path("verbatim-rsh"), *folder = exec_programs_folder();

	if (!beside || access(beside, X_OK) < 0)
		return;
	value_set(job, "rsh", json_bytes(beside));
	value_set(job, "rsh_socket", value_format_string("verbatim-rsh-%d-%llx", (int)getpid(),
							 (unsigned long long)clock_now_ns()));
	if (folder)
		value_set(job, "host_programs", json_bytes(folder));
}

char *exec_trace_find(const char *what, struct vbm_error *err)
{
	auto_free char *path = NULL;

	if (strcmp(what, "verbs") != 0) {
		vbm_fail(err, EINVAL, "--trace %s: there is only --trace verbs", what);
		return NULL;
	}
	path = find_installed(OBJECT, "../lib/verbatim/" OBJECT, TRACEDIR "/" OBJECT);
	if (!path) {
		vbm_fail(err, ENOENT, "--trace %s: there is no " OBJECT " beside verbatim or in "
			 TRACEDIR, what);
		return NULL;
	}
	if (strpbrk(path, " :")) {
		vbm_fail(err, EINVAL, "--trace %s: LD_PRELOAD cannot have the path %s, because of its "
			 "space or colon", what, path);
		return NULL;
	}
	return steal(&path);
}

void exec_trace_put(struct value *job, const char *path)
{
	struct value *env = value_get(job, "env");
	const char *others = value_get_string(env, "LD_PRELOAD", "");
	auto_free char *all = xasprintf("%s%s%s", path, *others ? ":" : "", others);

	value_set_string(env, "LD_PRELOAD", all);
}

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

	p->target.devices = choice->devices;
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

	return lane_choice_check_machines(o->machines_file, &o->choice, senseless, err);
}

static int check_place(struct place *p, const struct exec_options *opts, struct vbm_error *err)
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

	if (!lane->jumps)
		return vbm_fail(err, EINVAL, "--virtual-time needs a kernel that is a program: --lane uml, not %s", lane->name);
	return missing ? vbm_fail(err, EINVAL, "--virtual-time: this kernel was built without it; 'verbatim kernel build' makes one "
					       "that has it, from Linux 6.12 on") : 0;
}

int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err)
{
	struct lane_options lane_opts = {
		.kernel = opts->choice.kernel,
		.devices = opts->choice.devices,
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
	rc = check_place(p, opts, err);
	if (rc < 0)
		return rc;
	seen_put(&p->seen, &lane_opts);
	rc = lane_choose(opts->choice.lane, &lane_opts, &lane, err);
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
