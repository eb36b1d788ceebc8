/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "fail.h"
#include "guest/guest.h"
#include "base/file.h"
#include "guest/image.h"
#include "guest/kernel.h"
#include "lane/lane.h"

/* The factors are what the slowest useful host needs, not what ours does. */
#define FACTOR_KVM 1
#define FACTOR_TCG 8

/* Until the first byte from the guest; times the factor of the accelerator. */
#define BOOT_KVM_MS 6000
#define BOOT_TCG_MS 15000
#define BOOT_TRIES 3

/* How long an emulator that closed its end may take to be gone. */
#define END_MS 1000

struct guest {
	struct qemu qemu;
	int console_fd;		/* owned */
};

static void tell(const struct lane_options *opts, const char *what)
{
	if (opts->progress)
		opts->progress(what, opts->arg);
}

static int guest_check(const struct lane_options *opts, struct vbm_error *err)
{
	auto_kernel struct kernel kernel = {0};
	auto_free char *qemu = NULL;
	int ret = qemu_find(&qemu, err);

	return ret ? ret : kernel_find(&kernel, opts->kernel, err);
}

/* A file in the artifacts folder, one for each guest of the run, or none. */
static int open_console(const struct lane_options *opts, struct vbm_error *err)
{
	int fd, i;

	if (!opts->artifacts) {
		fd = memfd_create("verbatim-console", MFD_CLOEXEC);
		return fd >= 0 ? fd : vbm_fail(err, errno, "cannot keep the console: %m");
	}
	for (i = 1;; i++) {
		auto_free char *path = xasprintf("%s/console-%d.log", opts->artifacts, i);

		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return vbm_fail(err, errno, "cannot write %s: %m", path);
	}
}

static char *read_console(const struct guest *g)
{
	auto_free char *path = xasprintf("/proc/self/fd/%d", g->console_fd);
	char *text = NULL;

	return file_read(path, &text, NULL, NULL) == 0 ? text : xstrdup("");
}

static char *guest_obituary(struct lane *lane)
{
	struct guest *g = lane->priv;
	struct pollfd p = {.fd = g->qemu.pid_fd, .events = POLLIN};
	auto_free char *console = NULL;

	poll(&p, 1, END_MS);
	qemu_update(&g->qemu);
	console = read_console(g);
	return console_obituary(&(struct guest_end){
		.console = console,
		.errors = g->qemu.errors ? g->qemu.errors : "",
		.running = !g->qemu.ended,
		.status = g->qemu.status,
	});
}

/* 0 when the guest says something; KVM that has given up says so itself. */
static int wait_for_life(struct lane *lane, const struct lane_options *opts,
			 int64_t deadline, struct vbm_error *err)
{
	struct guest *g = lane->priv;
	struct pollfd p[] = {
		{.fd = lane->event_fd, .events = POLLIN},
		{.fd = opts->cancel_fd, .events = POLLIN},
		{.fd = g->qemu.pid_fd, .events = POLLIN},
		{.fd = g->qemu.errors_fd, .events = POLLIN},
	};
	auto_free char *text = NULL;
	char byte;
	int n;

	do {
		n = poll(p, ARRAY_SIZE(p), clock_left_ms(deadline));
		if (n < 0 && errno != EINTR)
			return vbm_fail(err, errno, "cannot wait for the guest: %m");
		if (n > 0 && p[1].revents)
			return vbm_fail(err, EINTR, "interrupted");
		/* The end of the stream is readable, too. */
		if (n > 0 && p[0].revents && recv(lane->event_fd, &byte, 1, MSG_PEEK) == 1)
			return 0;
		if (n > 0 && p[0].revents)
			p[0].fd = -1;
		if (n > 0 && (p[3].revents & POLLHUP))
			p[3].fd = -1;
		if (n > 0 && qemu_update(&g->qemu))
			n = 0;
		if (n > 0 && strstr(g->qemu.errors, "KVM internal error"))
			n = 0;
	} while (n != 0);
	text = guest_obituary(lane);
	return vbm_fail(err, EIO, "the guest did not start (%s): %s", lane->accelerator,
			text ? text : "it ended before the runner spoke");
}

