/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/follow.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/value.h"
#include "lib/base/fail.h"

static int lost(const struct follow *f, struct worker *w, enum worker_news news,
		const char *why, struct vbm_error *err)
{
	if (f->ops->lost)
		return f->ops->lost(f->arg, w, news, why, err);
	return vbm_fail(err, EIO, "%s", why);
}

/* Waits for one piece of news, and calls the function for it. */
static int follow_once(const struct follow *f, struct worker_wait *on, struct vbm_error *err)
{
	const struct follow_ops *ops = f->ops;
	auto_value struct value *event = NULL;
	auto_free char *why = NULL;
	enum worker_news news;
	struct worker *w;

	if (ops->wait_for)
		ops->wait_for(f->arg, on);
	news = worker_wait(on, &w, &event, &why);
	switch (news) {
	case WORKER_READY:
		return ops->ready ? ops->ready(f->arg, w, err) : 0;
	case WORKER_EVENT:
		return ops->event(f->arg, w, event, err);
	case WORKER_END:
		return ops->end ? ops->end(f->arg, w, err) : 0;
	case WORKER_DIED:
	case WORKER_GARBLED:
	case WORKER_SILENT:
		return lost(f, w, news, why, err);
	case WORKER_INPUT:
		return ops->input(f->arg, err);
	case WORKER_INTERRUPTED:
		if (ops->interrupted)
			return ops->interrupted(f->arg, f->workers, why, err);
		return vbm_fail(err, EINTR, "%s", why);
	case WORKER_NONE:
		break;
	}
	return 1;
}

int follow(const struct follow *f, struct vbm_error *err)
{
	struct worker_wait on = {
		.workers = f->workers, .count = f->count, .signals = f->signals,
	};
	int rc;

	worker_wait_begin(&on);
	do {
		rc = follow_once(f, &on, err);
		if (rc == 0 && out_error() == EPIPE)
			rc = vbm_fail(err, EPIPE, "nobody reads standard output any more");
	} while (rc == 0);
	worker_wait_end(&on);
	return rc < 0 ? rc : 0;
}
