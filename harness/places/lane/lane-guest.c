/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "guest/accel.h"
#include "guest/tsc.h"
#include "lane/boot.h"
#include "lane/capacity.h"
#include "lane/lane.h"
#include "lib/base/fail.h"

/* The factors are for the slowest useful machine, not for ours. */
#define FACTOR_KVM 1
#define FACTOR_TCG 8

#define BOOT_TRIES 3

/*
 * The time until the first byte from the guest, multiplied by the factor of the
 * accelerator. A boot under TCG takes 4 s here, 30 s on a busy machine. A boot that hangs
 * is given up earlier if there is another try; the last try has more time, because the
 * machine may be slow.
 */
#define BOOT_KVM_MS 6000
#define BOOT_TCG_MS 7500
#define BOOT_TCG_LAST_MS 15000

#define GUEST_MEMORY_MB 512

/* The memory of QEMU itself beyond the guest's, mostly for translated code. */
#define QEMU_MEMORY_MB 256

/* Whether KVM boots a guest here. The first guest tries it. */
enum kvm {
	KVM_UNTRIED,
	KVM_BEING_TRIED,
	KVM_BOOTS,
	KVM_BROKEN,
};

/* The parts that the guests of a run share. All is owned. */
struct common {
	struct boot_common boot;
	char *qemu;		/* path of the emulator */
	char *image;		/* boot image, or the kernel unpacked */
	long tsc_khz;		/* for guests without KVM; 0: not known */
	enum kvm kvm;
	char *key;		/* the key of this KVM in accel.h's memory */
	int settled_fd;		/* an eventfd, readable when @kvm is settled */
};

struct guest {
	struct boot boot;	/* no process while it waits for @kvm */
	bool tries_kvm;		/* for all guests, until it has started */
	bool kvm_failed;
	int tcg_tries;
};

static void report_progress(const struct lane_options *opts, const char *what)
{
	if (opts->progress)
		opts->progress(what, opts->arg);
}

static int guest_check(const struct lane_options *opts, struct vbm_error *err)
{
	auto_kernel struct kernel kernel = {0};
	auto_free char *qemu = NULL;
	int ret = qemu_find(&qemu, err);

	return ret ? ret : kernel_find(&kernel, KERNEL_GUEST, opts->kernel, err);
}

/* Sets the result; guests that waited for it go on. */
static void settle_kvm(struct common *c, enum kvm kvm)
{
	c->kvm = kvm;
	eventfd_write(c->settled_fd, 1);
}

/* Only one guest tries. Returns whether this guest has to wait for the result. */
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

static int boot_ms(const struct guest *g, bool kvm)
{
	if (kvm)
		return BOOT_KVM_MS;
	return g->tcg_tries < BOOT_TRIES ? BOOT_TCG_MS : BOOT_TCG_LAST_MS;
}

static int start_guest(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;
	bool kvm = c->kvm != KVM_BROKEN && !g->kvm_failed;
	auto_free char *path = xasprintf("%s/lib/modules/%s", c->boot.kernel.root,
					 c->boot.kernel.release);
	/* The guest sees it below a folder, where no symbolic link leads to its target. */
	auto_free char *modules = realpath(path, NULL);
	int factor = clock_factor_for(kvm ? FACTOR_KVM : FACTOR_TCG);
	int ret;

	lane->factor = factor;
	snprintf(lane->accelerator, sizeof(lane->accelerator), "%s", kvm ? "kvm" : "tcg");
	g->tcg_tries += !kvm;
	if (!kvm && !c->tsc_khz)
		c->tsc_khz = tsc_khz();
	ret = boot_start(lane, &g->boot, &c->boot, &(struct machine){
		.program = c->qemu,
		.kvm = kvm,
		.image = c->image,
		.modules = modules,
		.tsc_khz = kvm ? 0 : c->tsc_khz,
		.memory_mb = GUEST_MEMORY_MB,
	}, &(struct boot_how){.args = qemu_args}, err);
	lane->deadline_ns = clock_now_ns() + (int64_t)boot_ms(g, kvm) * factor * 1000000;
	return ret;
}

