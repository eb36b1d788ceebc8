/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "lane/kernel-words.h"
#include "lane/lane.h"
#include "lib/base/fail.h"

/*
 * Places whose hosts are user-mode kernels, each with a station, and a wire between them. The
 * runner is a child process here, as in lane native. Each kernel is a place of lane uml, and the runner one of lane native.
 */

/* Frames that wait in one direction of the wire; the machine's limit may be lower. */
#define WIRE_ROOM (1 << 20)

/* The parts that the places of a run share. */
struct lane_kernels_common {
	struct lanes *host[KERNELS_HOSTS];	/* owned */
	struct guest_host guest[KERNELS_HOSTS];	/* the wire is that of the place which begins */
	struct lanes *runner;	/* owned */
	int stations[KERNELS_HOSTS];	/* borrowed; those of the place which begins */
};

struct kernels {
	struct lane *host[KERNELS_HOSTS];	/* owned */
	struct lane *runner;	/* owned; NULL until all hosts are ready */
	/*
	 * Owned; -1: none. Both ends stay open here, because a kernel whose frames nobody takes waits, and one
	 * whose frames are refused (7.3) tries without end, and answers nothing meanwhile.
	 */
	int wire[KERNELS_HOSTS];
};

static const char host_letter[KERNELS_HOSTS][2] = {"a", "b"};

static struct lane_options options_of(const struct lane_options *all, size_t host)
{
	struct lane_options o = *all;

	o.kernels = NULL;
	o.kernel = all->kernels[host];
	/* Each kernel would have a clock of its own. */
	o.virtual_time = false;
	return o;
}

static int kernels_check(const struct lane_options *opts, struct vbm_error *err)
{
	struct lane_options o;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < KERNELS_HOSTS; i++) {
		o = options_of(opts, i);
		ret = lane_uml.check(&o, err);
		if (ret < 0)
			vbm_wrap(err, "host %s", host_letter[i]);
	}
	return ret;
}

static int kernels_capacity(const struct lane_options *opts)
{
	int least = INT32_MAX, each;
	struct lane_options o;
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++) {
		o = options_of(opts, i);
		each = lane_uml.capacity(&o) / KERNELS_HOSTS;
		least = each < least ? each : least;
	}
	return least < 1 ? 1 : least;
}

static int kernels_prepare(struct lanes *lanes, struct vbm_error *err)
{
	struct lane_kernels_common *c = xcalloc(1, sizeof(*c));
	struct lane_options o;
	size_t i;
	int ret = 0;

	lanes->priv = c;
	for (i = 0; ret == 0 && i < KERNELS_HOSTS; i++) {
		o = options_of(&lanes->opts, i);
		c->guest[i] = (struct guest_host){.number = (int)i, .wire_fd = -1, .device = device_words_of(&o.devices, (int)i).first};
		o.host = &c->guest[i];
		ret = lanes_open(&c->host[i], &lane_uml, &o, err);
	}
	o = lanes->opts;
	o.machines = true;
	o.stations = c->stations;
	return ret < 0 ? ret : lanes_open(&c->runner, &lane_native, &o, err);
}

static void kernels_release(struct lanes *lanes)
{
	struct lane_kernels_common *c = lanes->priv;
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++)
		lanes_close(c->host[i]);
	lanes_close(c->runner);
	free(c);
}

