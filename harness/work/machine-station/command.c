/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/task.h"
#include "program/host-env.h"
#include "program/activity.h"
#include "program/spawn.h"
#include "machine-station/station-priv.h"

/* The commands of the runner's user: machine-line/machine-command.h. */

static struct station_command *find_command(struct station *s, int number)
{
	struct station_command *c = s->commands;

	while (c && c->number != number)
		c = c->next;
	return c;
}

static void send_to_runner(struct station_command *c, struct value *v)
{
	auto_value struct value *owned = v;
	auto_free char *text = json_write(owned);

	station_say(c->station, c->number, text);
}

static void pass_on(struct command_output *o, int which, const char *bytes, size_t n)
{
	struct value *v = value_map();
	auto_free char *text = base64_encode(bytes, n);

	value_set_int(v, "stream", which + 1);
	value_set_string(v, "data", text);
	send_to_runner(OWNER_OF(o, struct station_command, output), v);
}

/* A command that has closed its standard input loses the rest. */
static void on_room(struct watch *in, uint32_t events)
{
	struct station_command *c = OWNER_OF(in, struct station_command, in);
	ssize_t n = write(in->fd, c->input.s, c->input.len);
	struct value *v;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		n = (ssize_t)c->input.len;
	text_keep_end(&c->input, c->input.len - (size_t)n);
	if (c->input.len)
		return;
	vbm_watch_set(in, in->fd, 0);
	v = value_map();
	value_set_bool(v, "taken", true);
	send_to_runner(c, v);
	if (c->input_ended)
		watch_close(in);
}

static void forget_command(struct station_command *c)
{
	struct watch *watches[] = {&c->in, &c->output.out[0], &c->output.out[1], &c->end};
	struct station_command **at = &c->station->commands;
	size_t i;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	for (i = 0; i < ARRAY_SIZE(watches); i++) {
		/* A terminal has one descriptor for both directions. */
		if (i > 0 || !c->terminal)
			watch_close(watches[i]);
		vbm_loop_remove(&c->station->loop, watches[i]);
	}
	text_fini(&c->input);
	free(c);
}

static void on_end(struct watch *end, uint32_t events)
{
	struct station_command *c = OWNER_OF(end, struct station_command, end);
	int status = spawn_reap_status(c->pid);

	(void)events;
	command_output_drain(&c->output);
	station_tell_end(c->station, c->number, status, "");
	forget_command(c);
}

static void set_size(const struct station_command *c, const struct value *v)
{
	struct winsize ws = {
		.ws_row = (unsigned short)value_get_int(v, "rows", 24),
		.ws_col = (unsigned short)value_get_int(v, "cols", 80),
	};

	if (c->terminal)
		ioctl(c->in.fd, TIOCSWINSZ, &ws);
}

/* The environment of this process, with the variables that the runner adds. */
static char **merge_environment(const struct value *more)
{
	size_t n = 0, added = more && more->type == VALUE_LIST ? more->list.count : 0, i;
	char **env, *text;

	while (environ[n])
		n++;
	env = xcalloc(n + added + 1, sizeof(*env));
	/* Programs take the first variable of a name, so those of the runner come first. */
	for (i = 0, n = 0; i < added; i++) {
		text = json_bytes_read(more->list.item[i]);
		if (text)
			env[n++] = text;
	}
	for (i = 0; environ[i]; i++)
		env[n++] = xstrdup(environ[i]);
	return env;
}

struct command_ends {
	int in, out, err;	/* the command's; -1: none */
};

static int open_ends(struct station_command *c, const struct value *setup, struct command_ends *ends, struct vbm_error *err)
{
	int ret = 0;

	if (c->terminal) {
		ret = spawn_terminal(&c->in.fd, &ends->in, err);
		c->output.out[0].fd = c->in.fd;
		ends->out = ret == 0 ? dup(ends->in) : -1;
		ends->err = ret == 0 ? dup(ends->in) : -1;
		set_size(c, setup);
		return ret;
	}
	if (!value_get_bool(setup, "quiet", false)) {
		ret = spawn_terminal_raw(&c->output.out[0].fd, &ends->out, err);
		if (ret == 0)
			ret = spawn_pipe(&c->output.out[1].fd, &ends->err, true, err);
	}
	if (ret == 0 && value_get_bool(setup, "fed", false))
		ret = spawn_pipe(&c->in.fd, &ends->in, false, err);
	return ret;
}

/*
 * All processes of commands end with this process. Without root those with a session of their own do so only if it is
 * not killed.
 */
static void keep_together(struct station *s)
{
	struct vbm_error err;

	if (!s->process_ns.keeper && geteuid() == 0)
		process_ns_open(&s->process_ns, &err);
}

