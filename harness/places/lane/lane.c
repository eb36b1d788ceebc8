/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "guest/confine.h"
#include "guest/console.h"
#include "lib/base/fail.h"

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

static void begin_ready(struct lane *lane)
{
	auto_free char *console = lane_console(lane);

	lane->ready = true;
	lane->booted = console ? strlen(console) : 0;
}

int lane_advance(struct lane *lane, struct vbm_error *err)
{
	int rc = 1;

	if (!lane->ready && lane->lanes->ops->advance)
		rc = lane->lanes->ops->advance(lane, err);
	if (rc > 0 && !lane->ready)
		begin_ready(lane);
	return rc;
}

char *lane_console(struct lane *lane)
{
	return lane->lanes->ops->console ? lane->lanes->ops->console(lane) : NULL;
}

char *lane_console_later(struct lane *lane)
{
	auto_free char *console = NULL;

	if (lane->lanes->ops->console_later)
		return lane->lanes->ops->console_later(lane);
	console = lane_console(lane);
	return console && strlen(console) >= lane->booted ? xstrdup(console + lane->booted) : NULL;
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
