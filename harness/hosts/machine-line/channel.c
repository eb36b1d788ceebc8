/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "machine-line/machine-line-priv.h"

#define END_MS 10000	/* for the end of an agent that was killed */

static int send_value(struct machine_line *l, const struct value *v)
{
	auto_free char *text = json_write(v);
	auto_free char *line = xasprintf("0 %s", text);
	int ret = l->broken ? -ECONNRESET : line_write(l->fd, line, clock_deadline_ms(END_MS));

	if (ret < 0)
		machine_line_break(l, NULL, "the connection ended");
	return ret;
}

int channel_open(struct channel **out, struct machine_line *l, const char *kind, struct value *setup, int log_fd,
		 struct vbm_error *err)
{
	struct channel *c = xcalloc(1, sizeof(*c));

	*c = (struct channel){.there = l, .next = l->channels, .number = ++l->last_number, .log_fd = log_fd};
	c->last = &c->first;
	l->channels = c;
	value_set_int(setup, kind, c->number);
	send_value(l, setup);
	value_free(setup);
	*out = c;
	return l->broken ? vbm_fail(err, ECONNRESET, "%s", l->broken) : 0;
}

int channel_write(struct channel *c, const char *text, int64_t deadline_ns)
{
	auto_free char *line = xasprintf("%d %s", c->number, text);

	if (c->ended || c->there->broken)
		return -EPIPE;
	return line_write(c->there->fd, line, deadline_ns);
}

const char *channel_next(struct channel *c, size_t *len)
{
	free(c->read);
	c->read = c->first;
	if (!c->read)
		return NULL;
	c->first = c->read->next;
	if (!c->first)
		c->last = &c->first;
	c->waiting -= c->read->len;
	*len = c->read->len;
	return c->read->text;
}

int channel_read(struct channel *c, const char **line, size_t *len, int64_t deadline_ns)
{
	int ret = 1;

	while (!c->first && !c->ended && ret > 0)
		ret = machine_line_take(c->there, deadline_ns);
	*line = channel_next(c, len);
	return *line ? 1 : ret < 0 ? ret : 0;
}

int channel_number(const struct channel *c)
{
	return c->number;
}

bool channel_ended(struct channel *c, int64_t deadline_ns, int *status)
{
	int ret = 1;

	while (!c->ended && (ret > 0 || ret == -ECONNABORTED))
		ret = machine_line_take(c->there, deadline_ns);
	return channel_is_over(c, status);
}

bool channel_is_over(const struct channel *c, int *status)
{
	*status = c->ended ? c->status : W_EXITCODE(255, 0);
	return c->ended || c->there->broken;
}

int channel_signal(struct channel *c, int signal)
{
	auto_value struct value *v = value_map();

	if (c->ended)
		return -ESRCH;
	value_set_int(v, "signal", c->number);
	value_set_int(v, "number", signal);
	return send_value(c->there, v);
}

struct machine_line *channel_machine(const struct channel *c)
{
	return c->there;
}

void channel_close(struct channel *c)
{
	struct channel **at;
	size_t len;
	int status;

	if (!c)
		return;
	if (!c->ended && channel_signal(c, SIGKILL) == 0)
		channel_ended(c, clock_deadline_ms(END_MS), &status);
	for (at = &c->there->channels; *at && *at != c; at = &(*at)->next)
		;
	if (*at)
		*at = c->next;
	while (channel_next(c, &len))
		;
	free(c);
}
