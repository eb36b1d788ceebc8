/* SPDX-License-Identifier: BSD-2-Clause */
#include "job-run/packets.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "codec/line.h"
#include "codec/packet.h"
#include "fabric/fabric.h"
#include "job-run/execution.h"
#include "names/packet-rules.h"
#include "step/step.h"

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

	/* The packets of machines cross no interface of this one. */
	if (!looks_at_packets(x->v) || fabric_is_elsewhere(x->on.fabric))
		return 0;
	rc = frames_open(&p->frames, x->on.fabric, err);
	p->on = rc == 0;
	return rc;
}

/* Whether the field decides if a packet is an RDMA packet at all. */
static bool is_below(const char *field)
{
	return header_find_field(&header_ether, field) || header_find_field(&header_ip4, field) ||
	       header_find_field(&header_ip6, field) || header_find_field(&header_udp, field);
}

static void note_rule(struct packets *p, const struct execution *x, const struct call *call)
{
	const char *name = call->item->kind->name;
	const struct rule_kind *kind = &rule_kinds[rule_action_of(name)];

	p->unsure |= is_below(value_get_string(call->bound.args, "field", ""));
	GROW(p->maker, p->makers);
	p->maker[p->makers++] = (struct packet_maker){
		.actor = call->item->actor,
		.line = call->item->origin.pos.line,
		.step = xasprintf("%s.%s", x->v->actors[call->item->actor].name, name),
		.copies = kind->keeps && !kind->drops,
		.takes = kind->drops,
	};
}

/* @seen has the fields of a packet. */
static void note_seen(struct packets *p, const struct execution *x, const struct call *call, const struct value *seen)
{
	const struct actor *actor = &x->v->actors[call->item->actor];
	const char *text = value_get_string(seen, "text", NULL);

	if (!text)
		return;
	GROW(p->note, p->notes);
	p->note[p->notes++] = (struct packet_note){
		.host = actor->host,
		.line = call->item->origin.pos.line,
		.step = xasprintf("%s.%s", actor->name, call->item->kind->name),
		.watch = xstrdup(value_get_string(call->bound.args, "watch", "")),
		.text = xstrdup(text),
		.way = xstrdup(value_get_string(seen, "way", "")),
		.group = p->steps,
	};
}

void packets_step(struct packets *p, const struct execution *x, const struct call *call)
{
	const struct item *item = call->item;
	const struct value *all = value_get(call->result, "packets");
	size_t i;

	if (!p->on)
		return;
	GROW(p->began, p->steps);
	p->began[p->steps++] = call->began_ns;
	if (item->kind->makes == OBJECT_RULE && call->rc == 0)
		note_rule(p, x, call);
	if (!strcmp(item->kind->name, "see_packet"))
		note_seen(p, x, call, call->result);
	for (i = 0; !strcmp(item->kind->name, "see_packets") && all && i < all->list.count; i++)
		note_seen(p, x, call, all->list.item[i]);
}

static const char *way_of(const struct crossing *frame)
{
	return frame->out ? "out" : "in";
}

/* A packet as the report tells it. */
struct told {
	struct text line;	/* owned; the packet */
	struct text said;	/* owned; which steps saw it, and which rules acted on it */
	bool acted, taken;	/* a rule acted on it, and took it away */
};

static struct told *show_all(const struct packets *p)
{
	struct told *told = xcalloc(p->frames.count + 1, sizeof(*told));
	struct packet packet;
	size_t i;

	for (i = 0; i < p->frames.count; i++) {
		packet_read(&packet, PACKET_ETHERNET, p->frames.item[i].bytes, p->frames.item[i].len);
		line_short(&told[i].line, &packet);
	}
	return told;
}

static void add_remark(struct told *told, const char *step, int64_t line, const char *did)
{
	text_addf(&told->said, "%s%s of line %lld %s it", told->said.len ? "; " : "", step, (long long)line, did);
}

/* The steps of one watch see packets in order, so each search begins behind the packets of the steps before. */
static size_t begin_of(const struct packets *p, size_t note, const size_t *at)
{
	const struct packet_note *n = &p->note[note], *other;
	size_t i, begin = 0;

	for (i = 0; i < note; i++) {
		other = &p->note[i];
		if (other->group != n->group && other->host == n->host && !strcmp(other->watch, n->watch) && at[i] >= begin)
			begin = at[i] + 1;
	}
	return begin;
}

/* Whether the same step has seen packet @i under another description. */
static bool is_other_of_group(const struct packets *p, size_t note, const size_t *at, size_t i)
{
	size_t n;

	for (n = note; n > 0 && p->note[n - 1].group == p->note[note].group; n--)
		if (at[n - 1] == i)
			return true;
	return false;
}

