/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent-main.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "acm/responder.h"
#include "agent/agent-names.h"
#include "agent/agent-proto.h"
#include "agent/agent-reset.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "call/fault.h"
#include "call/numbering.h"
#include "call/objects.h"
#include "call/step-util.h"
#include "call/target.h"
#include "fabric/host-ns.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/line.h"
#include "program/program.h"

void agent_name(const struct agent_options *opts, char *name, size_t size)
{
	if (opts->number)
		snprintf(name, size, "%s.%d", opts->host.name, opts->number);
	else
		snprintf(name, size, "%s", opts->host.name);
}

static int enter_host(const struct agent_options *opts, struct vbm_error *err)
{
	int ret = opts->ns ? host_ns_enter(opts->ns, err) : 0;

	if (ret < 0)
		return vbm_wrap(err, "host %s", opts->host.name);
	if (!opts->names)
		return 0;
	/* These mounts of the scenario's files end with the agent. */
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) < 0)
		return vbm_fail(err, errno, "cannot give host %s mounts of its own: %s",
				opts->host.name, strerror(errno));
	return names_install(opts->names, err);
}

/* Starts the path service of this host if the scenario wants one. */
static int start_acm(const struct agent_options *opts, struct step_ctx *ctx, struct vbm_error *err)
{
	struct acm_responder r;

	if (!opts->names || !opts->names->acm)
		return 0;
	if (names_hide_services(err) < 0 ||
	    acm_responder_start(&r, ACM_RUN, opts->names->acm, err) < 0 ||
	    names_show_services(err) < 0)
		return -err->code;
	/* The service ends with this process. */
	ctx->acm_log_fd = r.log_fd;
	ctx->acm_control_fd = r.control_fd;
	return 0;
}

/*
 * Makes this process like an ordinary program for the library under test: signals
 * have their default actions, and only the descriptors that the steps need are open.
 */
static int become_agent(int fd, const struct agent_options *opts, pid_t parent)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	const struct host_files *n = opts->names;
	const int log = opts->log_fd >= 0 ? opts->log_fd : STDERR_FILENO;
	const int stdio[] = {-1, log, log};
	const struct host_ns none = HOST_NS_NONE, *ns = opts->ns ? opts->ns : &none;
	const struct program_home *programs = opts->programs;
	const int keep[] = {fd, ns->net, ns->mnt, ns->uts, ns->root, n ? n->dns_log_fd : -1,
			    n ? n->dns_pidfd : -1, programs ? programs->ns.home : -1,
			    programs ? programs->ns.inside : -1, programs ? programs->token_fd : -1};
	char name[16] = "verbatim-";
	size_t used = strlen(name);

	agent_name(opts, name + used, sizeof(name) - used);
	setlinebuf(stderr);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	return child_begin(&(struct child_setup){
		.parent = parent,
		.name = name,
		.stdio = stdio,
		.keep = keep,
		.keep_count = ARRAY_SIZE(keep),
		.no_core = true,
	});
}

static int write_answer(int fd, int64_t seq, const struct value *result, const struct vbm_error *failure)
{
	auto_free char *line = agent_encode_answer(seq, result, failure);

	return line_write(fd, line, -1);
}

static int carry_out(int fd, struct step_ctx *ctx, const struct agent_request *req)
{
	auto_value struct value *result = NULL;
	struct vbm_error err = {0};
	int ret;

	ctx->kind = req->kind;
	ctx->as = req->as;
	ctx->timed = step_is_timed(req->kind);
	ctx->began_ns = ctx->timed || req->deadline_ns < 0 ? clock_now_ns() : 0;
	ctx->deadline_ns = req->deadline_ns < 0 ? ctx->began_ns - req->deadline_ns : req->deadline_ns;
	ctx->wait_failed = false;
	if (req->kind == &agent_reset_kind)
		ctx->fail_nth = 0;
	ret = fault_next_run(ctx, req->args, &result, &err);
	put_elapsed(ctx, req->kind, result);
	if (ret < 0 && !err.code)
		vbm_fail(&err, -ret, "%s", strerror(-ret));
	step_mark_own_timeout(ctx, &err);
	return write_answer(fd, req->seq, result, ret < 0 ? &err : NULL);
}

static int serve_requests(int fd, struct step_ctx *ctx)
{
	struct line_reader reader = {.fd = fd};
	struct agent_request req;
	struct vbm_error err;
	const char *line;
	size_t len;
	int ret;

	while ((ret = line_read(&reader, &line, &len, -1)) > 0) {
		memset(&err, 0, sizeof(err));
		if (agent_decode_request(line, len, &req, &err) < 0)
			ret = write_answer(fd, req.seq, NULL, &err);
		else
			ret = carry_out(fd, ctx, &req);
		agent_request_fini(&req);
		if (ret < 0)
			break;
	}
	line_reader_fini(&reader);
	return ret;
}

static void set_environment(const struct agent_options *opts)
{
	size_t i;

	if (opts->variant)
		setenv(AGENT_ENV_VARIANT, opts->variant, 1);
	for (i = 0; opts->env && i < opts->env->map.count; i++)
		setenv(opts->env->map.member[i].key, opts->env->map.member[i].value->s, 1);
}

/* Says what the target can do. The runner reads this before it asks for a call. */
static struct value *offers(const struct target *t)
{
	struct value *v = value_map();
	Dl_info info;
	void *at;

	memcpy(&at, &t->getaddrinfo, sizeof(at));
	value_set_string(v, "target", t->name);
	value_set_string(v, "calls", target_calls(t));
	value_set(v, "file", at && dladdr(at, &info) ? value_string(info.dli_fname) : value_null());
	return v;
}

void agent_main(int fd, const struct agent_options *opts, pid_t parent,
		struct number_board *board)
{
	struct numbering numbering = {
		.board = board,
		.host = opts->host_index,
		.process = opts->number,
	};
	struct program_home programs = opts->programs ? *opts->programs : (struct program_home){0};
	struct step_ctx ctx = {
		.host = &opts->host,
		.numbering = &numbering,
		.programs = opts->programs ? &programs : NULL,
		.answer_fd = fd,
		.dns_log_fd = opts->names ? opts->names->dns_log_fd : -1,
		.dns_pidfd = opts->names ? opts->names->dns_pidfd : -1,
		.acm_log_fd = -1,
		.acm_control_fd = -1,
	};
	auto_value struct value *hello = NULL;
	struct vbm_error err = {0};
	struct target *target = NULL;
	int ret;

	programs.ns = process_ns_lent(&programs.ns);
	ret = become_agent(fd, opts, parent);
	if (ret < 0)
		vbm_fail(&err, -ret, "cannot set up the agent's log: %s", strerror(-ret));
	else
		ret = enter_host(opts, &err);
	if (ret == 0)
		ret = start_acm(opts, &ctx, &err);
	set_environment(opts);
	if (ret == 0)
		ret = target_open(&target, opts->target ? opts->target : "system", &err);
	if (ret < 0) {
		write_answer(fd, 0, NULL, &err);
		_exit(1);
	}
	ctx.target = target;
	ctx.objects = objects_new();
	hello = offers(target);
	agent_reset_baseline();
	ret = write_answer(fd, 0, hello, NULL);
	if (ret == 0)
		ret = serve_requests(fd, &ctx);
	objects_free(ctx.objects);
	target_close(target);
	/* A program built for gcov writes its counts when it exits. */
	if (getenv("GCOV_PREFIX"))
		exit(ret < 0 ? 1 : 0);
	_exit(ret < 0 ? 1 : 0);
}
