/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "process/child.h"

#define CHUNK 32768
#define LINE_MAX_BYTES 4096	/* a longer line is logged in pieces */

/* The state of the collector's process. */
struct collector_work {
	const struct collector *c;
	const struct collector_setup *setup;
	struct watch from[COLLECT_COUNT];	/* its descriptor is -1 at the end of the output */
	struct watch control;
	bool told;		/* the owner has told the process to end */
	struct text line[COLLECT_COUNT];	/* unfinished lines */
	size_t logged;
	struct text last;	/* lines for the log, after the first COLLECTOR_LOGGED bytes */
	uint64_t left_out;	/* bytes of the lines that were removed from @last */
};

/*
 * The file has the first bytes, then a ring with the last ones. The ring is larger than
 * COLLECTOR_TAIL, because a write over its oldest bytes may be under way.
 */
#define RING (COLLECTOR_TAIL + CHUNK)

static off_t offset_of(uint64_t byte)
{
	return byte < COLLECTOR_HEAD ? (off_t)byte :
	       (off_t)(COLLECTOR_HEAD + (byte - COLLECTOR_HEAD) % RING);
}

/* The number of @len bytes that are adjacent in the file. */
static size_t piece_of(uint64_t byte, size_t len)
{
	uint64_t end = byte < COLLECTOR_HEAD ? COLLECTOR_HEAD : COLLECTOR_HEAD + RING;
	uint64_t room = end - (uint64_t)offset_of(byte);

	return len < room ? len : (size_t)room;
}

/* Whole lines are removed, so that at least COLLECTOR_LOGGED bytes stay. */
static void hold_line(struct collector_work *w, const struct text *line)
{
	const char *nl;
	size_t n;

	text_add_bytes(&w->last, line->s, line->len);
	if (w->last.len < 2 * COLLECTOR_LOGGED)
		return;
	nl = memchr(w->last.s + w->last.len - COLLECTOR_LOGGED - LINE_MAX_BYTES, '\n',
		    LINE_MAX_BYTES);
	n = nl ? (size_t)(nl - w->last.s) + 1 : w->last.len - COLLECTOR_LOGGED;
	w->left_out += n;
	text_keep_end(&w->last, w->last.len - n);
}

static void log_line(struct collector_work *w, int which)
{
	auto_text struct text text = {0};
	struct text *line = &w->line[which];

	text_addf(&text, "%s: ", w->setup->name);
	text_add_bytes(&text, line->s ? line->s : "", line->len);
	text_add(&text, "\n");
	text_clear(line);
	if (w->setup->log_fd < 0)
		return;
	if (w->logged >= COLLECTOR_LOGGED) {
		hold_line(w, &text);
		return;
	}
	w->logged += text.len;
	file_write(w->setup->log_fd, text.s, text.len);
}

static void log_last(struct collector_work *w)
{
	auto_text struct text text = {0};

	if (!w->last.len)
		return;
	if (w->left_out)
		text_addf(&text, "%s: (%" PRIu64 " bytes are left out here)\n", w->setup->name,
			  w->left_out);
	text_add_bytes(&text, w->last.s, w->last.len);
	file_write(w->setup->log_fd, text.s, text.len);
	text_fini(&w->last);
}

static void log_bytes(struct collector_work *w, int which, const char *data, size_t len)
{
	const char *end = data + len, *nl;
	size_t n;

	for (; data < end; data += n + (nl != NULL)) {
		nl = memchr(data, '\n', (size_t)(end - data));
		n = (size_t)((nl ? nl : end) - data);
		text_add_bytes(&w->line[which], data, n);
		if (nl || w->line[which].len > LINE_MAX_BYTES)
			log_line(w, which);
	}
}

static void store_output(const struct collector_work *w, int which, const char *data, size_t len)
{
	uint64_t *all = &w->c->all[which];
	size_t done, n;

	for (done = 0; done < len; done += n) {
		n = piece_of(*all + done, len - done);
		if (pwrite(w->c->kept[which], data + done, n, offset_of(*all + done)) != (ssize_t)n)
			break;
	}
	__atomic_add_fetch(all, len, __ATOMIC_RELEASE);
	eventfd_write(w->c->news, 1);
}