static int make_wire(int end[KERNELS_HOSTS], struct vbm_error *err)
{
	const int room = WIRE_ROOM;
	size_t i;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, end) < 0)
		return vbm_fail(err, errno, "cannot make the wire between the kernels: %m");
	for (i = 0; i < KERNELS_HOSTS; i++)
		if (setsockopt(end[i], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
			setsockopt(end[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	return 0;
}

static int begin_hosts(struct lane *lane, const int wire[KERNELS_HOSTS], struct vbm_error *err)
{
	struct lane_kernels_common *c = lane->lanes->priv;
	struct kernels *k = lane->priv;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < KERNELS_HOSTS; i++) {
		c->guest[i].wire_fd = wire[i];
		ret = lane_begin(&k->host[i], c->host[i], err);
		c->guest[i].wire_fd = -1;
		if (ret == 0 && k->host[i]->factor > lane->factor)
			lane->factor = k->host[i]->factor;
	}
	return ret;
}

static int64_t next_deadline(const struct kernels *k)
{
	int64_t next = INT64_MAX;
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++)
		if (!k->host[i]->ready && k->host[i]->deadline_ns < next)
			next = k->host[i]->deadline_ns;
	return next;
}

static int kernels_begin(struct lane *lane, struct vbm_error *err)
{
	struct kernels *k = xcalloc(1, sizeof(*k));
	int ret;

	k->wire[0] = k->wire[1] = -1;
	lane->priv = k;
	ret = make_wire(k->wire, err);
	if (ret == 0)
		ret = begin_hosts(lane, k->wire, err);
	if (ret < 0)
		return ret;
	lane->deadline_ns = next_deadline(k);
	/* Reports have one text for all kernels. */
	snprintf(lane->kernel, sizeof(lane->kernel), "a=%.28s,b=%.28s", k->host[0]->kernel, k->host[1]->kernel);
	strcpy(lane->accelerator, "none");
	return 0;
}

static int start_runner(struct lane *lane, struct vbm_error *err)
{
	struct lane_kernels_common *c = lane->lanes->priv;
	struct kernels *k = lane->priv;
	size_t i;
	int ret;

	for (i = 0; i < KERNELS_HOSTS; i++)
		c->stations[i] = k->host[i]->event_fd;
	ret = lane_begin(&k->runner, c->runner, err);
	if (ret < 0)
		return ret;
	lane->event_fd = lane->job_fd = k->runner->event_fd;
	k->runner->event_fd = k->runner->job_fd = -1;
	return 1;
}

static int kernels_advance(struct lane *lane, struct vbm_error *err)
{
	struct kernels *k = lane->priv;
	bool all = true;
	size_t i;
	int ret;

	for (i = 0; i < KERNELS_HOSTS; i++) {
		ret = lane_advance(k->host[i], err);
		if (ret < 0)
			return vbm_wrap(err, "the kernel of host %s", host_letter[i]);
		all &= ret > 0;
	}
	lane->deadline_ns = next_deadline(k);
	return all ? start_runner(lane, err) : 0;
}

static size_t kernels_wants(const struct lane *lane, struct pollfd *p)
{
	const struct kernels *k = lane->priv;
	size_t i, n = 0;

	for (i = 0; i < KERNELS_HOSTS; i++)
		n += lane_wants(k->host[i], p + n);
	return n;
}

/* The relay of a kernel that has ended has closed the line. */
static bool is_gone(const struct lane *host)
{
	struct pollfd p = {.fd = host->event_fd, .events = 0};

	return poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

static char *kernels_end_cause(struct lane *lane)
{
	struct kernels *k = lane->priv;
	struct text all = {0};
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++) {
		auto_free char *cause = NULL;

		if (!is_gone(k->host[i]))
			continue;
		cause = lane_uml.end_cause(k->host[i]);
		text_addf(&all, "%sthe kernel of host %s is gone%s%s", all.len ? "\n" : "", host_letter[i], cause ? ": " : "",
			  cause ? cause : "");
	}
	if (all.len)
		return all.s;
	return k->runner ? lane_native.end_cause(k->runner) : NULL;
}

static char *texts(const struct kernels *k, bool gone, char *(*text)(struct lane *host))
{
	struct text all = {0};
	size_t i;

	for (i = 0; i < KERNELS_HOSTS; i++) {
		auto_free char *one = is_gone(k->host[i]) == gone ? text(k->host[i]) : NULL;

		text_add(&all, one ? one : "");
	}
	return all.s ? all.s : xstrdup("");
}

/* If a kernel has ended, its console alone says why. */
static char *kernels_console(struct lane *lane)
{
	char *text = texts(lane->priv, true, lane_console);

	if (*text)
		return text;
	free(text);
	return texts(lane->priv, false, lane_console);
}

static char *kernels_console_later(struct lane *lane)
{
	auto_free char *living = texts(lane->priv, false, lane_console_later);
	auto_free char *gone = texts(lane->priv, true, lane_console_later);

	return xasprintf("%s%s", living, gone);
}

static void kernels_stop(struct lane *lane)
{
	struct kernels *k = lane->priv;
	size_t i;

	if (!k)
		return;
	lane_stop(k->runner);
	for (i = 0; i < KERNELS_HOSTS; i++) {
		lane_stop(k->host[i]);
		if (k->wire[i] >= 0)
			close(k->wire[i]);
	}
	free(k);
	lane->priv = NULL;
}

const struct lane_ops lane_kernels = {
	.name = "uml",
	.doc = "a kernel that is a program for each host",
	.jumps = true,
	.boots = 1 << KERNEL_UML,
	.check = kernels_check,
	.capacity = kernels_capacity,
	.prepare = kernels_prepare,
	.release = kernels_release,
	.begin = kernels_begin,
	.advance = kernels_advance,
	.wants = kernels_wants,
	.end_cause = kernels_end_cause,
	.console = kernels_console,
	.console_later = kernels_console_later,
	.stop = kernels_stop,
};
