/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stddef.h>

#include "base/clock.h"
#include "machine-line/machine-line-priv.h"

/* The connections of a run. When one ends, nobody waits for the others any longer. */

#define GROUP_MAX 64	/* machines of a run */

void machine_line_join(struct machine_line *l, struct machine_line *other)
{
	struct machine_line *behind = l->beside;

	l->beside = other->beside;
	other->beside = behind;
}

void group_leave(struct machine_line *l)
{
	struct machine_line *before = l;

	while (before->beside != l)
		before = before->beside;
	before->beside = l->beside;
	l->beside = l;
}

const char *machine_line_lost(const struct machine_line *l)
{
	const struct machine_line *o = l;

	do {
		if (o->broken)
			return o->broken;
		o = o->beside;
	} while (o != l);
	return NULL;
}

/* A connection that others wait for, too, may have lines that nobody reads now, so only its end counts. */
int group_wait(struct machine_line *l, int64_t deadline_ns)
{
	struct machine_line *whose[GROUP_MAX] = {l}, *o;
	struct pollfd p[GROUP_MAX] = {{.fd = l->fd, .events = POLLIN}};
	int count = 1, n, i;

	for (o = l->beside; o != l && count < GROUP_MAX; o = o->beside) {
		if (o->broken)
			continue;
		whose[count] = o;
		p[count++] = (struct pollfd){.fd = o->fd, .events = POLLRDHUP};
	}
	do {
		n = poll(p, (nfds_t)count, deadline_ns < 0 ? -1 : clock_left_ms(deadline_ns));
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -ETIMEDOUT;
	for (i = 1; !p[0].revents && i < count; i++) {
		if (p[i].revents) {
			machine_line_break(whose[i], NULL, "the connection ended");
			return -ECONNABORTED;
		}
	}
	return 0;
}
