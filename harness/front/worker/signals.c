/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

static void add_unless_ignored(sigset_t *set, int sig)
{
	struct sigaction sa;

	if (sigaction(sig, NULL, &sa) == 0 && sa.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

int signals_open(struct signals *s, struct vbm_error *err)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;
	size_t i;

	*s = (struct signals){.fd = -1};
	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		add_unless_ignored(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd >= 0)
		return 0;
	vbm_fail(err, errno, "cannot watch for signals: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	return -err->code;
}

/*
 * timeout(1) sends a signal to its command, and then to the whole process group, which
 * the command belongs to. A terminal sends one to the whole group, and make(1) then passes
 * it on. Such signals count as one. Only a person at a terminal, which has no process id,
 * means a second one.
 */
#define SAME_NS 1000000000

static bool is_the_same_again(const struct signals *s, const struct signalfd_siginfo *info)
{
	return s->caught && (info->ssi_pid || s->sender) &&
	       clock_now_ns() - s->taken_ns < SAME_NS;
}

bool signals_take(struct signals *s)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != sizeof(info) || is_the_same_again(s, &info))
		return false;
	if (!s->caught)
		s->caught = (int)info.ssi_signo;
	s->sender = (pid_t)info.ssi_pid;
	s->taken_ns = clock_now_ns();
	return true;
}

void signals_close(struct signals *s)
{
	int caught = s->caught;

	if (s->fd < 0)
		return;
	if (caught) {
		fflush(NULL);
		signal(caught, SIG_DFL);
	}
	close(steal_fd(&s->fd));
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	if (caught)
		raise(caught);
}
