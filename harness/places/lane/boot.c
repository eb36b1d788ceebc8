/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "guest/console.h"
#include "guest/guest.h"
#include "guest/image.h"
#include "lane/kept.h"
#include "lane/relay.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "process/task.h"

/* How long a machine that has closed its line may take to end. */
#define END_MS 1000

void starved_begin(struct starved *s)
{
	*s = (struct starved){.last = {.at_ns = clock_now_ns()}};
}

int64_t starved_more(struct starved *s, const struct process_times *now)
{
	const struct process_times *last = &s->last;
	int64_t had = now->cpu_ns - last->cpu_ns, counted = now->queued_ns - last->queued_ns;
	int64_t open = s->open_ns + (now->at_ns - last->at_ns) - had - counted;
	int64_t more;

	s->open_ns = now->ready && open > 0 ? open : 0;
	s->last = *now;
	more = now->queued_ns + s->open_ns - s->told_ns;
	if (more <= 0)
		return 0;
	s->told_ns += more;
	return more;
}

/* Their paths are words of the kernel's command line. */
static int check_shares(const struct lane_options *opts, struct vbm_error *err)
{
	size_t i;

	for (i = 0; i < opts->shares; i++)
		if (strpbrk(opts->share[i].path, " \t\n\""))
			return vbm_fail(err, EINVAL, "cannot share %s: its path has a space or quote",
					opts->share[i].path);
	return 0;
}

int boot_prepare(struct boot_common *c, const struct lane_options *opts, enum kernel_kind kind,
		 struct vbm_error *err)
{
	int ret;

	c->initrd_fd = -1;
	ret = kernel_find(&c->kernel, kind, opts->kernel, err);
	if (ret == 0)
		ret = check_shares(opts, err);
	if (ret == 0)
		ret = kernel_check(&c->kernel, err);
	if (ret == 0 && opts->cable_faults && kind == KERNEL_GUEST)
		ret = kernel_check_netem(&c->kernel, err);
	if (ret < 0)
		return ret;
	if (opts->progress)
		opts->progress("preparing the guest's image", opts->arg);
	c->initrd_fd = image_open(&c->kernel, &opts->devices, opts->files_seen, opts->files, err);
	return c->initrd_fd < 0 ? c->initrd_fd : 0;
}

void boot_release(struct boot_common *c)
{
	kernel_fini(&c->kernel);
	if (c->initrd_fd >= 0)
		close(c->initrd_fd);
}

/*
 * Opens the file a second time: inotify(7) tells nothing of writes by the descriptor
 * that memfd_create(2) returned (seen on Linux 6.18).
 */
static int open_memory(struct vbm_error *err)
{
	auto_close int first = memfd_create("verbatim-console", MFD_CLOEXEC);
	auto_free char *path = xasprintf("/proc/self/fd/%d", first);
	int fd = first < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC | O_APPEND);

	return fd >= 0 ? fd : vbm_fail(err, errno, "cannot keep the console: %m");
}

/* A file in the artifacts folder, one for each machine of the run, or one in memory. */
static int open_console(const struct lane_options *opts, struct vbm_error *err)
{
	int fd, i;

	if (!opts->artifacts)
		return open_memory(err);
	for (i = 1;; i++) {
		auto_free char *path = xasprintf("%s/console-%d.log", opts->artifacts, i);

		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0644);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return vbm_fail(err, errno, "cannot write %s: %m", path);
	}
}

static char *read_console(const struct boot *b)
{
	auto_free char *path = xasprintf("/proc/self/fd/%d", b->console_fd);
	char *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 ? text : xstrdup("");
}

char *boot_console(struct lane *lane)
{
	return read_console(lane->priv);
}

static char *end_cause(const struct boot *b)
{
	auto_free char *console = read_console(b);

	return console_end_cause(&(struct guest_end){
		.program = b->called,
		.console = console,
		.errors = b->process.errors ? b->process.errors : "",
		.running = !b->process.ended,
		.status = b->process.status,
	});
}

char *boot_end_cause(struct lane *lane)
{
	struct boot *b = lane->priv;
	struct pollfd p = {.fd = b->process.pid_fd, .events = POLLIN};

	poll(&p, 1, END_MS);
	machine_update(&b->process);
	return end_cause(b);
}

static int make_pair(int *ours, int *theirs, struct vbm_error *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket pair: %m");
	*ours = pair[0];
	*theirs = pair[1];
	return 0;
}

/*
 * In virtual time a guest whose events find no room sees its clock jump from timer to timer in
 * the middle of a scenario. So there is room for the events of all variants that it has.
 */
#define EVENTS_ROOM (8 << 20)

static void widen(const struct lane *lane, int fd)
{
	const int room = EVENTS_ROOM;

	if (!lane->virtual_time)
		return;
	/* An ordinary user gets as much as the machine allows. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
}

/*
 * The machine's ends of the lines. This process closes them, so that the guest's end ends
 * the streams.
 */
struct ends {
	int events, terminal, events_taken, terminal_taken;
};

static void auto_ends_fn(struct ends *e)
{
	const int all[] = {e->events, e->terminal, e->events_taken, e->terminal_taken};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] >= 0)
			close(all[i]);
}
#define auto_ends __attribute__((cleanup(auto_ends_fn)))

