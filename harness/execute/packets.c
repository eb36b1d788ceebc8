/* SPDX-License-Identifier: BSD-2-Clause */
#include "execute/packets.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "codec/line.h"
#include "codec/packet.h"
#include "execute/execution.h"

/* The last packets explain a failure, and a stream of events is no place for a million. */
#define TOLD_MAX 1000
#define TOLD_BYTES_MAX (1 << 20)

static bool looks_at_packets(const struct variant *v)
{
	size_t i;

	for (i = 0; i < v->item_count; i++)
		if (v->items[i].kind->makes == OBJECT_WATCH || v->items[i].kind->makes == OBJECT_RULE)
			return true;
	return false;
}

int packets_begin(struct packets *p, const struct execution *x, struct vbm_error *err)
{
	int rc;

	if (!looks_at_packets(x->v))
		return 0;
	rc = frames_open(&p->frames, x->on.fabric, err);
	p->on = rc == 0;
	return rc;
}

void packets_step(struct packets *p, const struct execution *x, const struct call *call)
{
	const struct item *item = call->item;
	const struct actor *actor = &x->v->actors[item->actor];
	const char *text = value_get_string(call->result, "text", NULL);

	if (!p->on)
		return;
	GROW(p->began, p->steps);
	p->began[p->steps++] = call->began_ns;
	if (!text || strcmp(item->kind->name, "see_packet"))
		return;
	GROW(p->note, p->notes);
	p->note[p->notes++] = (struct packet_note){
		.host = actor->host,
		.line = item->origin.pos.line,
		.step = xasprintf("%s.%s", actor->name, item->kind->name),
		.watch = xstrdup(value_get_string(call->bound.args, "watch", "")),
		.text = xstrdup(text),
		.way = xstrdup(value_get_string(call->result, "way", "")),
	};
}

static const char *way_of(const struct crossing *frame)
{
	return frame->out ? "out" : "in";
}

static void show(struct text *out, const struct crossing *frame)
{
	struct packet p;

	packet_read(&p, PACKET_ETHERNET, frame->bytes, frame->len);
	line_short(out, &p);
}

/* The steps of one watch see packets in order, so each search begins behind the packet before. */
static size_t begin_of(const struct packets *p, size_t note, const size_t *at)
{
	size_t i;

	for (i = note; i > 0; i--)
		if (p->note[i - 1].host == p->note[note].host && !strcmp(p->note[i - 1].watch, p->note[note].watch))
			return at[i - 1] + 1;
	return 0;
}

/* Adds to @said[i] the step that saw packet i. */
static void find_seen(const struct packets *p, struct text *said)
{
	auto_free size_t *at = xcalloc(p->notes + 1, sizeof(*at));
	size_t n, i;

	for (n = 0; n < p->notes; n++) {
		const struct packet_note *note = &p->note[n];

		at[n] = begin_of(p, n, at);
		for (i = at[n]; i < p->frames.count; i++) {
			const struct crossing *frame = &p->frames.item[i];
			auto_text struct text line = {0};

			if (frame->host != note->host || strcmp(way_of(frame), note->way))
				continue;
			show(&line, frame);
			if (strcmp(line.s, note->text))
				continue;
			text_addf(&said[i], "%s%s of line %lld saw it", said[i].len ? "; " : "", note->step,
				  (long long)note->line);
			at[n] = i;
			break;
		}
	}
}

/* How many of the first packets are left out. */
static size_t first_told(const struct packets *p)
{
	size_t i = p->frames.count, bytes = 0;

	while (i > 0 && p->frames.count - i < TOLD_MAX && bytes + p->frames.item[i - 1].len <= TOLD_BYTES_MAX)
		bytes += p->frames.item[--i].len;
	return i;
}

static void tell(const struct packets *p, struct execution *x, size_t i, const struct text *said, size_t left_out)
{
	const struct crossing *frame = &p->frames.item[i];
	auto_free char *data = base64_encode(frame->bytes, frame->len);
	struct value *event = emit_new_at(x->emit, "packet", frame->at_ns);
	auto_text struct text line = {0};
	size_t steps = 0;

	while (steps < p->steps && p->began[steps] <= frame->at_ns)
		steps++;
	show(&line, frame);
	value_set_int(event, "variant", (int64_t)x->v->number);
	value_set_string(event, "name", x->v->name);
	value_set_string(event, "host", fabric_host(x->on.fabric, frame->host)->name);
	value_set_string(event, "way", way_of(frame));
	value_set_int(event, "ns", (int64_t)frame->ns);
	value_set_int(event, "steps", (int64_t)steps);
	value_set_string(event, "text", line.s);
	value_set_string(event, "data", data);
	if (said->len)
		value_set_string(event, "note", said->s);
	if (left_out)
		value_set_int(event, "left_out", (int64_t)left_out);
	emit_take(x->emit, event);
}

void packets_tell(struct packets *p, struct execution *x)
{
	size_t from, i;
	struct text *said;

	if (!p->on || (x->out->verdict == VERDICT_PASS && !x->on.all_packets))
		return;
	if (frames_read(&p->frames, NULL) < 0)
		return;
	said = xcalloc(p->frames.count + 1, sizeof(*said));
	find_seen(p, said);
	from = first_told(p);
	for (i = from; i < p->frames.count; i++)
		tell(p, x, i, &said[i], i == from ? from + p->frames.lost : 0);
	for (i = 0; i < p->frames.count; i++)
		text_fini(&said[i]);
	free(said);
}

void packets_end(struct packets *p)
{
	size_t i;

	for (i = 0; i < p->notes; i++) {
		free(p->note[i].step);
		free(p->note[i].watch);
		free(p->note[i].text);
		free(p->note[i].way);
	}
	free(p->note);
	free(p->began);
	frames_close(&p->frames);
	*p = (struct packets){0};
}
