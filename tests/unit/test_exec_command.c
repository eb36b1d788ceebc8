/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: job-exec/running.c job-exec/exec-command.c job-exec/exec-memory.c job-exec/exec-ready.c program/spawn.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "fabric/fabric.h"
#include "job-exec/exec-job.h"
#include "event/emit.h"
#include "event/event.h"
#include "job/job.h"
#include "lib/base/fail.h"
#include "program/spawn.h"
#include "../help/bare-fabric.h"
#include "../help/descriptors.h"
#include "diag-help.h"

UNIT(.obstacle = bare_fabrics_obstacle, .all = {bare_fabrics_begin, bare_fabrics_end});

/* One command on a host of a real fabric, and its events. */
struct stage {
	struct exec exec;
	struct job job;
	struct emitter emit;
	struct value *spec;	/* owned */
	struct command command;
	struct vbm_error err;
	int events, descriptors;
};

static int begin(void **state)
{
	static struct stage s;
	struct value *ready = must_read_json("{\"command\": \"true\", \"host\": \"a\", "
						   "\"service\": false, \"fed\": false}");

	memset(&s, 0, sizeof(s));
	s.exec.fabric = bare_fabric(LAYOUT_NETNS, 2);
	s.descriptors = open_descriptors();
	s.spec = must_read_json(JOB_EXEC "\"cwd\": \"/\"}");
	s.events = memfd_create("events", MFD_CLOEXEC);
	emit_init(&s.emit, s.events);
	s.job = (struct job){.spec = s.spec, .emit = &s.emit};
	s.exec.job = &s.job;
	s.exec.cmd = &s.command;
	s.exec.count = 1;
	s.exec.started = 1;
	s.exec.process_ns = PROCESS_NS_CLOSED;
	assert_int_equal(process_ns_open(&s.exec.process_ns, NULL), 0);
	vbm_loop_init_plain(&s.exec.loop);
	s.command.host = "a";
	command_init(&s.command, &s.exec);
	assert_int_equal(ready_read(&s.command.ready, ready, NULL), 0);
	value_free(ready);
	*state = &s;
	return 0;
}

static int end(void **state)
{
	struct stage *s = *state;

	if (command_runs(&s->command)) {
		spawn_signal(s->command.run.pid, SIGKILL);
		spawn_reap(s->command.run.pid);
		watch_close(&s->command.end);
	}
	command_fini(&s->command);
	vbm_loop_fini(&s->exec.loop);
	process_ns_close(&s->exec.process_ns);
	close(s->events);
	value_free(s->spec);
	assert_int_equal(open_descriptors(), s->descriptors);
	fabric_free(s->exec.fabric);
	return 0;
}

static void start(struct stage *s, const char *text)
{
	s->command.text = xstrdup(text);
	if (command_start(&s->exec, &s->command, &s->err) < 0)
		fail_msg("%s", s->err.msg);
}

/* Wait once for an event of it, or for the time at which it is killed. */
static void act(struct stage *s)
{
	command_wait_for(&s->command);
	vbm_loop_run(&s->exec.loop, -1);
}

static void act_until_its_end(struct stage *s)
{
	while (command_runs(&s->command))
		act(s);
}

/* The events so far: the bytes of each stream, the end, and whether it is reported as a failure. */
static void must_tell(const struct stage *s, const char *out, const char *err, const char *exit)
{
	struct text stream[2] = {{0}, {0}};
	auto_text struct text ends = {0};
	auto_free char *all = NULL;
	char *pos, *line;
	int i;

	assert_int_equal(file_fd_read_whole(s->events, FILE_MAX, &all, NULL), 0);
	for (pos = all; (line = file_next_line(&pos));) {
		auto_value struct value *e = must_read_json(line);
		size_t len = 0;
		auto_free char *data = base64_decode(value_get_string(e, "data", ""), &len);

		if (event_is(e, "stuck")) {
			text_addf(&ends, ", a report: %s", value_get_string(e, "why", ""));
			continue;
		}
		assert_string_equal(value_get_string(e, "host", ""), "a");
		if (event_is(e, "taken"))
			continue;
		assert_int_equal(value_get_int(e, "command", -1), 0);
		if (event_is(e, "output"))
			text_add_bytes(&stream[value_get_int(e, "stream", 0) - 1], data, len);
		else
			text_addf(&ends, "%s %d%s", event_kind(e), (int)value_get_int(e, "status", -1),
				  value_get_bool(e, "told", true) ? " told" : "");
	}
	assert_string_equal(stream[0].len ? stream[0].s : "", out);
	assert_string_equal(stream[1].len ? stream[1].s : "", err);
	assert_string_equal(ends.len ? ends.s : "", exit);
	for (i = 0; i < 2; i++)
		text_fini(&stream[i]);
}

