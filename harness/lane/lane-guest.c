/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
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
#include "lane/capacity.h"
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

/* What QEMU itself takes beyond the guest's memory, translated code above all. */
#define QEMU_MEMORY_MB 256

/* Whether KVM boots a guest here. Only trying tells, and the first guest tries. */
enum kvm {
	KVM_UNTRIED,
	KVM_BEING_TRIED,
	KVM_BOOTS,
	KVM_BROKEN,
};

/* What the guests of a run have in common. All is owned. */
struct common {
	struct kernel kernel;
	char *qemu;		/* path of the emulator */
	char *image;		/* boot image, or the kernel unpacked */
	char *share;		/* absolute, or NULL */
	int initrd_fd;
	enum kvm kvm;
	char *key;		/* of this KVM among those that are remembered */
	int settled_fd;		/* an eventfd: readable once @kvm is settled */
};

struct guest {
	struct qemu qemu;	/* no process while it waits for @kvm */
	int console_fd;		/* owned */
	bool tries_kvm;		/* for all others, too, until it came up */
	bool kvm_failed;
	bool mute;		/* its stream ended before it said a word */
	int tcg_tries;
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

static char *obituary(struct guest *g)
{
	auto_free char *console = read_console(g);

	return console_obituary(&(struct guest_end){
		.console = console,
		.errors = g->qemu.errors ? g->qemu.errors : "",
		.running = !g->qemu.ended,
		.status = g->qemu.status,
	});
}

static char *guest_obituary(struct lane *lane)
{
	struct guest *g = lane->priv;
	struct pollfd p = {.fd = g->qemu.pid_fd, .events = POLLIN};

	poll(&p, 1, END_MS);
	qemu_update(&g->qemu);
	return obituary(g);
}

/* From now on the other guests know, and those that waited for it go on. */
static void settle_kvm(struct common *c, enum kvm kvm)
{
	c->kvm = kvm;
	eventfd_write(c->settled_fd, 1);
}

/* Only one guest tries. Returns whether this one has to wait for what it finds. */
static bool must_wait_for_kvm(struct common *c, struct guest *g)
{
	eventfd_t count;

	if (c->kvm == KVM_UNTRIED) {
		c->kvm = KVM_BEING_TRIED;
		eventfd_read(c->settled_fd, &count);
		g->tries_kvm = true;
	}
	return c->kvm == KVM_BEING_TRIED && !g->tries_kvm;
}

/* What a boot that failed leaves; another may follow. */
static void drop(struct lane *lane)
{
	struct guest *g = lane->priv;
	int *fds[] = {&lane->event_fd, &lane->job_fd, &lane->terminal_fd, &g->console_fd};
	size_t i;

	qemu_stop(&g->qemu);
	g->mute = false;
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

static int start_qemu(struct lane *lane, struct machine *m, struct vbm_error *err)
{
	const struct lane_options *opts = &lane->lanes->opts;
	auto_close int events = -1, terminal = -1;
	struct guest *g = lane->priv;
	int ret;

	ret = g->console_fd = open_console(opts, err);
	if (ret >= 0)
		ret = make_pair(&lane->event_fd, &events, err);
	if (ret == 0 && opts->terminal)
		ret = make_pair(&lane->terminal_fd, &terminal, err);
	if (ret < 0)
		return ret;
	lane->job_fd = fcntl(lane->event_fd, F_DUPFD_CLOEXEC, 3);
	m->console_fd = g->console_fd;
	m->events_fd = events;
	m->terminal_fd = terminal;
	/* @events closes here at the end, or a guest's end would end no stream. */
	return qemu_start(&g->qemu, m, err);
}

static int boot(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;
	bool kvm = c->kvm != KVM_BROKEN && !g->kvm_failed;
	int factor = clock_factor_for(kvm ? FACTOR_KVM : FACTOR_TCG);
	int ret;

	lane->factor = factor;
	snprintf(lane->accelerator, sizeof(lane->accelerator), "%s", kvm ? "kvm" : "tcg");
	g->tcg_tries += !kvm;
	ret = start_qemu(lane, &(struct machine){
		.qemu = c->qemu,
		.kvm = kvm,
		.image = c->image,
		.initrd_fd = c->initrd_fd,
		.host_root = lane->lanes->opts.host_root,
		.share = c->share,
		.environment = lane->lanes->opts.environment,
		.factor = factor,
	}, err);
	lane->deadline_ns = clock_now_ns() +
			    (int64_t)(kvm ? BOOT_KVM_MS : BOOT_TCG_MS) * factor * 1000000;
	return ret;
}

static int try_boot(struct lane *lane, struct vbm_error *err)
{
	if (must_wait_for_kvm(lane->lanes->priv, lane->priv))
		return 0;
	return boot(lane, err);
}

/*
 * A boot failed, and @err says why. KVM that does not boot is replaced by TCG.
 * QEMU's emulation of two processors now and then runs into code that the
 * kernel is just patching, and the kernel panics before anything of ours runs:
 * such a boot says nothing about anything and is done again.
 */
static int boot_again(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;
	bool kvm = !strcmp(lane->accelerator, "kvm");

	drop(lane);
	if (kvm) {
		g->kvm_failed = true;
		if (g->tries_kvm)
			settle_kvm(c, KVM_BROKEN);
		tell(&lane->lanes->opts, "KVM does not boot a guest here; emulating (TCG)");
		return boot(lane, err);
	}
	if (g->tcg_tries == BOOT_TRIES || !strstr(err->msg, "Kernel panic"))
		return -err->code;
	tell(&lane->lanes->opts, "the guest's kernel panicked while it came up; once more");
	return boot(lane, err);
}

/* 1 when the guest said something; KVM that has given up says so itself. */
static int look(struct lane *lane, struct vbm_error *err)
{
	struct guest *g = lane->priv;
	bool over = qemu_update(&g->qemu) || strstr(g->qemu.errors, "KVM internal error") ||
		    clock_now_ns() >= lane->deadline_ns;
	auto_free char *text = NULL;
	char byte;
	ssize_t n;

	n = recv(lane->event_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (n == 1)
		return 1;
	g->mute |= n == 0;
	if (!over)
		return 0;
	text = obituary(g);
	return vbm_fail(err, EIO, "the guest did not start (%s): %s", lane->accelerator,
			text ? text : "it ended before the runner spoke");
}

static void came_up(struct lane *lane)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;

	lane->deadline_ns = INT64_MAX;
	if (!g->tries_kvm)
		return;
	g->tries_kvm = false;
	if (c->kvm == KVM_BEING_TRIED)
		settle_kvm(c, KVM_BOOTS);
	else
		accel_remember(c->key, true);
}

static int guest_advance(struct lane *lane, struct vbm_error *err)
{
	struct guest *g = lane->priv;
	struct vbm_error why = {0};
	int ret;

	if (g->qemu.pid <= 0) {
		ret = try_boot(lane, &why);
	} else {
		ret = look(lane, &why);
		if (ret > 0)
			came_up(lane);
	}
	if (ret < 0)
		ret = boot_again(lane, &why);
	if (ret < 0 && err)
		*err = why;
	return ret;
}

static size_t guest_wants(const struct lane *lane, struct pollfd *p)
{
	const struct common *c = lane->lanes->priv;
	const struct guest *g = lane->priv;

	if (g->qemu.pid <= 0) {
		p[0] = (struct pollfd){.fd = c->settled_fd, .events = POLLIN};
		return 1;
	}
	/* The end of a stream is readable, too, and for ever. */
	p[0] = (struct pollfd){.fd = g->mute ? -1 : lane->event_fd, .events = POLLIN};
	p[1] = (struct pollfd){.fd = g->qemu.pid_fd, .events = POLLIN};
	p[2] = (struct pollfd){.fd = g->qemu.errors_fd, .events = POLLIN};
	return 3;
}

/* The lane's descriptors are closed by their owner, lane_stop(). */
static void guest_stop(struct lane *lane)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;

	if (!g)
		return;
	/* Then another guest has to try. */
	if (g->tries_kvm && c->kvm == KVM_BEING_TRIED)
		settle_kvm(c, KVM_UNTRIED);
	qemu_stop(&g->qemu);
	if (g->console_fd >= 0)
		close(g->console_fd);
	free(g);
	lane->priv = NULL;
}

static int guest_begin(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = xcalloc(1, sizeof(*g));

	g->console_fd = g->qemu.pid_fd = g->qemu.errors_fd = -1;
	lane->priv = g;
	snprintf(lane->kernel, sizeof(lane->kernel), "%s", c->kernel.release);
	tell(&lane->lanes->opts, "booting the guest");
	return guest_advance(lane, err);
}

static int resolve_share(struct common *c, const char *share, struct vbm_error *err)
{
	if (!share)
		return 0;
	c->share = realpath(share, NULL);
	if (!c->share)
		return vbm_fail(err, errno, "cannot share %s: %m", share);
	if (strpbrk(c->share, " \t\n\""))
		return vbm_fail(err, EINVAL, "cannot share %s: its path has a space or quote",
				share);
	return 0;
}

static int guest_prepare(struct lanes *lanes, struct vbm_error *err)
{
	const struct lane_options *opts = &lanes->opts;
	struct common *c = xcalloc(1, sizeof(*c));
	int ret;

	c->initrd_fd = -1;
	c->settled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	lanes->priv = c;
	if (c->settled_fd < 0)
		return vbm_fail(err, errno, "cannot make an eventfd: %m");
	ret = qemu_find(&c->qemu, err);
	if (ret == 0)
		ret = kernel_find(&c->kernel, opts->kernel, err);
	if (ret == 0)
		ret = resolve_share(c, opts->share, err);
	if (ret < 0)
		return ret;
	tell(opts, "preparing the guest's image");
	c->initrd_fd = image_open(&c->kernel, opts->host_root, opts->files, err);
	if (c->initrd_fd < 0)
		return c->initrd_fd;
	c->image = vmlinux_path(&c->kernel);
	c->key = accel_key(c->qemu);
	if (accel_kvm_check(NULL) < 0 || accel_is_broken(c->key))
		c->kvm = KVM_BROKEN;
	return 0;
}

static void guest_release(struct lanes *lanes)
{
	struct common *c = lanes->priv;

	kernel_fini(&c->kernel);
	free(c->qemu);
	free(c->share);
	free(c->image);
	free(c->key);
	if (c->initrd_fd >= 0)
		close(c->initrd_fd);
	if (c->settled_fd >= 0)
		close(c->settled_fd);
	free(c);
}

static int guest_capacity(const struct lane_options *opts)
{
	(void)opts;
	return capacity_here(GUEST_MEMORY_MB + QEMU_MEMORY_MB);
}

const struct lane_ops lane_guest = {
	.name = "guest",
	.check = guest_check,
	.capacity = guest_capacity,
	.prepare = guest_prepare,
	.release = guest_release,
	.begin = guest_begin,
	.advance = guest_advance,
	.wants = guest_wants,
	.obituary = guest_obituary,
	.stop = guest_stop,
};
