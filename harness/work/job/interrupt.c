/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "process/line.h"

static volatile sig_atomic_t interrupted;
static pid_t runner_pid;

bool interrupt_came(void)
{
	return interrupted != 0;
}

const volatile sig_atomic_t *interrupt_flag(void)
{
	return &interrupted;
}

int interrupt_poll(struct pollfd *p, nfds_t n, int ms)
{
	return line_stop_poll(p, n, ms, &interrupted);
}

/*
 * Agents belong to the runner's process group and inherit this handler. They end at once.
 * That wakes the runner, because it waits for their answers.
 */
static void on_signal(int sig)
{
	int saved = errno;

	if (getpid() != runner_pid)
		_exit(128 + sig);
	if (!interrupted) {
		interrupted = 1;
		kill(0, SIGTERM);
	}
	errno = saved;
}

void interrupt_catch(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};
	size_t i;

	runner_pid = getpid();
	setpgid(0, 0);
	for (i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}
