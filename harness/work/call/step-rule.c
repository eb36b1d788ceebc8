/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "call/step-util.h"
#include "names/host.h"
#include "wire/rules.h"

/* Rules for the packets that arrive at a host: the kernel drops, keeps or changes some of them. */

/* All rules of a host are in one program of its interface. */
struct shared_rules {
	struct packet_rules rules;
	int users;
};

#define RECORDS_MAX 4000

struct rule_object {
	struct object base;
	struct shared_rules *shared;	/* owned by the last user */
	size_t number;
};

static void shared_put(struct shared_rules *shared)
{
	if (--shared->users)
		return;
	rules_close(&shared->rules);
	free(shared);
}

static int rule_release(struct object *o)
{
	shared_put(((struct rule_object *)o)->shared);
	return 0;
}

static struct rule_object *arg_rule(struct step_ctx *ctx, const struct value *args, struct vbm_error *err)
{
	return (struct rule_object *)arg_object(ctx, args, "rule", OBJECT_RULE, err);
}

/* The rules of this host, which the first rule makes, with one user more. */
static int shared_get(struct step_ctx *ctx, struct shared_rules **out, struct vbm_error *err)
{
	struct object *o = objects_next(ctx->objects, NULL, OBJECT_RULE);
	int rc = 0;

	*out = o ? ((struct rule_object *)o)->shared : xcalloc(1, sizeof(**out));
	(*out)->users++;
	if (!o)
		rc = rules_open(&(*out)->rules, ctx->host->netdev, err);
	if (rc < 0)
		shared_put(*out);
	return rc;
}

/* Each step that makes a rule: rule_read() knows what the step does. */
STEP(run_rule)
{
	struct packet_rule rule;
	struct shared_rules *shared = NULL;
	struct rule_object *o;
	int number = rule_read(&rule, ctx->kind->name, args, err);
	uint64_t seed = rule_seed(&rule, args);

	/* A failure shows what the process says, so the run can be had again. */
	if (rule.chance)
		fprintf(stderr, "the seed of a rule's chances: %llu\n", (unsigned long long)seed);

	if (number == 0)
		number = shared_get(ctx, &shared, err);
	if (number < 0) {
		rule_free(&rule);
		return number;
	}
	number = rules_add(&shared->rules, &rule, seed, err);
	if (number < 0) {
		shared_put(shared);
		return number;
	}
	o = xcalloc(1, sizeof(*o));
	o->base.release = rule_release;
	o->shared = shared;
	o->number = (size_t)number;
	step_keep_object(ctx, &o->base, OBJECT_RULE);
	value_set_int(result, "return", 0);
	if (rule.chance)
		value_set_int(result, "seed", (int64_t)seed);
	return 0;
}

STEP(run_release)
{
	struct rule_object *o = arg_rule(ctx, args, err);
	int n = o ? rules_release(&o->shared->rules, o->number, value_get_bool(args, "reversed", false), err) : -err->code;

	value_set_int(result, "return", 0);
	value_set_int(result, "count", n);
	return n < 0 ? n : 0;
}

/* Shows the packets that the rules of this process acted on, in order: a scenario's end asks so, to say which packets crossed unchanged. */
STEP(run_records)
{
	struct object *o = objects_next(ctx->objects, NULL, OBJECT_RULE);
	struct packet_rules *rules = o ? &((struct rule_object *)o)->shared->rules : NULL;
	struct value *list = value_list(), *one;
	size_t i;
	uint64_t taken = 0, again = 0;
	int rc = rules ? rules_sums(rules, &taken, &again, err) : 0;

	value_set_int(result, "return", 0);
	value_set_int(result, "taken", (int64_t)taken);
	value_set_int(result, "again", (int64_t)again);
	value_set(result, "records", list);
	if (!rules || rc < 0)
		return rc;
	for (i = 0; i < rules->acted_count && i < RECORDS_MAX; i++) {
		one = value_map();
		value_set_int(one, "nth", (int64_t)rules->acted[i].rule);
		value_set_int(one, "mark", (int64_t)rules->acted[i].mark);
		value_append(list, one);
	}
	return 0;
}

