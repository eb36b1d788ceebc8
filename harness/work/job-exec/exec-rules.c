/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules for the packets of programs: exec --wire. */
#include <errno.h>
#include <stdlib.h>

#include "base/value.h"
#include "base/xalloc.h"
#include "job-exec/exec-job.h"
#include "event/read.h"
#include "fabric/fabric.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "net/netns.h"
#include "wire/rules.h"

struct exec_rule {
	const struct value *line;	/* borrowed, of the job */
	int host;
	int number;			/* among the rules of its host */
	uint64_t seed;
	bool has_seed;
};

struct exec_rules {
	struct packet_rules of[FABRIC_HOSTS_MAX];
	bool open[FABRIC_HOSTS_MAX];
	struct exec_rule *rule;		/* owned */
	size_t count;
};

/* The parts that adding a rule needs in the host's namespace. */
struct adding {
	struct exec_rules *rules;
	const struct host_info *host;
	struct exec_rule *rule;
};

static int start_rule(void *arg, struct vbm_error *err)
{
	struct adding *a = arg;
	struct packet_rules *of = &a->rules->of[a->rule->host];
	const struct value *args = event_map(a->rule->line, "args");
	struct packet_rule rule;
	int rc = rule_read(&rule, event_string(a->rule->line, "step"), args, err);

	if (rc == 0 && rule.action == RULE_OFF)
		rc = vbm_fail(err, EPROTO, "'%s' is not the step of a rule", event_string(a->rule->line, "step"));
	if (rc == 0 && !a->rules->open[a->rule->host]) {
		rc = rules_open(of, a->host->netdev, err);
		a->rules->open[a->rule->host] = true;
	}
	if (rc < 0) {
		rule_free(&rule);
		return rc;
	}
	a->rule->seed = rule_seed(&rule, args);
	a->rule->has_seed = rule.chance > 0;
	a->rule->number = rules_add(of, &rule, a->rule->seed, err);
	return a->rule->number < 0 ? a->rule->number : 0;
}

int exec_rules_begin(struct exec *x, struct vbm_error *err)
{
	const struct value *lines = event_has(x->job->spec, "rules") ? event_maps(x->job->spec, "rules") : NULL;
	struct exec_rules *r;
	size_t i;
	int rc = 0;

	if (!lines)
		return 0;
	r = x->rules = xcalloc(1, sizeof(*r));
	r->rule = xcalloc(lines->list.count + 1, sizeof(*r->rule));
	for (i = 0; rc == 0 && i < lines->list.count; i++) {
		struct exec_rule *rule = &r->rule[r->count];
		struct adding a = {.rules = r, .rule = rule};

		rule->line = lines->list.item[i];
		rule->host = host_number(event_string(rule->line, "host"));
		if (rule->host < 0 || rule->host >= fabric_host_count(x->fabric))
			return vbm_fail(err, EPROTO, "there is no host %s", event_string(rule->line, "host"));
		a.host = fabric_host(x->fabric, rule->host);
		rc = netns_call(fabric_netns_fd(x->fabric, rule->host), start_rule, &a, err);
		r->count += rc == 0;
	}
	return rc;
}

static void report_rule(struct exec *x, const struct exec_rule *rule)
{
	struct rule_counts counts = {0};
	struct value *event;

	if (rules_counts(&x->rules->of[rule->host], (size_t)rule->number, &counts, NULL) < 0)
		return;
	event = emit_new(x->job->emit, "rule");
	value_set_string(event, "host", event_string(rule->line, "host"));
	value_set_string(event, "step", event_string(rule->line, "step"));
	value_set_int(event, "line", event_integer(rule->line, "line"));
	value_set_int(event, "matched", (int64_t)counts.matched);
	value_set_int(event, "acted", (int64_t)counts.acted);
	if (rule->has_seed)
		value_set_int(event, "seed", (int64_t)rule->seed);
	emit_take(x->job->emit, event);
}

void exec_rules_tell(struct exec *x)
{
	size_t i;

	for (i = 0; x->rules && i < x->rules->count; i++)
		report_rule(x, &x->rules->rule[i]);
}

void exec_rules_end(struct exec *x)
{
	int i;

	for (i = 0; x->rules && i < FABRIC_HOSTS_MAX; i++)
		if (x->rules->open[i])
			rules_close(&x->rules->of[i]);
	if (x->rules)
		free(x->rules->rule);
	free(x->rules);
	x->rules = NULL;
}
