/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine-line/machine-command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "machine-line/machine-line.h"
#include "lib/base/fail.h"

#define PIECE 32768
#define BEHIND_MAX (1 << 20)	/* bytes that a reader may leave here before the machine has to wait */
#define WRITE_MS 10000

/* The output of a command, on its way to the descriptor @to.fd. */
struct flow {
	struct watch to;	/* owned */
	struct text bytes;	/* owned */
};

struct machine_command {
	struct machine_commands *all;
	struct machine_command *next;
	struct channel *channel;	/* owned */
	struct watch in;	/* owned; its standard input; -1: none or at its end */
	bool sent;		/* a piece of that was not taken yet */
	struct flow out[2];
	int end_fd;		/* owned */
	bool over;
	int status;		/* once it is over */
};

struct far_machine {
	struct far_machine *next;
	struct machine_line *there;	/* borrowed */
	struct watch said;
};

struct machine_commands {
	struct loop *loop;		/* borrowed */
	struct machine_command *first;	/* owned */
	struct far_machine *machines;	/* owned */
};

static void say(struct machine_command *c, const struct value *v)
{
	auto_free char *text = json_write(v);

	channel_write(c->channel, text, clock_deadline_ms(WRITE_MS));
}

/* If no other process has the terminal open any more, read(2) fails with EIO, which is its end. */
static void on_in(struct watch *in, uint32_t events)
{
	struct machine_command *c = OWNER_OF(in, struct machine_command, in);
	auto_value struct value *v = value_map();
	auto_free char *text = NULL;
	char bytes[PIECE];
	ssize_t n = read(in->fd, bytes, sizeof(bytes));

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		text = base64_encode(bytes, (size_t)n);
		value_set_string(v, "data", text);
		c->sent = true;
	} else {
		value_set_bool(v, "end", true);
		watch_close(in);
	}
	say(c, v);
}

/* Bytes for a reader that is gone are dropped. */
static void write_out(struct flow *f)
{
	ssize_t n = f->bytes.len && f->to.fd >= 0 ? write(f->to.fd, f->bytes.s, f->bytes.len) : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		watch_close(&f->to);
	if (f->to.fd < 0)
		n = (ssize_t)f->bytes.len;
	if (n > 0)
		text_keep_end(&f->bytes, f->bytes.len - (size_t)n);
}

static void on_room(struct watch *to, uint32_t events)
{
	(void)events;
	write_out(OWNER_OF(to, struct flow, to));
}

static void take_line(struct machine_command *c, const char *text, size_t line_len)
{
	auto_value struct value *v = json_read(text, line_len, NULL);
	int64_t stream = value_get_int(v, "stream", 0);
	auto_free char *data = NULL;
	size_t len;

	if (value_get_bool(v, "taken", false))
		c->sent = false;
	data = stream == 1 || stream == 2 ? base64_decode(value_get_string(v, "data", ""), &len) : NULL;
	if (data)
		text_add_bytes(&c->out[stream - 1].bytes, data, len);
}

/* Its readers find the end of its output before its own end. */
static void finish(struct machine_command *c, int status)
{
	int i;

	c->over = true;
	c->status = status;
	watch_close(&c->in);
	for (i = 0; i < 2; i++)
		watch_close(&c->out[i].to);
	vbm_loop_raise(c->end_fd);
}

static void settle(struct machine_command *c)
{
	const char *line;
	size_t len, i;
	int status;

	if (c->over)
		return;
	while ((line = channel_next(c->channel, &len)))
		take_line(c, line, len);
	for (i = 0; i < 2; i++) {
		write_out(&c->out[i]);
		vbm_watch_set(&c->out[i].to, c->out[i].to.fd, c->out[i].bytes.len ? POLLOUT : 0);
	}
	vbm_watch_set(&c->in, c->in.fd, c->sent ? 0 : POLLIN);
	if (channel_is_over(c->channel, &status) && !c->out[0].bytes.len && !c->out[1].bytes.len)
		finish(c, status);
}

