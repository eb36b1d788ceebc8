/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/own-path.h"
#include "base/strlist.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "catalogue/finding.h"
#include "catalogue/suite.h"
#include "model/rules.h"
#include "names/exit-status.h"
#include "explore/batch.h"
#include "explore/walks.h"
#include "worker/signals.h"
#include "names/device-types.h"
#include "process/program.h"

#define SHRINK_NS (60 * INT64_C(1000000000))

struct explorer {
	struct explore_options *opts;
	struct signals signals;
	const struct walks *walks;	/* borrowed */
	int64_t ending;		/* the operation in which the place of the present sequence was lost, or -1 */
	struct string_list causes;	/* owned; those that were seen, in a walk or in a scenario */
	size_t sequences, operations, failures, found;
	int64_t began_ns;
	struct vbm_error err;
};

/* The failure that is being shrunk. */
struct failing {
	struct explorer *e;
	const char *cause;
	int64_t until_ns;
};

static int on_ending_heard(void *arg, const struct walk_news *news, struct vbm_error *err)
{
	int64_t *operation = arg;

	(void)err;
	if (news->lost)
		*operation = news->operation;
	return 0;
}

/*
 * A sequence ended its place. Walks it once more, in a new place that tells of each operation before it is carried out, and
 * sets *@operation to the one in which the place ends, or to -1: it does not end this time. @walks are the walks that lost the place.
 */
static int ending_find(const struct walks *walks, uint64_t sequence, int64_t *operation, struct vbm_error *err)
{
	struct walks again = *walks;

	*operation = -1;
	again.first = sequence;
	again.sequences = sequence + 1;
	again.jobs = 1;
	again.each = true;
	again.began = NULL;
	again.enough = NULL;
	again.heard = on_ending_heard;
	again.arg = operation;
	return walks_run(&again, err);
}

unsigned explore_exceptions(unsigned wanted, const struct findings *list, const struct facts *facts)
{
	unsigned left = 0;
	size_t i;
	int e;

	for (e = 0; e < EXCEPT_COUNT; e++)
		for (i = 0; i < list->count; i++)
			if (wanted & 1u << e && !strcmp(list->item[i].name, model_exception_name((enum model_exception)e)) &&
			    finding_holds(&list->item[i], facts))
				left |= 1u << e;
	return left;
}

/* The same with the findings of the suite that comes with the program. 0, or a negative errno. */
static int exceptions_settle(unsigned *exceptions, const struct facts *facts, struct vbm_error *err)
{
	auto_free char *root = NULL, *dir = NULL;
	struct findings list = {.count = 0};
	int rc = suite_shipped(&root, err);

	if (rc < 0)
		return rc;
	dir = xasprintf("%s/" SUITE_FINDINGS, root);
	rc = findings_load(&list, dir, err);
	if (rc == 0)
		*exceptions = explore_exceptions(*exceptions, &list, facts);
	findings_fini(&list);
	return rc;
}

static bool is_known(const struct explorer *e, const char *cause)
{
	size_t i;

	for (i = 0; i < e->causes.count; i++)
		if (!strcmp(e->causes.item[i], cause))
			return true;
	return false;
}

/* Whether the failure ends its place, so that each further candidate that fails costs another kernel. */
static bool ends_place(const struct failing *f)
{
	return !strncmp(f->cause, OUTCOME_KERNEL, strlen(OUTCOME_KERNEL));
}

/* shrink_try. All candidates run in one place, or, if the failure ends that, those up to the first that fails. */
static int try_candidates(void *arg, const struct sequence *candidate, size_t count, struct shrink_tried *t)
{
	struct failing *f = arg;
	struct batch_place *place = &f->e->opts->place;
	struct explore_outcome out[SHRINK_MAX];
	int rc;

	if (signals_take(&f->e->signals) || clock_now_ns() > f->until_ns)
		return -1;
	place->first = ends_place(f);
	rc = batch_run(place, candidate, count, out, &f->e->err);
	place->first = false;
	for (t->tried = 0; rc == 0 && t->tried < count && out[t->tried].ran; t->tried++)
		t->fails[t->tried] = out[t->tried].failed && !strcmp(out[t->tried].cause, f->cause);
	batch_outcomes_fini(out, count);
	return rc;
}

/* Writes the scenario as a program in C beside it. The caller frees its path; NULL: verbatim export refuses it. */
static char *as_program(const char *path, struct vbm_error *err)
{
	auto_free char *c = xasprintf("%.*s.c", (int)(strlen(path) - strlen(".yaml")), path);
	auto_free char *self = own_command(), *copy = xstrdup(path), *text = NULL;
	char command[] = "export", as[] = "--c", *argv[] = {self, command, as, copy, NULL};
	int status;

	if (program_says(argv, &text, &status, err) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_OK)
		return NULL;
	return file_replace(c, text, err) < 0 ? NULL : steal(&c);
}

