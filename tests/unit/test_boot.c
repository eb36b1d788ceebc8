/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lane/boot.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "guest/machine.h"
#include "lane/boot.h"
#include "lib/base/fail.h"
#include "../help/descriptors.h"
#include "../help/folder.h"

/* The machine of these tests is a shell that executes a line of the test. */
struct world {
	struct folder home;
	char *artifacts;	/* owned */
	struct lanes lanes;
	struct lane lane;
	struct boot boot;
	struct machine machine;
	struct vbm_error err;
	int descriptors;	/* open before the test */
};

static const char *script;
static int room;	/* for what the machine has to say */

static int begin(void **state)
{
	static struct world w;

	setenv("VERBATIM_CONFINE", "none", 1);	/* confinement is not tested here */
	w = (struct world){
		.lane = {.lanes = &w.lanes, .deadline_ns = INT64_MAX, .event_fd = -1, .job_fd = -1,
			 .terminal_fd = -1, .flood = FLOOD_NONE, .factor = 3, .accelerator = "none"},
		.boot = BOOT_NONE,
		.machine = {.program = "/bin/sh", .memory_mb = 512},
	};
	w.lane.priv = &w.boot;
	w.boot.called = "the shell";
	w.descriptors = open_descriptors();
	folder_make(&w.home);
	w.artifacts = folder_path(&w.home, "out");
	folder_put(&w.home, "out/report", "");
	*state = &w;
	return 0;
}

/* After every test, nothing may be left. */
static int end(void **state)
{
	struct world *w = *state;

	boot_drop(&w->lane, &w->boot);
	assert_int_equal(w->boot.process.pid, 0);
	assert_int_equal(w->boot.relay, 0);
	assert_null(w->boot.kept);
	folder_remove(&w->home);
	free(w->artifacts);
	assert_int_equal(open_descriptors(), w->descriptors);
	return 0;
}

/* A shell knows only one-digit descriptor numbers, and the caller may have some of them open. */
static int free_descriptors(void **state)
{
	(void)state;
	return close_range(3, ~0U, 0);
}

UNIT(.all = {free_descriptors}, .each = {begin, end});

/* The arguments of the script have the machine's descriptors and the kept folder. */
static void shell_args(struct args *a, const struct machine *m)
{
	socklen_t len = sizeof(room);

	assert_true(m->console_fd < 10 && m->events_fd < 10);
	assert_int_equal(getsockopt(m->events_fd, SOL_SOCKET, SO_SNDBUF, &room, &len), 0);
	args_add(a, "/bin/sh");
	args_add(a, "-c");
	args_add(a, "console=%d events=%d terminal=%d\nkept=%s\n%s", m->console_fd, m->events_fd,
		 m->terminal_fd, m->kept ? m->kept : "", script);
}

static int start_with(struct world *w, const char *text, bool window)
{
	const struct boot_common common = {.initrd_fd = -1};

	script = text;
	return boot_start(&w->lane, &w->boot, &common, &w->machine,
			  &(struct boot_how){.args = shell_args, .window = window}, &w->err);
}

static void start(struct world *w, const char *text)
{
	if (start_with(w, text, false) < 0)
		fail_msg("%s", w->err.msg);
}

/* Look again at each event, until there is an answer. */
static int look(struct world *w)
{
	struct pollfd p[LANE_WANTS_MAX];
	int ret;

	while ((ret = boot_look(&w->lane, &w->boot, false, &w->err)) == 0)
		assert_true(poll(p, boot_wants(&w->lane, p), -1) > 0);
	return ret;
}

static void must_speak(struct world *w)
{
	if (look(w) != 1)
		fail_msg("%s", w->err.msg);
}

static void must_have(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text ? text : "(null)");
}

static void await_death(struct world *w)
{
	struct pollfd p = {.fd = w->boot.process.pid_fd, .events = POLLIN};

	assert_int_equal(poll(&p, 1, -1), 1);
}

#define WHEN_TOLD "read line <&$events; "
#define SPEAK "echo '{}' >&$events; "
#define STAY "kill -STOP $$"

TEST(test_boot__runner_speaks__it_is_there)
{
	struct world *w = *state;
	char line[16];

	start(w, WHEN_TOLD SPEAK STAY);
	assert_int_equal(boot_look(&w->lane, &w->boot, false, &w->err), 0);
	assert_int_equal(write(w->lane.job_fd, "go\n", 3), 3);
	must_speak(w);
	/* The word stays in the stream for its reader. */
	assert_int_equal(read(w->lane.event_fd, line, sizeof(line)), 3);
	assert_memory_equal(line, "{}\n", 3);
}