static int start_command(struct station_command *c, const struct value *setup, struct vbm_error *err)
{
	struct station *s = c->station;
	auto_free char *text = json_bytes_read(value_get(setup, "text"));
	char *shell = getenv("SHELL");
	const char *const command[] = {"/bin/sh", "-c", text, NULL};
	const char *const shells[] = {shell && access(shell, X_OK) == 0 ? shell : "/bin/sh", NULL};
	struct command_ends ends = {-1, -1, -1};
	int ret = open_ends(c, setup, &ends, err);
	struct spawn spawn = {
		.argv = text ? command : shells,
		.cwd = getenv("HOME"),
		.stdio = {ends.in, ends.out, ends.err},
		.terminal = c->terminal,
	};

	keep_together(s);
	spawn.process_ns = s->process_ns.keeper ? &s->process_ns : NULL;
	spawn.envp = merge_environment(value_get(setup, "env"));
	if (ret == 0)
		ret = spawn_start(&spawn, &c->pid, &c->end.fd, err);
	host_env_free(spawn.envp);
	if (ends.in >= 0)
		close(ends.in);
	if (ends.out >= 0)
		close(ends.out);
	if (ends.err >= 0)
		close(ends.err);
	return ret;
}

void station_command_start(struct station *s, const struct value *setup)
{
	struct station_command *c = xcalloc(1, sizeof(*c));
	struct vbm_error err = {0};

	*c = (struct station_command){
		.station = s, .next = s->commands, .number = (int)value_get_int(setup, "command", 0),
		.terminal = value_get_bool(setup, "terminal", false),
		.in.fd = -1, .output = {.out[0].fd = -1, .out[1].fd = -1, .take = pass_on}, .end.fd = -1, .end.rank = 1,
	};
	s->commands = c;
	activity_begin(&c->activity);
	if (start_command(c, setup, &err) < 0) {
		station_tell_end(s, c->number, W_EXITCODE(126, 0), err.msg);
		c->end.fd = -1;
	}
	command_output_watch(&c->output, &s->loop);
	watch_add(&s->loop, &c->in, c->in.fd, 0, on_room);
	watch_add(&s->loop, &c->end, c->end.fd, POLLIN, on_end);
	if (c->end.fd < 0)
		forget_command(c);
}

bool station_command_write(struct station *s, int number, const char *line, size_t len)
{
	struct station_command *c = find_command(s, number);
	auto_value struct value *v = c ? json_read(line, len, NULL) : NULL;
	const char *text = value_get_string(v, "data", NULL);
	size_t n = 0;
	auto_free char *bytes = text ? base64_decode(text, &n) : NULL;

	if (!c)
		return false;
	if (value_get(v, "rows"))
		set_size(c, v);
	if (bytes)
		text_add_bytes(&c->input, bytes, n);
	c->input_ended |= value_get_bool(v, "end", false);
	if (c->in.fd >= 0 && c->input.len)
		vbm_watch_set(&c->in, c->in.fd, POLLOUT);
	else if (c->in.fd >= 0 && c->input_ended && !c->terminal)
		watch_close(&c->in);
	return true;
}

bool station_command_signal(struct station *s, int number, int signal)
{
	struct station_command *c = find_command(s, number);

	if (c)
		spawn_signal(c->pid, signal);
	return c;
}

static bool kill_child(pid_t pid, void *arg)
{
	struct task_stat t;

	(void)arg;
	if (task_stat(&t, pid, pid) && t.parent == getpid())
		kill(pid, SIGKILL);
	return true;
}

void station_commands_end(struct station *s)
{
	while (s->commands) {
		spawn_signal(s->commands->pid, SIGKILL);
		spawn_reap_status(s->commands->pid);
		forget_command(s->commands);
	}
	process_ns_close(&s->process_ns);
	/* Orphans become children of this process, one generation after the other. */
	do {
		task_each(kill_child, NULL);
	} while (waitpid(-1, NULL, 0) > 0);
}

int station_command_ready(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	struct station_command *c = find_command(s, (int)value_get_int(q, "command", 0));

	if (!c)
		return vbm_fail(err, ESRCH, "the command has ended");
	value_set_bool(answer, "ready", activity_listening_session(s->fabric, 0, c->pid) || activity_is_over(&c->activity, c->pid));
	return 0;
}

int station_command_processes(struct station *s, const struct value *q, struct value *answer, struct vbm_error *err)
{
	int stacks = (int)value_get_int(q, "stacks", 0);
	auto_text struct text out = {0};
	auto_free char *clean = NULL;
	struct station_command *c = find_command(s, (int)value_get_int(q, "command", 0));

	if (!c)
		return vbm_fail(err, ESRCH, "the command has ended");
	activity_report(&out, c->pid, (int)value_get_int(q, "seconds", 0), &stacks);
	clean = text_utf8_clean(out.s ? out.s : "");
	value_set_string(answer, "text", clean);
	value_set_int(answer, "stacks", stacks);
	return 0;
}
