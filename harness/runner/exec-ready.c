/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fail.h"
#include "runner/exec-job.h"
#include "runner/listening.h"

/*
 * When is a program ready for its peers? Its caller may say: a command that
 * succeeds then, or a line of its output. Otherwise it is once it listens, has
 * ended, or has nothing to do: all its threads sleep, and none has run for
 * QUIET_MS. One that spins, or naps and wakes, gets HEAD_START_MS.
 *
 * The kernel announces none of that, so it is looked up every CHECK_MS.
 */
#define CHECK_MS 25
#define QUIET_MS 100
#define HEAD_START_MS 1000
#define PROBE_PAUSE_MS 50	/* from a probe that failed to the next */
#define READY_MS 15000		/* for what the caller said */
#define LINE_MAX_BYTES 65536

int ready_read(struct readiness *r, const struct value *spec, struct vbm_error *err)
{
	auto_free char *pattern = json_bytes_read(value_get(spec, "ready_line"));
	char why[128];
	int rc;

	r->probe_pidfd = -1;
	r->probe = json_bytes_read(value_get(spec, "ready"));
	if (!pattern)
		return 0;
	rc = regcomp(&r->regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &r->regex, why, sizeof(why));
		return vbm_fail(err, EINVAL, "'%s' is no regular expression: %s", pattern, why);
	}
	r->has_regex = true;
	return 0;
}

void ready_begin(struct readiness *r)
{
	r->deadline_ns = clock_deadline_ms(READY_MS);
	r->head_start_ns = clock_deadline_ms(HEAD_START_MS);
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
		if (line->len && regexec(&r->regex, line->s, 0, NULL, 0) == 0)
			r->seen = true;
		if (nl || line->len > LINE_MAX_BYTES)
			text_clear(line);
		n += nl != NULL;
		data += n;
		len -= n;
	}
}

/* What the threads of a session have done so far. */
struct doing {
	uint64_t switches;	/* how often they were put to sleep or set aside */
	uint64_t ticks;		/* of processor time */
	bool awake;		/* one runs, wants to, or waits for a disk */
};

static uint64_t field_of(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

static void add_thread(struct doing *d, const char *pid, const char *tid)
{
	auto_free char *path = xasprintf("/proc/%s/task/%s/status", pid, tid), *text = NULL;
	auto_free char *stat_path = xasprintf("/proc/%s/task/%s/stat", pid, tid), *stat = NULL;
	unsigned long user, system;
	const char *p;
	char state;

	if (file_read(path, &text, NULL, NULL) < 0 || file_read(stat_path, &stat, NULL, NULL) < 0)
		return;
	d->switches += field_of(text, "\nvoluntary_ctxt_switches:") +
		       field_of(text, "\nnonvoluntary_ctxt_switches:");
	/* The name in the middle may contain anything. */
	p = strrchr(stat, ')');
	if (!p || sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
			 &user, &system) != 3)
		return;
	d->ticks += user + system;
	d->awake |= state == 'R' || state == 'D';
}

static void add_process(struct doing *d, const char *pid)
{
	auto_free char *path = xasprintf("/proc/%s/task", pid);
	auto_dir DIR *dir = opendir(path);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			add_thread(d, pid, e->d_name);
}

static struct doing look_at(pid_t sid)
{
	struct doing d = {0};
	auto_dir DIR *proc = opendir("/proc");
	const struct dirent *e;
	pid_t pid;

	while (proc && (e = readdir(proc))) {
		pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid > 0 && getsid(pid) == sid)
			add_process(&d, e->d_name);
	}
	return d;
}

/* It does nothing any more. */
static bool is_settled(struct command *c)
{
	struct doing d = look_at(c->pid);
	struct readiness *r = &c->ready;
	uint64_t activity = d.switches + d.ticks;

	if (d.awake || activity != r->activity || !r->quiet_ns)
		r->quiet_ns = clock_deadline_ms(QUIET_MS);
	r->activity = activity;
	return clock_now_ns() >= r->quiet_ns || clock_now_ns() >= r->head_start_ns;
}

static int look_for_told(struct exec *x, struct command *c, struct vbm_error *err)
{
	struct readiness *r = &c->ready;
	const char *what = r->probe ? "its --ready command did not succeed" :
				      "no line of its output was the one of --ready-line";

	if (!command_runs(c))
		return vbm_fail(err, ETIME, "the command on host %s ended before it was ready: %s",
				c->host, what);
	if (clock_now_ns() >= r->deadline_ns)
		return vbm_fail(err, ETIME, "the command on host %s was not ready within %d s: %s",
				c->host, READY_MS / 1000 * clock_factor(), what);
	if (r->probe && r->probe_pidfd < 0 && clock_now_ns() >= r->probe_ns)
		return command_probe(x, c, err);
	return 0;
}

int ready_look(struct exec *x, struct command *c, struct vbm_error *err)
{
	struct readiness *r = &c->ready;

	if (r->seen)
		return 1;
	if (r->probe || r->has_regex)
		return look_for_told(x, c, err);
	r->seen = !command_runs(c) || session_listens(x->fabric, c->number, c->pid) ||
		  is_settled(c);
	return r->seen;
}

int ready_patience_ms(const struct command *c)
{
	const struct readiness *r = &c->ready;

	if (r->probe && r->probe_pidfd < 0)
		return PROBE_PAUSE_MS;
	return r->probe || r->has_regex ? clock_left_ms(r->deadline_ns) : CHECK_MS;
}

void ready_fini(struct readiness *r)
{
	if (r->probe_pidfd >= 0)
		close(r->probe_pidfd);
	if (r->has_regex)
		regfree(&r->regex);
	free(r->probe);
	text_fini(&r->line[0]);
	text_fini(&r->line[1]);
}
