/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "event/read.h"
#include "names/host.h"
#include "names/packet-rules.h"
#include "plan/fit.h"
#include "step/step.h"

void exec_wire_add(struct exec_wire *w, const struct value *event)
{
	GROW(w->host, w->count);
	w->host[w->count++] = (struct exec_wire_host){
		.name = xstrdup(event_string(event, "host")),
		.received = event_integer(event, "received"),
		.arrived = event_integer(event, "arrived"),
		.has_capture = event_has(event, "captured"),
		.captured = event_integer_or(event, "captured", 0),
		.lost = event_integer_or(event, "lost", 0),
		.cable = event_has(event, "cable") ? xstrdup(event_string_or(event, "cable", "")) : NULL,
		.dropped = event_integer_or(event, "dropped", 0),
	};
}

void exec_wire_table(const struct exec_wire *w, struct text *out)
{
	const struct exec_wire_host *h;
	size_t i;

	text_add(out, "host\trdma_received\troce_arrived\tcaptured\tlost\tdropped\tcable\n");
	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		text_addf(out, "%s\t%" PRId64 "\t%" PRId64, h->name, h->received, h->arrived);
		if (h->has_capture)
			text_addf(out, "\t%" PRId64 "\t%" PRId64, h->captured, h->lost);
		else
			text_add(out, "\t-\t-");
		if (h->cable)
			text_addf(out, "\t%" PRId64 "\t%s\n", h->dropped, h->cable);
		else
			text_add(out, "\t-\t-\n");
	}
}

static bool anything_crossed(const struct exec_wire *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->host[i].arrived)
			return true;
	return false;
}

void exec_wire_notes(const struct exec_wire *w, struct text *out)
{
	const char *head = anything_crossed(w) ? "" : "no RDMA packet crossed the cable: ";
	const struct exec_wire_host *h;
	size_t i;

	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		if (h->received && !h->arrived)
			text_addf(out, "%sthe device of host %s sent itself all of the %" PRId64
				  " RDMA packets that it received\n", head, h->name, h->received);
	}
	for (i = 0; i < w->count; i++) {
		h = &w->host[i];
		if (h->lost)
			text_addf(out, "the capture lacks %" PRId64 " of %" PRId64 " packets of host "
				  "%s: they came faster than they could be written\n", h->lost,
				  h->lost + h->captured, h->name);
	}
}

void exec_wire_fini(struct exec_wire *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		free(w->host[i].name);
		free(w->host[i].cable);
	}
	free(w->host);
	*w = (struct exec_wire){0};
}

/* False: there is no such host. */
static bool host_of(const char *name, size_t len, int hosts, char out[8])
{
	int number;

	if (len >= 8)
		return false;
	memcpy(out, name, len);
	out[len] = '\0';
	number = host_number(out);
	return number >= 0 && number < hosts;
}

/* Programs have no step that would let the packets go. */
static bool is_for_programs(enum rule_action action)
{
	return action != RULE_OFF && !rule_kinds[action].waits;
}

static void refuse(struct diagnostics *diag, struct pos pos, const char *step)
{
	auto_text struct text names = {0};
	int i, last = RULE_ACTIONS - 1;

	while (!is_for_programs(last))
		last--;
	for (i = 0; i <= last; i++)
		if (is_for_programs(i))
			text_addf(&names, "%s%s", names.len == 0 ? "" : i == last ? " or " : ", ", rule_kinds[i].step);
	diag_add(diag, pos, NULL, "'%s' cannot be used in --wire: use %s", step, names.s);
}

static void read_rule(struct value *rules, struct value *item, int hosts, struct diagnostics *diag)
{
	const struct fit fit = {.diag = diag};
	const struct value_member *m = item->type == VALUE_MAP && item->map.count == 1 ? item->map.member : NULL;
	size_t len = m ? strcspn(m->key, ".") : 0;
	const char *step = m && m->key[len] ? m->key + len + 1 : "";
	const enum rule_action action = rule_action_of(step);
	struct value *rule;
	char host[8];
	bool known;

	if (!m || m->value->type != VALUE_MAP) {
		diag_add(diag, item->pos, NULL, "a rule is a step of a scenario: b.drop_packets: {is: [SEND_ONLY]}");
		return;
	}
	known = host_of(m->key, len, hosts, host);
	if (!known)
		diag_add(diag, item->pos, NULL, "'%.*s' is none of the %d hosts", (int)len, m->key, hosts);
	if (!is_for_programs(action))
		refuse(diag, item->pos, step);
	if (!known || !is_for_programs(action))
		return;
	fit_call(&fit, step_find(step), m->value, item->pos);
	rule = value_map();
	value_set_string(rule, "step", step);
	value_set_string(rule, "host", host);
	value_set_int(rule, "line", item->pos.line);
	value_set(rule, "args", value_dup(m->value));
	value_append(rules, rule);
}

struct value *exec_rules_read(const char *text, size_t len, const char *path, int hosts, char **errors)
{
	struct diagnostics diag auto_diagnostics = {0};
	auto_value struct value *file = yaml_read(text, len, &diag);
	struct value *rules = value_list();
	size_t i;

	if (file && file->type != VALUE_LIST)
		diag_add(&diag, file->pos, NULL, "the file of --wire is a list of rules: - b.drop_packets: {is: [SEND_ONLY]}");
	for (i = 0; file && file->type == VALUE_LIST && i < file->list.count; i++)
		read_rule(rules, file->list.item[i], hosts, &diag);
	if (!diag.said && file && !file->list.count)
		diag_add(&diag, file->pos, NULL, "there is no rule");
	if (!diag.said)
		return rules;
	value_free(rules);
	*errors = diagnostics_format(&diag, path);
	return NULL;
}

void exec_rules_note(const struct value *event, const char *path, struct text *out)
{
	int64_t acted = event_integer(event, "acted"), matched = event_integer(event, "matched");

	text_addf(out, "%s.%s (%s:%" PRId64 ") ", event_string(event, "host"), event_string(event, "step"), path,
		  event_integer(event, "line"));
	if (acted)
		text_addf(out, "acted on %" PRId64 " of %" PRId64 " packets that matched", acted, matched);
	else
		text_addf(out, "has never acted: %" PRId64 " packets matched", matched);
	if (event_has(event, "seed"))
		text_addf(out, ", with the seed %" PRId64, event_integer_or(event, "seed", 0));
	text_add(out, "\n");
}