/* A boot that failed; another may follow. */
static void drop(struct lane *lane)
{
	struct guest *g = lane->priv;
	int *fds[] = {&lane->event_fd, &lane->job_fd, &lane->terminal_fd, &g->console_fd};
	size_t i;

	qemu_stop(&g->qemu);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (*fds[i] >= 0)
			close(steal_fd(fds[i]));
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

static int boot(struct lane *lane, const struct lane_options *opts, struct machine *m,
		struct vbm_error *err)
{
	auto_close int events = -1, terminal = -1;
	struct guest *g = lane->priv;
	int64_t ms;
	int ret;

	lane->factor = m->factor = clock_factor_for(m->kvm ? FACTOR_KVM : FACTOR_TCG);
	snprintf(lane->accelerator, sizeof(lane->accelerator), "%s", m->kvm ? "kvm" : "tcg");
	ret = g->console_fd = open_console(opts, err);
	if (ret >= 0)
		ret = make_pair(&lane->event_fd, &events, err);
	if (ret == 0 && opts->terminal)
		ret = make_pair(&lane->terminal_fd, &terminal, err);
	if (ret == 0) {
		lane->job_fd = fcntl(lane->event_fd, F_DUPFD_CLOEXEC, 3);
		m->console_fd = g->console_fd;
		m->events_fd = events;
		m->terminal_fd = terminal;
		ret = qemu_start(&g->qemu, m, err);
	}
	/* Or the end of the guest would not be the end of the stream. */
	close(steal_fd(&events));
	if (ret == 0) {
		ms = (m->kvm ? BOOT_KVM_MS : BOOT_TCG_MS) * (int64_t)m->factor;
		ret = wait_for_life(lane, opts, clock_now_ns() + ms * 1000000, err);
	}
	if (ret < 0)
		drop(lane);
	return ret < 0 ? ret : 0;
}

/*
 * QEMU's emulation of two processors now and then runs into code that the
 * kernel is just patching, and the kernel panics before anything of ours runs.
 * Such a boot says nothing about anything: it is done again.
 */
static int boot_emulated(struct lane *lane, const struct lane_options *opts,
			 struct machine *m, struct vbm_error *err)
{
	int left = BOOT_TRIES, ret;

	do {
		ret = boot(lane, opts, m, err);
		if (ret != -EIO || !err || !strstr(err->msg, "Kernel panic"))
			break;
		tell(opts, "the guest's kernel panicked while it came up; once more");
	} while (--left);
	return ret;
}

/* KVM where it boots, else TCG; what KVM turned out to be is remembered. */
static int boot_somehow(struct lane *lane, const struct lane_options *opts,
			struct machine *m, struct vbm_error *err)
{
	auto_free char *key = accel_key(m->qemu);
	bool tried = accel_kvm_check(NULL) == 0 && !accel_is_broken(key);
	int ret;

	m->kvm = tried;
	if (tried) {
		ret = boot(lane, opts, m, err);
		if (ret == 0 || ret == -EINTR)
			return ret;
		tell(opts, "KVM does not boot a guest here; emulating (TCG)");
	}
	m->kvm = false;
	ret = boot_emulated(lane, opts, m, err);
	if (ret == 0 && tried)
		accel_remember(key, true);
	return ret;
}

/* The lane's descriptors are closed by their owner, lane_stop(). */
static void guest_stop(struct lane *lane)
{
	struct guest *g = lane->priv;

	if (!g)
		return;
	qemu_stop(&g->qemu);
	if (g->console_fd >= 0)
		close(g->console_fd);
	free(g);
	lane->priv = NULL;
}

static int guest_start(struct lane *lane, const struct lane_options *opts,
		       struct vbm_error *err)
{
	auto_kernel struct kernel kernel = {0};
	auto_free char *qemu = NULL, *share = NULL, *image = NULL;
	auto_close int initrd = -1;
	struct guest *g;
	int ret;

	ret = qemu_find(&qemu, err);
	if (ret == 0)
		ret = kernel_find(&kernel, opts->kernel, err);
	if (ret < 0)
		return ret;
	if (opts->share) {
		share = realpath(opts->share, NULL);
		if (!share || strpbrk(share, " \t\n\""))
			return vbm_fail(err, share ? EINVAL : errno, "cannot share %s: %s",
					opts->share, share ? "its path has a space or quote" : strerror(errno));
	}
	tell(opts, "preparing the guest's image");
	initrd = image_open(&kernel, opts->host_root, opts->files, err);
	if (initrd < 0)
		return initrd;
	image = vmlinux_path(&kernel);
	g = xcalloc(1, sizeof(*g));
	g->console_fd = g->qemu.pid_fd = g->qemu.errors_fd = -1;
	lane->priv = g;
	lane->event_fd = lane->job_fd = lane->terminal_fd = -1;
	snprintf(lane->kernel, sizeof(lane->kernel), "%s", kernel.release);
	tell(opts, "booting the guest");
	ret = boot_somehow(lane, opts, &(struct machine){
		.qemu = qemu,
		.image = image,
		.initrd_fd = initrd,
		.host_root = opts->host_root,
		.share = share,
	}, err);
	if (ret < 0)
		guest_stop(lane);
	return ret;
}

const struct lane_ops lane_guest = {
	.name = "guest",
	.check = guest_check,
	.start = guest_start,
	.obituary = guest_obituary,
	.stop = guest_stop,
};
