/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: run/places.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "worker/signals.h"
#include "lib/base/fail.h"
#include "run/places.h"
#include "step/step.h"
#include "../help/acting-runner.h"
#include "../help/descriptors.h"
#include "../help/folder.h"
#include "diag-help.h"

#define SILENCE_MS 200	/* a test waits for a runner that is silent for so long */

static void have_no_fabric(struct child_place *p)
{
	acting_take_job(p);
	emit_error(&p->emit, ENODEV, "no RDMA here");
	emit_end(&p->emit, false);
}

static void end_at_once(struct child_place *p)
{
	acting_take_job(p);
	emit_end(&p->emit, false);
}

static void die_before(struct child_place *p)
{
	acting_take_job(p);
	raise(SIGKILL);
}


/* The events of a run, one on each line: "VARIANT VERDICT REASON" or "error TEXT". */
struct run {
	struct plan plan;
	struct tracker tracker;
	struct lanes *lanes;
	struct places places;
	struct text said, sent;	/* @sent: the variants as they were sent */
	int readies;
	struct vbm_error err;
	int descriptors;
};

static void on_ready(void *arg, const struct lane *lane)
{
	struct run *r = arg;

	assert_non_null(lane);
	r->readies++;
}

static struct value *make_job(void *arg)
{
	(void)arg;
	return must_read_json("{\"job\": \"run\", \"layout\": \"netns\", \"lane\": \"child\", "
			      "\"factor\": 1, \"target\": \"system\", \"rdma_core\": \"44.0\", "
			      "\"target_env\": {}, \"scenarios\": 1}");
}

/* The known failures of a variant: a field named by its number. The second one crashes the kernel. */
static void describe(void *arg, size_t variant, struct value *line)
{
	struct value *list, *row;
	struct run *r = arg;

	text_addf(&r->sent, "%zu", variant);
	if (variant == 0)
		return;
	if (variant == 1)
		value_set_string(line, "crashes", "boom");
	list = value_list();
	row = value_map();
	value_set(row, "field", value_format_string("%zu", variant));
	value_append(list, row);
	value_set(line, "known", list);
}

static void on_event(void *arg, const struct value *event, bool more)
{
	struct run *r = arg;
	auto_free char *complaints = NULL;

	(void)more;
	if (event_is(event, "error"))
		text_addf(&r->said, "error %s\n", value_get_string(event, "text", "?"));
	if (!event_is(event, "verdict"))
		return;
	text_addf(&r->said, "%s %s", value_get_string(event, "name", "?"),
		  value_get_string(event, "verdict", "?"));
	if (value_get_string(event, "reason", NULL))
		text_addf(&r->said, " %s", value_get_string(event, "reason", "?"));
	if (value_get(event, "complaints"))
		complaints = json_write(value_get(event, "complaints"));
	text_addf(&r->said, "%s%s\n", complaints ? " " : "", complaints ? complaints : "");
}

static void add_to_plan(struct run *r, const char *name)
{
	struct variant *v;

	GROW(r->plan.item, r->plan.count);
	v = &r->plan.item[r->plan.count];
	*v = (struct variant){
		.number = r->plan.count++, .name = xstrdup(name), .id = xstrdup(name),
		.title = xstrdup(""), .path = xstrdup("x.yaml"), .clauses = value_list(),
		.specs = value_list(), .needs = value_list(), .services = value_map(),
		.hosts = 1, .ip = 4,
	};
}

/* Run the variants @names (up to a NULL) in at most @jobs places with these lives. */
static void begin_run(struct run *r, const char *const *names, int jobs, const child_life *lives)
{
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	*r = (struct run){.descriptors = open_descriptors()};
	tracker_init(&r->tracker);
	for (; *names; names++)
		add_to_plan(r, *names);
	for (i = 0; i < r->plan.count; i++)
		tracker_expect(&r->tracker, r->plan.item[i].name, NULL);
	child_lane_live(lives);
	assert_int_equal(lanes_open(&r->lanes, &child_lane, &(struct lane_options){0}, NULL), 0);
	r->places = (struct places){
		.plan = &r->plan, .tracker = &r->tracker, .lanes = r->lanes, .jobs = jobs,
		.silence_ms = 20000, .ready = on_ready, .job = make_job, .describe = describe,
		.event = on_event, .arg = r,
	};
}

