/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/choice.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "guest/accel.h"
#include "guest/confine.h"
#include "guest/console.h"
#include "guest/machine.h"
#include "lib/base/fail.h"

static const struct lane_ops *const table[] = {&lane_native, &lane_guest, &lane_uml};

/* With fewer, the errors would come later and at random places. */
#define FILES_MIN 64

static int check_files(struct vbm_error *err)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < FILES_MIN)
		return vbm_fail(err, EMFILE, "only %llu files may be open here (ulimit -n), and a run "
				"needs %d", (unsigned long long)l.rlim_cur, FILES_MIN);
	return 0;
}

int lanes_open(struct lanes **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err)
{
	struct lanes *lanes;
	int rc = check_files(err);

	if (rc < 0)
		return rc;
	lanes = xcalloc(1, sizeof(*lanes));
	*lanes = (struct lanes){.ops = ops, .opts = *opts, .users = 1};
	if (ops->prepare)
		rc = ops->prepare(lanes, err);
	if (rc < 0) {
		lanes_close(lanes);
		return rc;
	}
	*out = lanes;
	return 0;
}

void lanes_close(struct lanes *lanes)
{
	if (!lanes || --lanes->users)
		return;
	if (lanes->ops->release)
		lanes->ops->release(lanes);
	free(lanes);
}

int lane_begin(struct lane **out, struct lanes *lanes, struct vbm_error *err)
{
	struct lane *lane = xcalloc(1, sizeof(*lane));
	int rc;

	lanes->users++;
	lane->lanes = lanes;
	lane->deadline_ns = INT64_MAX;
	lane->event_fd = lane->job_fd = lane->terminal_fd = -1;
	lane->flood = (struct flood)FLOOD_NONE;
	lane->factor = 1;
	rc = lanes->ops->begin(lane, err);
	if (rc < 0) {
		lane_stop(lane);
		return rc;
	}
	*out = lane;
	return 0;
}

size_t lane_wants(const struct lane *lane, struct pollfd *p)
{
	return lane->ready || !lane->lanes->ops->wants ? 0 : lane->lanes->ops->wants(lane, p);
}

int lane_advance(struct lane *lane, struct vbm_error *err)
{
	int rc = 1;

	if (!lane->ready && lane->lanes->ops->advance)
		rc = lane->lanes->ops->advance(lane, err);
	if (rc > 0)
		lane->ready = true;
	return rc;
}

char *lane_console(struct lane *lane)
{
	return lane->lanes->ops->console ? lane->lanes->ops->console(lane) : NULL;
}

char *lane_trouble(const char *console)
{
	return console_trouble(console);
}

bool lane_is_trouble(const char *line)
{
	return console_is_trouble(line);
}

char *lane_untold(const char *console, const struct value *told)
{
	return console_untold(console, told);
}

char *lane_crash(struct lane *lane)
{
	auto_free char *console = lane_console(lane);

	return console ? console_crash(console) : NULL;
}

void lane_take(struct lane *lane, void (*say)(const char *line, void *arg), void *arg)
{
	if (lane->lanes->ops->take)
		lane->lanes->ops->take(lane, say, arg);
}

static void close_fd(int fd, int other)
{
	if (fd >= 0 && fd != other)
		close(fd);
}

void lane_stop(struct lane *lane)
{
	if (!lane)
		return;
	/* A descriptor may serve both ways. */
	close_fd(lane->job_fd, lane->event_fd);
	flood_end(&lane->flood);
	lane->lanes->ops->stop(lane);
	close_fd(lane->event_fd, -1);
	close_fd(lane->terminal_fd, -1);
	lanes_close(lane->lanes);
	free(lane);
}

static int wait_until_ready(struct lane *lane, struct vbm_error *err)
{
	struct pollfd p[LANE_WANTS_MAX];
	int rc;

	while ((rc = lane_advance(lane, err)) == 0)
		poll(p, lane_wants(lane, p), clock_left_ms(lane->deadline_ns));
	return rc < 0 ? rc : 0;
}

int lane_start(struct lane **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err)
{
	struct lanes *lanes = NULL;
	struct lane *lane = NULL;
	int rc = lanes_open(&lanes, ops, opts, err);

	if (rc == 0)
		rc = lane_begin(&lane, lanes, err);
	if (rc == 0)
		rc = wait_until_ready(lane, err);
	lanes_close(lanes);
	if (rc < 0) {
		lane_stop(lane);
		return rc;
	}
	*out = lane;
	return 0;
}

bool lane_kvm_may_work(void)
{
	auto_free char *qemu = NULL, *key = NULL;

	if (accel_kvm_check(NULL) < 0 || qemu_find(&qemu, NULL) < 0)
		return false;
	key = accel_key(qemu);
	return !accel_is_broken(key);
}

static int choose_auto(const struct lane_options *opts, const struct lane_ops **ops,
		       struct vbm_error *err)
{
	struct vbm_error other;

	/* A kernel that was named is not this machine's. */
	if (!opts->kernel && lane_native.check(opts, &other) == 0)
		*ops = &lane_native;
	else if (lane_kvm_may_work() && lane_guest.check(opts, &other) == 0)
		*ops = &lane_guest;
	else if (lane_uml.check(opts, &other) == 0)
		*ops = &lane_uml;
	else
		*ops = &lane_guest;
	return (*ops)->check(opts, err);
}

const char *lane_name(size_t i)
{
	if (i == 0)
		return "auto";
	return i <= ARRAY_SIZE(table) ? table[i - 1]->name : NULL;
}

int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err)
{
	auto_free char *names = NULL;
	size_t i;

	if (strcmp(name, "auto") == 0)
		return choose_auto(opts, ops, err);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i]->name, name) == 0) {
			*ops = table[i];
			return table[i]->check(opts, err);
		}
	}
	names = choice_text(lane_name, "");
	return vbm_fail(err, EINVAL, "no lane is called '%s': %s", name, names);
}

const char *lane_warning(const struct lane_ops *ops)
{
	return ops == &lane_native ? NULL : confine_warning();
}

char *lane_notice(const struct lane_ops *ops, const struct lane_options *opts)
{
	return ops->notice ? ops->notice(opts) : NULL;
}

int lane_capacity(const struct lane_ops *ops, const struct lane_options *opts)
{
	return ops->capacity(opts);
}
