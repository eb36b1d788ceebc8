/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine-station/station.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "call/numbering.h"
#include "machine-line/machine-line.h"
#include "machine-station/station-priv.h"

#define CHUNK 65536

static void send_signal(struct station *s, int number, int signal)
{
	if (!station_command_signal(s, number, signal))
		lodger_signal(s, number, signal);
}

static void take_own(struct station *s, const char *text, size_t len)
{
	auto_value struct value *v = json_read(text, len, NULL);

	if (!v)
		s->gone = true;
	else if (value_get(v, "ask"))
		station_answer(s, v);
	else if (value_get(v, "agent"))
		lodger_start(s, v);
	else if (value_get(v, "command"))
		station_command_start(s, v);
	else if (value_get(v, "signal"))
		send_signal(s, (int)value_get_int(v, "signal", 0), (int)value_get_int(v, "number", SIGKILL));
}

/* A line without a number is not from a runner. */
static void take_line(struct station *s, const char *line, size_t len)
{
	char *end;
	long number = strtol(line, &end, 10);

	station_heard(s);
	if (end == line || *end != ' ') {
		s->gone = true;
		return;
	}
	end++;
	if (number == 0)
		take_own(s, end, len - (size_t)(end - line));
	else if (!station_command_write(s, (int)number, end, len - (size_t)(end - line)))
		lodger_write(s, (int)number, end, len - (size_t)(end - line));
}

static void take_input(struct station *s)
{
	static char chunk[CHUNK];
	ssize_t n = read(STDIN_FILENO, chunk, sizeof(chunk));
	const char *line;
	size_t len;
	int ret;

	if (n <= 0) {
		s->gone |= n == 0 || (errno != EINTR && errno != EAGAIN);
		return;
	}
	line_feed(&s->in, chunk, (size_t)n);
	while (!s->gone && (ret = line_next(&s->in, &line, &len)) != 0) {
		if (ret < 0)
			s->gone = true;
		else
			take_line(s, line, len);
	}
}

static void on_input(struct watch *w, uint32_t events)
{
	(void)events;
	take_input(OWNER_OF(w, struct station, input));
}

static void serve_station(struct station *s)
{
	watch_add(&s->loop, &s->input, STDIN_FILENO, POLLIN, on_input);
	while (!s->gone)
		vbm_loop_run(&s->loop, -1);
}

static void end_all(struct station *s)
{
	size_t i;

	for (i = 0; i < LODGERS_MAX; i++)
		if (s->lodgers[i].pid)
			lodger_end(&s->lodgers[i]);
	station_commands_end(s);
	line_buffer_fini(&s->in);
	vbm_timer_disarm(&s->silence);
	vbm_loop_fini(&s->loop);
	for (i = 0; i < ARRAY_SIZE(s->path); i++)
		if (s->path[i] >= 0)
			close(s->path[i]);
	if (s->kmsg_fd >= 0)
		close(s->kmsg_fd);
	fabric_free(s->fabric);
	value_free(s->swept);
	number_board_free(s->board);
}

int station_main(const char *connection)
{
	struct station s = {.path = {-1, -1}, .kmsg_fd = -1, .signals.fd = -1, .connection = connection, .in.max = DISTANT_LINE_MAX,
			   .process_ns = PROCESS_NS_CLOSED};

	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Nothing that a library prints can get among the lines. */
	s.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s.out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 1;
	vbm_loop_init_plain(&s.loop);
	s.board = number_board_new();
	if (file_write(s.out, "\n" DISTANT_MARK "\n", strlen("\n" DISTANT_MARK "\n")) == 0)
		serve_station(&s);
	end_all(&s);
	return 0;
}
