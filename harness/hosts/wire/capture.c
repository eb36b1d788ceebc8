/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/watch.h"
#include "base/xalloc.h"
#include "codec/pcapng.h"
#include "fabric/fabric.h"
#include "lib/base/fail.h"
#include "process/child.h"
#include "wire/tap.h"

void backlog_add(struct backlog *b, uint64_t ns, size_t len)
{
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 256;
		b->entry = xreallocarray(b->entry, b->room, sizeof(*b->entry));
	}
	b->oldest_ns = b->count && b->oldest_ns < ns ? b->oldest_ns : ns;
	b->entry[b->count++] = (struct backlog_entry){ns, b->number++, len, b->bytes.len - len};
}

static int by_time(const void *p, const void *q)
{
	const struct backlog_entry *a = p, *b = q;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The remaining bytes move to the front, so that the buffer does not grow for ever. */
static void keep_rest(struct backlog *b, size_t taken)
{
	struct text rest = {0};
	size_t i;

	for (i = taken; i < b->count; i++) {
		struct backlog_entry *e = &b->entry[i];

		text_add_bytes(&rest, b->bytes.s + e->at, e->len);
		e->at = rest.len - e->len;
	}
	text_fini(&b->bytes);
	b->bytes = rest;
	b->count -= taken;
	memmove(b->entry, b->entry + taken, b->count * sizeof(*b->entry));
	b->oldest_ns = b->count ? b->entry[0].ns : UINT64_MAX;
}

void backlog_take(struct backlog *b, uint64_t ns, struct text *out)
{
	size_t i;

	if (!b->count || b->oldest_ns > ns)
		return;
	qsort(b->entry, b->count, sizeof(*b->entry), by_time);
	for (i = 0; i < b->count && b->entry[i].ns <= ns; i++)
		text_add_bytes(out, b->bytes.s + b->entry[i].at, b->entry[i].len);
	keep_rest(b, i);
}

void backlog_fini(struct backlog *b)
{
	text_fini(&b->bytes);
	free(b->entry);
	*b = (struct backlog){0};
}

/*
 * A packet gets its time before it is in a socket, and on a busy machine with one
 * processor long before. So no packet is written before it is SETTLE_NS old; by then an
 * earlier packet of another host has arrived. When BACKLOG_MAX bytes wait, the older half
 * of them is written at once.
 */
#define SETTLE_NS 250000000
#define BACKLOG_MAX (16 << 20)

#define BATCH 32
#define BATCHES 16			/* from one host before it is the next host's turn */
#define ROOM_MAX (64 << 20)		/* bytes of all hosts together */
#define ROOM_SHARE 8			/* and at most this part of the machine's memory */
#define PRIORITY (-10)			/* packets that are not read in time are lost */
#define FINISH_MS 10000			/* for writing the rest */

/* The result that the process sends at its end. */
struct capture_report {
	int error;	/* errno of writing the file; 0: the file is complete */
	struct tap_counts counts[FABRIC_HOSTS_MAX];
};

struct batch {
	struct mmsghdr msg[BATCH];
	struct iovec iov[BATCH];
	struct sockaddr_ll from[BATCH];
	char control[BATCH][128];
	char data[BATCH][TAP_FRAME_MAX];
};

struct writer {
	int hosts;
	int tap[FABRIC_HOSTS_MAX];	/* owned; or -1 */
	int file, line;			/* owned */
	struct watch ready[FABRIC_HOSTS_MAX], end;	/* for @tap and for @line */
	bool over;			/* the starter says so or has ended */
	off_t size;			/* of the file, which has whole blocks */
	struct backlog backlog;		/* owned */
	struct batch *batch;		/* owned */
	uint64_t begin_ns;
	struct capture_report report;
};

/* Remove a half-written block from the file, because readers could not go on after it. */
static void cut_partial_block(struct writer *w, const struct text *t)
{
	off_t written = lseek(w->file, 0, SEEK_CUR) - w->size;
	size_t whole = pcapng_whole(t->s, written > 0 ? (size_t)written : 0);

	if (ftruncate(w->file, w->size + (off_t)whole) == 0)
		w->size += (off_t)whole;
}

static void write_blocks(struct writer *w, const struct text *t)
{
	int rc;

	if (!t->len || w->report.error)
		return;
	rc = file_write(w->file, t->s, t->len);
	if (rc == 0) {
		w->size += (off_t)t->len;
		return;
	}
	w->report.error = -rc;
	cut_partial_block(w, t);
}

static uint64_t add_packet(struct writer *w, int host, int i)
{
	struct batch *b = w->batch;
	uint32_t len = b->msg[i].msg_len;
	struct pcapng_packet p = {
		.interface = (uint32_t)host,
		.ns = stamp_of(&b->msg[i].msg_hdr).ns,
		.way = b->from[i].sll_pkttype == PACKET_OUTGOING ? PCAPNG_OUT : PCAPNG_IN,
		.data = b->data[i],
		.kept = len < TAP_FRAME_MAX ? len : TAP_FRAME_MAX,
		.len = len,
	};
	size_t before = w->backlog.bytes.len;

	pcapng_packet(&w->backlog.bytes, &p);
	backlog_add(&w->backlog, p.ns, before);
	return p.ns;
}

/* Returns the number of packets; *@last is the time of the last one. */
static int read_batch(struct writer *w, int host, uint64_t *last)
{
	struct batch *b = w->batch;
	int i, n;

	for (i = 0; i < BATCH; i++) {
		b->iov[i] = (struct iovec){b->data[i], TAP_FRAME_MAX};
		b->msg[i].msg_hdr = (struct msghdr){
			.msg_name = &b->from[i], .msg_namelen = sizeof(b->from[i]),
			.msg_iov = &b->iov[i], .msg_iovlen = 1,
			.msg_control = b->control[i], .msg_controllen = sizeof(b->control[i]),
		};
	}
	n = recvmmsg(w->tap[host], b->msg, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	for (i = 0; i < n; i++)
		*last = add_packet(w, host, i);
	return n;
}

static void read_taps(struct writer *w)
{
	uint64_t last;
	int host, k;

	for (host = 0; host < w->hosts; host++)
		for (k = 0; k < BATCHES && read_batch(w, host, &last) == BATCH; k++)
			;
}

/* Read the packets from before @end_ns; later ones may never end. */
static void read_rest(struct writer *w, uint64_t end_ns)
{
	uint64_t last;
	int host;

	for (host = 0; host < w->hosts; host++) {
		last = 0;
		while (read_batch(w, host, &last) == BATCH && last <= end_ns)
			;
	}
}

static void write_until(struct writer *w, uint64_t ns)
{
	auto_text struct text out = {0};

	backlog_take(&w->backlog, ns, &out);
	write_blocks(w, &out);
}

static void write_due(struct writer *w, uint64_t now)
{
	uint64_t oldest = w->backlog.oldest_ns;

	if (!w->backlog.count || oldest > now)
		return;
	if (oldest + 2 * SETTLE_NS <= now)
		write_until(w, now - SETTLE_NS);
	else if (w->backlog.bytes.len > BACKLOG_MAX)
		write_until(w, oldest + (now - oldest) / 2);
}

static void write_head(struct writer *w, const struct fabric *fabric)
{
	auto_text struct text out = {0};
	int i;

	pcapng_section(&out, PACKAGE_STRING);
	for (i = 0; i < w->hosts; i++) {
		const struct host_info *h = fabric_host(fabric, i);
		auto_free char *host = xasprintf("host %s: %s, %s, %s", h->name, h->dev, h->ip4,
						 h->ip6);

		pcapng_interface(&out, h->netdev, host);
	}
	write_blocks(w, &out);
}

static void write_tail(struct writer *w, uint64_t end_ns)
{
	auto_text struct text out = {0};
	int i;

	for (i = 0; i < w->hosts; i++) {
		struct tap_counts *c = &w->report.counts[i];

		tap_count(w->tap[i], c);
		pcapng_counts(&out, (uint32_t)i, &(struct pcapng_counts){
			.begin_ns = w->begin_ns, .end_ns = end_ns, .seen = c->seen,
			.lost = c->lost,
		});
	}
	write_blocks(w, &out);
}

static int patience_ms(const struct writer *w)
{
	uint64_t due = w->backlog.oldest_ns + 2 * SETTLE_NS, now = stamp_now_ns();

	if (!w->backlog.count)
		return -1;
	return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

static void on_end(struct watch *end, uint32_t events)
{
	(void)events;
	OWNER_OF(end, struct writer, end)->over = true;
}

/* A packet of any host makes write_packets() read from all hosts. */
static void on_packets(struct watch *ready, uint32_t events)
{
	(void)ready;
	(void)events;
}

/*
 * Ends when the starter says so or has ended, or when nothing can be written any more. All
 * packets that are written are older than any packet that a host can send after @now.
 */
static void write_packets(struct writer *w)
{
	struct loop loop;
	uint64_t now;
	int i, rc = 0;

	vbm_loop_init_plain(&loop);
	for (i = 0; i < w->hosts; i++)
		watch_add(&loop, &w->ready[i], w->tap[i], POLLIN, on_packets);
	watch_add(&loop, &w->end, w->line, POLLIN, on_end);
	while (!w->report.error && (rc == 0 || rc == -EINTR)) {
		rc = vbm_loop_run(&loop, patience_ms(w));
		if (w->over)
			break;
		now = stamp_now_ns();
		read_taps(w);
		write_due(w, now);
	}
	vbm_loop_fini(&loop);
}

static void __attribute__((noreturn)) run_writer(struct writer *w)
{
	int keep[FABRIC_HOSTS_MAX + 2], i;
	uint64_t end_ns;

	for (i = 0; i < w->hosts; i++)
		keep[i] = w->tap[i];
	keep[i++] = w->file;
	keep[i++] = w->line;
	/*
	 * The signals that end a run do not end this process, because the user wants the
	 * file anyway. The line tells it the end of the starter, also if that came before
	 * this call.
	 */
	if (child_begin(&(struct child_setup){
			.parent = CHILD_OUTLIVES, .name = "verbatim-wire",
			.keep = keep, .keep_count = (size_t)i,
			.ignore = {SIGTERM, SIGINT, SIGHUP},
		}) < 0)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, PRIORITY);
	write_packets(w);
	end_ns = stamp_now_ns();
	read_rest(w, end_ns);
	write_until(w, UINT64_MAX);
	write_tail(w, end_ns);
	if (close(w->file) < 0 && !w->report.error)
		w->report.error = errno;
	_exit(send(w->line, &w->report, sizeof(w->report), MSG_NOSIGNAL) < 0);
}

static void writer_fini(struct writer *w)
{
	int i;

	for (i = 0; i < w->hosts; i++)
		if (w->tap[i] >= 0)
			close(w->tap[i]);
	if (w->file >= 0)
		close(w->file);
	if (w->line >= 0)
		close(w->line);
	free(w->batch);
}

static int room_of_each(int hosts)
{
	struct sysinfo info;
	uint64_t room = ROOM_MAX;

	if (sysinfo(&info) == 0 && (uint64_t)info.totalram * info.mem_unit / ROOM_SHARE < room)
		room = (uint64_t)info.totalram * info.mem_unit / ROOM_SHARE;
	/* The kernel doubles the value that it gets. */
	return (int)(room / 2 / (uint64_t)hosts);
}

static int writer_open(struct writer *w, const struct fabric *fabric, const char *path,
		       struct vbm_error *err)
{
	const struct tap_options opts = {.room = room_of_each(w->hosts)};
	int i, rc = 0;

	w->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (w->file < 0)
		return vbm_fail(err, errno, "cannot write %s: %s", path, strerror(errno));
	write_head(w, fabric);
	if (w->report.error)
		return vbm_fail(err, w->report.error, "cannot write %s: %s", path,
				strerror(w->report.error));
	for (i = 0; rc == 0 && i < w->hosts; i++)
		rc = tap_open(&w->tap[i], fabric, i, &opts, err);
	w->begin_ns = stamp_now_ns();
	return rc;
}

static int start_writer(struct capture *c, struct writer *w, struct vbm_error *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return vbm_fail(err, errno, "cannot make a socket pair: %s", strerror(errno));
	c->line = pair[0];
	w->line = pair[1];
	w->batch = xcalloc(1, sizeof(*w->batch));
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0)
		run_writer(w);
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	return vbm_fail(err, errno, "cannot start the process of the capture: %s", strerror(errno));
}

int capture_start(struct capture *c, const struct fabric *fabric, const char *path,
		  struct vbm_error *err)
{
	struct writer w = {.hosts = fabric_host_count(fabric), .file = -1, .line = -1};
	int i, rc;

	*c = (struct capture){.line = -1, .hosts = w.hosts};
	for (i = 0; i < w.hosts; i++)
		w.tap[i] = -1;
	rc = writer_open(&w, fabric, path, err) ?:
	     start_writer(c, &w, err);
	writer_fini(&w);
	return rc;
}

int capture_stop(struct capture *c, struct tap_counts *counts, struct vbm_error *err)
{
	struct pollfd p = {.fd = c->line, .events = POLLIN};
	int64_t deadline = clock_deadline_ms(FINISH_MS);
	struct capture_report report = {0};
	ssize_t n = -1;

	shutdown(c->line, SHUT_WR);
	while (poll(&p, 1, clock_left_ms(deadline)) < 0 && errno == EINTR)
		;
	if (p.revents)
		n = recv(c->line, &report, sizeof(report), MSG_DONTWAIT);
	capture_end(c);
	if (n < 0)
		return vbm_fail(err, ETIME, "the capture was not written within %d s",
				FINISH_MS / 1000 * clock_factor());
	if (n != sizeof(report))
		return vbm_fail(err, EIO, "the process of the capture has ended too early");
	memcpy(counts, report.counts, sizeof(*counts) * (size_t)c->hosts);
	return !report.error ? 0 :
	       vbm_fail(err, report.error, "the capture is incomplete: %s",
			strerror(report.error));
}

void capture_end(struct capture *c)
{
	child_end(c->pid);
	c->pid = 0;
	if (c->line >= 0)
		close(steal_fd(&c->line));
}
