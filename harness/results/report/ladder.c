/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/variant.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"

void report_cut(struct text *out, const char *words, size_t width)
{
	size_t i, n = 0;

	if (!width || strlen(words) <= width) {
		text_add(out, words);
		return;
	}
	for (i = width / 2; i + 5 <= width; i++)
		if (words[i] == ',' && words[i + 1] == ' ')
			n = i + 2;
	if (!n)
		n = width - 3;
	while (n && (words[n] & 0xc0) == 0x80)
		n--;
	text_add_bytes(out, words, n);
	text_add(out, "...");
}

#define ANSWER_WIDTH 60		/* of a step */
#define STEPS_BEFORE 4		/* that the ladder has before the first packet */

static void on_step(struct ladder *l, const struct value *event)
{
	char **line = &l->step[l->steps++ % LADDER_LINES];
	const char *answer = event_string_or(event, "text", event_any(event, "result")->type == VALUE_NULL ? "no answer" : "");
	struct text t = {0};

	text_addf(&t, "line %lld: %s.%s: ", (long long)event_integer(event, "line"), event_string(event, "host"),
		  event_string(event, "call"));
	report_cut(&t, answer, ANSWER_WIDTH);
	free(*line);
	*line = t.s;
	if (!l->failed && !event_flag(event, "ok"))
		l->failed = l->steps;
}

void ladder_event(struct ladder *l, const struct value *event)
{
	if (event_is(event, "step")) {
		on_step(l, event);
	} else if (event_is(event, "packet")) {
		GROW(l->packet, l->packets);
		l->packet[l->packets++] = value_dup(event);
	}
}

void ladder_fini(struct ladder *l)
{
	size_t i;

	for (i = 0; i < LADDER_LINES; i++)
		free(l->step[i]);
	for (i = 0; i < l->packets; i++)
		value_free(l->packet[i]);
	free(l->packet);
	*l = (struct ladder){0};
}

static bool is_out(const struct value *packet)
{
	return !strcmp(event_string(packet, "way"), "out");
}

static bool is_same(const struct value *sent, const struct value *came)
{
	return !is_out(came) && strcmp(event_string(sent, "host"), event_string(came, "host")) &&
	       !strcmp(event_string(sent, "text"), event_string(came, "text"));
}

#define NOT_SHOWN SIZE_MAX

/*
 * For each packet that was sent the one that arrived, as its number from 1; 0 for one that has no other. A
 * packet that arrives belongs to the last one of its text: an earlier one was lost, and sent again.
 */
static size_t *pair(const struct ladder *l)
{
	size_t *other = xcalloc(l->packets + 1, sizeof(*other)), i, k;

	for (k = 0; k < l->packets; k++) {
		for (i = k; i > 0 && (other[i - 1] || !is_out(l->packet[i - 1]) || !is_same(l->packet[i - 1], l->packet[k])); i--)
			;
		if (i == 0)
			continue;
		other[i - 1] = k + 1;
		other[k] = NOT_SHOWN;
	}
	return other;
}

static void add_note(struct text *line, const struct value *packet)
{
	const char *note = packet ? event_string_or(packet, "note", NULL) : NULL;

	if (note)
		text_addf(line, " (%s)", note);
}

/* "a --> b RC SEND_ONLY", "a --x   RC SEND_ONLY" for one that did not arrive, "  --> b" for one that no host sent so. */
static char *packet_line(const struct value *packet, const struct value *came)
{
	const char *host = event_string(packet, "host");
	struct text line = {0};

	if (!is_out(packet))
		text_addf(&line, "%*s --> %s ", (int)strlen(host), "", host);
	else if (came)
		text_addf(&line, "%s --> %s ", host, event_string(came, "host"));
	else
		text_addf(&line, "%s --x %*s ", host, (int)strlen(host), "");
	text_add(&line, event_string(packet, "text"));
	add_note(&line, packet);
	add_note(&line, came);
	return line.s;
}

struct ladder_lines {
	char **line;		/* owned */
	size_t count, mark;	/* the number of the line that was not as expected, from 1; 0: none */
};

static void add_line(struct ladder_lines *lines, char *line)
{
	GROW(lines->line, lines->count);
	lines->line[lines->count++] = line;
}

/* The ladder keeps only the last lines of each list, so the first ones may be missing. */
static void add_steps(struct ladder_lines *lines, const struct ladder *l, size_t *next, size_t until)
{
	for (; *next < until && *next < l->steps; (*next)++) {
		bool bad = *next + 1 == l->failed;

		if (*next + LADDER_LINES < l->steps)
			continue;
		add_line(lines, xasprintf("%s%s", l->step[*next % LADDER_LINES], bad ? "  <-- not as expected" : ""));
		if (bad)
			lines->mark = lines->count;
	}
}

static void make_lines(struct ladder_lines *lines, const struct ladder *l)
{
	auto_free size_t *other = pair(l);
	size_t first = (size_t)event_integer(l->packet[0], "steps"), next = first > STEPS_BEFORE ? first - STEPS_BEFORE : 0, i;

	for (i = 0; i < l->packets; i++) {
		add_steps(lines, l, &next, (size_t)event_integer(l->packet[i], "steps"));
		if (other[i] != NOT_SHOWN)
			add_line(lines, packet_line(l->packet[i], other[i] ? l->packet[other[i] - 1] : NULL));
	}
	add_steps(lines, l, &next, l->steps);
}

/* The last lines, or those around the mark. */
static size_t begin_of(const struct ladder_lines *lines)
{
	const size_t room = LADDER_LINES - 2, behind = room / 4;
	size_t end = lines->count;

	if (lines->mark && lines->mark + behind < end)
		end = lines->mark + behind;
	return end > room ? end - room : 0;
}

void ladder_add(const struct ladder *l, const char *prefix, struct text *out)
{
	struct ladder_lines lines = {0};
	size_t from, i;

	if (!l->packets)
		return;
	make_lines(&lines, l);
	from = begin_of(&lines);
	text_addf(out, "%swhat crossed the cables", prefix);
	if (from)
		text_addf(out, ", without the first %zu lines", from);
	text_add(out, ":\n");
	for (i = 0; i < lines.count; i++) {
		if (i >= from && i < from + LADDER_LINES - 2)
			text_addf(out, "%s  %s\n", prefix, lines.line[i]);
		free(lines.line[i]);
	}
	free(lines.line);
}