/* A word that came before the end counts, even if the look comes after both. */
TEST(test_boot__spoke_and_ended__it_was_there)
{
	struct world *w = *state;

	start(w, SPEAK);
	await_death(w);
	assert_int_equal(boot_look(&w->lane, &w->boot, false, &w->err), 1);
}

TEST(test_boot__ended_without_a_word__says_how)
{
	struct world *w = *state;

	start(w, "echo 'no such option' >&2; echo 'Booting' >&$console; exit 3");
	assert_int_equal(look(w), -EIO);
	must_have(w->err.msg, "the guest did not start (none): ");
	must_have(w->err.msg, "the shell");
	must_have(w->err.msg, "no such option");
	must_have(w->err.msg, "Booting");
}

TEST(test_boot__deadline__is_an_end)
{
	struct world *w = *state;

	start(w, STAY);
	w->lane.deadline_ns = 0;
	assert_int_equal(boot_look(&w->lane, &w->boot, false, &w->err), -ETIMEDOUT);
	must_have(w->err.msg, "the guest did not start");
}

/* The word comes first, so a late look still finds the runner. */
TEST(test_boot__late_look__finds_the_runner)
{
	struct world *w = *state;
	struct pollfd p = {.events = POLLIN};

	start(w, SPEAK STAY);
	p.fd = w->lane.event_fd;
	assert_int_equal(poll(&p, 1, -1), 1);
	w->lane.deadline_ns = 0;
	assert_int_equal(boot_look(&w->lane, &w->boot, true, &w->err), 1);
}

TEST(test_boot__given_up__is_an_end)
{
	struct world *w = *state;

	start(w, "echo 'Kernel panic - not syncing: no root' >&$console; echo >&2; " STAY);
	/* The line has arrived on the console. */
	assert_int_equal(poll(&(struct pollfd){.fd = w->boot.process.errors_fd, .events = POLLIN}, 1, -1), 1);
	/* The kind of machine decides, and not only the clock. */
	w->lane.deadline_ns = 0;
	assert_int_equal(boot_look(&w->lane, &w->boot, true, &w->err), -EIO);
	must_have(w->err.msg, "Kernel panic - not syncing: no root");
}

/* The end of a stream stays readable, and must be reported only once. */
TEST(test_boot__mute__is_not_asked_again)
{
	struct world *w = *state;
	struct pollfd p[LANE_WANTS_MAX];

	start(w, "exec 2>&-; eval \"exec $events>&-\"; " STAY);
	while (!w->boot.mute || w->boot.process.errors_fd >= 0) {
		assert_int_equal(boot_wants(&w->lane, p), 3);
		assert_true(poll(p, 3, -1) > 0);
		assert_int_equal(boot_look(&w->lane, &w->boot, false, &w->err), 0);
	}
	boot_wants(&w->lane, p);
	assert_int_equal(p[0].fd, -1);
	assert_int_equal(p[1].fd, w->boot.process.pid_fd);
	assert_int_equal(poll(p, 3, 0), 0);
}

TEST(test_boot__end_cause__after_the_end)
{
	struct world *w = *state;
	auto_free char *text = NULL;

	start(w, SPEAK "kill -SEGV $$");
	must_speak(w);
	text = boot_end_cause(&w->lane);
	assert_true(w->boot.process.ended);
	must_have(text, "the shell");
}

TEST(test_boot__proper_end__has_no_cause)
{
	struct world *w = *state;

	start(w, SPEAK "echo '" GUEST_SAYS_ENDED "0' >&$console");
	assert_null(boot_end_cause(&w->lane));
}

TEST(test_boot__console__is_kept_in_memory)
{
	struct world *w = *state;
	auto_free char *text = NULL;

	start(w, "echo one >&$console; echo two >&$console");
	await_death(w);
	text = boot_console(&w->lane);
	assert_string_equal(text, "one\ntwo\n");
	assert_true(w->lane.flood.watch_fd >= 0);
	assert_int_equal(poll(&(struct pollfd){.fd = w->lane.flood.watch_fd, .events = POLLIN}, 1, 0), 1);
}

/* Each machine of a run has a new file, and does not use that of another machine. */
TEST(test_boot__console__is_a_new_file_of_the_artifacts)
{
	struct world *w = *state;
	auto_free char *old = NULL, *text = NULL;

	folder_put(&w->home, "out/console-1.log", "of another machine");
	w->lanes.opts.artifacts = w->artifacts;
	start(w, "echo hello >&$console");
	await_death(w);
	old = folder_text(&w->home, "out/console-1.log");
	text = folder_text(&w->home, "out/console-2.log");
	assert_string_equal(old, "of another machine");
	assert_string_equal(text, "hello\n");
	assert_null(w->boot.kept);
	assert_null(w->lane.kept);
}

