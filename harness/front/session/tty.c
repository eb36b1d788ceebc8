/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/tty.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/value.h"

void tty_watch(struct tty *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->winch_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void tty_make_raw(struct tty *t)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &t->saved) < 0)
		return;
	raw = t->saved;
	cfmakeraw(&raw);
	t->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

void tty_restore(struct tty *t)
{
	if (t->raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &t->saved);
	t->raw = false;
	if (t->winch_fd >= 0)
		close(steal_fd(&t->winch_fd));
}

void tty_add_size(struct value *map)
{
	struct winsize ws;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_row == 0)
		return;
	value_set_int(map, "rows", ws.ws_row);
	value_set_int(map, "cols", ws.ws_col);
}

void tty_take_winch(struct tty *t)
{
	struct signalfd_siginfo info;

	while (read(t->winch_fd, &info, sizeof(info)) > 0)
		;
}
