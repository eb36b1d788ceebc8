/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine-line/machine-line-priv.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "lib/base/fail.h"

#define SAID_MAX (64 << 10)	/* the end of standard error is read, at most this much */
#define GROUP_MAX 64	/* machines of a run */

/* The last line of what ssh and the machine wrote to standard error; the caller frees it. */
static char *last_words(const struct machine_line *l)
{
	off_t size = l->said_fd < 0 ? 0 : lseek(l->said_fd, 0, SEEK_END);
	auto_free char *text = xcalloc(1, SAID_MAX + 1);
	char *line;
	ssize_t n;

	n = size > 0 ? pread(l->said_fd, text, SAID_MAX, size > SAID_MAX ? size - SAID_MAX : 0) : 0;
	while (n > 0 && strchr("\r\n ", text[n - 1]))
		text[--n] = '\0';
	line = n > 0 ? strrchr(text, '\n') : NULL;
	return n > 0 ? xstrdup(line ? line + 1 : text) : NULL;
}

/* Waits for the end of ssh. */
void machine_line_reap(struct machine_line *l)
{
	if (l->pid <= 0)
		return;
	while (waitpid(l->pid, &l->status, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
}

int machine_line_break(struct machine_line *l, struct vbm_error *err, const char *what)
{
	auto_free char *said = NULL;
	const char *hint;

	if (!l->broken) {
		if (l->pid > 0)
			kill(l->pid, SIGKILL);
		machine_line_reap(l);
		said = last_words(l);
		hint = said ? machine_line_hint(said) : NULL;
		l->broken = xasprintf("machine %s: %s%s%s%s%s", l->name, what, said ? ": " : "", said ? said : "",
				      hint ? "; " : "", hint ? hint : "");
	}
	return vbm_fail(err, ECONNRESET, "%s", l->broken);
}

/* A connection that others wait for, too, may have lines that nobody reads now, so only its end counts. */
int machine_line_wait(struct machine_line *l, int64_t deadline_ns)
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