STEP(run_counts)
{
	struct rule_object *o = arg_rule(ctx, args, err);
	struct rule_counts counts = {0};
	int rc = o ? rules_counts(&o->shared->rules, o->number, &counts, err) : -err->code;

	value_set_int(result, "return", 0);
	value_set_int(result, "matched", (int64_t)counts.matched);
	value_set_int(result, "acted", (int64_t)counts.acted);
	value_set_int(result, "again", o ? (int64_t)o->shared->rules.again[o->number] : 0);
	return rc;
}

static struct rule_object *rule_number(struct step_ctx *ctx, int64_t number)
{
	struct object *o = NULL;

	while ((o = objects_next(ctx->objects, o, OBJECT_RULE)))
		if ((int64_t)((struct rule_object *)o)->number == number)
			break;
	return (struct rule_object *)o;
}

/* A rule that did nothing tested nothing: the scenario is not what its author thinks. */
STEP(run_acted)
{
	struct rule_object *o = rule_number(ctx, value_get_int(args, "nth", 0));
	struct rule_counts counts = {0};
	int rc = o ? rules_counts(&o->shared->rules, o->number, &counts, err) : 0;

	value_set_int(result, "return", 0);
	value_set_int(result, "acted", (int64_t)counts.acted);
	if (rc < 0 || counts.acted || !o)
		return rc;
	ctx->wait_failed = true;
	return vbm_fail(err, ETIMEDOUT, "the rule has never acted: %llu packets matched",
			(unsigned long long)counts.matched);
}

STEP(run_end)
{
	struct rule_object *o = arg_rule(ctx, args, err);

	value_set_int(result, "return", 0);
	return o ? rules_end(&o->shared->rules, o->number, err) : -err->code;
}

#define P_IS                                                                  \
	{.name = "is", .type = PARAM_TEXTS, .form = TEXT_PACKET, .required = true, \
	 .doc = "words that all hold, as of verbatim decode; an operation without its transport is that of RC"}
#define P_WHICH                                                               \
	P_INT("first", 1, INT64_MAX, "act on this match and later ones, counted from 1; default 1"), \
	P_INT("count", 0, INT64_MAX, "on so many of them; 0: on all; default 1, with percent 0"), \
	P_INT("percent", 1, 100, "on each of these with this chance; default: on each"), \
	P_INT("seed", 0, INT64_MAX, "of the chances: the same seed chooses the same matches; default: another one each time")
#define P_RULE P_OBJECT("rule", OBJECT_RULE, "the rule; default: rule, or the only one")

