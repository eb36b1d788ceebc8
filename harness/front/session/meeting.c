/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/meeting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "event/sent.h"
#include "worker/worker.h"
#include "lib/base/fail.h"
#include "base/address.h"
#include "process/peer.h"

#define NAME "verbatim-run-"		/* UID-PID follows */
#define BACKLOG 16
#define BEHIND_MAX (4 * 1024 * 1024)	/* a connection that is so many bytes behind is closed */

struct meeting_guest {
	struct meeting *meeting;
	struct peer peer;
	struct watch watch;
	int64_t number;
};

struct meeting {
	struct watch listener;	/* its descriptor is owned */
	struct loop loop;	/* on epoll(7): the waits of others are for its descriptor */
	struct worker *worker;	/* borrowed; NULL before meeting_begin() */
	struct meeting_guest **guest;	/* owned */
	size_t guests;
	int64_t last;		/* number given */
};

static socklen_t address(struct sockaddr_un *sa, uid_t uid, pid_t pid)
{
	auto_free char *name = xasprintf(NAME "%u-%d", uid, pid);
	socklen_t len = 0;

	address_abstract(name, sa, &len);
	return len;
}

static int make_socket(int flags)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

/* Checks the user of the other side, because any user can reach an abstract socket. */
static bool is_peer_of(int fd, uid_t uid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && cred.uid == uid;
}

/* The runner would refuse that line and end the whole run. */
static void refuse_guest(struct meeting_guest *g, const struct vbm_error *err)
{
	auto_value struct value *event = value_map();

	value_set_string(event, "event", "terminal");
	value_set_int(event, "join", g->number);
	value_set_string(event, "error", err->msg);
	peer_say(&g->peer, event);
}

static void forward(const struct meeting *m, struct meeting_guest *g)
{
	struct vbm_error err = {0};
	struct value *line;

	for (; (line = peer_next(&g->peer)); value_free(line)) {
		if (line->type != VALUE_MAP)
			continue;
		value_set_int(line, "join", g->number);
		if (sent_check_as(line, "join", &err) < 0)
			refuse_guest(g, &err);
		else
			worker_send(m->worker, line);
	}
}

static void drop_guest(struct meeting *m, struct meeting_guest *g)
{
	vbm_loop_remove(&m->loop, &g->watch);
	peer_fini(&g->peer);
	free(g);
}

/* Ends the connections that were closed, and the shells behind them. */
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
		drop_guest(m, m->guest[i]);
	}
	m->guests = n;
}

static void rewatch(struct meeting *m, struct meeting_guest *g)
{
	if (!g->peer.gone)
		vbm_loop_modify(&m->loop, &g->watch,
				POLLIN | (peer_pending(&g->peer) ? POLLOUT : 0u));
}

static void on_guest(struct watch *watch, uint32_t events)
{
	struct meeting_guest *g = OWNER_OF(watch, struct meeting_guest, watch);
	struct meeting *m = g->meeting;

	peer_act(&g->peer, (short)events);
	forward(m, g);
	rewatch(m, g);
	see_off(m);
}

static void let_in(struct watch *listener, uint32_t events)
{
	struct meeting *m = OWNER_OF(listener, struct meeting, listener);
	struct meeting_guest *g;
	int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0)
		return;
	if (!is_peer_of(fd, getuid()) && !is_peer_of(fd, 0)) {
		close(fd);
		return;
	}
	g = xcalloc(1, sizeof(*g));
	g->meeting = m;
	g->peer.fd = fd;
	g->number = ++m->last;
	GROW(m->guest, m->guests);
	m->guest[m->guests++] = g;
	watch_add(&m->loop, &g->watch, fd, POLLIN, on_guest);
}

struct meeting *meeting_open(void)
{
	auto_close int fd = make_socket(SOCK_NONBLOCK);
	struct sockaddr_un sa;
	socklen_t len = address(&sa, getuid(), getpid());
	struct meeting *m;

	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, len) < 0 || listen(fd, BACKLOG) < 0)
		return NULL;
	m = xcalloc(1, sizeof(*m));
	if (vbm_loop_init(&m->loop) < 0) {
		free(m);
		return NULL;
	}
	m->listener.fd = steal_fd(&fd);
	return m;
}

void meeting_begin(struct meeting *m, struct worker *w)
{
	if (!m || m->worker)
		return;
	m->worker = w;
	watch_add(&m->loop, &m->listener, m->listener.fd, POLLIN, let_in);
}

struct pollfd meeting_wants(const struct meeting *m)
{
	return (struct pollfd){.fd = m ? loop_fd(&m->loop) : -1, .events = POLLIN};
}

void meeting_act(struct meeting *m)
{
	if (m && m->worker)
		vbm_loop_dispatch(&m->loop);
}

void meeting_event(struct meeting *m, const struct value *event)
{
	struct meeting_guest *g = NULL;
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
		drop_guest(m, m->guest[i]);
	free(m->guest);
	vbm_loop_fini(&m->loop);
	close(m->listener.fd);
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

/* Lists runs of other users, too, so that a message can say that a run is another user's. */
static struct meeting_run *list_runs(const char *table, uid_t uid,
				     bool (*is_real)(const struct meeting_run *run), size_t *count)
{
	auto_free char *copy = xstrdup(table);
	struct meeting_run *runs = NULL, one;
	char *pos = copy, *line;

	*count = 0;
	while ((line = file_next_line(&pos))) {
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
		return vbm_fail(err, EPERM, "run %d belongs to another user (uid %u)", out->pid, out->uid);
	if (fitting > 1)
		return vbm_fail(err, EINVAL, "say which run to join; there are: %s", mine.s);
	return 0;
}

/* Never blocks, because a process that only took the name need not accept connections. */
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
		return vbm_fail(err, EPERM, "the socket of run %d belongs to another user", run.pid);
	return steal_fd(&fd);
}