/* Adds to @told[i] the step that saw packet i. */
static void find_seen(const struct packets *p, struct told *told)
{
	auto_free size_t *at = xcalloc(p->notes + 1, sizeof(*at));
	size_t n, i;

	for (n = 0; n < p->notes; n++) {
		const struct packet_note *note = &p->note[n];

		at[n] = begin_of(p, n, at);
		for (i = at[n]; i < p->frames.count; i++) {
			const struct crossing *frame = &p->frames.item[i];

			if (frame->host != note->host || strcmp(way_of(frame), note->way) || strcmp(told[i].line.s, note->text) ||
			    is_other_of_group(p, n, at, i))
				continue;
			add_remark(&told[i], note->step, note->line, "saw");
			at[n] = i;
			break;
		}
	}
}

/* Whether each packet arrived as it was sent: a packet that arrives is the last one with these bytes. */
static bool *find_arrived(const struct packets *p)
{
	bool *arrived = xcalloc(p->frames.count + 1, sizeof(*arrived));
	const struct crossing *f = p->frames.item;
	size_t i, k;

	for (k = 0; k < p->frames.count; k++) {
		for (i = f[k].out ? 0 : k; i > 0; i--)
			if (f[i - 1].out && !arrived[i - 1] && f[i - 1].host != f[k].host &&
			    f[i - 1].mark == f[k].mark)
				break;
		if (i > 0)
			arrived[i - 1] = true;
	}
	return arrived;
}

/* The packet that a rule acted on, as its sender sent it. Packets that arrived are the last choice, unless the rule copies. */
static size_t acted_on(const struct packets *p, int host, bool copies, uint64_t mark, const bool *arrived, const bool *taken)
{
	size_t i, second = p->frames.count;

	for (i = 0; i < p->frames.count; i++) {
		const struct crossing *f = &p->frames.item[i];

		if (!f->out || f->host == host || taken[i] || f->mark != mark)
			continue;
		if (arrived[i] == copies)
			return i;
		second = second == p->frames.count ? i : second;
	}
	return second;
}

/* The rule number @nth of an actor's process. */
static const struct packet_maker *maker_of(const struct packets *p, int actor, int64_t nth)
{
	size_t i;

	for (i = 0; i < p->makers; i++)
		if (p->maker[i].actor == actor && nth-- == 0)
			return &p->maker[i];
	return NULL;
}

static void add_acted(const struct packets *p, const struct execution *x, int actor, const struct value *records,
		      const bool *arrived, bool *taken, struct told *told)
{
	size_t i, at;

	for (i = 0; records && i < records->list.count; i++) {
		const struct value *r = records->list.item[i];
		const struct packet_maker *m = maker_of(p, actor, value_get_int(r, "nth", -1));

		if (!m)
			continue;
		at = acted_on(p, x->v->actors[actor].host, m->copies, (uint64_t)value_get_int(r, "mark", 0), arrived, taken);
		if (at == p->frames.count)
			continue;
		taken[at] = true;
		add_remark(&told[at], m->step, m->line, "acted on");
		told[at].acted = true;
		told[at].taken |= m->takes;
	}
}

/* Asks the process of an actor what its rules did; one that has died tells nothing. */
static struct value *records_of(const struct execution *x, int actor)
{
	auto_value struct value *none = value_map();
	struct value *result = NULL;
	struct vbm_error err = {0};
	struct agent *agent = actors_has(x->actors, actor) ? actors_get(x->actors, actor, &err) : NULL;

	if (agent && !agent_end(agent))
		agent_call(agent, step_find("rule_records"), none, NULL, clock_now_ns(), STEP_DEADLINE_MS, &result, &err);
	return result;
}

/* Adds to @told[i] the rule that acted on packet i. */
static void find_acted(const struct packets *p, const struct execution *x, struct told *told)
{
	auto_free bool *arrived = NULL, *taken = xcalloc(p->frames.count + 1, sizeof(*taken));
	int actor;

	if (!p->makers)
		return;
	arrived = find_arrived(p);
	for (actor = 0; actor < (int)x->v->actor_count; actor++) {
		auto_value struct value *result = maker_of(p, actor, 0) ? records_of(x, actor) : NULL;

		if (result)
			add_acted(p, x, actor, value_get(result, "records"), arrived, taken, told);
	}
}

/* Counts the packets that the rules of a host took away and put back. False: a process does not tell. */
static bool sums_of(const struct packets *p, const struct execution *x, int host, struct packet_sums *sums)
{
	int actor;

	*sums = (struct packet_sums){0};
	for (actor = 0; actor < (int)x->v->actor_count; actor++) {
		auto_value struct value *result = NULL;

		if (x->v->actors[actor].host != host || !maker_of(p, actor, 0))
			continue;
		result = records_of(x, actor);
		if (!result)
			return false;
		sums->taken += value_get_int(result, "taken", 0);
		sums->again += value_get_int(result, "again", 0);
	}
	frames_count(&p->frames, host, &sums->received, &sums->sent);
	return true;
}

