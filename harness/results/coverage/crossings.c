/* SPDX-License-Identifier: BSD-2-Clause */
#include "coverage/codes.h"

#include <string.h>

#include "base/xalloc.h"
#include "codec/opcode.h"
#include "codec/pattern.h"
#include "names/packet-rules.h"
#include "step/step.h"

const struct const_set crossing_set = {.name = "packet_fault", .prefix = ""};
const struct const_set crossing_message_set = {.name = "cm_message", .prefix = ""};

/* The faults: "sent" for a packet that a step has made, and then one for each kind of rule. */
#define FAULTS (1 + RULE_ACTIONS)

enum { MESSAGE_SENT, MESSAGE_SEEN, MESSAGE_LOST, MESSAGE_WAYS };
static const char *const ways[MESSAGE_WAYS] = {
	[MESSAGE_SENT] = "sent", [MESSAGE_SEEN] = "seen", [MESSAGE_LOST] = "lost",
};

/* Whether it is an operation of RC, UC or UD. */
static bool counts(const struct const_entry *e)
{
	struct opcode op;

	return *opcode_transport((uint8_t)e->value) && opcode_find((uint8_t)e->value, &op);
}

/* The entry number @nth among those that count. */
static const struct const_entry *operation(size_t nth)
{
	size_t i;

	for (i = 0; i < const_packet_opcode.count; i++)
		if (counts(&const_packet_opcode.entry[i]) && nth-- == 0)
			return &const_packet_opcode.entry[i];
	return NULL;
}

char *crossing_name(size_t index)
{
	const struct const_entry *e = operation(index / FAULTS);
	const char *fault = index % FAULTS ? rule_kinds[index % FAULTS - 1].step : "sent";

	return e ? xasprintf("%s:%.*s", e->name, (int)strcspn(fault, "_"), fault) : NULL;
}

char *crossing_message_name(size_t index)
{
	size_t i = index / MESSAGE_WAYS;

	return i < const_cm_message.count ? xasprintf("%s:%s", const_cm_message.entry[i].name, ways[index % MESSAGE_WAYS]) :
					    NULL;
}

struct collecting {
	const struct item *item;
	code_use_fn *fn;
	void *arg;
};

static void report_crossing(const struct collecting *c, const struct const_set *set, size_t value)
{
	const struct code_use use = {.set = set, .call = c->item->kind->call, .value = (int64_t)value, .named = true};

	c->fn(c->arg, &use);
}

static void report_operation(const struct collecting *c, uint8_t opcode, size_t fault)
{
	const struct const_entry *e;
	size_t i;

	for (i = 0; (e = operation(i)); i++)
		if (e->value == opcode)
			report_crossing(c, &crossing_set, i * FAULTS + fault);
}

static void report_message(const struct collecting *c, int64_t message, int way)
{
	size_t i;

	for (i = 0; i < const_cm_message.count; i++)
		if (const_cm_message.entry[i].value == message)
			report_crossing(c, &crossing_message_set, i * MESSAGE_WAYS + (size_t)way);
}

/* The words that have a value before the scenario runs. */
static void read_words(struct pattern *p, const struct value *args)
{
	const struct value *is = value_get(args, "is");
	size_t i;

	for (i = 0; is && is->type == VALUE_LIST && i < is->list.count; i++)
		if (is->list.item[i]->type == VALUE_STRING)
			pattern_add(p, is->list.item[i]->s, NULL);
}

static int64_t message_of(const struct pattern *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (p->word[i].kind == WORD_MESSAGE)
			return (int64_t)p->word[i].value;
	return 0;
}

static void collect_words(const struct collecting *c, const struct value *args, size_t fault, int way)
{
	struct pattern p = {0};

	read_words(&p, args);
	if (message_of(&p))
		report_message(c, message_of(&p), way);
	if (fault < FAULTS && !message_of(&p))
		report_operation(c, pattern_opcode(&p), fault);
	pattern_fini(&p);
}

static void collect_seen(const struct collecting *c)
{
	const struct value *list = value_get(c->item->args, "list");
	size_t i;

	if (!strcmp(c->item->kind->name, "see_packet"))
		collect_words(c, c->item->args, FAULTS, MESSAGE_SEEN);
	for (i = 0; !strcmp(c->item->kind->name, "see_packets") && list && i < list->list.count; i++)
		collect_words(c, list->list.item[i], FAULTS, MESSAGE_SEEN);
}

/* A value that only the run knows counts for nothing. */
static void collect_sent(const struct collecting *c)
{
	const struct value *opcode = value_get(c->item->args, "opcode"), *message = value_get(c->item->args, "message");

	if (message && message->type == VALUE_INT)
		report_message(c, message->i, MESSAGE_SENT);
	else if (opcode && opcode->type == VALUE_INT)
		report_operation(c, (uint8_t)opcode->i, 0);
}

static void collect_rule(const struct collecting *c)
{
	enum rule_action action = rule_action_of(c->item->kind->name);

	collect_words(c, c->item->args, 1 + action, rule_kinds[action].spoils ? MESSAGE_LOST : MESSAGE_SEEN);
}

void crossings_collect(const struct variant *v, code_use_fn *fn, void *arg)
{
	struct collecting c = {.fn = fn, .arg = arg};
	size_t i;

	for (i = 0; i < v->item_count; i++) {
		c.item = &v->items[i];
		if (c.item->kind->makes == OBJECT_RULE)
			collect_rule(&c);
		else if (!strcmp(c.item->kind->name, "send_packet"))
			collect_sent(&c);
		else
			collect_seen(&c);
	}
}