/* Puts a relay between the ends; the machine gets new ones. */
static int relay_between(struct boot *b, struct ends *e, struct vbm_error *err)
{
	struct relay_link link[2] = {RELAY_LINK_NONE, RELAY_LINK_NONE};
	size_t i, count = e->terminal >= 0 ? 2 : 1;
	int ret = 0;

	link[0].inner = steal_fd(&e->events);
	link[0].deflates = true;
	link[1].inner = steal_fd(&e->terminal);
	for (i = 0; ret == 0 && i < count; i++) {
		ret = make_pair(&link[i].line, i ? &e->terminal : &e->events, err);
		if (ret == 0)
			ret = make_pair(&link[i].taken, i ? &e->terminal_taken : &e->events_taken,
					err);
	}
	if (ret == 0)
		ret = relay_start(&b->relay, link, count, err);
	relay_close(link, ARRAY_SIZE(link));
	return ret;
}

/*
 * Only commands of exec have files to keep. The path is a word of the kernel's command
 * line.
 */
static int make_kept(struct boot *b, const struct lane_options *opts, struct vbm_error *err)
{
	auto_free char *artifacts = NULL;

	if (opts->files_seen != GUEST_FILES_ALL || !opts->artifacts)
		return 0;
	artifacts = realpath(opts->artifacts, NULL);
	if (!artifacts || strpbrk(artifacts, " \t\n\""))
		return 0;
	return kept_make(artifacts, &b->kept, err);
}

int boot_start(struct lane *lane, struct boot *b, const struct boot_common *c, struct machine *m,
	       const struct boot_how *how, struct vbm_error *err)
{
	const struct lane_options *opts = &lane->lanes->opts;
	auto_ends struct ends e = {-1, -1, -1, -1};
	auto_args struct args a = {0};
	int ret;

	ret = b->console_fd = open_console(opts, err);
	if (ret >= 0)
		ret = make_pair(&lane->event_fd, &e.events, err);
	widen(lane, e.events);
	if (ret == 0 && opts->terminal)
		ret = make_pair(&lane->terminal_fd, &e.terminal, err);
	if (ret == 0 && how->window)
		ret = relay_between(b, &e, err);
	widen(lane, e.events);
	if (ret == 0)
		ret = make_kept(b, opts, err);
	if (ret < 0)
		return ret;
	flood_begin(&lane->flood, b->console_fd);
	lane->job_fd = fcntl(lane->event_fd, F_DUPFD_CLOEXEC, 3);
	m->console_fd = b->console_fd;
	m->events_fd = e.events;
	m->terminal_fd = e.terminal;
	m->events_taken_fd = e.events_taken;
	m->terminal_taken_fd = e.terminal_taken;
	m->initrd_fd = c->initrd_fd;
	m->files_seen = opts->files_seen;
	m->see = opts->see;
	m->share = opts->share;
	m->shares = opts->shares;
	m->kept = b->kept;
	lane->kept = m->kept ? GUEST_KEPT : NULL;
	if (opts->memory_mb)
		m->memory_mb = opts->memory_mb;
	m->cpus = opts->cpus;
	m->environment = opts->environment;
	m->factor = lane->factor;
	how->args(&a, m);
	starved_begin(&b->starved);
	return machine_start(&b->process, m, &a, err);
}

static bool is_late(struct lane *lane, struct boot *b)
{
	struct process_times now;

	if (clock_now_ns() < lane->deadline_ns)
		return false;
	now = process_times(b->process.pid);
	lane->deadline_ns += starved_more(&b->starved, &now);
	return now.at_ns >= lane->deadline_ns;
}

int boot_look(struct lane *lane, struct boot *b, bool given_up, struct vbm_error *err)
{
	bool over = machine_update(&b->process) || given_up;
	bool late = is_late(lane, b);
	auto_free char *text = NULL;
	char byte;
	ssize_t n;

	n = recv(lane->event_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (n == 1)
		return 1;
	b->mute |= n == 0;
	if (!over && !late)
		return 0;
	text = end_cause(b);
	return vbm_fail(err, over ? EIO : ETIMEDOUT, "the guest did not start (%s): %s",
			lane->accelerator, text ? text : "it ended before the runner sent anything");
}

size_t boot_wants(const struct lane *lane, struct pollfd *p)
{
	const struct boot *b = lane->priv;

	/* A stream that has ended would be readable for ever. */
	p[0] = (struct pollfd){.fd = b->mute ? -1 : lane->event_fd, .events = POLLIN};
	p[1] = (struct pollfd){.fd = b->process.pid_fd, .events = POLLIN};
	p[2] = (struct pollfd){.fd = b->process.errors_fd, .events = POLLIN};
	return 3;
}

static void stop_boot(struct boot *b)
{
	machine_stop(&b->process);
	child_end(b->relay);
	b->relay = 0;
}

void boot_take(struct lane *lane, void (*say)(const char *line, void *arg), void *arg)
{
	struct boot *b = lane->priv;
	struct pollfd p = {.fd = b->process.pid_fd, .events = POLLIN};

	if (!b->kept)
		return;
	/* A guest that ends by itself still writes its files. */
	if (b->process.pid > 0 && !b->process.ended)
		poll(&p, 1, END_MS);
	machine_end(&b->process);
	kept_take(b->kept, lane->lanes->opts.artifacts, say, arg);
	free(steal(&b->kept));
}

void boot_drop(struct lane *lane, struct boot *b)
{
	int *fds[] = {&lane->event_fd, &lane->job_fd, &lane->terminal_fd, &b->console_fd};
	size_t i;

	machine_end(&b->process);
	boot_take(lane, NULL, NULL);
	stop_boot(b);
	flood_end(&lane->flood);
	b->mute = false;
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(steal_fd(fds[i]));
}

void boot_end(struct lane *lane, struct boot *b)
{
	machine_end(&b->process);
	boot_take(lane, NULL, NULL);
	stop_boot(b);
	if (b->console_fd >= 0)
		close(steal_fd(&b->console_fd));
}
