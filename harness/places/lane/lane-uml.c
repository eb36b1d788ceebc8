/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "guest/confine.h"
#include "guest/uml.h"
#include "lane/boot.h"
#include "lane/capacity.h"
#include "lane/lane.h"
#include "lane/processor.h"
#include "names/device-types.h"

/* The factors are for the slowest useful machine, not for ours. */
#define FACTOR_PLAIN 4
#define FACTOR_VARIANT 8

/* The time until the first byte from the guest, multiplied by the factor. */
#define BOOT_MS 5000

#define MEMORY_PLAIN_MB 256
#define MEMORY_VARIANT_MB 768

/* The caller's variable with a folder for the counts of a kernel with gcov. */
#define COVERAGE_VARIABLE "VERBATIM_COVERAGE"

/* A kernel needs a dozen. */
#define SIGNALS_MIN 64

/* The memory of the kernel and its processes beyond the guest's. */
#define PROCESSES_MEMORY_MB 64

/* The parts that the places of a run share. All is owned. */
struct lane_uml_common {
	struct boot_common boot;
	char *memory_folder;
	int begun;	/* places so far */
};

struct uml {
	struct boot boot;
	/*
	 * Owned; the folders of its files and of its memory; NULL if mounts confine it,
	 * and after they were removed.
	 */
	char *folder, *memory_folder;
	int lock_fd;		/* owned; of the folder */
	int processor_fd;	/* owned; keeps others off its processor; or -1 */
};

/* The kernel's timers and wake-ups are pending signals; without them it would never end. */
static int check_signals(struct vbm_error *err)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_SIGPENDING, &l) == 0 && l.rlim_cur < SIGNALS_MIN)
		return vbm_fail(err, EAGAIN, "only %llu signals may wait here (ulimit -i), and a kernel "
				"of lane uml needs %d", (unsigned long long)l.rlim_cur, SIGNALS_MIN);
	return 0;
}

static int uml_check(const struct lane_options *opts, struct vbm_error *err)
{
	auto_kernel struct kernel kernel = {0};
	const struct device_type *type;
	int ret = check_signals(err);
	size_t i;

	if (ret < 0)
		return ret;

	if (opts->cpus > 1)
		return vbm_fail(err, EINVAL, "a kernel of lane uml has one processor: --cpus %d needs "
				"--lane guest", opts->cpus);
	ret = kernel_find(&kernel, KERNEL_UML, opts->kernel, err);
	/* Every kernel of this lane has the default device; to ask a kernel takes it a start. */
	for (i = 0; ret == 0 && (type = device_type_nth(i)); i++)
		if (type != device_type_default() && device_words_have(&opts->devices, DEVICE_HOSTS, type))
			ret = uml_check_device(kernel.image, type, err);
	return ret;
}

static bool is_plain(const struct kernel *k)
{
	return !k->variant || !*k->variant;
}

static int memory_mb(const struct kernel *k)
{
	return is_plain(k) ? MEMORY_PLAIN_MB : MEMORY_VARIANT_MB;
}

static int uml_prepare(struct lanes *lanes, struct vbm_error *err)
{
	struct lane_uml_common *c = xcalloc(1, sizeof(*c));
	int ret;

	lanes->priv = c;
	ret = boot_prepare(&c->boot, &lanes->opts, KERNEL_UML, err);
	if (ret < 0 || (confine_means() & CONFINE_MOUNTS))
		return ret;
	return uml_memory_folder(lanes->opts.memory_mb ? lanes->opts.memory_mb :
					     memory_mb(&c->boot.kernel), &c->memory_folder, err);
}

static void uml_release(struct lanes *lanes)
{
	struct lane_uml_common *c = lanes->priv;

	boot_release(&c->boot);
	free(c->memory_folder);
	free(c);
}

static void drop_folder(struct uml *u)
{
	if (u->folder)
		uml_folder_remove(u->folder);
	free(steal(&u->folder));
	free(steal(&u->memory_folder));
	if (u->lock_fd >= 0)
		close(steal_fd(&u->lock_fd));
}

