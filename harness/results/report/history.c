/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "event/read.h"
#include "event/event.h"
#include "lib/base/fail.h"

struct history {
	char *path;	/* owned */
	int fd;		/* owned */
	struct verdict_rows rows;
};

int history_open(struct history **out, const char *path, struct vbm_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	struct history *h;

	if (fd < 0)
		return vbm_fail(err, errno, "cannot write the history %s: %s", path, strerror(errno));
	h = xcalloc(1, sizeof(*h));
	h->path = xstrdup(path);
	h->fd = fd;
	verdict_rows_init(&h->rows);
	*out = h;
	return 0;
}

static void put_time(struct value *summary)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	value_set_string(summary, "ended", text);
}

/*
 * One write, so that two runs with one history do not mix their lines. Nothing of a line
 * that does not fit stays, unless another run has added one.
 */
static int add_line(struct history *h, const char *line, size_t len, struct vbm_error *err)
{
	ssize_t n = write(h->fd, line, len);
	struct stat st;
	off_t end;
	int code;

	if (n == (ssize_t)len)
		return 0;
	code = n < 0 ? errno : ENOSPC;
	end = n > 0 ? lseek(h->fd, 0, SEEK_CUR) : -1;
	if (end >= n && fstat(h->fd, &st) == 0 && st.st_size == end && ftruncate(h->fd, end - n) < 0)
		code = errno;
	return vbm_fail(err, code, "history %s: %s", h->path, strerror(code));
}

int history_event(struct history *h, const struct value *event, struct vbm_error *err)
{
	auto_value struct value *summary = NULL;
	auto_free char *text = NULL, *line = NULL;

	verdict_rows_event(&h->rows, event);
	if (!event_is(event, "summary"))
		return 0;
	summary = verdict_rows_summary(&h->rows, event);
	put_time(summary);
	text = json_write(summary);
	line = xasprintf("%s\n", text);
	return add_line(h, line, strlen(line), err);
}

void history_close(struct history *h)
{
	if (!h)
		return;
	close(h->fd);
	verdict_rows_fini(&h->rows);
	free(h->path);
	free(h);
}