TEST_BETWEEN(test_command__output_and_end__are_events, begin, end)
{
	struct stage *s = *state;

	start(s, "echo out; echo err >&2; printf rest; exit 3");
	act_until_its_end(s);
	/* The bytes in its pipes come before its end, and no byte is changed. */
	must_tell(s, "out\nrest", "err\n", "exit 3, a report: failed");
	assert_true(s->exec.stopping);
	assert_int_equal(s->command.output.out[0].fd, -1);
	assert_int_equal(s->command.output.out[1].fd, -1);
}

TEST_BETWEEN(test_command__success__stops_nobody, begin, end)
{
	struct stage *s = *state;

	start(s, "exit 0");
	act_until_its_end(s);
	must_tell(s, "", "", "exit 0");
	assert_false(s->exec.stopping);
}

/* Its standard input is /dev/null, unless it gets the caller's input. */
TEST_BETWEEN(test_command__not_fed__has_an_empty_input, begin, end)
{
	struct stage *s = *state;

	start(s, "cat; echo end");
	act_until_its_end(s);
	must_tell(s, "end\n", "", "exit 0");
}

TEST_BETWEEN(test_command__fed__gets_all_and_the_end, begin, end)
{
	struct stage *s = *state;
	auto_free char *large = xcalloc(300001, 1);

	memset(large, 'x', 300000);
	s->command.fed = true;
	/* Input that arrives before its start waits for it. */
	command_feed(&s->command, "a", 1);
	start(s, "wc -c");
	command_feed(&s->command, large, 300000);
	command_end_input(&s->command);
	act_until_its_end(s);
	must_tell(s, "300001\n", "", "exit 0");
	assert_int_equal(s->command.in.fd, -1);
}

TEST_BETWEEN(test_command__fed_nothing__gets_the_end, begin, end)
{
	struct stage *s = *state;

	s->command.fed = true;
	start(s, "cat; echo end");
	command_end_input(&s->command);
	assert_int_equal(s->command.in.fd, -1);
	act_until_its_end(s);
	must_tell(s, "end\n", "", "exit 0");
	/* No process reads it any more. */
	command_feed(&s->command, "late", 4);
	assert_int_equal(s->command.input.len, 0);
}

TEST_BETWEEN(test_command__closed_input__loses_the_rest, begin, end)
{
	struct stage *s = *state;
	auto_free char *large = xcalloc(300001, 1);

	signal(SIGPIPE, SIG_IGN);
	memset(large, 'x', 300000);
	s->command.fed = true;
	start(s, "exec <&-; echo closed; exec sleep 1000");
	command_feed(&s->command, large, 300000);
	while (s->command.in.fd >= 0)
		act(s);
	assert_int_equal(s->command.input.len, 0);
}

TEST_BETWEEN(test_command__stop__is_a_signal_once, begin, end)
{
	struct stage *s = *state;
	int64_t at, before;

	start(s, "echo up; exec sleep 1000");
	while (!s->emit.seq)
		act(s);
	before = clock_now_ns();
	command_stop(&s->command);
	assert_true(s->command.told);
	at = s->command.kill.at;
	assert_true(at > before);
	/* Said before: the time of its end does not move. */
	command_stop(&s->command);
	assert_int_equal(s->command.kill.at, at);
	act_until_its_end(s);
	must_tell(s, "up\n", "", "exit 143 told");
	/* Its number may belong to another process at the time of the kill. */
	assert_null(s->command.kill.next);
}

TEST_BETWEEN(test_command__deaf__is_killed_when_its_time_is_over, begin, end)
{
	struct stage *s = *state;

	start(s, "trap '' TERM; echo up; exec sleep 1000");
	while (!s->emit.seq)
		act(s);
	command_stop(&s->command);
	vbm_timer_arm(&s->exec.loop, &s->command.kill, 1);
	act_until_its_end(s);
	must_tell(s, "up\n", "", "exit 137 told");
	assert_true(s->exec.stopping);
}