static int write_scenario(struct explorer *e, const struct sequence *s, const struct explore_outcome *o, uint64_t number)
{
	const struct explore_options *opts = e->opts;
	auto_free char *path = xasprintf("%s/explore-%" PRIu64 "-%" PRIu64 ".yaml", opts->output, opts->seed, number);
	auto_free char *head = NULL, *text = NULL, *program = NULL;

	head = xasprintf("# verbatim explore --seed=%" PRIu64 " --steps=%zu%s found this in its sequence %" PRIu64 " on kernel %s.\n"
			 "# What came: %s\n", opts->seed, opts->steps, opts->decides.len ? opts->decides.s : "", number,
			 opts->place.used.kernel, o->says);
	text = batch_scenario(s, opts->place.stack, head, o->breaks ? o->breaks : o->says);
	if (file_make_dirs(opts->output, &e->err) < 0 || file_replace(path, text, &e->err) < 0)
		return -e->err.code;
	printf("found: %s\n", o->says);
	if (o->breaks)
		printf("  it breaks: %s\n", o->breaks);
	printf("  %zu operation%s: verbatim run %s\n", s->count, s->count == 1 ? "" : "s", path);
	/* Programs connect queue pairs by ibv_modify_qp(). */
	program = opts->place.stack.lacks & 1u << LACK_BY_HAND ? NULL : as_program(path, &e->err);
	if (program)
		printf("  as a program in C: %s\n", program);
	fflush(stdout);
	return 0;
}

/* Cuts the operations after the one that lost the place, if the rest still fails without them. */
static void cut_behind(struct failing *f, struct sequence *s)
{
	auto_free struct sequence *cut = xcalloc(1, sizeof(*cut));
	struct shrink_tried t;

	if (f->e->ending < 0 || (size_t)f->e->ending + 1 >= s->count)
		return;
	*cut = *s;
	cut->count = (size_t)f->e->ending + 1;
	if (try_candidates(f, cut, 1, &t) == 0 && t.tried && t.fails[0])
		*s = *cut;
}

/* Shrinks the sequence, and runs what is left once more, alone. */
static int shrink_failure(struct explorer *e, struct sequence *s, const struct explore_outcome *first, uint64_t number)
{
	struct failing f = {.e = e, .cause = first->cause, .until_ns = clock_now_ns() + SHRINK_NS};
	struct sequence whole = *s;
	struct explore_outcome alone;
	int rc;

	string_list_add(&e->causes, first->cause);
	e->found++;
	cut_behind(&f, s);
	batch_shrink(s, e->opts->place.stack, try_candidates, &f);
	rc = batch_run(&e->opts->place, s, 1, &alone, &e->err);
	if (rc == 0 && alone.failed && !strcmp(alone.cause, first->cause)) {
		rc = write_scenario(e, s, &alone, number);
	} else if (rc == 0) {
		printf("The shrunk sequence does not always fail alone, so the whole sequence is written: %s\n", first->says);
		rc = write_scenario(e, &whole, first, number);
	}
	batch_outcomes_fini(&alone, 1);
	return rc;
}

static void draw_sequences(const struct explorer *e, struct sequence *s, uint64_t first, size_t count)
{
	const struct explore_options *o = e->opts;
	size_t i;

	for (i = 0; i < count; i++)
		sequence_draw(&s[i], sequence_seed(o->seed, first + i), o->groups, o->place.stack, o->steps);
}

/* Runs sequences as scenarios, and settles each that fails for a new cause. Returns how many failed, or -errno. */
static int look_closely(struct explorer *e, uint64_t first, size_t count)
{
	auto_free struct sequence *s = xcalloc(count, sizeof(*s));
	auto_free struct explore_outcome *out = xcalloc(count, sizeof(*out));
	size_t i;
	int failed = 0, rc;

	draw_sequences(e, s, first, count);
	rc = batch_run(&e->opts->place, s, count, out, &e->err);
	for (i = 0; rc == 0 && i < count; i++) {
		failed += out[i].failed;
		if (out[i].failed && !is_known(e, out[i].cause))
			rc = shrink_failure(e, &s[i], &out[i], first + i);
	}
	batch_outcomes_fini(out, count);
	return rc < 0 ? rc : failed;
}

/* Keeps a failure that a place found in a sequence, but that no scenario shows. */
static int keep_as_it_is(struct explorer *e, const struct walk_failure *f)
{
	auto_free struct sequence *s = xcalloc(1, sizeof(*s));
	auto_free char *copy = xstrdup(f->says);
	struct explore_outcome out = {.says = copy};

	e->found++;
	printf("A walk found this in operation %zu of a sequence, but the scenario of the sequence does not always fail: %s\n",
	       f->operation + 1, f->says);
	draw_sequences(e, s, f->sequence, 1);
	s->count = f->operation < s->count ? f->operation + 1 : s->count;
	return write_scenario(e, s, &out, f->sequence);
}

static int hear_failure(struct explorer *e, const struct walk_failure *f)
{
	int failed;

	e->failures++;
	if (is_known(e, f->cause))
		return 0;
	failed = look_closely(e, f->sequence, 1);
	string_list_add(&e->causes, f->cause);
	return failed < 0 ? failed : failed ? 0 : keep_as_it_is(e, f);
}

