/* SPDX-License-Identifier: BSD-2-Clause */
#include "program/command-output.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#define CHUNK 32768
#define DRAIN_MAX (1024 * 1024)

/* Returns false at the end of the stream. */
static bool read_stream(struct command_output *o, int which)
{
	char bytes[CHUNK];
	ssize_t n = read(o->out[which].fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	/* A terminal that no process has open any more gives EIO. */
	if (n <= 0) {
		watch_close(&o->out[which]);
		return false;
	}
	o->take(o, which, bytes, (size_t)n);
	return true;
}

static void on_out(struct watch *out, uint32_t events)
{
	(void)events;
	read_stream(OWNER_OF(out, struct command_output, out[0]), 0);
}

static void on_err(struct watch *err, uint32_t events)
{
	(void)events;
	read_stream(OWNER_OF(err, struct command_output, out[1]), 1);
}

void command_output_watch(struct command_output *o, struct loop *loop)
{
	watch_add(loop, &o->out[0], o->out[0].fd, POLLIN, on_out);
	watch_add(loop, &o->out[1], o->out[1].fd, POLLIN, on_err);
}

void command_output_drain(struct command_output *o)
{
	struct pollfd p;
	size_t got;
	int which;

	for (which = 0; which < 2; which++) {
		p = (struct pollfd){.fd = o->out[which].fd, .events = POLLIN};
		for (got = 0; got < DRAIN_MAX && poll(&p, 1, 0) > 0; got += CHUNK)
			if (!read_stream(o, which))
				break;
	}
}
