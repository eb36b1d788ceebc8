/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: session/exec-input.c */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "worker/worker.h"
#include "lib/base/fail.h"
#include "session/exec-report.h"
#include "../help/child-lane.h"
#include "../help/folder.h"

#define PIECE 32768

/* @saved is the real standard input; each test replaces it. */
struct input {
	struct exec_input in;
	struct vbm_error err;
	int saved;
};

static int begin(void **state)
{
	static struct input i;

	i = (struct input){.saved = dup(STDIN_FILENO)};
	*state = &i;
	return i.saved < 0;
}

static int end(void **state)
{
	const struct input *i = *state;

	dup2(i->saved, STDIN_FILENO);
	close(i->saved);
	return 0;
}

UNIT(.each = {begin, end});

/* Make @fd the standard input. */
static void be_input(int fd)
{
	assert_true(fd >= 0);
	dup2(fd, STDIN_FILENO);
	close(fd);
}

/* Make a pipe the standard input. Returns its writing end. */
static int be_pipe(void)
{
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	be_input(p[0]);
	return p[1];
}

static bool is_asked_for(const struct input *i)
{
	struct pollfd p = exec_input_wants(&i->in);

	assert_true(p.fd < 0 || (p.fd == STDIN_FILENO && p.events == POLLIN));
	return p.fd >= 0;
}

static void must_be_refused(const struct input *i, int rc)
{
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(i->err.msg, "--stdin HOST"));
}

TEST(test_input__file_for_nobody__is_refused)
{
	struct input *i = *state;
	auto_free char *path = NULL;
	struct folder f;

	folder_make(&f);
	folder_put(&f, "empty", "");
	folder_put(&f, "text", "text");
	path = folder_path(&f, "empty");
	be_input(open(path, O_RDONLY | O_CLOEXEC));
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_false(is_asked_for(i));
	free(path);
	path = folder_path(&f, "text");
	be_input(open(path, O_RDONLY | O_CLOEXEC));
	must_be_refused(i, exec_input_begin(&i->in, false, &i->err));
	/* Bytes that the caller has read already are skipped. */
	lseek(STDIN_FILENO, 4, SEEK_SET);
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_int_equal(exec_input_begin(&i->in, true, &i->err), 0);
	assert_true(is_asked_for(i));
	folder_remove(&f);
}

TEST(test_input__null__is_no_input)
{
	struct input *i = *state;

	be_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_false(is_asked_for(i));
}

TEST(test_input__closed__is_no_input)
{
	struct input *i = *state;

	close(STDIN_FILENO);
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_false(is_asked_for(i));
}

/* A pipe may get bytes later; its end is not input. */
TEST(test_input__pipe_for_nobody__is_watched)
{
	struct input *i = *state;
	int fd = be_pipe();

	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_true(is_asked_for(i));
	assert_int_equal(write(fd, "x", 1), 1);
	must_be_refused(i, exec_input_act(&i->in, NULL, &i->err));
	close(fd);
	must_be_refused(i, exec_input_begin(&i->in, false, &i->err));

	close(be_pipe());
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_true(is_asked_for(i));
	assert_int_equal(exec_input_act(&i->in, NULL, &i->err), 0);
	assert_false(is_asked_for(i));
}

TEST(test_input__socket_for_nobody__is_watched)
{
	struct input *i = *state;
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	be_input(sv[0]);
	assert_int_equal(exec_input_begin(&i->in, false, &i->err), 0);
	assert_true(is_asked_for(i));
	assert_int_equal(write(sv[1], "x", 1), 1);
	must_be_refused(i, exec_input_begin(&i->in, false, &i->err));
	close(sv[1]);
}

/* A runner that writes the lines it gets to its console, up to the end of the input. */
static void take_down(struct child_place *p)
{
	const char *line;
	size_t len;

	while (line_read(&p->in, &line, &len, -1) == 1) {
		if (write(p->console, line, len) < 0 || write(p->console, "\n", 1) < 0)
			_exit(1);
		if (strstr(line, "input_end"))
			break;
	}
	emit_end(&p->emit, false);
}

/* The lines of a worker, whose runner has written @taken lines. */
static char *lines_of(struct worker *w)
{
	struct worker_wait on = {.workers = &w, .count = 1};
	enum worker_news news;
	struct worker *who;

	worker_wait_begin(&on);
	do {
		auto_value struct value *event = NULL;
		auto_free char *why = NULL;

		news = worker_wait(&on, &who, &event, &why);
	} while (news != WORKER_NONE);
	worker_wait_end(&on);
	return lane_console(worker_lane(w));
}

static void open_worker(struct worker **w)
{
	struct lanes *lanes = NULL;

	signal(SIGPIPE, SIG_IGN);
	child_lane_live((const child_life[]){take_down});
	assert_int_equal(lanes_open(&lanes, &child_lane, &(struct lane_options){0}, NULL), 0);
	assert_int_equal(worker_open(w, lanes, NULL), 0);
	lanes_close(lanes);
}

TEST(test_input__for_a_command__goes_piece_by_piece)
{
	struct input *i = *state;
	auto_free char *large = xcalloc(PIECE + 1, 1), *first = NULL, *wanted = NULL, *got = NULL;
	struct worker *w;
	int fd = be_pipe();

	memset(large, 'x', PIECE + 1);
	first = base64_encode(large, PIECE);
	open_worker(&w);
	assert_int_equal(exec_input_begin(&i->in, true, &i->err), 0);
	assert_int_equal(write(fd, large, PIECE + 1), PIECE + 1);
	assert_true(is_asked_for(i));
	assert_int_equal(exec_input_act(&i->in, w, &i->err), 0);
	/* The next piece is read when this one has been taken. */
	assert_true(i->in.under_way);
	assert_false(is_asked_for(i));
	i->in.under_way = false;
	assert_true(is_asked_for(i));
	assert_int_equal(exec_input_act(&i->in, w, &i->err), 0);
	i->in.under_way = false;
	close(fd);
	assert_int_equal(exec_input_act(&i->in, w, &i->err), 0);
	assert_false(is_asked_for(i));
	got = lines_of(w);
	wanted = xasprintf("{\"input\":\"%s\"}\n{\"input\":\"eA==\"}\n{\"input_end\":true}\n", first);
	assert_string_equal(got, wanted);
	worker_close(w);
}

TEST(test_input__not_yet__is_no_end)
{
	struct input *i = *state;
	int fd = be_pipe();

	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	assert_int_equal(exec_input_begin(&i->in, true, &i->err), 0);
	assert_int_equal(exec_input_act(&i->in, NULL, &i->err), 0);
	assert_true(is_asked_for(i));
	close(fd);
}

TEST(test_input__unreadable__is_an_error)
{
	struct input *i = *state;

	be_input(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	assert_int_equal(exec_input_begin(&i->in, true, &i->err), 0);
	assert_int_equal(exec_input_act(&i->in, NULL, &i->err), -EISDIR);
	assert_non_null(strstr(i->err.msg, "cannot read standard input"));
}
