/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "call/litmus-run.h"
#include "call/step-util.h"
#include "litmus/histogram.h"
#include "names/consts.h"
#include "names/host.h"

static void describe_outcome(const struct litmus_run *r, int copy, char text[static HISTOGRAM_TEXT])
{
	size_t at = 0;
	int i;

	for (i = 0; i < LITMUS_REGISTERS; i++)
		if (r->program->used[i])
			at += (size_t)snprintf(text + at, HISTOGRAM_TEXT - at, "%s%c=%llu", at ? " " : "", 'a' + i,
					       (unsigned long long)*litmus_register(r, copy, i));
	for (i = 0; i < LITMUS_WORDS && at < 80; i++)
		if (*litmus_word(r, copy, i))
			at += (size_t)snprintf(text + at, HISTOGRAM_TEXT - at, "%s%c=%llu", at ? " " : "", 'x' + i,
					       (unsigned long long)*litmus_word(r, copy, i));
}

/* Runs the program @times times. Returns how often the outcome came, or a negative errno. */
static int run_all(struct litmus_run *r, int times, const struct litmus_outcome *outcome, struct histogram *h, struct vbm_error *err)
{
	uint64_t reg[LITMUS_REGISTERS];
	char text[HISTOGRAM_TEXT];
	int seen = 0, rc = 0, n, i, k;

	for (; rc == 0 && times; times -= n) {
		n = times < LITMUS_BATCH ? times : LITMUS_BATCH;
		rc = litmus_batch(r, n, err);
		for (i = 0; rc == 0 && i < n; i++) {
			for (k = 0; k < LITMUS_REGISTERS; k++)
				reg[k] = *litmus_register(r, i, k);
			seen += litmus_outcome_holds(outcome, reg, (uint64_t[]){*litmus_word(r, i, 0), *litmus_word(r, i, 1),
										*litmus_word(r, i, 2)});
			describe_outcome(r, i, text);
			histogram_note(h, text);
		}
	}
	return rc < 0 ? rc : seen;
}

STEP(run_litmus)
{
	struct ibv_pd *pd = arg_handle(ctx, args, "pd", OBJECT_PD, err);
	auto_free struct histogram *h = xcalloc(1, sizeof(*h));
	auto_free struct litmus_run *r = xcalloc(1, sizeof(*r));
	auto_free char *outcomes = NULL;
	struct litmus_outcome outcome;
	struct litmus_program program;
	int seen;

	if (!pd || litmus_program_read(&program, value_get_string(args, "program", ""), err) < 0 ||
	    litmus_outcome_read(&outcome, value_get_string(args, "outcome", ""), &program, err) < 0)
		return -err->code;
	*r = (struct litmus_run){
		.target = ctx->target, .pd = pd, .program = &program, .port = ctx->host->port,
		.gid_index = ctx->host->gid_index4, .random = (uint64_t)value_get_int(args, "seed", 1) * 2 + 1,
		.deadline_ns = ctx->deadline_ns,
	};
	seen = litmus_open(r, err);
	if (seen == 0) {
		seen = run_all(r, (int)value_get_int(args, "times", 1000), &outcome, h, err);
		ctx->wait_failed = seen == -ETIMEDOUT;
	}
	litmus_close(r);
	if (seen < 0)
		return -err->code;
	outcomes = histogram_show(h);
	value_set_int(result, "return", 0);
	value_set_int(result, "status", r->status);
	value_set_int(result, "seen", seen);
	value_set_string(result, "outcomes", outcomes);
	return 0;
}

#define DEADLINE_LITMUS_MS 10000	/* they take half a second */

static const struct param litmus_params[] = {
	P_OBJECT("pd", OBJECT_PD, "the protection domain; default: pd, or the only one"),
	{.name = "program", .type = PARAM_STRING, .required = true,
	 .doc = "actors, separated by |, each with instructions, separated by commas: docs/litmus.md"},
	{.name = "outcome", .type = PARAM_STRING, .required = true,
	 .doc = "the outcome to count: values of registers, and of words at the end, such as a=1 b=0 x=2"},
	P_INT("times", 1, 10000000, "how often the program runs; default 1000"),
	P_INT("seed", 0, INT32_MAX, "decides how the actors take turns; default 1"),
	{NULL},
};
static const struct field litmus_fields[] = {
	F_INT("return", "always 0"),
	F_CONST("status", &const_wc_status, "SUCCESS, or how the first request that failed ended"),
	F_INT("seen", "how often the outcome came"),
	F_STRING("outcomes", "each outcome and how often it came, the most frequent first; 'others' are those beyond 64"),
	F_ELAPSED,
	{NULL},
};

static const struct step_kind steps[] = {
	{.name = "litmus", .call = "ibv_post_send(3)",
	 .doc = "Run a program of several queue pairs and the processor on the same words again and again, and count what comes.",
	 .params = litmus_params, .fields = litmus_fields, .deadline_ms = DEADLINE_LITMUS_MS, .waits = true, .run = run_litmus},
	{NULL},
};

const struct step_family family_litmus = {"litmus", "The order of accesses to memory.", steps};
