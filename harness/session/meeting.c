/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/meeting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "front/worker.h"
#include "lib/base/fail.h"
#include "process/abstract.h"
#include "process/peer.h"

#define NAME "verbatim-run-"		/* UID-PID follows */
#define BACKLOG 16
#define BEHIND_MAX (4 * 1024 * 1024)	/* who takes nothing for so long is sent away */

struct guest {
	struct peer peer;
	int64_t number;
};

struct meeting {
	int listener, epoll;	/* owned */
	struct worker *worker;	/* borrowed; NULL before meeting_begin() */
	struct guest **guest;	/* owned */
	size_t guests;
	int64_t last;		/* number given */
};

static socklen_t address(struct sockaddr_un *sa, uid_t uid, pid_t pid)
{
	auto_free char *name = xasprintf(NAME "%u-%d", uid, pid);
	socklen_t len = 0;

	abstract_address(name, sa, &len);
	return len;
}

static int make_socket(int flags)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

/* Anybody can reach an abstract socket. */
static bool is_peer_of(int fd, uid_t uid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && cred.uid == uid;
}

struct meeting *meeting_open(void)
{
	auto_close int fd = make_socket(SOCK_NONBLOCK), epoll = epoll_create1(EPOLL_CLOEXEC);
	struct sockaddr_un sa;
	socklen_t len = address(&sa, getuid(), getpid());
	struct meeting *m;

	if (fd < 0 || epoll < 0 || bind(fd, (struct sockaddr *)&sa, len) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	m->listener = steal_fd(&fd);
	m->epoll = steal_fd(&epoll);
	return m;
}

static void watch(const struct meeting *m, int op, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events};

	epoll_ctl(m->epoll, op, fd, &e);
}

void meeting_begin(struct meeting *m, struct worker *w)
{
	if (!m || m->worker)
		return;
	m->worker = w;
	watch(m, EPOLL_CTL_ADD, m->listener, EPOLLIN);
}

struct pollfd meeting_wants(const struct meeting *m)
{
	return (struct pollfd){.fd = m ? m->epoll : -1, .events = POLLIN};
}

static void let_in(struct meeting *m)
{
	struct guest *g;
	int fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (!is_peer_of(fd, getuid()) && !is_peer_of(fd, 0)) {
		close(fd);
		return;
	}
	g = xcalloc(1, sizeof(*g));
	g->peer.fd = fd;
	g->number = ++m->last;
	GROW(m->guest, m->guests);
	m->guest[m->guests++] = g;
	watch(m, EPOLL_CTL_ADD, fd, EPOLLIN);
}

static void forward(const struct meeting *m, struct guest *g)
{
	struct value *line;

	for (; (line = peer_next(&g->peer)); value_free(line)) {
		if (line->type != VALUE_MAP)
			continue;
		value_set_int(line, "join", g->number);
		worker_send(m->worker, line);
	}
}

static void drop(struct guest *g)
{
	peer_fini(&g->peer);
	free(g);
}

/* Those who have gone; their shells are told. */
static void see_off(struct meeting *m)
{
	auto_value struct value *hangup = value_map();
	size_t i, n = 0;

	value_set_bool(hangup, "hangup", true);
	for (i = 0; i < m->guests; i++) {
		if (!m->guest[i]->peer.gone) {
			m->guest[n++] = m->guest[i];
			continue;
		}
		value_set_int(hangup, "join", m->guest[i]->number);
		worker_send(m->worker, hangup);
		drop(m->guest[i]);
	}
	m->guests = n;
}

static void rewatch(const struct meeting *m, const struct guest *g)
{
	if (!g->peer.gone)
		watch(m, EPOLL_CTL_MOD, g->peer.fd,
		      EPOLLIN | (peer_pending(&g->peer) ? EPOLLOUT : 0u));
}

void meeting_act(struct meeting *m)
{
	size_t i;

	if (!m || !m->worker)
		return;
	let_in(m);
	for (i = 0; i < m->guests; i++) {
		peer_act(&m->guest[i]->peer, POLLIN | POLLOUT);
		forward(m, m->guest[i]);
		rewatch(m, m->guest[i]);
	}
	see_off(m);
}