/* Without mounts, the kernel's files are in folders of this machine. */
static int make_folders(struct uml *u, const struct lane_uml_common *c, struct vbm_error *err)
{
	int ret;

	if (confine_means() & CONFINE_MOUNTS)
		return 0;
	ret = uml_folder_make(&u->folder, &u->lock_fd, err);
	return ret ? ret : uml_memory_own(u->folder, c->memory_folder, &u->memory_folder, err);
}

static int uml_begin(struct lane *lane, struct vbm_error *err)
{
	struct lane_uml_common *c = lane->lanes->priv;
	struct uml *u = xcalloc(1, sizeof(*u));
	cpu_set_t processor;
	int ret;

	u->boot = (struct boot)BOOT_NONE;
	u->boot.called = "the kernel";
	u->lock_fd = -1;
	lane->priv = u;
	lane->factor = clock_factor_for(is_plain(&c->boot.kernel) ? FACTOR_PLAIN : FACTOR_VARIANT);
	lane->deadline_ns = clock_now_ns() + (int64_t)BOOT_MS * lane->factor * 1000000;
	snprintf(lane->kernel, sizeof(lane->kernel), "%s", c->boot.kernel.release);
	strcpy(lane->accelerator, "none");
	lane->virtual_time = lane->lanes->opts.virtual_time && c->boot.kernel.virtual_time;
	u->processor_fd = processor_take(c->begun++, &processor);
	ret = make_folders(u, c, err);
	return ret ? ret : boot_start(lane, &u->boot, &c->boot, &(struct machine){
		.program = c->boot.kernel.image,
		.folder = u->folder ? u->folder : CONFINE_OWN,
		.memory_folder = u->folder ? u->memory_folder : CONFINE_OWN,
		.memory_mb = memory_mb(&c->boot.kernel),
		.hz = c->boot.kernel.hz,
		.virtual_time = lane->virtual_time,
		/*
		 * Its processes take turns, and to wake one on another processor takes
		 * far longer.
		 */
		.processors = CPU_COUNT(&processor) ? &processor : NULL,
		.coverage = getenv(COVERAGE_VARIABLE),
		.host = lane->lanes->opts.host,
		/* Without this word KASAN reports only once. */
		.extra = is_plain(&c->boot.kernel) ? NULL : "kasan_multi_shot",
	}, &(struct boot_how){.args = uml_args, .window = true}, err);
}

/* Removes the kernel's folder as soon as it runs, because after a kill -9 it would stay. */
static int uml_advance(struct lane *lane, struct vbm_error *err)
{
	struct uml *u = lane->priv;
	int ret = boot_look(lane, &u->boot, false, err);

	if (ret <= 0)
		return ret;
	lane->deadline_ns = INT64_MAX;
	drop_folder(u);
	return ret;
}

static void uml_stop(struct lane *lane)
{
	struct uml *u = lane->priv;

	if (!u)
		return;
	boot_end(lane, &u->boot);
	drop_folder(u);
	if (u->processor_fd >= 0)
		close(u->processor_fd);
	free(u);
	lane->priv = NULL;
}

static int uml_capacity(const struct lane_options *opts)
{
	auto_kernel struct kernel kernel = {0};

	kernel_find(&kernel, KERNEL_UML, opts->kernel, NULL);
	return capacity_here(memory_mb(&kernel) + PROCESSES_MEMORY_MB);
}

static char *uml_notice(const struct lane_options *opts)
{
	auto_kernel struct kernel kernel = {0};

	if (!opts->virtual_time || kernel_find(&kernel, KERNEL_UML, opts->kernel, NULL) < 0 ||
	    kernel.virtual_time)
		return NULL;
	return xasprintf("kernel %s was built without virtual time, so this run waits in real time; "
			 "'verbatim kernel build' makes one that has it, from Linux 6.12 on", kernel.release);
}

const struct lane_ops lane_uml = {
	.name = "uml",
	.doc = "a kernel that is a program",
	.jumps = true,
	.boots = 1 << KERNEL_UML,
	.notice = uml_notice,
	.check = uml_check,
	.capacity = uml_capacity,
	.prepare = uml_prepare,
	.release = uml_release,
	.begin = uml_begin,
	.advance = uml_advance,
	.wants = boot_wants,
	.end_cause = boot_end_cause,
	.console = boot_console,
	.take = boot_take,
	.stop = uml_stop,
};