TEST_BETWEEN(test_command__service_that_was_told__is_no_failure, begin, end)
{
	struct stage *s = *state;

	s->command.service = true;
	start(s, "echo up; exec sleep 1000");
	while (!s->emit.seq)
		act(s);
	command_stop(&s->command);
	act_until_its_end(s);
	must_tell(s, "up\n", "", "exit 143 told");
	assert_false(s->exec.stopping);
}

/* The front end sends more once this is said. */
TEST_BETWEEN(test_command__all_taken__is_an_event, begin, end)
{
	struct stage *s = *state;
	auto_free char *all = NULL;

	s->command.fed = true;
	start(s, "exec sleep 1000");
	command_feed(&s->command, "typed", 5);
	while (s->command.input.len)
		act(s);
	assert_int_equal(file_fd_read_whole(s->events, FILE_MAX, &all, NULL), 0);
	assert_non_null(strstr(all, "\"event\":\"taken\""));
	assert_true(s->command.in.fd >= 0);
}

TEST_BETWEEN(test_command__missing_folder__is_the_root, begin, end)
{
	struct stage *s = *state;

	value_set_string(s->spec, "cwd", "/not/there");
	start(s, "pwd");
	act_until_its_end(s);
	must_tell(s, "/\n", "", "exit 0");
}

/* A process is in this state between fork(2) and setsid(2). */
TEST(test_signal__before_its_own_group__arrives)
{
	struct pollfd p = {.events = POLLIN};
	int status;
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	p.fd = pidfd_open(pid, 0);
	spawn_signal(pid, SIGTERM);
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	close(p.fd);
}

/* The readiness of a command that its caller described. */
static void describe(struct stage *s, const char *json, int rc)
{
	auto_value struct value *spec = must_read_json(json);

	value_set_string(spec, "command", "true");
	value_set_string(spec, "host", "a");
	value_set_bool(spec, "service", true);
	value_set_bool(spec, "fed", false);
	assert_int_equal(ready_read(&s->command.ready, spec, &s->err), rc);
}

TEST_BETWEEN(test_ready__line__of_either_stream, begin, end)
{
	struct stage *s = *state;
	struct readiness *r = &s->command.ready;

	describe(s, "{\"ready_line\": \"^port [0-9]+$\"}", 0);
	ready_hear(r, 0, "port", 4);
	ready_hear(r, 1, "port 7x\n", 8);
	ready_hear(r, 0, " x\nport \n", 9);
	assert_false(r->seen);
	/* In pieces, with another stream's between them; and without an end, as a prompt. */
	ready_hear(r, 0, "por", 3);
	ready_hear(r, 1, "t 1", 3);
	ready_hear(r, 0, "t 71", 4);
	assert_true(r->seen);
	assert_int_equal(ready_look(&s->exec, &s->command, &s->err), 1);
}

TEST_BETWEEN(test_ready__group__is_whole_before_the_command_is_ready, begin, end)
{
	struct stage *s = *state;
	struct readiness *r = &s->command.ready;

	describe(s, "{\"ready_line\": \"^port ([0-9]+)\"}", 0);
	ready_hear(r, 0, "port 71", 7);
	assert_false(r->seen);
	assert_true(ready_patience_ms(&s->command) <= READY_CHECK_MS);
	ready_hear(r, 0, "23 or", 5);
	assert_true(r->seen);
	assert_string_equal(r->found, "7123");
}

/* The command has ended, so that nothing more can come. */
TEST_BETWEEN(test_ready__group_of_a_prompt__is_taken_as_it_is, begin, end)
{
	struct stage *s = *state;
	struct readiness *r = &s->command.ready;

	describe(s, "{\"ready_line\": \"^port ([0-9]+)\"}", 0);
	ready_hear(r, 0, "port 71", 7);
	assert_int_equal(ready_look(&s->exec, &s->command, &s->err), 1);
	assert_string_equal(r->found, "71");
}

TEST(test_memory__complaint__is_found_in_pieces)
{
	static const struct {
		const char *pieces[3];
		bool complains;
	} rows[] = {
		{{"no: Cannot alloc", "ate memory\n", ""}, true},
		{{"x\n", "std::bad", "_alloc"}, true},
		{{"", "MemoryError", ""}, true},
		{{"a very long line of a program, before it says ENO", "M", "EM"}, true},
		{{"Cannot allocate", " a memory\n", "ENOME M"}, false},
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_value struct value *event = value_map();
		struct memory m = {0};

		for (k = 0; k < 3; k++)
			memory_hear(&m, rows[i].pieces[k], strlen(rows[i].pieces[k]));
		memory_put(&m, event);
		assert_int_equal(value_get_int(event, "memory_mb", 0) > 0, rows[i].complains);
		assert_true(value_get_int(event, "memory_used_mb", 0) <= value_get_int(event, "memory_mb", 0));
		text_fini(&m.tail);
	}
}

