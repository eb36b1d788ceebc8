/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/pump.h"

#define LINKS_MAX 2

/* What a link waits for, in this order. */
enum { TO_GUEST, FROM_GUEST, TAKEN, WAITS };

struct link {
	struct relay_link fd;	/* a @line of -1: this link has ended */
	struct pump in, out;	/* to the guest, and from it */
	size_t window;		/* how much more may go to the guest */
};

static void begin(struct link *l, const struct relay_link *fd)
{
	const int all[] = {fd->inner, fd->line, fd->taken};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		fcntl(all[i], F_SETFL, O_RDWR | O_NONBLOCK);
	l->fd = *fd;
	l->window = GUEST_WINDOW;
	pump_init(&l->in, fd->inner, fd->line);
	l->in.deflater = fd->deflates ? deflater_new() : NULL;
	pump_init(&l->out, fd->line, fd->inner);
}

static void end(struct link *l)
{
	relay_close(&l->fd, 1);
	deflater_free(steal(&l->in.deflater));
}

/* A pump that may not read or write waits for nothing. */
static void wants(const struct link *l, struct pollfd *p)
{
	size_t i;

	for (i = 0; i < WAITS; i++)
		p[i] = (struct pollfd){.fd = -1};
	if (l->fd.line < 0)
		return;
	if (l->window)
		p[TO_GUEST] = pump_wants(&l->in);
	p[FROM_GUEST] = pump_wants(&l->out);
	p[TAKEN] = (struct pollfd){.fd = l->fd.taken, .events = POLLIN};
}

static void hear_taken(struct link *l)
{
	char buf[64];
	ssize_t n = read(l->fd.taken, buf, sizeof(buf));

	if (n > 0)
		l->window += (size_t)n * GUEST_WINDOW_STEP;
	/* Nobody is there any more; what came before still goes to the user. */
	if (n == 0)
		close(steal_fd(&l->fd.taken));
}

static void run(struct link *l, const struct pollfd *p)
{
	size_t before;

	if (p[TAKEN].revents)
		hear_taken(l);
	if (p[TO_GUEST].revents) {
		l->in.limit = l->window;
		before = l->in.written;
		pump_run(&l->in);
		l->window -= l->in.written - before;
	}
	if (p[FROM_GUEST].revents)
		pump_run(&l->out);
	if (pump_done(&l->out) || pump_done(&l->in))
		end(l);
}

static bool any_left(const struct link *l, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (l[i].fd.line >= 0)
			return true;
	return false;
}

static void __attribute__((noreturn)) relay(const struct relay_link *link, size_t count)
{
	struct pollfd p[LINKS_MAX * WAITS];
	struct link l[LINKS_MAX];
	size_t i;

	for (i = 0; i < count; i++)
		begin(&l[i], &link[i]);
	while (any_left(l, count)) {
		for (i = 0; i < count; i++)
			wants(&l[i], p + i * WAITS);
		if (poll(p, count * WAITS, -1) < 0 && errno != EINTR)
			break;
		for (i = 0; i < count; i++)
			if (l[i].fd.line >= 0)
				run(&l[i], p + i * WAITS);
	}
	_exit(0);
}

int relay_start(pid_t *pid, const struct relay_link *link, size_t count, struct vbm_error *err)
{
	int keep[3 * LINKS_MAX];
	pid_t parent = getpid();
	size_t i;

	for (i = 0; i < count; i++) {
		keep[3 * i] = link[i].inner;
		keep[3 * i + 1] = link[i].line;
		keep[3 * i + 2] = link[i].taken;
	}
	*pid = fork();
	if (*pid < 0) {
		*pid = 0;
		return vbm_fail(err, errno, "cannot start a process: %m");
	}
	if (*pid)
		return 0;
	setpgid(0, 0);	/* the terminal's Ctrl-C is for verbatim, which ends this */
	if (child_begin(&(struct child_setup){
			.parent = parent,
			.name = "verbatim-relay",
			.keep = keep,
			.keep_count = 3 * count,
			.ignore = {SIGPIPE},
		}) < 0)
		_exit(1);
	relay(link, count);
}

void relay_close(struct relay_link *link, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		int *fds[] = {&link[i].inner, &link[i].line, &link[i].taken};
		size_t j;

		for (j = 0; j < ARRAY_SIZE(fds); j++)
			if (*fds[j] >= 0)
				close(steal_fd(fds[j]));
	}
}