TEST(test_boot__no_artifacts_folder__is_an_error)
{
	struct world *w = *state;

	w->lanes.opts.artifacts = "/proc/self/none";
	assert_int_equal(start_with(w, SPEAK, false), -ENOENT);
	must_have(w->err.msg, "cannot write /proc/self/none/console-1.log");
	assert_int_equal(w->boot.process.pid, 0);
}

TEST(test_boot__options__reach_the_machine)
{
	struct world *w = *state;
	static const char *const environment[] = {"A=1", NULL}, *const see[] = {"/usr", NULL};
	struct shared_folder share = {.path = w->artifacts};

	w->lanes.opts = (struct lane_options){
		.files_seen = GUEST_FILES_PROGRAMS, .share = &share, .shares = 1, .see = see,
		.memory_mb = 300, .cpus = 2, .environment = environment,
	};
	start(w, STAY);
	assert_int_equal(w->machine.files_seen, GUEST_FILES_PROGRAMS);
	assert_ptr_equal(w->machine.share, &share);
	assert_int_equal(w->machine.shares, 1);
	assert_ptr_equal(w->machine.see, see);
	assert_int_equal(w->machine.memory_mb, 300);
	assert_int_equal(w->machine.cpus, 2);
	assert_ptr_equal(w->machine.environment, environment);
	assert_int_equal(w->machine.factor, 3);
	assert_int_equal(w->machine.terminal_fd, -1);
	assert_int_equal(w->machine.events_taken_fd, -1);
}

/* Without the option, the kind of machine decides. */
TEST(test_boot__no_memory_option__leaves_the_machine_its_own)
{
	struct world *w = *state;

	start(w, STAY);
	assert_int_equal(w->machine.memory_mb, 512);
}

TEST(test_boot__terminal__goes_both_ways)
{
	struct world *w = *state;
	char text[8] = "";

	w->lanes.opts.terminal = true;
	start(w, "read line <&$terminal; echo $line >&$terminal; " STAY);
	assert_true(w->machine.terminal_fd < 10);
	assert_int_equal(write(w->lane.terminal_fd, "hi\n", 3), 3);
	assert_int_equal(read(w->lane.terminal_fd, text, sizeof(text) - 1), 3);
	assert_string_equal(text, "hi\n");
}

/* Only the machine has these ends open, so its death ends the stream. */
TEST(test_boot__death__ends_the_stream)
{
	struct world *w = *state;
	char byte;

	w->lanes.opts.terminal = true;
	start(w, "exit 0");
	assert_int_equal(read(w->lane.event_fd, &byte, 1), 0);
	assert_int_equal(read(w->lane.terminal_fd, &byte, 1), 0);
}

TEST(test_boot__window__a_relay_is_between)
{
	struct world *w = *state;
	pid_t relay;

	w->lanes.opts.terminal = true;
	assert_int_equal(start_with(w, SPEAK STAY, true), 0);
	relay = w->boot.relay;
	assert_true(relay > 0);
	assert_true(w->machine.events_taken_fd >= 0);
	assert_true(w->machine.terminal_taken_fd >= 0);
	must_speak(w);
	boot_drop(&w->lane, &w->boot);
	assert_int_equal(kill(relay, 0), -1);
	assert_int_equal(errno, ESRCH);
}

TEST(test_boot__virtual_time__has_room_for_events)
{
	struct world *w = *state;
	int plain;

	assert_int_equal(start_with(w, SPEAK STAY, true), 0);
	plain = room;
	boot_drop(&w->lane, &w->boot);
	w->lane.virtual_time = true;
	assert_int_equal(start_with(w, SPEAK STAY, true), 0);
	assert_true(room > plain);
}

TEST(test_boot__drop__another_may_follow)
{
	struct world *w = *state;
	pid_t first;

	start(w, "eval \"exec $events>&-\"; " STAY);
	while (!w->boot.mute)
		assert_int_equal(boot_look(&w->lane, &w->boot, false, &w->err), 0);
	first = w->boot.process.pid;
	boot_drop(&w->lane, &w->boot);
	assert_int_equal(kill(first, 0), -1);
	assert_int_equal(w->lane.event_fd, -1);
	assert_int_equal(w->lane.job_fd, -1);
	assert_int_equal(w->boot.console_fd, -1);
	start(w, SPEAK STAY);
	must_speak(w);
}

