/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/program-ready.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "net/nl.h"
#include "program/activity.h"
#include "program/program.h"
#include "program/spawn.h"

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* @grows: the line may go on. */
static bool wrote(const struct program_ready *r, bool *grows)
{
	bool found = false;
	int i;

	*grows = false;
	for (i = 0; i < COLLECT_COUNT && !found; i++) {
		auto_text struct text text = {0};
		auto_free char *line = NULL, *match = NULL;

		program_read(r->program, i, &text);
		found = program_line(&text, r->line, &line, &match);
		*grows = found && program_line_grows(&text, r->line);
	}
	return found;
}

/* A prompt has no newline, so a line that may go on is taken as it is after a while. */
static void await_rest_of_line(const struct program_ready *r)
{
	int64_t until_ns = clock_deadline_ms(READY_CHECK_MS);
	bool grows = true;

	while (grows && program_runs(r->program) && clock_now_ns() < until_ns) {
		program_wait_news(r->program, until_ns);
		wrote(r, &grows);
	}
}

static int await_line(const struct program_ready *r)
{
	bool runs = true, grows;

	for (;;) {
		if (wrote(r, &grows)) {
			if (grows)
				await_rest_of_line(r);
			return 1;
		}
		if (!runs)
			return 0;
		if (clock_left_ms(r->deadline_ns) <= 0)
			return -ETIMEDOUT;
		program_wait_news(r->program, r->deadline_ns);
		runs = program_runs(r->program);
	}
}

/* 1 when the command succeeded, 0 when it failed. */
static int probe(const struct program_ready *r, struct vbm_error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", r->command, NULL};
	struct pollfd p = {.events = POLLIN};
	pid_t pid;
	int ret = spawn_start(&(struct spawn){
		.process_ns = &r->home->ns,
		.argv = argv,
		.envp = r->home->envp,
		.cwd = r->cwd,
		.stdio = {-1, -1, -1},
	}, &pid, &p.fd, err);

	if (ret < 0)
		return ret;
	while (poll(&p, 1, clock_left_ms(r->deadline_ns)) < 0 && errno == EINTR)
		;
	if (!p.revents)
		spawn_signal(pid, SIGKILL);
	close(p.fd);
	ret = spawn_reap(pid);
	return p.revents ? ret == 0 : -ETIMEDOUT;
}

static int await_command(const struct program_ready *r, struct vbm_error *err)
{
	int ret;

	for (;;) {
		ret = probe(r, err);
		if (ret)
			return ret;
		if (!program_runs(r->program))
			return 0;
		if (clock_left_ms(r->deadline_ns) <= 0)
			return -ETIMEDOUT;
		program_wait(r->program,
			     sooner(clock_deadline_ms(READY_PROBE_PAUSE_MS), r->deadline_ns));
	}
}

struct listening {
	struct netlink *nl;	/* owned */
	uint32_t index;
};

static bool listens(const struct listening *l, pid_t session)
{
	struct session_search search = {.sid = session};

	netlink_rdma_listeners(l->nl, l->index, session_search_see, &search, NULL);
	return search.found || activity_listening_on_tcp(session);
}

static int await_rest(const struct program_ready *r, const struct listening *l)
{
	pid_t session = program_session(r->program);
	struct activity activity;

	activity_begin(&activity);
	for (;;) {
		if (!program_runs(r->program))
			return program_status(r->program) == 0;
		if (listens(l, session) || activity_is_over(&activity, session))
			return 1;
		program_wait(r->program, clock_now_ns() + READY_CHECK_MS * 1000000LL);
	}
}

static int await_listening(const struct program_ready *r, struct vbm_error *err)
{
	struct listening l;
	int ret = netlink_open(&l.nl, -1, err);

	if (ret < 0)
		return ret;
	ret = netlink_rdma_find(l.nl, r->host->dev, &l.index, err);
	if (ret == 0)
		ret = await_rest(r, &l);
	netlink_close(l.nl);
	return ret;
}

int program_await_ready(const struct program_ready *r, struct vbm_error *err)
{
	if (r->line)
		return await_line(r);
	return r->command ? await_command(r, err) : await_listening(r, err);
}
