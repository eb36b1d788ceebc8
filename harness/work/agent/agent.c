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
#include "agent/agent-reset.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "call/numbering.h"
#include "machine-line/machine-line.h"
#include "lib/base/fail.h"
#include "process/line.h"
#include "process/task.h"

#define START_MS 10000
#define GRACE_MS 1000	/* the agent's deadline comes first, so it has this long to answer */
#define RESET_MS 500	/* a release that waits for an event ends the agent */
#define KILLED_MS 2000	/* a process that SIGKILL has not ended by then waits in the kernel */
#define FAR_MS 1000	/* for the way to a machine, and back */
#define FAR_END_MS 10000
#define TURN_MS 500	/* one more wait, after the machine stood still */
#define TURNS_MAX 10

struct agent {
	pid_t pid;		/* 0 once reaped, and on a machine */
	int pidfd, fd;		/* owned */
	struct channel *channel;	/* owned; to an agent on a machine; NULL: it is a process here */
	struct line_reader reader;
	struct value *offers;	/* owned; from the agent's first message */
	const struct step_kind *posted;	/* the step whose answer was not collected yet, or NULL */
	int64_t seq, patience_ns;	/* of the posted step */
	int64_t span_ns;	/* how long a read of the socket waits */
	struct agent_end end;	/* valid once reaped */
	bool rests;		/* between two variants */
	bool stuck;		/* SIGKILL has not ended it yet */
	int host_index;
	char name[16];		/* "a", or "a.1" */
	bool gone;		/* it was on a machine, and has ended */
	char end_text[160];		/* why the process is gone */
};

/* Shared with all agents: forked processes see the same memory. */
static struct number_board *board;

static void note_end(struct agent *a, int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	a->end.signal = sig;
	a->end.status = sig ? 0 : WEXITSTATUS(status);
	if (sig)
		snprintf(a->end_text, sizeof(a->end_text), "killed by SIG%s (%s)",
			 sigabbrev_np(sig) ? sigabbrev_np(sig) : "?", strsignal(sig));
	else
		snprintf(a->end_text, sizeof(a->end_text), "it exited with status %d", a->end.status);
}

/* The end of an agent on a machine. A runner that loses the connection does not know its end. */
static void note_far_end(struct agent *a, int status)
{
	const char *broken = machine_line_broken(channel_machine(a->channel));

	a->gone = true;
	if (broken) {
		a->end.by_runner = true;
		snprintf(a->end_text, sizeof(a->end_text), "%.159s", broken);
	} else {
		note_end(a, status);
	}
}

static bool lives(const struct agent *a)
{
	return a->channel ? !a->gone : a->pid != 0;
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
		note_end(a, status);
}

static int send_signal(struct agent *a, int signal)
{
	return a->channel ? channel_signal(a->channel, signal) : pidfd_send_signal(a->pidfd, signal, NULL, 0);
}

static void kill_agent(struct agent *a)
{
	int status;

	if (!lives(a))
		return;
	a->end.by_runner = true;
	send_signal(a, SIGKILL);
	if (a->channel) {
		channel_ended(a->channel, clock_deadline_ms(FAR_END_MS), &status);
		note_far_end(a, status);
	} else {
		reap(a);
	}
}

