/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "cmd.h"
#include "explore/exceptions.h"
#include "explore/shrink.h"
#include "front/signals.h"

#define SEQUENCES 30		/* that run between two looks at the clock */
#define SHRINK_NS (60 * INT64_C(1000000000))

struct explorer {
	struct explore_options *opts;
	struct signals signals;
	char **cause;		/* owned; those that were found */
	size_t causes;
	size_t sequences, operations, failures;
	int64_t began_ns;
	struct vbm_error err;
};

/* The failure that is being shrunk. */
struct failing {
	struct explorer *e;
	const char *cause;
	int64_t until_ns;
};

static bool is_over(struct explorer *e)
{
	const struct explore_options *o = e->opts;

	return signals_take(&e->signals) || (o->sequences && e->sequences >= o->sequences) ||
	       clock_now_ns() - e->began_ns >= o->seconds * INT64_C(1000000000);
}

static bool is_known(const struct explorer *e, const char *cause)
{
	size_t i;

	for (i = 0; i < e->causes; i++)
		if (!strcmp(e->cause[i], cause))
			return true;
	return false;
}

/* shrink_try: the shortest candidate that fails for the same cause. */
static int try_candidates(void *arg, const struct sequence *candidate, size_t count)
{
	struct failing *f = arg;
	struct explore_outcome out[SHRINK_MAX];
	int best = -1;
	size_t i;

	if (signals_take(&f->e->signals) || clock_now_ns() > f->until_ns)
		return -2;
	if (batch_run(&f->e->opts->place, candidate, count, out, &f->e->err) < 0)
		best = -2;
	for (i = 0; best > -2 && i < count; i++)
		if (out[i].failed && !strcmp(out[i].cause, f->cause) &&
		    (best < 0 || candidate[i].count < candidate[best].count))
			best = (int)i;
	outcomes_fini(out, count);
	return best;
}

static int write_scenario(struct explorer *e, const struct sequence *s, const struct explore_outcome *o, uint64_t number)
{
	const struct explore_options *opts = e->opts;
	auto_free char *path = xasprintf("%s/explore-%" PRIu64 "-%" PRIu64 ".yaml", opts->output, opts->seed, number);
	auto_free char *head = NULL, *text = NULL;

	head = xasprintf("# verbatim explore --seed=%" PRIu64 " --steps=%zu found this in its sequence %" PRIu64 " on kernel %s.\n"
			 "# What came: %s\n", opts->seed, opts->steps, number, opts->place.used.kernel, o->says);
	text = sequence_scenario(s, opts->place.exceptions, head, o->breaks ? o->breaks : o->says);
	if (file_make_dirs(opts->output, &e->err) < 0 || file_replace(path, text, &e->err) < 0)
		return -e->err.code;
	printf("found: %s\n", o->says);
	if (o->breaks)
		printf("  it breaks: %s\n", o->breaks);
	printf("  %zu operation%s: verbatim run %s\n", s->count, s->count == 1 ? "" : "s", path);
	fflush(stdout);
	return 0;
}

/* Shrinks the sequence, and runs what is left once more, alone. */
static int settle(struct explorer *e, struct sequence *s, const struct explore_outcome *first, uint64_t number)
{
	struct failing f = {.e = e, .cause = first->cause, .until_ns = clock_now_ns() + SHRINK_NS};
	struct sequence whole = *s;
	struct explore_outcome alone;
	int rc;

	GROW(e->cause, e->causes);
	e->cause[e->causes++] = xstrdup(first->cause);
	shrink(s, e->opts->place.exceptions, try_candidates, &f);
	rc = batch_run(&e->opts->place, s, 1, &alone, &e->err);
	if (rc == 0 && alone.failed && !strcmp(alone.cause, first->cause)) {
		rc = write_scenario(e, s, &alone, number);
	} else if (rc == 0) {
		printf("found, but alone it does not always fail: %s\n", first->says);
		rc = write_scenario(e, &whole, first, number);
	}
	outcomes_fini(&alone, 1);
	return rc;
}

static int run_round(struct explorer *e, struct sequence *s, struct explore_outcome *out)
{
	const struct explore_options *o = e->opts;
	size_t count = SEQUENCES, first = e->sequences, i;
	int rc;

	if (o->sequences && o->sequences - first < count)
		count = o->sequences - first;
	for (i = 0; i < count; i++) {
		sequence_draw(&s[i], o->seed * UINT64_C(1000003) + first + i, o->groups, o->place.exceptions, o->steps);
		e->operations += s[i].count;
	}
	rc = batch_run(&e->opts->place, s, count, out, &e->err);
	e->sequences += count;
	for (i = 0; rc == 0 && i < count; i++) {
		if (!out[i].failed)
			continue;
		e->failures++;
		if (!is_known(e, out[i].cause))
			rc = settle(e, &s[i], &out[i], first + i);
	}
	outcomes_fini(out, count);
	return rc;
}

/* A first short run tells which kernel and libraries there are. Findings that they do not have are no exceptions. */
static int learn(struct explorer *e)
{
	auto_free struct sequence *s = xcalloc(1, sizeof(*s));
	struct batch_place *place = &e->opts->place;
	struct explore_outcome out;
	struct facts facts;
	int rc;

	sequence_draw(s, 0, e->opts->groups, place->exceptions, 1);
	rc = batch_run(place, s, 1, &out, &e->err);
	outcomes_fini(&out, 1);
	if (rc < 0)
		return rc;
	facts = (struct facts){.lane = place->used.lane, .kernel = place->used.kernel,
			       .rdma_core = place->used.rdma_core, .target = place->used.target};
	return exceptions_settle(&place->exceptions, &facts, &e->err);
}

static int status_of(struct explorer *e, int rc)
{
	if (rc < 0 && !e->signals.caught) {
		visible_complain("%s", e->err.msg);
		return e->opts->place.status == EXIT_NO_FABRIC ? EXIT_NO_FABRIC :
		       e->opts->place.status == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	return e->causes ? EXIT_FAILED : EXIT_OK;
}

int explore(struct explore_options *o)
{
	struct explorer e = {.opts = o, .began_ns = clock_now_ns()};
	struct sequence *s = xcalloc(SEQUENCES, sizeof(*s));
	struct explore_outcome *out = xcalloc(SEQUENCES, sizeof(*out));
	int rc = signals_open(&e.signals, &e.err), status;
	int64_t took_ms;
	size_t i;

	rc = rc == 0 ? learn(&e) : rc;
	while (rc == 0 && !is_over(&e))
		rc = run_round(&e, s, out);
	took_ms = (clock_now_ns() - e.began_ns) / 1000000;
	if (e.sequences)
		printf("%zu sequences, %zu operations in %" PRId64 ".%" PRId64 " s on kernel %s, --seed=%" PRIu64
		       ": %zu failed, for %zu cause%s\n", e.sequences, e.operations, took_ms / 1000,
		       took_ms % 1000 / 100, o->place.used.kernel, o->seed, e.failures, e.causes, e.causes == 1 ? "" : "s");
	status = status_of(&e, rc);
	for (i = 0; i < e.causes; i++)
		free(e.cause[i]);
	free(e.cause);
	free(s);
	free(out);
	fflush(stdout);
	signals_close(&e.signals);
	return status;
}
