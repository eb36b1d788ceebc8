/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "call/step-util.h"
#include "wire/rules.h"

/* Rules for the packets that arrive at a host: the kernel drops or changes some of them. */

/* All rules of a host are in one program of its interface. */
struct shared_rules {
	struct packet_rules rules;
	int users;
};

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

static void rule_release(struct object *o)
{
	shared_put(((struct rule_object *)o)->shared);
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

/* The caller frees @rule->pattern, also after a failure. */
static int read_rule(struct packet_rule *rule, const struct value *args, struct vbm_error *err)
{
	const struct value *is = value_get(args, "is");
	int rc = 0;
	size_t i;

	rule->first = (uint64_t)value_get_int(args, "first", 1);
	rule->count = (uint64_t)value_get_int(args, "count", 1);
	snprintf(rule->field, sizeof(rule->field), "%s", value_get_string(args, "field", ""));
	for (i = 0; is && rc == 0 && i < is->list.count; i++)
		rc = pattern_add(&rule->pattern, is->list.item[i]->s, err);
	return rc;
}

static int add_rule(struct step_ctx *ctx, const struct value *args, enum rule_action action, struct value *result,
		    struct vbm_error *err)
{
	struct packet_rule rule = {.action = action};
	struct shared_rules *shared = NULL;
	struct rule_object *o;
	int number = read_rule(&rule, args, err);

	if (number == 0)
		number = shared_get(ctx, &shared, err);
	if (number < 0) {
		pattern_fini(&rule.pattern);
		return number;
	}
	number = rules_add(&shared->rules, &rule, err);
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
	return 0;
}

static int run_drop(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	return add_rule(ctx, args, RULE_DROP, result, err);
}

static int run_corrupt(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	return add_rule(ctx, args, RULE_CORRUPT, result, err);
}

static int run_counts(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	struct rule_object *o = arg_rule(ctx, args, err);
	struct rule_counts counts = {0};
	int rc = o ? rules_counts(&o->shared->rules, o->number, &counts, err) : -err->code;

	value_set_int(result, "return", 0);
	value_set_int(result, "matched", (int64_t)counts.matched);
	value_set_int(result, "acted", (int64_t)counts.acted);
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
static int run_acted(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
{
	struct rule_object *o = rule_number(ctx, value_get_int(args, "nth", 0));
	struct rule_counts counts = {0};
	int rc = o ? rules_counts(&o->shared->rules, o->number, &counts, err) : 0;

	value_set_int(result, "return", 0);
	value_set_int(result, "acted", (int64_t)counts.acted);
	if (rc < 0 || counts.acted || !o)
		return rc;
	ctx->wait_failed = true;
	return vbm_fail(err, ETIMEDOUT, "the rule has never acted: %llu packets met its words",
			(unsigned long long)counts.matched);
}

static int run_end(struct step_ctx *ctx, const struct value *args, struct value *result, struct vbm_error *err)
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
	P_INT("count", 0, INT64_MAX, "on so many of them; 0: on all; default 1")
#define P_RULE P_OBJECT("rule", OBJECT_RULE, "the rule; default: rule, or the only one")

static const struct param drop_params[] = {P_IS, P_WHICH, {NULL}};
static const struct param corrupt_params[] = {
	P_IS, P_WHICH,
	P_STRING("field", "the field whose last bit changes; default: the first byte of the payload"),
	{NULL},
};
static const struct param rule_params[] = {P_RULE, {NULL}};
static const struct param acted_params[] = {
	P_INT("nth", 0, RULES_MAX - 1, "of the rule among those of this process, from 0; default 0"),
	{NULL},
};
static const struct field acted_fields[] = {
	F_INT("return", "always 0"),
	F_INT("acted", "packets that the rule dropped or changed"),
	{NULL},
};
static const struct field done_fields[] = {F_INT("return", "always 0"), {NULL}};
static const struct field count_fields[] = {
	F_INT("return", "always 0"),
	F_INT("matched", "packets that met the words"),
	F_INT("acted", "those that the rule dropped or changed"),
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "drop_packets", .call = "bpf(2)",
	 .doc = "From now on, drop packets that arrive at this host and that the words describe.",
	 .params = drop_params, .fields = done_fields, .makes = OBJECT_RULE, .at_end = "rule_acted", .run = run_drop},
	{.name = "corrupt_packets", .call = "bpf(2)",
	 .doc = "From now on, change a bit of such packets, and leave their invariant CRC as it is.",
	 .params = corrupt_params, .fields = done_fields, .makes = OBJECT_RULE,
	 .at_end = "rule_acted", .run = run_corrupt},
	{.name = "rule_counts", .call = "bpf(2)",
	 .doc = "Show how often a rule matched and acted.",
	 .params = rule_params, .fields = count_fields, .query = true, .run = run_counts},
	{.name = "rule_acted", .call = "bpf(2)",
	 .doc = "Fail if a rule has not acted on any packet; the end of a scenario does so for each of its rules.",
	 .params = acted_params, .fields = acted_fields, .run = run_acted},
	{.name = "end_rule", .call = "bpf(2)",
	 .doc = "End a rule: it acts on no further packet, and its counts stay.",
	 .params = rule_params, .fields = done_fields, .run = run_end},
	{NULL},
};

const struct step_family family_rule = {
	"rule", "Rules for the packets that arrive at a host.", steps
};