TEST(test_memory__killed_for_it__all_was_in_use)
{
	auto_value struct value *event = value_map();
	struct memory m = {0};

	memory_put(&m, event);
	assert_null(value_get(event, "memory_mb"));
	memory_killed(&m);
	memory_put(&m, event);
	assert_true(value_get_int(event, "memory_mb", 0) > 0);
	assert_int_equal(value_get_int(event, "memory_used_mb", 0), value_get_int(event, "memory_mb", -1));
}

/* An unfinished line is not kept for ever. */
TEST_BETWEEN(test_ready__endless_line__is_cut, begin, end)
{
	struct stage *s = *state;
	struct readiness *r = &s->command.ready;
	auto_free char *large = xcalloc(65537, 1);

	memset(large, 'x', 65537);
	describe(s, "{\"ready_line\": \"^y\"}", 0);
	ready_hear(r, 0, large, 65536);
	assert_int_equal(r->line[0].len, 65536);
	ready_hear(r, 0, "x", 1);
	assert_int_equal(r->line[0].len, 0);
	ready_hear(r, 0, "y", 1);
	assert_true(r->seen);
}

TEST_BETWEEN(test_ready__pattern__that_is_none, begin, end)
{
	struct stage *s = *state;

	describe(s, "{\"ready_line\": \"(\"}", -EINVAL);
	assert_non_null(strstr(s->err.msg, "'(' is not a regular expression: "));
}

/* Looks until it is ready, or never will be. */
static int look(struct stage *s)
{
	int rc;

	while ((rc = ready_look(&s->exec, &s->command, &s->err)) == 0) {
		command_wait_for(&s->command);
		vbm_loop_run(&s->exec.loop, ready_patience_ms(&s->command));
	}
	return rc;
}

TEST_BETWEEN(test_ready__line__comes_or_never_will, begin, end)
{
	struct stage *s = *state;

	describe(s, "{\"ready_line\": \"^up\"}", 0);
	start(s, "echo down; echo up");
	assert_int_equal(look(s), 1);
}

TEST_BETWEEN(test_ready__ended_before__says_what_was_missing, begin, end)
{
	struct stage *s = *state;

	describe(s, "{\"ready_line\": \"^up\"}", 0);
	start(s, "echo down");
	assert_int_equal(look(s), -ETIME);
	assert_string_equal(s->err.msg, "the command on host a ended before it was ready: no line of its output "
					"matched --ready-line");
}

TEST_BETWEEN(test_ready__probe__is_tried_until_it_succeeds, begin, end)
{
	struct stage *s = *state;
	char template[] = "/tmp/verbatim-test.XXXXXX";
	auto_free char *json = NULL;

	assert_non_null(mkdtemp(template));
	json = xasprintf("{\"ready\": \"mkdir %s/first 2>&1 && exit 1; rmdir %s/first\"}", template, template);
	describe(s, json, 0);
	start(s, "exec sleep 1000");
	assert_int_equal(look(s), 1);
	assert_int_equal(s->command.ready.probe_status, 0);
	/* Its first try failed: the folder was there in the second. */
	assert_int_equal(rmdir(template), 0);
}

TEST_BETWEEN(test_ready__too_late__says_so, begin, end)
{
	struct stage *s = *state;

	describe(s, "{\"ready\": \"exit 1\"}", 0);
	start(s, "exec sleep 1000");
	s->command.ready.deadline_ns = 0;
	assert_int_equal(look(s), -ETIME);
	assert_non_null(strstr(s->err.msg, "was not ready within 15 s: its --ready command did not succeed"));
}

/* Without a condition, a command that has ended counts as ready. */
TEST_BETWEEN(test_ready__nobody_said__an_end_is_enough, begin, end)
{
	struct stage *s = *state;

	start(s, "exit 0");
	act_until_its_end(s);
	assert_int_equal(ready_look(&s->exec, &s->command, &s->err), 1);
}
