/* SPDX-License-Identifier: BSD-2-Clause */
#include "explore/ending.h"

static int on_began(void *arg, struct vbm_error *err)
{
	(void)arg;
	(void)err;
	return 0;
}

static bool on_enough(void *arg)
{
	(void)arg;
	return false;
}

static int on_heard(void *arg, const struct walk_news *news, struct vbm_error *err)
{
	int64_t *operation = arg;

	(void)err;
	if (news->lost)
		*operation = news->operation;
	return 0;
}

int ending_find(const struct walks *walks, uint64_t sequence, int64_t *operation, struct vbm_error *err)
{
	struct walks again = *walks;

	*operation = -1;
	again.first = sequence;
	again.sequences = sequence + 1;
	again.jobs = 1;
	again.each = true;
	again.began = on_began;
	again.enough = on_enough;
	again.heard = on_heard;
	again.arg = operation;
	return walks_run(&again, err);
}
