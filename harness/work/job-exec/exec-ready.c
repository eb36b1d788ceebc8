/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "job-exec/exec-job.h"
#include "event/read.h"
#include "job/job.h"
#include "lib/base/fail.h"

/*
 * A program is ready for its peers when a command of its caller succeeds, or a line of
 * its output matches, if the caller said so. Otherwise it is ready when it listens, has
 * ended, or has nothing to do (program/activity.h).
 *
 * The kernel does not announce that, so this file looks every READY_CHECK_MS.
 */
#define READY_MS 15000		/* for --ready and --ready-line */
#define LINE_MAX_BYTES 65536

int ready_read(struct readiness *r, const struct value *spec, struct vbm_error *err)
{
	auto_free char *pattern = event_bytes(spec, "ready_line");
	char why[128];
	int rc;

	r->probe = event_bytes(spec, "ready");
	if (!pattern)
		return 0;
	rc = regcomp(&r->regex, pattern, REG_EXTENDED);
	if (rc) {
		regerror(rc, &r->regex, why, sizeof(why));
		return vbm_fail(err, EINVAL, "'%s' is not a regular expression: %s", pattern, why);
	}
	r->has_regex = true;
	return 0;
}

void ready_begin(struct readiness *r)
{
	r->deadline_ns = clock_deadline_ms(READY_MS);
	activity_begin(&r->activity);
}

/*
 * Whether @line, a whole line or its beginning, makes the command ready. The next bytes
 * may belong to a group at the end of a beginning, so then the command is not ready yet.
 */
static bool match_line(struct readiness *r, const char *line, bool whole)
{
	regmatch_t at[2] = {{-1, -1}, {-1, -1}};

	if (regexec(&r->regex, line, ARRAY_SIZE(at), at, 0) != 0)
		return false;
	if (at[1].rm_so < 0)
		return true;
	free(r->found);
	r->found = xstrndup(line + at[1].rm_so, (size_t)(at[1].rm_eo - at[1].rm_so));
	r->growing = !whole && !line[at[1].rm_eo];
	if (r->growing)
		r->whole_ns = clock_deadline_ms(READY_CHECK_MS);
	return !r->growing;
}

void ready_hear(struct readiness *r, int which, const char *data, size_t len)
{
	struct text *line = &r->line[which];
	const char *nl;
	size_t n;

	while (r->has_regex && !r->seen && len) {
		nl = memchr(data, '\n', len);
		n = nl ? (size_t)(nl - data) : len;
		text_add_bytes(line, data, n);
		/* A prompt is a line without an end. */
		if (line->len && match_line(r, line->s, nl != NULL))
			r->seen = true;
		if (nl || line->len > LINE_MAX_BYTES)
			text_clear(line);
		n += nl != NULL;
		data += n;
		len -= n;
	}
}

int exec_start(struct exec *x, int host, const char *text, const int *stdio, struct running_command *run, int *end_fd,
	       struct vbm_error *err)
{
	return running_start(run, &(struct running_options){
		.fabric = x->fabric, .host = host, .far = x->far, .process_ns = &x->process_ns, .job = x->job->spec,
		.found = x->found, .text = text,
	}, stdio, end_fd, err);
}

static int look_for_told(struct exec *x, struct command *c, struct vbm_error *err)
{
	struct readiness *r = &c->ready;
	const char *what = r->probe ? "its --ready command did not succeed" :
				      "no line of its output matched --ready-line";

	if (r->growing && (clock_now_ns() >= r->whole_ns || !command_runs(c)))
		r->seen = true;
	if (r->seen)
		return 1;
	if (clock_now_ns() >= r->deadline_ns)
		return vbm_fail(err, ETIME, "the command on host %s was not ready within %d s: %s",
				c->host, READY_MS / 1000 * clock_factor(), what);
	if (r->probe_end.fd >= 0)
		return 0;
	if (!command_runs(c) && (!r->probe || r->asked_after_end))
		return vbm_fail(err, ETIME, "the command on host %s ended before it was ready: %s",
				c->host, what);
	if (!r->probe || (command_runs(c) && clock_now_ns() < r->probe_ns))
		return 0;
	/* An earlier answer says nothing about the last thing that the command did. */
	r->asked_after_end = !command_runs(c);
	return exec_start(x, c->number, r->probe, (const int[]){-1, -1, -1}, &r->probe_run,
			  &r->probe_end.fd, err);
}

int ready_look(struct exec *x, struct command *c, struct vbm_error *err)
{
	struct readiness *r = &c->ready;

	if (r->seen)
		return 1;
	if (r->probe || r->has_regex)
		return look_for_told(x, c, err);
	r->seen = !command_runs(c) || running_is_ready(&c->run, &r->activity);
	return r->seen;
}

int ready_patience_ms(const struct command *c)
{
	const struct readiness *r = &c->ready;

	if (r->probe && r->probe_end.fd < 0)
		return clock_left_ms(r->probe_ns);
	if (r->growing)
		return clock_left_ms(r->whole_ns);
	return r->probe || r->has_regex ? clock_left_ms(r->deadline_ns) : READY_CHECK_MS;
}

void ready_probe_ended(struct readiness *r)
{
	r->probe_status = running_reap(&r->probe_run);
	watch_close(&r->probe_end);
	r->seen = r->probe_status == 0;
	r->probe_ns = clock_deadline_ms(READY_PROBE_PAUSE_MS);
}

void ready_fini(struct readiness *r)
{
	if (r->probe_end.fd >= 0) {
		running_signal(&r->probe_run, SIGKILL);
		running_reap(&r->probe_run);
		watch_close(&r->probe_end);
	}
	if (r->has_regex)
		regfree(&r->regex);
	free(r->probe);
	free(r->found);
	text_fini(&r->line[0]);
	text_fini(&r->line[1]);
}