static int try_boot(struct lane *lane, struct vbm_error *err)
{
	if (must_wait_for_kvm(lane->lanes->priv, lane->priv))
		return 0;
	return start_guest(lane, err);
}

/*
 * With two emulated processors, QEMU sometimes executes code that the kernel is just
 * patching. Then the kernel panics or hangs before our init runs, so such a boot says
 * nothing about the kernel.
 */
static const char *accident(const struct vbm_error *err)
{
	if (strstr(err->msg, "Kernel panic"))
		return "the guest's kernel panicked while it booted; trying again";
	return err->code == ETIMEDOUT ? "the guest hung while it booted; trying again" : NULL;
}

/*
 * A boot failed; @err says why. If KVM does not boot, TCG replaces it. After an accident
 * under TCG, tries again.
 */
static int boot_again(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;
	bool kvm = !strcmp(lane->accelerator, "kvm");
	const char *again = accident(err);

	boot_drop(lane, &g->boot);
	if (kvm) {
		g->kvm_failed = true;
		if (g->tries_kvm)
			settle_kvm(c, KVM_BROKEN);
		report_progress(&lane->lanes->opts, "KVM does not boot a guest here; emulating (TCG)");
		return start_guest(lane, err);
	}
	if (g->tcg_tries == BOOT_TRIES || !again)
		return -err->code;
	report_progress(&lane->lanes->opts, again);
	return start_guest(lane, err);
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

	if (g->boot.process.pid <= 0) {
		ret = try_boot(lane, &why);
	} else {
		/* QEMU reports it if KVM has given up. */
		ret = boot_look(lane, &g->boot,
				strstr(g->boot.process.errors, "KVM internal error"), &why);
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

	if (g->boot.process.pid > 0)
		return boot_wants(lane, p);
	p[0] = (struct pollfd){.fd = c->settled_fd, .events = POLLIN};
	return 1;
}

static void guest_stop(struct lane *lane)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = lane->priv;

	if (!g)
		return;
	/* Another guest has to try instead. */
	if (g->tries_kvm && c->kvm == KVM_BEING_TRIED)
		settle_kvm(c, KVM_UNTRIED);
	boot_end(lane, &g->boot);
	free(g);
	lane->priv = NULL;
}

static int guest_begin(struct lane *lane, struct vbm_error *err)
{
	struct common *c = lane->lanes->priv;
	struct guest *g = xcalloc(1, sizeof(*g));

	g->boot = (struct boot)BOOT_NONE;
	g->boot.called = "QEMU";
	lane->priv = g;
	snprintf(lane->kernel, sizeof(lane->kernel), "%s", c->boot.kernel.release);
	report_progress(&lane->lanes->opts, "booting the guest");
	return guest_advance(lane, err);
}

static int guest_prepare(struct lanes *lanes, struct vbm_error *err)
{
	const struct lane_options *opts = &lanes->opts;
	struct common *c = xcalloc(1, sizeof(*c));
	int ret;

	c->boot.initrd_fd = -1;
	c->settled_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	lanes->priv = c;
	if (c->settled_fd < 0)
		return vbm_fail(err, errno, "cannot make an eventfd: %m");
	ret = qemu_find(&c->qemu, err);
	if (ret == 0)
		ret = boot_prepare(&c->boot, opts, KERNEL_GUEST, err);
	if (ret < 0)
		return ret;
	c->image = kernel_vmlinux_path(&c->boot.kernel);
	c->key = accel_key(c->qemu);
	if (accel_kvm_check(NULL) < 0 || accel_is_broken(c->key))
		c->kvm = KVM_BROKEN;
	return 0;
}

static void guest_release(struct lanes *lanes)
{
	struct common *c = lanes->priv;

	boot_release(&c->boot);
	free(c->qemu);
	free(c->image);
	free(c->key);
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
	.doc = "a Debian kernel in QEMU",
	.boots = 1 << KERNEL_GUEST,
	.check = guest_check,
	.capacity = guest_capacity,
	.prepare = guest_prepare,
	.release = guest_release,
	.begin = guest_begin,
	.advance = guest_advance,
	.wants = guest_wants,
	.end_cause = boot_end_cause,
	.console = boot_console,
	.take = boot_take,
	.stop = guest_stop,
};
