/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/deflate.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/pump.h"

#define LINKS_MAX 2

struct relay_ends {
	struct relay_link fd;	/* a @line of -1: this link has ended */
	struct pump in, out;	/* to the guest, and from it */
	size_t window;		/* how much more may go to the guest */
	struct watch taken, to_guest, from_guest;
};

/* Waits only for a pump that may read or write. */
static void wait_for(struct relay_ends *l)
{
	const struct pollfd nothing = {.fd = -1};

	vbm_watch_set(&l->taken, l->fd.taken, POLLIN);
	watch_for(&l->to_guest, l->window ? pump_wants(&l->in) : nothing);
	watch_for(&l->from_guest, pump_wants(&l->out));
}

static void hear_taken(struct watch *w, uint32_t events)
{
	struct relay_ends *l = OWNER_OF(w, struct relay_ends, taken);
	char buf[64];
	ssize_t n = read(l->fd.taken, buf, sizeof(buf));

	(void)events;
	if (n > 0)
		l->window += (size_t)n * GUEST_WINDOW_STEP;
	/* The other side is closed; earlier bytes still go to the user. */
	if (n == 0)
		close(steal_fd(&l->fd.taken));
}

static void pass_to_guest(struct watch *w, uint32_t events)
{
	struct relay_ends *l = OWNER_OF(w, struct relay_ends, to_guest);
	size_t before = l->in.written;

	(void)events;
	l->in.limit = l->window;
	pump_run(&l->in);
	l->window -= l->in.written - before;
}

static void pass_from_guest(struct watch *w, uint32_t events)
{
	(void)events;
	pump_run(&OWNER_OF(w, struct relay_ends, from_guest)->out);
}

static void begin_relay(struct loop *loop, struct relay_ends *l, const struct relay_link *fd)
{
	const int all[] = {fd->inner, fd->line, fd->taken};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		fcntl(all[i], F_SETFL, O_RDWR | O_NONBLOCK);
	*l = (struct relay_ends){.fd = *fd, .window = GUEST_WINDOW};
	pump_init(&l->in, fd->inner, fd->line);
	l->in.deflater = fd->deflates ? deflater_new() : NULL;
	pump_init(&l->out, fd->line, fd->inner);
	watch_add(loop, &l->taken, -1, 0, hear_taken);
	watch_add(loop, &l->to_guest, -1, 0, pass_to_guest);
	watch_add(loop, &l->from_guest, -1, 0, pass_from_guest);
}

static void end_relay(struct loop *loop, struct relay_ends *l)
{
	vbm_loop_remove(loop, &l->taken);
	vbm_loop_remove(loop, &l->to_guest);
	vbm_loop_remove(loop, &l->from_guest);
	relay_close(&l->fd, 1);
	deflater_free(steal(&l->in.deflater));
}

static bool any_left(const struct relay_ends *l, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (l[i].fd.line >= 0)
			return true;
	return false;
}

static void __attribute__((noreturn)) relay(const struct relay_link *link, size_t count)
{
	struct relay_ends l[LINKS_MAX];
	struct loop loop;
	size_t i;
	int rc = 0;

	vbm_loop_init_plain(&loop);
	for (i = 0; i < count; i++)
		begin_relay(&loop, &l[i], &link[i]);
	while (any_left(l, count) && (rc == 0 || rc == -EINTR)) {
		for (i = 0; i < count; i++)
			if (l[i].fd.line >= 0)
				wait_for(&l[i]);
		rc = vbm_loop_run(&loop, -1);
		for (i = 0; i < count; i++)
			if (l[i].fd.line >= 0 && (pump_done(&l[i].out) || pump_done(&l[i].in)))
				end_relay(&loop, &l[i]);
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
	setpgid(0, 0);	/* Ctrl-C must reach only verbatim, which ends this process */
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