static const struct param drop_params[] = {P_IS, P_WHICH, {NULL}};
static const struct param corrupt_params[] = {
	P_IS, P_WHICH,
	P_STRING("field", "the field whose last bit changes; default: the first byte of the payload"),
	P_BOOL("icrc", "true gives the packet the invariant CRC of its changed bytes, so that the field is judged; default false"),
	{NULL},
};
static const struct param mark_params[] = {
	P_IS, P_WHICH, P_INT("ecn", 0, 3, "the congestion marks of IP; default 3, congestion experienced"), {NULL},
};
static const struct param truncate_params[] = {
	P_IS, P_WHICH,
	{.name = "left", .type = PARAM_INT, .min = 0, .max = 4096, .required = true,
	 .doc = "bytes that stay of UDP's payload, from the base transport header on"},
	{NULL},
};
static const struct param delay_params[] = {
	P_IS, P_WHICH,
	{.name = "ms", .type = PARAM_INT, .min = 1, .max = 60000, .required = true,
	 .doc = "milliseconds that a packet waits; on a slow machine it waits longer by the factor of all deadlines"},
	{NULL},
};
static const struct param rule_params[] = {P_RULE, {NULL}};
static const struct param release_params[] = {
	P_RULE, P_BOOL("reversed", "true puts the last one back first; default false"), {NULL},
};
static const struct field record_fields[] = {
	F_INT("nth", "the rule among those of this process, from 0"),
	F_INT("mark", "a number for the packet, which is the same where it was sent"),
	{NULL},
};
static const struct field records_fields[] = {
	F_INT("return", "always 0"),
	F_INT("taken", "packets that did not arrive because of these rules"),
	F_INT("again", "packets that the rules have put back"),
	{.name = "records", .type = FIELD_LIST, .sub = record_fields, .doc = "the first 4000 of them, in order"},
	{NULL},
};
static const struct field rule_fields[] = {
	F_INT("return", "always 0"),
	F_INT("seed", "of its chances, with percent"),
	{NULL},
};
static const struct field release_fields[] = {
	F_INT("return", "always 0"),
	F_INT("count", "packets that were put back"),
	{NULL},
};
static const struct param acted_params[] = {
	P_INT("nth", 0, RULES_MAX - 1, "of the rule among those of this process, from 0; default 0"),
	{NULL},
};
static const struct field acted_fields[] = {
	F_INT("return", "always 0"),
	F_INT("acted", "packets that the rule dropped, kept or changed"),
	{NULL},
};
static const struct field count_fields[] = {
	F_INT("return", "always 0"),
	F_INT("matched", "packets that met the words"),
	F_INT("acted", "those that the rule dropped, kept or changed"),
	F_INT("again", "packets that the rule has put back"),
	{NULL},
};

#define RULE_STEP(n, p, d)                                                    \
	{.name = (n), .call = "bpf(2)", .doc = (d), .params = (p), .fields = rule_fields, \
	 .makes = OBJECT_RULE, .at_end = "rule_acted", .run = run_rule}

static const struct step_kind steps[] = {
	RULE_STEP("drop_packets", drop_params, "From now on, drop packets that arrive at this host and that the words describe."),
	RULE_STEP("corrupt_packets", corrupt_params, "From now on, change a bit of such packets, and leave their invariant CRC as it is."),
	RULE_STEP("mark_packets", mark_params, "From now on, set the congestion marks of such packets, as a switch does whose queue is long."),
	RULE_STEP("truncate_packets", truncate_params, "From now on, cut the end of such packets that are longer; the lengths of IP and UDP say so."),
	RULE_STEP("hold_packets", drop_params, "From now on, keep such packets until release_packets."),
	{.name = "release_packets", .call = "bpf(2)",
	 .doc = "Let the packets arrive that a rule has kept; no rule sees them any more.",
	 .params = release_params, .fields = release_fields, .run = run_release},
	RULE_STEP("duplicate_packets", drop_params, "From now on, let such packets arrive twice."),
	RULE_STEP("delay_packets", delay_params, "From now on, let such packets arrive later; no rule sees them any more."),
	{.name = "rule_records", .call = "bpf(2)",
	 .doc = "Show the packets that the rules of this process acted on.",
	 .fields = records_fields, .query = true, .run = run_records},
	{.name = "rule_counts", .call = "bpf(2)",
	 .doc = "Show how often a rule matched and acted.",
	 .params = rule_params, .fields = count_fields, .query = true, .run = run_counts},
	{.name = "rule_acted", .call = "bpf(2)",
	 .doc = "Fail if a rule has not acted on any packet; the end of a scenario does so for each of its rules.",
	 .params = acted_params, .fields = acted_fields, .run = run_acted},
	{.name = "end_rule", .call = "bpf(2)",
	 .doc = "End a rule: it acts on no further packet, and its counts stay.",
	 .params = rule_params, .fields = step_zero_fields, .run = run_end},
	{NULL},
};

const struct step_family family_rule = {
	"rule", "Rules for the packets that arrive at a host.", steps, .only_objects = true
};