/* The place ended or hung in the sequence that began last. */
static int hear_loss(struct explorer *e, const struct walk_news *news)
{
	int failed, rc = ending_find(e->walks, news->last, &e->ending, &e->err);

	if (rc < 0)
		return rc;
	if (e->ending >= 0)
		printf("operation %" PRId64 " of sequence %" PRIu64 " ended its place\n", e->ending + 1, news->last);
	fflush(stdout);
	failed = look_closely(e, news->last, 1);
	e->ending = -1;
	return failed;
}

/* One of the sequences made the kernel complain, left something behind, or ended the place. */
static int hear_doubt(struct explorer *e, const struct walk_news *news)
{
	auto_free char *first = xstrndup(news->doubt, strcspn(news->doubt, "\n"));
	int failed = news->lost ? hear_loss(e, news) : 0;

	/* It may be one before that. */
	if (failed == 0)
		failed = look_closely(e, news->first, news->count);
	if (failed < 0)
		return failed;
	e->failures += failed ? (size_t)failed : 1;
	if (failed || is_known(e, first))
		return 0;
	string_list_add(&e->causes, first);
	e->found++;
	printf("One of the sequences %" PRIu64 " to %" PRIu64 " caused this, but none of them does so as a scenario: %s\n",
	       news->first, news->first + news->count - 1, first);
	return 0;
}

static int on_news(void *arg, const struct walk_news *news, struct vbm_error *err)
{
	struct explorer *e = arg;
	size_t i;
	int rc = 0;

	e->sequences += news->count;
	e->operations += (size_t)news->operations;
	for (i = 0; rc == 0 && i < news->failures; i++)
		rc = hear_failure(e, &news->failure[i]);
	if (rc == 0 && news->doubt)
		rc = hear_doubt(e, news);
	*err = e->err;
	return rc;
}

/* Findings that this kernel and these libraries do not have are no exceptions. */
static int on_begin(void *arg, struct vbm_error *err)
{
	struct explorer *e = arg;
	unsigned held = e->opts->without;
	struct batch_place *place = &e->opts->place;
	const struct facts facts = {.lane = place->used.lane, .kernel = place->used.kernel,
				    .rdma_core = place->used.rdma_core, .target = place->used.target,
				    .device = place->device ? place->device : device_type_default()->name};
	int i, rc;

	e->began_ns = clock_now_ns();
	rc = exceptions_settle(&place->stack.exceptions, &facts, err);
	if (rc == 0)
		rc = exceptions_settle(&held, &facts, err);
	for (i = 0; rc == 0 && i < EXCEPT_COUNT; i++)
		if (e->opts->without & ~held & 1u << i)
			printf("--without %s changes nothing: kernel %s with rdma-core %s does not have this finding\n",
			       model_exception_name((enum model_exception)i), place->used.kernel, place->used.rdma_core);
	fflush(stdout);
	return rc;
}

static bool on_enough(void *arg)
{
	const struct explorer *e = arg;

	return clock_now_ns() - e->began_ns >= e->opts->seconds * INT64_C(1000000000);
}

static int status_of(const struct explorer *e, int rc)
{
	const struct explore_options *o = e->opts;

	if (rc == 0 || e->signals.caught)
		return e->found ? EXIT_FAILED : EXIT_OK;
	visible_complain("%s", e->err.msg);
	if (rc == -ENODEV || o->place.status == EXIT_NO_FABRIC)
		return EXIT_NO_FABRIC;
	return rc == -EINVAL || o->place.status == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static void sum_up(const struct explorer *e)
{
	int64_t took_ms = (clock_now_ns() - e->began_ns) / 1000000;

	if (e->sequences)
		printf("%zu sequences, %zu operations in %" PRId64 ".%" PRId64 " s on kernel %s, --seed=%" PRIu64
		       ": %zu failed, for %zu cause%s\n", e->sequences, e->operations, took_ms / 1000, took_ms % 1000 / 100,
		       e->opts->place.used.kernel, e->opts->seed, e->failures, e->found, e->found == 1 ? "" : "s");
	fflush(stdout);
}

int explore(struct explore_options *o)
{
	struct explorer e = {.opts = o, .ending = -1, .began_ns = clock_now_ns()};
	struct walks walks = {
		.place = &o->place, .seed = o->seed, .steps = o->steps, .sequences = o->sequences, .groups = o->groups,
		.jobs = o->jobs, .signals = &e.signals, .began = on_begin, .enough = on_enough, .heard = on_news, .arg = &e,
	};
	int rc = signals_open(&e.signals, &e.err), status;

	e.walks = &walks;
	if (rc == 0)
		rc = walks_run(&walks, &e.err);
	sum_up(&e);
	status = status_of(&e, rc);
	string_list_fini(&e.causes);
	signals_close(&e.signals);
	return status;
}