void meeting_event(struct meeting *m, const struct value *event)
{
	struct guest *g = NULL;
	size_t i;

	for (i = 0; m && i < m->guests && !g; i++)
		if (m->guest[i]->number == event_integer(event, "join"))
			g = m->guest[i];
	if (!g)
		return;
	peer_say(&g->peer, event);
	if (peer_pending(&g->peer) > BEHIND_MAX)
		g->peer.gone = true;
	rewatch(m, g);
	see_off(m);
}

void meeting_close(struct meeting *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->guests; i++)
		drop(m->guest[i]);
	free(m->guest);
	close(m->listener);
	close(m->epoll);
	free(m);
}

static bool read_run(const char *line, struct meeting_run *run)
{
	const char *at = strstr(line, " @" NAME);
	unsigned int flags;

	/* "ADDRESS: REFS PROTOCOL FLAGS ..."; the flag is __SO_ACCEPTCON. */
	return at && sscanf(line, "%*s %*s %*s %x", &flags) == 1 && flags & 0x10000 &&
	       sscanf(at + strlen(" @" NAME), "%u-%d", &run->uid, &run->pid) == 2;
}

static bool may_join(const struct meeting_run *run, uid_t uid)
{
	return run->uid == uid || uid == 0;
}

/* Runs of others are told from there being none. */
static struct meeting_run *list_runs(const char *table, uid_t uid,
				     bool (*is_real)(const struct meeting_run *run), size_t *count)
{
	auto_free char *copy = xstrdup(table);
	struct meeting_run *runs = NULL, one;
	char *pos = copy, *line;

	*count = 0;
	while ((line = next_line(&pos))) {
		if (!read_run(line, &one) || (is_real && may_join(&one, uid) && !is_real(&one)))
			continue;
		GROW(runs, *count);
		runs[(*count)++] = one;
	}
	return runs;
}

/* "4711, 4712" */
static void name_runs(const struct meeting_run *runs, size_t count, uid_t uid, struct text *out)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (may_join(&runs[i], uid))
			text_addf(out, "%s%d", out->len ? ", " : "", runs[i].pid);
}

int meeting_choose(const char *table, uid_t uid, pid_t number,
		   bool (*is_real)(const struct meeting_run *run), struct meeting_run *out,
		   struct vbm_error *err)
{
	auto_text struct text mine = {0};
	auto_free struct meeting_run *runs = NULL;
	size_t i, count, fitting = 0;

	runs = list_runs(table, uid, is_real, &count);
	for (i = 0; i < count; i++) {
		if (number ? runs[i].pid != number : !may_join(&runs[i], uid))
			continue;
		*out = runs[i];
		fitting++;
	}
	name_runs(runs, count, uid, &mine);
	if (!fitting && mine.len)
		return vbm_fail(err, ENOENT, "there is no run %d to join; there is: %s", number, mine.s);
	if (!fitting)
		return vbm_fail(err, ENOENT, "there is no run to join; 'verbatim exec' and 'verbatim shell' make one");
	if (!may_join(out, uid))
		return vbm_fail(err, EPERM, "run %d is of another user (uid %u)", out->pid, out->uid);
	if (fitting > 1)
		return vbm_fail(err, EINVAL, "say which run to join; there are: %s", mine.s);
	return 0;
}

/* Never blocks: who only has the name need not accept anybody. */
static bool is_real(const struct meeting_run *run)
{
	auto_close int fd = make_socket(SOCK_NONBLOCK);
	struct sockaddr_un sa;
	socklen_t len = address(&sa, run->uid, run->pid);

	return fd >= 0 && connect(fd, (struct sockaddr *)&sa, len) == 0 && is_peer_of(fd, run->uid);
}

int meeting_find(pid_t number, struct vbm_error *err)
{
	auto_close int fd = make_socket(0);
	auto_free char *table = NULL;
	struct meeting_run run;
	struct sockaddr_un sa;
	socklen_t len;
	int ret = file_read("/proc/net/unix", &table, NULL, err);

	if (ret == 0)
		ret = meeting_choose(table, getuid(), number, is_real, &run, err);
	if (ret < 0)
		return ret;
	len = address(&sa, run.uid, run.pid);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sa, len) < 0)
		return vbm_fail(err, errno, "cannot join run %d: %s", run.pid, strerror(errno));
	if (!is_peer_of(fd, run.uid))
		return vbm_fail(err, EPERM, "what calls itself run %d is of another user", run.pid);
	return steal_fd(&fd);
}
