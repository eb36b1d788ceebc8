/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machine-line/machine-line-priv.h"

/* The lines of a machine, handed to whom they are for. */

static struct channel *find_channel(struct machine_line *l, int number)
{
	struct channel *c = l->channels;

	while (c && c->number != number)
		c = c->next;
	return c;
}

static void give_line(struct machine_line *l, int number, const char *line, size_t len)
{
	struct channel *c = find_channel(l, number);
	struct waiting_line *w;

	if (!c)
		return;
	if (c->waiting + len > WAITING_MAX) {
		machine_line_break(l, NULL, "it sent more than it was asked for");
		return;
	}
	w = xcalloc(1, sizeof(*w) + len + 1);
	memcpy(w->text, line, len);
	w->len = len;
	*c->last = w;
	c->last = &w->next;
	c->waiting += len;
}

static void note_end(struct machine_line *l, const struct value *news)
{
	struct channel *c = find_channel(l, (int)value_get_int(news, "ended", -1));
	const char *log = value_get_string(news, "log", "");

	if (!c)
		return;
	c->ended = true;
	c->status = (int)value_get_int(news, "status", 0);
	if (c->log_fd >= 0)
		file_write(c->log_fd, log, strlen(log));
}

/* Reads "N {...}". False: a line of that form has no such beginning. */
static bool split_line(const char *line, size_t len, int *number, const char **rest, size_t *left)
{
	char *end;
	long n = strtol(line, &end, 10);

	if (end == line || *end != ' ' || n < 0 || n > INT32_MAX)
		return false;
	*number = (int)n;
	*rest = end + 1;
	*left = len - (size_t)(*rest - line);
	return true;
}

static void take_own(struct machine_line *l, const char *text, size_t len)
{
	struct value *v = json_read(text, len, NULL);

	if (!v)
		machine_line_break(l, NULL, "it sent a line that is not JSON");
	else if (value_get(v, "ended"))
		note_end(l, v);
	else if (!l->answer)
		l->answer = steal(&v);
	value_free(v);
}

static void hand_over(struct machine_line *l, const char *line, size_t len)
{
	const char *rest;
	size_t left;
	int number;

	if (!split_line(line, len, &number, &rest, &left))
		machine_line_break(l, NULL, "it sent a line without a number");
	else if (number == 0)
		take_own(l, rest, left);
	else
		give_line(l, number, rest, left);
}

int machine_line_take(struct machine_line *l, int64_t deadline_ns)
{
	const char *line;
	size_t len;
	int ret;

	if (l->broken)
		return 0;
	ret = line_next(&l->reader.in, &line, &len);
	if (ret == 0) {
		ret = machine_line_wait(l, deadline_ns);
		if (ret < 0)
			return ret;
		ret = line_read(&l->reader, &line, &len, deadline_ns);
	}
	if (ret == -ETIMEDOUT || ret == -EINTR)
		return ret;
	if (ret > 0)
		hand_over(l, line, len);
	else
		machine_line_break(l, NULL, "the connection ended");
	return l->broken ? 0 : 1;
}

void machine_line_sort(struct machine_line *l)
{
	const char *line;
	size_t len;
	int ret = 1;

	while (!l->broken && (ret = line_next(&l->reader.in, &line, &len)) > 0)
		hand_over(l, line, len);
	if (ret < 0)
		machine_line_break(l, NULL, "it sent a line that is too long");
}

void machine_line_hear(struct machine_line *l)
{
	int n = l->broken ? -EAGAIN : line_fill(&l->reader);

	if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR))
		machine_line_break(l, NULL, "the connection ended");
}