static bool is_behind(const struct machine_commands *all, const struct far_machine *m)
{
	const struct machine_command *c;

	for (c = all->first; c; c = c->next)
		if (channel_machine(c->channel) == m->there &&
		    (c->out[0].bytes.len > BEHIND_MAX || c->out[1].bytes.len > BEHIND_MAX))
			return true;
	return false;
}

void machine_commands_settle(struct machine_commands *all)
{
	struct far_machine *m;
	struct machine_command *c;

	for (m = all ? all->machines : NULL; m; m = m->next)
		machine_line_sort(m->there);
	for (c = all ? all->first : NULL; c; c = c->next)
		settle(c);
	for (m = all ? all->machines : NULL; m; m = m->next)
		vbm_watch_set(&m->said, machine_line_broken(m->there) ? -1 : machine_line_fd(m->there),
			      is_behind(all, m) ? 0 : POLLIN);
}

static void on_said(struct watch *said, uint32_t events)
{
	(void)events;
	machine_line_hear(OWNER_OF(said, struct far_machine, said)->there);
}

static void need_machine(struct machine_commands *all, struct machine_line *there)
{
	struct far_machine *m;

	for (m = all->machines; m; m = m->next)
		if (m->there == there)
			return;
	m = xcalloc(1, sizeof(*m));
	m->there = there;
	m->next = all->machines;
	all->machines = m;
	watch_add(all->loop, &m->said, machine_line_fd(there), POLLIN, on_said);
}

static int copy_of(int fd)
{
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy >= 0)
		fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK);
	return copy;
}

static void forget(struct machine_command *c)
{
	struct machine_command **at = &c->all->first;
	int i;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	for (i = 0; i < 2; i++) {
		watch_close(&c->out[i].to);
		vbm_loop_remove(c->all->loop, &c->out[i].to);
		text_fini(&c->out[i].bytes);
	}
	watch_close(&c->in);
	vbm_loop_remove(c->all->loop, &c->in);
	if (c->end_fd >= 0)
		close(c->end_fd);
	channel_close(c->channel);
	free(c);
}

int machine_command_start(struct machine_commands *all, struct machine_command **out, struct machine_line *there, struct value *setup,
		      const int stdio[3], int *end_fd, struct vbm_error *err)
{
	struct machine_command *c = xcalloc(1, sizeof(*c));
	int ret, i;

	*c = (struct machine_command){.all = all, .next = all->first, .end_fd = eventfd(0, EFD_CLOEXEC)};
	all->first = c;
	*end_fd = copy_of(c->end_fd);
	value_set_bool(setup, "fed", stdio[0] >= 0);
	watch_add(all->loop, &c->in, copy_of(stdio[0]), 0, on_in);
	for (i = 0; i < 2; i++)
		watch_add(all->loop, &c->out[i].to, copy_of(stdio[i + 1]), 0, on_room);
	need_machine(all, there);
	ret = channel_open(&c->channel, there, "command", setup, -1, err);
	if (ret == 0 && *end_fd < 0)
		ret = vbm_fail(err, errno, "cannot make a descriptor: %s", strerror(errno));
	if (ret < 0)
		forget(c);
	else
		*out = c;
	return ret;
}

int machine_command_number(const struct machine_command *c)
{
	return channel_number(c->channel);
}

void machine_command_signal(struct machine_command *c, int signal)
{
	channel_signal(c->channel, signal);
}

void machine_command_resize(struct machine_command *c, int rows, int cols)
{
	auto_value struct value *v = value_map();

	value_set_int(v, "rows", rows);
	value_set_int(v, "cols", cols);
	say(c, v);
}

int machine_command_reap(struct machine_command *c)
{
	int status = c->over ? c->status : W_EXITCODE(0, SIGKILL);

	forget(c);
	return status;
}

struct machine_commands *machine_commands_new(struct loop *loop)
{
	struct machine_commands *all = xcalloc(1, sizeof(*all));

	all->loop = loop;
	return all;
}

void machine_commands_free(struct machine_commands *all)
{
	struct far_machine *m;

	if (!all)
		return;
	while (all->first)
		forget(all->first);
	while (all->machines) {
		m = all->machines;
		all->machines = m->next;
		vbm_loop_remove(all->loop, &m->said);
		free(m);
	}
	free(all);
}