static void end_run(struct run *r)
{
	lanes_close(r->lanes);
	tracker_fini(&r->tracker);
	plan_fini(&r->plan);
	text_fini(&r->said);
	text_fini(&r->sent);
	assert_int_equal(open_descriptors(), r->descriptors);
}

/* A whole run: it must end with @rc and report these events. */
static void run_is(const char *const *names, int jobs, const child_life *lives, int rc,
		   const char *said)
{
	struct run r;

	begin_run(&r, names, jobs, lives);
	assert_int_equal(places_run(&r.places, &r.err), rc);
	assert_string_equal(r.said.s ? r.said.s : "", said);
	end_run(&r);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LIVES(...) ((const child_life[]){__VA_ARGS__})
#define IT_IS_GONE " ERROR " CHILD_END_CAUSE

TEST(test_places__several__verdicts_in_the_order_of_the_plan)
{
	run_is(NAMES("pass1", "pass2", "pass3", "pass4", "pass5"), 2, LIVES(acting_runner, acting_runner),
	       0, "pass1 PASS\npass2 PASS\npass3 PASS\npass4 PASS\npass5 PASS\n");
}

static bool two_are_enough(void *arg)
{
	const struct run *r = arg;

	return r->said.s && strstr(r->said.s, "pass2");
}

/* Nothing is sent ahead, so that the rest does not begin. */
TEST(test_places__enough__the_rest_does_not_run)
{
	struct run r;
	int jobs;

	for (jobs = 1; jobs <= 2; jobs++) {
		begin_run(&r, NAMES("pass1", "pass2", "pass3", "pass4", "pass5", "pass6"), jobs,
			  LIVES(acting_runner, acting_runner));
		r.places.enough = two_are_enough;
		assert_int_equal(places_run(&r.places, &r.err), 0);
		/* Another place may go on until the second variant is told. */
		if (jobs == 1)
			assert_int_equal(tracker_remaining(&r.tracker), 4);
		assert_non_null(strstr(r.said.s, "pass1 PASS\npass2 PASS\n"));
		end_run(&r);
	}
}

/* Places begin in the order of turns; what is told has the order of the plan. */
TEST(test_places__turn__is_the_order_of_beginnings)
{
	static const size_t turn[] = {2, 0, 3, 1};
	struct run r;

	begin_run(&r, NAMES("pass1", "pass2", "pass3", "pass4"), 1, LIVES(acting_runner));
	r.places.turn = turn;
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_string_equal(r.sent.s, "2031");
	assert_string_equal(r.said.s, "pass1 PASS\npass2 PASS\npass3 PASS\npass4 PASS\n");
	end_run(&r);
}

/* At most as many places as variants, and at least one. */
TEST(test_places__count__follows_the_work)
{
	struct run r;

	begin_run(&r, NAMES("pass1", "pass2"), 8, LIVES(acting_runner, acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_int_equal(child_lane_started(), 2);
	assert_int_equal(r.readies, 2);
	end_run(&r);
	begin_run(&r, NAMES("pass1", "pass2"), 0, LIVES(acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_int_equal(child_lane_started(), 1);
	end_run(&r);
}

/*
 * The running variant gets the verdict, and a fresh place runs the variants that were sent
 * ahead.
 */
TEST(test_places__death__costs_one_variant)
{
	run_is(NAMES("pass1", "die", "pass2", "pass3"), 1, LIVES(acting_runner, acting_runner),
	       0, "pass1 PASS\ndie" IT_IS_GONE "\npass2 PASS\npass3 PASS\n");
}

TEST(test_places__panic__is_told_with_the_verdict)
{
	run_is(NAMES("panic"), 1, LIVES(acting_runner), 0,
	       "panic" IT_IS_GONE " [\"" ACTING_OOPS "\\n" ACTING_PANIC "\"]\n");
}

TEST(test_places__complaint_before_death__is_in_the_reason)
{
	run_is(NAMES("oops"), 1, LIVES(acting_runner), 0, "oops" IT_IS_GONE "\n" ACTING_OOPS "\n");
}

TEST(test_places__contradiction__is_invalid)
{
	run_is(NAMES("lie", "pass"), 1, LIVES(acting_runner, acting_runner), 0,
	       "lie INVALID the event stream contradicts itself: scenario 'lie' begins before 'lie' "
	       "has a verdict\npass PASS\n");
}

TEST(test_places__garbled__is_invalid)
{
	struct run r;

	begin_run(&r, NAMES("garble", "pass"), 1, LIVES(acting_runner, acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_ptr_equal(strstr(r.said.s, "garble INVALID "), r.said.s);
	assert_non_null(strstr(r.said.s, "\npass PASS\n"));
	end_run(&r);
}

TEST(test_places__silence__is_an_error_of_the_variant)
{
	struct run r;

	begin_run(&r, NAMES("hang"), 1, LIVES(acting_runner));
	r.places.silence_ms = SILENCE_MS;
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_ptr_equal(strstr(r.said.s, "hang ERROR the runner said nothing for "), r.said.s);
	end_run(&r);
}

static void add_step(struct variant *v, int deadline_ms)
{
	GROW(v->items, v->item_count);
	v->items[v->item_count++] = (struct item){
		.actor = variant_actor(v, 0, 0), .kind = step_find("open_device"), .args = value_map(),
		.deadline_ms = deadline_ms,
	};
}

/* Only the deadlines of the variant that runs make the time longer in which a runner may be silent. */
TEST(test_places__silence__lasts_as_long_as_the_steps_of_the_variant)
{
	const char *begin = "hang ERROR the runner said nothing for 1 seconds";
	struct run r;

	begin_run(&r, NAMES("hang", "pass"), 1, LIVES(acting_runner, acting_runner));
	add_step(&r.plan.item[0], 1000);
	add_step(&r.plan.item[0], 900);
	add_step(&r.plan.item[1], 1000000);
	r.places.silence_ms = SILENCE_MS;
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_ptr_equal(strstr(r.said.s, begin), r.said.s);
	end_run(&r);
}

TEST(test_places__what_is_known__comes_with_its_variant)
{
	run_is(NAMES("echo1", "echo2", "echo3"), 1, LIVES(acting_runner), 0,
	       "echo1 SKIP nothing is known\necho2 SKIP boom [{\"field\":\"1\"}]\necho3 SKIP [{\"field\":\"2\"}]\n");
}

/* No variant was running, so the run has an error, and the rest runs in another place. */
TEST(test_places__death_between_two__names_the_last)
{
	run_is(NAMES("leave", "pass"), 1, LIVES(acting_runner, acting_runner), 0,
	       "leave PASS\npass PASS\nerror after leave: " CHILD_END_CAUSE "\n");
}

TEST(test_places__death_before_all__ends_the_run)
{
	struct run r;

	begin_run(&r, NAMES("pass"), 1, LIVES(die_before));
	assert_int_equal(places_run(&r.places, &r.err), -EIO);
	assert_string_equal(r.err.msg, CHILD_END_CAUSE);
	assert_int_equal(r.said.len, 0);
	end_run(&r);
}

/* If another place is alive, that is an error of the run, and not its end. */
TEST(test_places__death_before_all__others_go_on)
{
	struct run r;

	begin_run(&r, NAMES("pass1", "pass2"), 2, LIVES(die_before, acting_runner, acting_runner));
	if (places_run(&r.places, &r.err) < 0)
		fail_msg("%s", r.err.msg);
	assert_non_null(strstr(r.said.s, "pass1 PASS\npass2 PASS\n"));
	assert_non_null(strstr(r.said.s, "error a place was lost before its first scenario: "
					 CHILD_END_CAUSE "\n"));
	end_run(&r);
}

/* Dies without a variant after another place has ended. */
static void die_last(struct child_place *p)
{
	int fd;
	char byte;

	acting_take_job(p);
	/* The other end is closed when the other place ends. */
	fd = open(acting_fifo, O_RDONLY | O_CLOEXEC);
	if (read(fd, &byte, 1) == 0)
		raise(SIGKILL);
}

static void work_and_end(struct child_place *p)
{
	if (open(acting_fifo, O_WRONLY | O_CLOEXEC) >= 0)
		acting_runner(p);
}

static void begin_meeting(struct folder *folder)
{
	folder_make(folder);
	acting_fifo = folder_path(folder, "fifo");
	assert_int_equal(mkfifo(acting_fifo, 0600), 0);
}

static void end_meeting(const struct folder *folder)
{
	free(steal(&acting_fifo));
	folder_remove(folder);
}

/* The living place runs the variants that were sent ahead to the dead one. */
TEST(test_places__death_of_one__others_take_its_work)
{
	struct folder folder;
	struct run r;

	begin_meeting(&folder);
	begin_run(&r, NAMES("fall", "pass", "mourn", "await"), 2,
		  LIVES(acting_runner, acting_runner, acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_string_equal(r.said.s, "fall" IT_IS_GONE "\npass PASS\nmourn PASS\nawait PASS\n");
	assert_int_equal(child_lane_started(), 2);
	end_run(&r);
	end_meeting(&folder);
}

/* It does not matter whether the place that worked is still there. */
TEST(test_places__death_after_others_ended__a_fresh_place_works)
{
	struct folder folder;
	struct run r;

	begin_meeting(&folder);
	begin_run(&r, NAMES("pass1", "pass2"), 2, LIVES(die_last, work_and_end, acting_runner));
	if (places_run(&r.places, &r.err) < 0)
		fail_msg("%s", r.err.msg);
	assert_non_null(strstr(r.said.s, "pass1 PASS\npass2 PASS\n"));
	end_run(&r);
	end_meeting(&folder);
}

/* No place may have both variants while the other one waits for work. */
TEST(test_places__as_many_places_as_variants__each_has_one)
{
	struct folder folder;
	struct run r;

	begin_meeting(&folder);
	begin_run(&r, NAMES("meet-r", "meet-w"), 2, LIVES(acting_runner, acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_string_equal(r.said.s, "meet-r PASS\nmeet-w PASS\n");
	end_run(&r);
	end_meeting(&folder);
}

TEST(test_places__no_start__ends_the_run)
{
	struct run r;

	begin_run(&r, NAMES("pass"), 1, LIVES(acting_runner));
	child_lane_start_not("no kernel");
	assert_int_equal(places_run(&r.places, &r.err), -EIO);
	assert_string_equal(r.err.msg, "no kernel");
	assert_int_equal(r.readies, 0);
	end_run(&r);
}

TEST(test_places__no_fabric__ends_the_run)
{
	struct run r;

	begin_run(&r, NAMES("pass"), 1, LIVES(have_no_fabric));
	assert_int_equal(places_run(&r.places, &r.err), -ENODEV);
	assert_string_equal(r.err.msg, "no RDMA here");
	assert_string_equal(r.said.s, "error no RDMA here\n");
	end_run(&r);
}

TEST(test_places__end_before_it_was_told__is_an_error)
{
	run_is(NAMES("end", "pass"), 1, LIVES(acting_runner, acting_runner), 0,
	       "end PASS\npass PASS\nerror after end: the runner ended before it was told to\n");
}

/* Places that run nothing would otherwise follow one another for ever. */
TEST(test_places__nothing_runs__ends_the_run)
{
	struct run r;

	begin_run(&r, NAMES("pass"), 1, LIVES(end_at_once, end_at_once));
	assert_int_equal(places_run(&r.places, &r.err), -EIO);
	assert_string_equal(r.err.msg, "the runner ended without running anything");
	assert_int_equal(child_lane_started(), 1);
	end_run(&r);
}

/* A kernel that is not trusted has reported it, so there is no further error. */
TEST(test_places__broken__goes_on_elsewhere)
{
	run_is(NAMES("broken", "pass"), 1, LIVES(acting_runner, acting_runner), 0,
	       "broken ERROR the kernel complained\npass PASS\n");
}

TEST(test_places__complaint_that_no_event_tells__is_an_error)
{
	run_is(NAMES("mumble"), 1, LIVES(acting_runner), 0,
	       "mumble PASS\nerror after mumble: the kernel complained, and no event told of it:\n"
	       ACTING_OOPS "\n");
}

TEST(test_places__complaint_that_an_event_told__is_none)
{
	run_is(NAMES("shout"), 1, LIVES(acting_runner), 0, "shout ERROR the kernel complained\n");
}

TEST(test_places__signal__ends_the_run)
{
	struct signals signals;
	struct run r;

	assert_int_equal(signals_open(&signals, NULL), 0);
	begin_run(&r, NAMES("interrupt", "pass"), 1, LIVES(acting_runner));
	r.places.signals = &signals;
	assert_int_equal(places_run(&r.places, &r.err), -EINTR);
	assert_non_null(strstr(r.err.msg, "SIGTERM"));
	assert_int_equal(r.said.len, 0);
	end_run(&r);
	signals.caught = 0;
	signals_close(&signals);
}

TEST(test_places__nothing_to_run__starts_no_place)
{
	struct run r;

	begin_run(&r, (const char *const[]){NULL}, 4, LIVES(acting_runner));
	assert_int_equal(places_run(&r.places, &r.err), 0);
	assert_int_equal(child_lane_started(), 0);
	end_run(&r);
}
