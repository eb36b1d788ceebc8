/* SPDX-License-Identifier: BSD-2-Clause */
#include "child-lane.h"

#include "../unit/cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

static const child_life *first_life, *next_life;
static const char *no_start;

/* The lane's side of one place. */
struct side {
	pid_t pid;
	int console;	/* owned */
};

void child_lane_live(const child_life *lives)
{
	first_life = next_life = lives;
	no_start = NULL;
}

size_t child_lane_started(void)
{
	return (size_t)(next_life - first_life);
}

void child_lane_start_not(const char *why)
{
	no_start = why;
}

static void __attribute__((noreturn)) run(child_life life, struct child_place *p)
{
	struct value *hello;

	child_begin(&(struct child_setup){
		.parent = CHILD_OUTLIVES,
		.keep = (const int[]){p->fd, p->terminal, p->console},
		.keep_count = 3,
	});
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	p->in = (struct line_reader){.fd = p->fd};
	emit_init(&p->emit, p->fd);
	hello = emit_new(&p->emit, "hello");
	value_set_string(hello, "version", "0");
	value_set_string(hello, "kernel", "7");
	value_set_int(hello, "page_size", 4096);
	emit_take(&p->emit, hello);
	life(p);
	_exit(0);
}

static int begin(struct lane *lane, struct vbm_error *err)
{
	struct side *s = xcalloc(1, sizeof(*s));
	int sv[2], terminal[2];

	(void)err;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, terminal), 0);
	s->console = memfd_create("console", MFD_CLOEXEC);
	assert_true(s->console >= 0);
	s->pid = fork();
	if (s->pid == 0)
		run(*next_life, &(struct child_place){
			.fd = sv[1], .terminal = terminal[1], .console = s->console,
		});
	assert_true(s->pid > 0);
	next_life++;
	close(sv[1]);
	close(terminal[1]);
	lane->event_fd = lane->job_fd = sv[0];
	lane->terminal_fd = terminal[0];
	lane->priv = s;
	return 0;
}

static int advance(struct lane *lane, struct vbm_error *err)
{
	(void)lane;
	return no_start ? vbm_fail(err, EIO, "%s", no_start) : 1;
}

static char *end_cause(struct lane *lane)
{
	(void)lane;
	return xstrdup(CHILD_END_CAUSE);
}

static char *console(struct lane *lane)
{
	const struct side *s = lane->priv;
	char *text = NULL;

	assert_int_equal(file_fd_read_whole(s->console, FILE_MAX, &text, NULL), 0);
	return text;
}

static void stop(struct lane *lane)
{
	struct side *s = lane->priv;

	if (!s)
		return;
	child_end(s->pid);
	close(s->console);
	free(steal(&s));
	lane->priv = NULL;
}

const struct lane_ops child_lane = {
	.name = "child",
	.begin = begin,
	.advance = advance,
	.end_cause = end_cause,
	.console = console,
	.stop = stop,
};