/* Waits until @deadline_ns; 0: not at all. Returns whether the process ended by itself. */
static bool gone_by(struct agent *a, int64_t deadline_ns)
{
	struct pollfd p = {.fd = a->pidfd, .events = POLLIN};
	int n, status;

	if (!lives(a))
		return true;
	if (a->channel) {
		if (channel_ended(a->channel, deadline_ns, &status))
			note_far_end(a, status);
		return a->gone;
	}
	do {
		n = poll(&p, 1, deadline_ns ? clock_left_ms(deadline_ns) : 0);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		reap(a);
	return n == 1;
}

/* A wait in the kernel that no signal ends may last as long as another process lives, so this does not wait for it. */
static void end_or_leave(struct agent *a)
{
	a->end.by_runner = true;
	send_signal(a, SIGKILL);
	a->stuck = !gone_by(a, clock_deadline_ms(KILLED_MS + (a->channel ? FAR_MS : 0)));
}

static char *doing_far(struct agent *a)
{
	struct value *question = value_map();
	auto_value struct value *answer = NULL;

	value_set_string(question, "ask", "doing");
	value_set_int(question, "agent", channel_number(a->channel));
	if (machine_line_ask(channel_machine(a->channel), question, &answer, FAR_END_MS, NULL) < 0)
		return NULL;
	return xstrdup(value_get_string(answer, "doing", "has ended"));
}

static int hung(struct agent *a, const char *step, struct vbm_error *err)
{
	/* This tells the reader whether the agent waits in the kernel, loops or gets no processor. */
	auto_free char *doing = a->channel ? doing_far(a) : task_says(a->pid);

	end_or_leave(a);
	if (!doing)
		return vbm_fail(err, ECHILD, "%s", a->end_text);
	snprintf(a->end_text, sizeof(a->end_text), "ended by the runner because it hung in %s", step);
	return vbm_fail(err, ETIME, "the agent of host %s did not come back from %s and %s (it %s)", a->name, step,
			a->stuck ? "SIGKILL did not end it" : "was ended", doing);
}

static int broken(struct agent *a, int ret, const char *step, struct vbm_error *err)
{
	const char *lost;

	if (ret == -ETIMEDOUT && lives(a))
		return hung(a, step, err);
	if (ret == -EMSGSIZE) {
		kill_agent(a);
		snprintf(a->end_text, sizeof(a->end_text), "ended by the runner because its answer to %s had no end", step);
		return vbm_fail(err, EPROTO, "the agent of host %s answered %s with a line longer than %d bytes",
				a->name, step, LINE_BYTES_MAX);
	}
	/* The agent is about to end, unless it only closed its socket, or another machine is gone. */
	if (ret == -ECONNABORTED || !gone_by(a, clock_deadline_ms(GRACE_MS)))
		kill_agent(a);
	lost = a->channel ? machine_line_lost(channel_machine(a->channel)) : NULL;
	if (lost)
		return vbm_fail(err, ECHILD, "%s", lost);
	return vbm_fail(err, ECHILD, "the agent of host %s died in %s: %s", a->name, step, a->end_text);
}

/*
 * A read limit on the socket saves a clock_gettime(2) and a poll(2) for each
 * answer. In a user-mode kernel these take most of the time of a short step. The limit is that of the
 * shortest step so far; a longer one then waits as without a limit.
 */
static void limit_reads(struct agent *a, int64_t span_ns)
{
	const struct timeval t = {.tv_sec = span_ns / 1000000000,
				  .tv_usec = span_ns / 1000 % 1000000 + 1};

	if (a->channel || (a->span_ns && a->span_ns <= span_ns))
		return;
	setsockopt(a->fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	a->span_ns = span_ns;
}

static int await_line_once(struct agent *a, const char **line, size_t *len)
{
	int ret;

	if (a->channel)
		return channel_read(a->channel, line, len, a->patience_ns + clock_span_ns(FAR_MS));
	ret = line_next(&a->reader.in, line, len);
	if (ret == 0 && a->span_ns) {
		ret = line_fill(&a->reader);
		if (ret <= 0 && ret != -EINTR && ret != -EAGAIN)
			return ret;
	}
	return ret == 1 ? 1 : line_read(&a->reader, line, len, a->patience_ns);
}

/*
 * After the machine stood still, the agent may have begun its own wait just now. So it
 * counts as hung only after one more silent turn in which the machine did not stand still.
 */
static int await_line(struct agent *a, const char **line, size_t *len)
{
	int ret = await_line_once(a, line, len), turns;
	bool stood_still = true;
	int64_t until;

	for (turns = 0; ret == -ETIMEDOUT && stood_still && turns < TURNS_MAX; turns++) {
		until = clock_deadline_ms(TURN_MS);
		ret = a->channel ? channel_read(a->channel, line, len, until) :
				   line_read(&a->reader, line, len, until);
		stood_still = clock_stood_still(&until);
	}
	return ret;
}

/* Reads one answer. A garbled answer ends the agent. */
static int take_answer(struct agent *a, const char *step, struct value **result,
		       struct vbm_error *err)
{
	const char *line;
	bool garbled;
	size_t len;
	int ret;

	ret = await_line(a, &line, &len);
	if (ret <= 0)
		return broken(a, ret, step, err);
	ret = agent_decode_answer(line, len, a->seq, result, &garbled, err);
	if (garbled) {
		kill_agent(a);
		snprintf(a->end_text, sizeof(a->end_text), "ended by the runner because its answer to %s was garbled", step);
	}
	return ret;
}

static int spawn(struct agent *a, const struct agent_options *opts, struct vbm_error *err)
{
	pid_t parent = getpid();
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return vbm_fail(err, errno, "cannot make a socket for the agent of host %s: %s", a->name, strerror(errno));
	a->pid = fork();
	if (a->pid == 0) {
		close(fds[0]);
		agent_main(fds[1], opts, parent, board);
	}
	close(fds[1]);
	a->fd = a->reader.fd = fds[0];
	if (a->pid < 0) {
		a->pid = 0;
		return vbm_fail(err, errno, "cannot start a process for the agent of host %s: %s", a->name, strerror(errno));
	}
	a->pidfd = pidfd_open(a->pid, 0);
	if (a->pidfd < 0)
		return vbm_fail(err, errno, "cannot open a pidfd of the agent of host %s: %s", a->name, strerror(errno));
	return 0;
}

/* An agent on a machine; its station knows the host. */
static int start_far(struct agent *a, const struct agent_options *opts, struct vbm_error *err)
{
	struct value *setup = value_map();

	value_set_string(setup, "name", opts->host.name);
	value_set_int(setup, "process", opts->number);
	if (opts->target)
		value_set_string(setup, "target", opts->target);
	if (opts->variant)
		value_set_string(setup, "variant", opts->variant);
	if (opts->env)
		value_set(setup, "env", value_dup(opts->env));
	return channel_open(&a->channel, opts->there, "agent", setup, opts->log_fd, err);
}

int agent_start(struct agent **out, const struct agent_options *opts, struct vbm_error *err)
{
	struct agent *a = xcalloc(1, sizeof(*a));
	int ret;

	a->fd = a->pidfd = -1;
	a->patience_ns = clock_deadline_ms(START_MS);
	agent_name(opts, a->name, sizeof(a->name));
	a->host_index = opts->host_index;
	if (!board)
		board = number_board_new();
	number_board_enter(board, a->host_index);
	ret = opts->there ? start_far(a, opts, err) : spawn(a, opts, err);
	if (ret == 0)
		ret = take_answer(a, "its start", &a->offers, err);
	if (ret < 0) {
		agent_stop(a);
		return ret;
	}
	*out = a;
	return 0;
}

const struct value *agent_offers(const struct agent *a)
{
	return a->offers;
}

int agent_post(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct vbm_error *err)
{
	int64_t deadline = now_ns + clock_span_ns(deadline_ms);
	auto_free char *line = NULL;
	int ret;

	if (a->posted)
		return vbm_fail(err, EBUSY, "the agent of host %s is still busy with %s", a->name,
				a->posted->name);
	if (!lives(a) || a->stuck)
		return vbm_fail(err, ECHILD, "host %s has no agent any more: %s", a->name, a->end_text);
	a->seq++;
	a->patience_ns = deadline;
	if (kind->waits)
		a->patience_ns += clock_span_ns(GRACE_MS);
	limit_reads(a, a->patience_ns - now_ns);
	/* Clocks of two machines are never compared. */
	line = agent_encode_request(a->seq, kind, as, a->channel ? now_ns - deadline : deadline, args);
	ret = a->channel ? channel_write(a->channel, line, deadline) : line_write(a->fd, line, deadline);
	if (ret < 0)
		return broken(a, ret, kind->name, err);
	a->posted = kind;
	return 0;
}

int agent_collect(struct agent *a, struct value **result, struct vbm_error *err)
{
	const struct step_kind *kind = a->posted;

	*result = NULL;
	if (!kind)
		return vbm_fail(err, EINVAL, "the agent of host %s has no step to answer", a->name);
	a->posted = NULL;
	return take_answer(a, kind->name, result, err);
}

int agent_call(struct agent *a, const struct step_kind *kind, const struct value *args,
	       const char *as, int64_t now_ns, int deadline_ms, struct value **result, struct vbm_error *err)
{
	int ret = agent_post(a, kind, args, as, now_ns, deadline_ms, err);

	*result = NULL;
	return ret < 0 ? ret : agent_collect(a, result, err);
}

int agent_post_reset(struct agent *a)
{
	return agent_post(a, &agent_reset_kind, NULL, NULL, clock_now_ns(), RESET_MS, NULL);
}

bool agent_collect_reset(struct agent *a)
{
	auto_value struct value *result = NULL;

	if (agent_collect(a, &result, NULL) < 0 || !value_get_bool(result, "clean", false))
		return false;
	number_board_leave(board, a->host_index);
	a->rests = true;
	return true;
}

void agent_resume(struct agent *a)
{
	number_board_enter(board, a->host_index);
	a->rests = false;
}

int agent_kill(struct agent *a, int signal, struct vbm_error *err)
{
	if (agent_end(a))
		return vbm_fail(err, ESRCH, "host %s has no agent any more: %s", a->name, a->end_text);
	if (send_signal(a, signal) < 0)
		return vbm_fail(err, errno, "cannot send signal %d to the agent of host %s: %s", signal,
				a->name, strerror(errno));
	a->end.by_runner = true;
	if (gone_by(a, clock_deadline_ms(GRACE_MS)))
		return 0;
	end_or_leave(a);
	return vbm_fail(err, ETIME, "the agent of host %s survived signal %d and was killed", a->name,
			signal);
}

const struct agent_end *agent_end(struct agent *a)
{
	gone_by(a, 0);
	return lives(a) ? NULL : &a->end;
}

bool agent_is_stuck(const struct agent *a)
{
	return a->stuck;
}

pid_t agent_pid(const struct agent *a)
{
	return a->pid;
}

int agent_pidfd(const struct agent *a)
{
	return a->channel ? machine_line_fd(channel_machine(a->channel)) : a->pidfd;
}

void agent_stop(struct agent *a)
{
	if (!a)
		return;
	if (getenv("GCOV_PREFIX") && a->pid && !shutdown(a->fd, SHUT_WR))
		gone_by(a, clock_deadline_ms(GRACE_MS));
	if (!a->channel)
		kill_agent(a);
	channel_close(a->channel);
	if (!a->rests)
		number_board_leave(board, a->host_index);
	line_reader_fini(&a->reader);
	value_free(a->offers);
	if (a->fd >= 0)
		close(a->fd);
	if (a->pidfd >= 0)
		close(a->pidfd);
	free(a);
}
