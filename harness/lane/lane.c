/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "fail.h"

static const struct lane_ops *const lanes[] = {&lane_native, &lane_guest};

int lane_start(struct lane **out, const struct lane_ops *ops,
	       const struct lane_options *opts, struct vbm_error *err)
{
	struct lane *lane = xcalloc(1, sizeof(*lane));
	int rc;

	lane->ops = ops;
	lane->event_fd = lane->job_fd = lane->terminal_fd = -1;
	lane->factor = 1;
	rc = ops->start(lane, opts, err);
	if (rc < 0) {
		lane_stop(lane);
		return rc;
	}
	*out = lane;
	return 0;
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
	lane->ops->stop(lane);
	close_fd(lane->event_fd, -1);
	close_fd(lane->terminal_fd, -1);
	free(lane);
}

static int choose_auto(const struct lane_options *opts, const struct lane_ops **ops,
		       struct vbm_error *err)
{
	struct vbm_error native;

	/* A kernel asked for by name can only be had in a guest. */
	if (!opts->kernel && lane_native.check(opts, &native) == 0) {
		*ops = &lane_native;
		return 0;
	}
	*ops = &lane_guest;
	return lane_guest.check(opts, err);
}

int lane_choose(const char *name, const struct lane_options *opts,
		const struct lane_ops **ops, struct vbm_error *err)
{
	size_t i;

	if (strcmp(name, "auto") == 0)
		return choose_auto(opts, ops, err);
	for (i = 0; i < ARRAY_SIZE(lanes); i++) {
		if (strcmp(lanes[i]->name, name) == 0) {
			*ops = lanes[i];
			return lanes[i]->check(opts, err);
		}
	}
	return vbm_fail(err, EINVAL, "no lane is called '%s': auto, native or guest", name);
}