/* False when there is nothing to read now, or never again. */
static bool read_output(struct collector_work *w, int which)
{
	struct watch *from = &w->from[which];
	char buf[CHUNK];
	ssize_t n = from->fd < 0 ? 0 : read(from->fd, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	/* A terminal returns EIO when no process has its other side open. */
	if (n <= 0) {
		from->fd = -1;
		return false;
	}
	store_output(w, which, buf, (size_t)n);
	log_bytes(w, which, buf, (size_t)n);
	return true;
}

static void on_out(struct watch *from, uint32_t events)
{
	(void)events;
	read_output(OWNER_OF(from, struct collector_work, from[COLLECT_OUT]), COLLECT_OUT);
}

static void on_err(struct watch *from, uint32_t events)
{
	(void)events;
	read_output(OWNER_OF(from, struct collector_work, from[COLLECT_ERR]), COLLECT_ERR);
}

static void on_control(struct watch *control, uint32_t events)
{
	(void)events;
	OWNER_OF(control, struct collector_work, control)->told = true;
}

static void collect_output(struct collector_work *w, int control)
{
	struct loop loop;
	size_t taken;
	int i;

	vbm_loop_init_plain(&loop);
	watch_add(&loop, &w->from[COLLECT_OUT], w->setup->from[COLLECT_OUT], POLLIN, on_out);
	watch_add(&loop, &w->from[COLLECT_ERR], w->setup->from[COLLECT_ERR], POLLIN, on_err);
	watch_add(&loop, &w->control, control, POLLIN, on_control);
	while (!w->told && (w->from[COLLECT_OUT].fd >= 0 || w->from[COLLECT_ERR].fd >= 0))
		vbm_loop_run(&loop, -1);
	/*
	 * A process that still writes may never stop, so this reads only as many bytes as
	 * are kept.
	 */
	for (i = 0; i < COLLECT_COUNT; i++)
		for (taken = 0; taken < COLLECTOR_KEPT && read_output(w, i); taken += CHUNK)
			;
	for (i = 0; i < COLLECT_COUNT; i++)
		if (w->line[i].len)
			log_line(w, i);
	log_last(w);
}

static void __attribute__((noreturn)) run_collector(const struct collector *c, int control,
						    const struct collector_setup *setup)
{
	struct collector_work w = {.c = c, .setup = setup};
	const int keep_open[] = {control, c->news, c->kept[0], c->kept[1], setup->from[0],
				 setup->from[1], setup->log_fd, setup->token_fd};

	if (child_begin(&(struct child_setup){
			/*
			 * The collector outlives its parent, because the last output is
			 * the most interesting.
			 */
			.parent = CHILD_OUTLIVES,
			.name = "verbatim-output",
			.keep = keep_open,
			.keep_count = ARRAY_SIZE(keep_open),
			.ignore = {SIGPIPE, SIGINT},
		}) < 0)
		_exit(1);
	collect_output(&w, control);
	_exit(0);
}

static int prepare_collector(struct collector *c, struct vbm_error *err)
{
	void *all = mmap(NULL, sizeof(*c->all) * COLLECT_COUNT, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i;

	if (all != MAP_FAILED)
		c->all = all;
	c->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (i = 0; i < COLLECT_COUNT; i++)
		c->kept[i] = memfd_create("program-output", MFD_CLOEXEC);
	if (!c->all || c->news < 0 || c->kept[0] < 0 || c->kept[1] < 0)
		return vbm_fail(err, errno, "cannot store the output of a program: %s",
				strerror(errno));
	return 0;
}

int collector_start(struct collector *c, const struct collector_setup *setup,
		    struct vbm_error *err)
{
	auto_close int theirs = -1;
	int control[2], ret;

	*c = (struct collector)COLLECTOR_NONE;
	ret = prepare_collector(c, err);
	if (ret < 0)
		return ret;
	if (pipe2(control, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot make a pipe: %s", strerror(errno));
	theirs = control[0];
	c->control = control[1];
	c->pid = fork();
	if (c->pid == 0)
		run_collector(c, theirs, setup);
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	return vbm_fail(err, errno, "cannot start the process that reads a program's output: %s", strerror(errno));
}

void collector_end(struct collector *c)
{
	if (c->control >= 0)
		close(steal_fd(&c->control));
	while (c->pid > 0 && waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

static uint64_t count_bytes(const struct collector *c, int which)
{
	return c->all ? __atomic_load_n(&c->all[which], __ATOMIC_ACQUIRE) : 0;
}

static void read_part(const struct collector *c, int which, uint64_t from, uint64_t to,
		      struct text *out)
{
	char buf[CHUNK];
	size_t want;
	ssize_t n;

	for (; from < to; from += (uint64_t)n) {
		want = to - from < sizeof(buf) ? (size_t)(to - from) : sizeof(buf);
		n = pread(c->kept[which], buf, piece_of(from, want), offset_of(from));
		if (n <= 0)
			break;
		text_add_bytes(out, buf, (size_t)n);
	}
}

uint64_t collector_read(const struct collector *c, int which, struct text *out)
{
	uint64_t all = count_bytes(c, which), tail, later;
	struct text last auto_text = {0};

	if (all <= COLLECTOR_KEPT) {
		read_part(c, which, 0, all, out);
		return 0;
	}
	read_part(c, which, 0, COLLECTOR_HEAD, out);
	text_add(out, "\n");
	tail = all - COLLECTOR_TAIL;
	read_part(c, which, tail, all, &last);
	/* Bytes that the collector has overwritten meanwhile do not count. */
	later = count_bytes(c, which) - COLLECTOR_TAIL;
	later = later > all ? all : later;
	if (last.len >= later - tail)
		text_add_bytes(out, last.s + (later - tail), last.len - (size_t)(later - tail));
	return later - COLLECTOR_HEAD;
}

void collector_fini(struct collector *c)
{
	int *fds[] = {&c->control, &c->news, &c->kept[0], &c->kept[1]};
	size_t i;

	collector_end(c);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(steal_fd(fds[i]));
	if (c->all)
		munmap(c->all, sizeof(*c->all) * COLLECT_COUNT);
	c->all = NULL;
}
