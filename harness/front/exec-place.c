/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/exec-place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "fabric/fabric.h"
#include "fail.h"

static void progress(const char *what, void *arg)
{
	struct place *p = arg;

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

static int check(struct place *p, const struct exec_options *opts, struct vbm_error *err)
{
	struct stat st;

	if (lane_choice_check(&opts->choice, err) < 0)
		return -err->code;
	if (!opts->share)
		return 0;
	p->share = realpath(opts->share, NULL);
	if (!p->share || stat(p->share, &st) < 0)
		return vbm_fail(err, errno, "cannot share %s: %s", opts->share, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return vbm_fail(err, ENOTDIR, "cannot share %s: it is not a folder", opts->share);
	return 0;
}

int place_open(struct place *p, const struct exec_options *opts, bool terminal, int *status,
	       struct vbm_error *err)
{
	struct lane_options lane_opts = {
		.kernel = opts->choice.kernel,
		.host_root = true,
		.terminal = terminal,
		.progress = progress,
		.arg = p,
	};
	const struct lane_ops *lane = NULL;
	int rc;

	*p = (struct place){.signals.fd = -1};
	*status = EXIT_USAGE;
	rc = check(p, opts, err);
	if (rc < 0)
		return rc;
	lane_opts.share = p->share;
	rc = lane_choose(opts->choice.lane, &lane_opts, &lane, err);
	if (lane)
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

struct value *place_job(const char *kind, const struct exec_options *opts)
{
	struct value *job = value_map(), *env = value_map(), *bytes = value_list();
	auto_free char *cwd = getcwd(NULL, 0);
	char **e, *eq;

	for (e = environ; *e; e++) {
		auto_free char *name = NULL;

		eq = strchr(*e, '=');
		if (eq && !utf8_is(*e)) {
			value_append(bytes, json_bytes(*e));
		} else if (eq) {
			name = xstrndup(*e, (size_t)(eq - *e));
			value_set_string(env, name, eq + 1);
		}
	}
	value_set_string(job, "job", kind);
	value_set_string(job, "layout", opts->choice.layout);
	value_set(job, "env", env);
	value_set(job, "env_bytes", bytes);
	value_set(job, "cwd", json_bytes(cwd ? cwd : "/"));
	return job;
}

void place_close(struct place *p)
{
	worker_close(p->worker);
	lanes_close(p->lanes);
	free(p->share);
	signals_close(&p->signals);
}