/* The lane's owner closes its descriptors. */
TEST(test_boot__end__leaves_the_lane_its_descriptors)
{
	struct world *w = *state;
	char byte;

	start(w, SPEAK STAY);
	must_speak(w);
	boot_end(&w->lane, &w->boot);
	assert_int_equal(w->boot.process.pid, 0);
	assert_int_equal(w->boot.console_fd, -1);
	assert_int_equal(read(w->lane.event_fd, &byte, 1), 1);
	assert_true(fcntl(w->lane.job_fd, F_GETFD) >= 0);
}

static void take_nothing(const char *line, void *arg)
{
	(void)line;
	(void)arg;
	fail_msg("%s", line);
}

TEST(test_boot__kept__comes_to_the_artifacts_at_the_end)
{
	struct world *w = *state;
	auto_free char *text = NULL, *kept = NULL, *end_cause = NULL;

	w->lanes.opts.artifacts = w->artifacts;
	w->lanes.opts.files_seen = GUEST_FILES_ALL;
	start(w, "mkdir $kept/a; " SPEAK WHEN_TOLD "echo core > $kept/a/x.core; exit 4");
	assert_string_equal(w->lane.kept, GUEST_KEPT);
	must_speak(w);
	kept = xstrdup(w->boot.kept);
	assert_int_equal(write(w->lane.job_fd, "go\n", 3), 3);
	/* Wait for the last lines of the machine. */
	boot_take(&w->lane, take_nothing, NULL);
	text = folder_text(&w->home, "out/a/x.core");
	assert_string_equal(text, "core\n");
	assert_int_equal(access(kept, F_OK), -1);
	assert_null(w->boot.kept);
	end_cause = boot_end_cause(&w->lane);
	must_have(end_cause, "status 4");
	/* A second call does nothing. */
	boot_take(&w->lane, take_nothing, NULL);
}

TEST(test_boot__kept__a_machine_that_hangs_is_ended)
{
	struct world *w = *state;
	auto_free char *text = NULL;

	w->lanes.opts.artifacts = w->artifacts;
	w->lanes.opts.files_seen = GUEST_FILES_ALL;
	start(w, "mkdir $kept/a; echo x > $kept/a/x; " SPEAK STAY);
	must_speak(w);
	boot_end(&w->lane, &w->boot);
	text = folder_text(&w->home, "out/a/x");
	assert_string_equal(text, "x\n");
}

/* The path would be several words of the kernel's command line. */
TEST(test_boot__kept__needs_a_path_without_blanks)
{
	struct world *w = *state;
	auto_free char *path = folder_path(&w->home, "a b");

	folder_put(&w->home, "a b/report", "");
	w->lanes.opts.artifacts = path;
	w->lanes.opts.files_seen = GUEST_FILES_ALL;
	start(w, STAY);
	assert_null(w->boot.kept);
	assert_null(w->lane.kept);
}

TEST(test_boot__kept__is_for_those_that_see_all)
{
	struct world *w = *state;

	w->lanes.opts.artifacts = w->artifacts;
	w->lanes.opts.files_seen = GUEST_FILES_PROGRAMS;
	start(w, STAY);
	assert_null(w->boot.kept);
}

TEST(test_boot__prepare__refuses_a_path_with_blanks)
{
	static const char *const bad[] = {"/a b", "/a\tb", "/a\nb", "/a\"b"};
	struct world *w = *state;
	size_t i;

	setenv("XDG_CACHE_HOME", w->home.path, 1);
	folder_put(&w->home, "verbatim/kernels/7.0/meta", "");
	folder_put(&w->home, "verbatim/kernels/7.0/vmlinuz", "");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		auto_free char *path = xstrdup(bad[i]);
		struct shared_folder share[] = {{.path = w->artifacts}, {.path = path}};
		struct lane_options opts = {.kernel = "7.0", .share = share, .shares = 2};
		struct boot_common c = {0};

		assert_int_equal(boot_prepare(&c, &opts, KERNEL_GUEST, &w->err), -EINVAL);
		must_have(w->err.msg, bad[i]);
		assert_int_equal(c.initrd_fd, -1);
		boot_release(&c);
	}
}

TEST(test_boot__prepare__without_a_kernel__says_what_to_do)
{
	struct world *w = *state;
	struct lane_options opts = {.kernel = "7.0"};
	struct boot_common c = {0};

	setenv("XDG_CACHE_HOME", w->home.path, 1);
	assert_int_equal(boot_prepare(&c, &opts, KERNEL_GUEST, &w->err), -ENOENT);
	must_have(w->err.msg, "verbatim kernel");
	boot_release(&c);
}