char *packets_mistake(const struct packet_sums *s, const char *name)
{
	if ((int64_t)s->sent - s->taken + s->again == (int64_t)s->received)
		return NULL;
	return xasprintf("the packets do not add up: %llu were sent to host %s, rules took %lld away and put %lld back, and %llu "
			 "arrived", (unsigned long long)s->sent, name, (long long)s->taken, (long long)s->again,
			 (unsigned long long)s->received);
}

/* The mistake, or NULL. The caller frees it. */
static char *difference(const struct packets *p, const struct execution *x, bool *known)
{
	struct packet_sums sums;
	char *mistake = NULL;
	int host;

	for (host = 0; host < p->frames.hosts && !mistake; host++) {
		*known = sums_of(p, x, host, &sums);
		if (!*known)
			return NULL;
		mistake = packets_mistake(&sums, fabric_host(x->on.fabric, host)->name);
	}
	return mistake;
}

#define SETTLE_MS 1000		/* for packets that are on their way */

void packets_judge(struct packets *p, struct execution *x)
{
	int64_t deadline = clock_deadline_ms(SETTLE_MS);
	char *wrong = NULL;
	bool known = true, more = true;

	/* With more hosts a packet may be for several, and a fabric that is disturbed loses some. */
	if (!p->on || !p->makers || p->unsure || p->frames.hosts != 2 || variant_disturbs(x->v) || x->out->verdict == VERDICT_ERROR)
		return;
	while (known && more) {
		free(wrong);
		wrong = NULL;
		if (frames_read(&p->frames, NULL) < 0 || p->frames.lost)
			return;
		wrong = difference(p, x, &known);
		/* A queue pair may repeat its packets without end. */
		more = wrong && clock_now_ns() < deadline && frames_wait(&p->frames, deadline);
	}
	if (wrong)
		execution_decide(x, VERDICT_ERROR, xasprintf("%s: %s", x->v->path, wrong));
	free(wrong);
}

/* How many of the first packets are left out. */
static size_t first_told(const struct packets *p)
{
	size_t i = p->frames.count, bytes = 0;

	while (i > 0 && p->frames.count - i < TOLD_MAX && bytes + p->frames.item[i - 1].len <= TOLD_BYTES_MAX)
		bytes += p->frames.item[--i].len;
	return i;
}

static void emit_frame(const struct packets *p, struct execution *x, size_t i, const struct told *told, size_t left_out)
{
	const struct crossing *frame = &p->frames.item[i];
	auto_free char *data = base64_encode(frame->bytes, frame->len);
	struct value *event = emit_new_at(x->emit, "packet", frame->when.at_ns);
	size_t steps = 0;

	while (steps < p->steps && p->began[steps] <= frame->when.at_ns)
		steps++;
	value_set_int(event, "variant", (int64_t)x->v->number);
	value_set_string(event, "name", x->v->name);
	value_set_string(event, "host", fabric_host(x->on.fabric, frame->host)->name);
	value_set_string(event, "way", way_of(frame));
	value_set_int(event, "ns", (int64_t)frame->when.ns);
	value_set_int(event, "steps", (int64_t)steps);
	value_set_string(event, "text", told->line.s);
	value_set_string(event, "data", data);
	if (told->said.len)
		value_set_string(event, "note", told->said.s);
	if (told->acted)
		value_set_bool(event, "taken", told->taken);
	if (left_out)
		value_set_int(event, "left_out", (int64_t)left_out);
	emit_take(x->emit, event);
}

void packets_tell(struct packets *p, struct execution *x)
{
	size_t from, i;
	struct told *told;

	if (!p->on || (x->out->verdict == VERDICT_PASS && !x->on.all_packets))
		return;
	if (frames_read(&p->frames, NULL) < 0)
		return;
	told = show_all(p);
	find_seen(p, told);
	find_acted(p, x, told);
	from = first_told(p);
	for (i = from; i < p->frames.count; i++)
		emit_frame(p, x, i, &told[i], i == from ? from + p->frames.lost : 0);
	for (i = 0; i < p->frames.count; i++) {
		text_fini(&told[i].line);
		text_fini(&told[i].said);
	}
	free(told);
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
	for (i = 0; i < p->makers; i++)
		free(p->maker[i].step);
	free(p->maker);
	free(p->began);
	frames_close(&p->frames);
	*p = (struct packets){0};
}
