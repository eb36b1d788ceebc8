/* SPDX-License-Identifier: BSD-2-Clause */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent-main.h"
#include "agent/agent-proto.h"
#include "base/line.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fail.h"

#define START_MS 10000
#define GRACE_MS 1000	/* for an agent that answers its own deadline */

struct agent {
	pid_t pid;		/* 0 once reaped */
	int pidfd, fd;		/* owned */
	struct line_reader reader;
	int64_t seq;
	char host[8];
	char fate[160];		/* why there is no process any more */
};

static void say_fate(struct agent *a, int status)
{
	if (WIFSIGNALED(status))
		snprintf(a->fate, sizeof(a->fate), "killed by SIG%s (%s)",
			 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?",
			 strsignal(WTERMSIG(status)));
	else
		snprintf(a->fate, sizeof(a->fate), "it exited with status %d", WEXITSTATUS(status));
}

static void reap(struct agent *a)
{
	int status = 0;
	pid_t pid;

	if (!a->pid)
		return;
	do {
		pid = waitpid(a->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	a->pid = 0;
	if (pid > 0)
		say_fate(a, status);
}

static void end(struct agent *a)
{
	if (!a->pid)
		return;
	pidfd_send_signal(a->pidfd, SIGKILL, NULL, 0);
	reap(a);
}

/*
 * The agent closed its side: it is on its way out, by a crash or an exit. One
 * that only closed the socket and lives on is ended.
 */
static void expect_end(struct agent *a)
{
	struct pollfd p = {.fd = a->pidfd, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(GRACE_MS);
	int n;

	do {
		n = poll(&p, 1, clock_left_ms(deadline));
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		reap(a);
	else
		end(a);
}

static int broken(struct agent *a, int ret, const char *step, struct vbm_error *err)
{
	if (ret == -ETIMEDOUT || ret == -EMSGSIZE) {
		end(a);
		snprintf(a->fate, sizeof(a->fate), "ended by the runner because it %s in %s",
			 ret == -ETIMEDOUT ? "hung" : "talked without end", step);
		return ret == -ETIMEDOUT ?
			vbm_fail(err, ETIME, "the agent of host %s did not come back from %s and was ended",
				 a->host, step) :
			vbm_fail(err, EPROTO, "the agent of host %s answered %s with a line longer than %d bytes",
				 a->host, step, LINE_BYTES_MAX);
	}
	expect_end(a);
	return vbm_fail(err, ECHILD, "the agent of host %s died in %s: %s", a->host, step, a->fate);
}

/* Read one answer; a stream that makes no sense any more ends the agent. */
static int take_answer(struct agent *a, const char *step, int64_t seq, int64_t deadline,
		       struct value **result, struct vbm_error *err)
{
	const char *line;
	bool garbled;
	size_t len;
	int ret;

	ret = line_read(&a->reader, &line, &len, deadline);
	if (ret <= 0)
		return broken(a, ret, step, err);
	ret = agent_decode_answer(line, len, seq, result, &garbled, err);
	if (garbled) {
		end(a);
		snprintf(a->fate, sizeof(a->fate), "ended by the runner because its answer to %s was garbled", step);
	}
	return ret;
}

static int spawn(struct agent *a, const struct agent_options *opts, struct vbm_error *err)
{
	pid_t parent = getpid();
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return vbm_fail(err, errno, "no socket for the agent of host %s: %s", a->host, strerror(errno));
	a->pid = fork();
	if (a->pid == 0) {
		close(fds[0]);
		agent_main(fds[1], opts, parent);
	}
	close(fds[1]);
	a->fd = a->reader.fd = fds[0];
	if (a->pid < 0) {
		a->pid = 0;
		return vbm_fail(err, errno, "no process for the agent of host %s: %s", a->host, strerror(errno));
	}
	a->pidfd = pidfd_open(a->pid, 0);
	if (a->pidfd < 0)
		return vbm_fail(err, errno, "no pidfd for the agent of host %s: %s", a->host, strerror(errno));
	return 0;
}

int agent_start(struct agent **out, const struct agent_options *opts, struct vbm_error *err)
{
	struct agent *a = xcalloc(1, sizeof(*a));
	auto_value struct value *hello = NULL;
	int ret;

	a->fd = a->pidfd = -1;
	snprintf(a->host, sizeof(a->host), "%s", opts->host.name);
	ret = spawn(a, opts, err);
	if (ret == 0)
		ret = take_answer(a, "its start", 0, clock_deadline_ms(START_MS), &hello, err);
	if (ret < 0) {
		agent_stop(a);
		return ret;
	}
	*out = a;
	return 0;
}

int agent_call(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int deadline_ms, struct value **result, struct vbm_error *err)
{
	int64_t deadline = clock_deadline_ms(deadline_ms);
	int64_t patience = deadline + (int64_t)GRACE_MS * clock_factor() * 1000000;
	auto_free char *line = NULL;
	int ret;

	*result = NULL;
	if (!a->pid)
		return vbm_fail(err, ECHILD, "host %s has no agent any more: %s", a->host, a->fate);
	a->seq++;
	line = agent_encode_request(a->seq, kind, as, deadline, args);
	ret = line_write(a->fd, line, deadline);
	if (ret < 0)
		return broken(a, ret, kind->name, err);
	return take_answer(a, kind->name, a->seq, patience, result, err);
}

void agent_stop(struct agent *a)
{
	if (!a)
		return;
	end(a);
	line_reader_fini(&a->reader);
	if (a->fd >= 0)
		close(a->fd);
	if (a->pidfd >= 0)
		close(a->pidfd);
	free(a);
}
