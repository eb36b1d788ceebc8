/* SPDX-License-Identifier: BSD-2-Clause */
#include "call/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"
#include "step/step.h"

#define DEBUGFS "/sys/kernel/debug"

/*
 * Without these almost no allocation of a system call fails. They hold for the whole
 * kernel, and only for threads that ask for a fault, so nobody needs them back.
 */
static const struct {
	const char *file, *value;
} settings[] = {
	{"failslab/ignore-gfp-wait", "N"}, {"failslab/verbose", "0"},
	{"fail_page_alloc/ignore-gfp-wait", "N"}, {"fail_page_alloc/ignore-gfp-highmem", "N"},
	{"fail_page_alloc/min-order", "0"}, {"fail_page_alloc/verbose", "0"},
	{"fail_usercopy/verbose", "0"},
};

static int write_setting(const char *file, const char *value)
{
	auto_free char *path = xasprintf(DEBUGFS "/%s", file);
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_write(fd, value, strlen(value));
}

/* A host without a mount namespace of its own (layout shared) finds it mounted, and leaves it so. */
static int set_all(struct vbm_error *err)
{
	bool mounted = mount("debugfs", DEBUGFS, "debugfs", 0, NULL) == 0;
	size_t i;
	int rc = 0;

	if (!mounted && errno != EBUSY)
		return vbm_fail(err, errno, "cannot mount debugfs: %s", strerror(errno));
	for (i = 0; rc == 0 && i < ARRAY_SIZE(settings); i++)
		rc = write_setting(settings[i].file, settings[i].value);
	if (mounted)
		umount2(DEBUGFS, MNT_DETACH);
	return rc == 0 ? 0 : vbm_fail(err, -rc, "cannot write %s of the kernel's fault injection: %s", settings[i - 1].file,
				      strerror(-rc));
}

int fault_open(struct fault *f, struct vbm_error *err)
{
	int rc;

	f->fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (f->fd < 0)
		return vbm_fail(err, ENOTSUP, "this kernel injects no faults; 'verbatim kernel build' makes one that does");
	rc = set_all(err);
	if (rc < 0)
		fault_close(f);
	return rc;
}

void fault_close(struct fault *f)
{
	close(f->fd);
	f->fd = -1;
}

int fault_arm(const struct fault *f, int nth, struct vbm_error *err)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(f->fd, text, (size_t)n, 0) != n)
		return vbm_fail(err, errno, "cannot ask for a fault: %s", strerror(errno));
	return 0;
}

bool fault_disarm(const struct fault *f)
{
	char left = '1';	/* the first digit of the points that are left */
	int saved = errno;
	/* The read itself may be the point that fails: then the call before was not hit. */
	bool hit = pread(f->fd, &left, 1, 0) == 1 && left == '0';

	/* And so may the write. */
	while (pwrite(f->fd, "0", 1, 0) < 0 && errno == EFAULT)
		;
	errno = saved;
	return hit;
}

/* The network has a code of its own for a lack of memory. */
bool fault_is_no_memory(int code)
{
	return code == ENOMEM || code == EFAULT || code == ENOBUFS;
}

static bool met_no_memory(const struct value *result)
{
	return fault_is_no_memory((int)value_get_int(result, "return", 0)) ||
	       fault_is_no_memory((int)value_get_int(result, "errno", 0));
}

static int run_call(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	*result = value_map();
	memset(err, 0, sizeof(*err));
	return ctx->kind->run(ctx, args, *result, err);
}

/* The fault of the step that is being carried out. An agent carries out one step at a time. */
static struct {
	const struct fault *fault;	/* NULL: none was asked for */
	int nth;
	bool begun, over, hit;
	struct vbm_error err;
} next;

void fault_next_begin(void)
{
	if (!next.fault || next.begun)
		return;
	next.begun = true;
	if (fault_arm(next.fault, next.nth, &next.err) < 0)
		next.over = true;
}

void fault_next_end(void)
{
	if (!next.begun || next.over)
		return;
	next.over = true;
	next.hit = fault_disarm(next.fault);
}

int fault_next_run(struct step_ctx *ctx, const struct value *args, struct value **result, struct vbm_error *err)
{
	int nth = ctx->fail_nth, ret;
	struct fault f;

	if (!nth)
		return run_call(ctx, args, result, err);
	ctx->fail_nth = 0;
	if (fault_open(&f, err) < 0) {
		*result = value_map();
		return -err->code;
	}
	memset(&next, 0, sizeof(next));
	next.fault = &f;
	next.nth = nth;
	ret = run_call(ctx, args, result, err);
	fault_next_end();
	next.fault = NULL;
	fault_close(&f);
	if (next.err.code) {
		*err = next.err;
		return -err->code;
	}
	if (!next.begun && ret == 0)
		return vbm_fail(err, EINVAL, "fail_next cannot hit %s: no fault is possible in its call alone", ctx->kind->name);
	if (!next.hit || (ret == 0 && !met_no_memory(*result)))
		return ret;
	value_free(*result);
	next.begun = next.over = next.hit = false;
	return run_call(ctx, args, result, err);
}
