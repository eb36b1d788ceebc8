/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/match.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "machines/machine-fabric.h"
#include "lib/base/fail.h"

/* The messages with which the kernel complains. */
static const struct {
	const char *text;
	enum kmsg_severity severity;
} bad[] = {
	{"Kernel panic", KMSG_OOPS},
	{"Oops:", KMSG_OOPS},
	{"Oops ", KMSG_OOPS},
	{"BUG: kernel NULL pointer", KMSG_OOPS},
	{"BUG: unable to handle", KMSG_OOPS},
	{"general protection fault", KMSG_OOPS},
	{"kernel BUG at", KMSG_OOPS},
	{"BUG: KASAN", KMSG_OOPS},
	{"soft lockup", KMSG_OOPS},
	{"hung_task", KMSG_WARNING},
	{"blocked for more than", KMSG_WARNING},
	{"WARNING: ", KMSG_WARNING},
	{"BUG: ", KMSG_WARNING},
	{"UBSAN: ", KMSG_WARNING},
	{"possible circular locking", KMSG_WARNING},
	{"suspicious RCU usage", KMSG_WARNING},
	{"refcount_t: ", KMSG_WARNING},
	{"ODEBUG: ", KMSG_WARNING},
	{"ref_tracker: ", KMSG_WARNING},
	{"detected stalls", KMSG_WARNING},
	{"unregister_netdevice: waiting for", KMSG_WARNING},
};

/*
 * Patterns of complaints of kernel parts that no call of a scenario reaches. They are
 * reported like every message, and change no verdict.
 */
static const char *const foreign[] = {
	/*
	 * The scheduler's deadline server arms its timer again while the timer
	 * runs out on another processor. A machine is seldom busy enough for
	 * it: once in six suites in twenty guests on two processors (7.3.4).
	 */
	"WARNING:* kernel/time/hrtimer.c:* hrtimer_forward+*",
};

int kmsg_parse(const char *line, size_t len, struct kmsg_record *rec)
{
	const char *text = memchr(line, ';', len), *end;
	char head[32] = "";
	size_t n;

	if (!text || len == 0 || line[0] < '0' || line[0] > '9')
		return -EPROTO;
	n = (size_t)(text - line);
	memcpy(head, line, n < sizeof(head) - 1 ? n : sizeof(head) - 1);
	rec->level = (int)(strtol(head, NULL, 10) & 7);
	text++;
	/* The lines after the first are the record's dictionary. */
	end = memchr(text, '\n', len - (size_t)(text - line));
	n = end ? (size_t)(end - text) : len - (size_t)(text - line);
	if (n > sizeof(rec->text) - 1)
		n = sizeof(rec->text) - 1;
	memcpy(rec->text, text, n);
	rec->text[n] = '\0';
	return 0;
}

enum kmsg_severity kmsg_classify(const struct kmsg_record *rec)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (match_name(foreign[i], rec->text))
			return KMSG_FINE;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (strstr(rec->text, bad[i].text))
			return bad[i].severity;
	return KMSG_FINE;
}

int kmsg_open(struct vbm_error *err)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return vbm_fail(err, errno, "/dev/kmsg: %s", strerror(errno));
	lseek(fd, 0, SEEK_END);
	return fd;
}

int kmsg_next(int fd, struct kmsg_record *rec)
{
	char line[8192];
	ssize_t n;

	for (;;) {
		n = read(fd, line, sizeof(line));
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* records were overwritten: read the next one */
		if (n <= 0)
			return 0;
		if (kmsg_parse(line, (size_t)n, rec) == 0)
			return 1;
	}
}

void kmsg_emit(struct emitter *emit, const struct variant *v, const struct kmsg_record *rec,
	       bool is_bad)
{
	struct value *event = emit_new(emit, "kernel");

	if (v)
		value_set_int(event, "variant", (int64_t)v->number);
	value_set(event, "name", v ? value_string(v->name) : value_null());
	value_set_int(event, "level", rec->level);
	value_set_string(event, "text", rec->text);
	value_set_bool(event, "bad", is_bad);
	emit_take(emit, event);
}

/* Messages that are heard together. */
struct hearing {
	struct emitter *emit;
	const struct variant *v;
	struct value *complaints;
	char **complaint;
	enum kmsg_severity worst;
};

static void handle_record(struct hearing *h, const char *host, const struct kmsg_record *rec)
{
	enum kmsg_severity severity = kmsg_classify(rec);

	kmsg_emit(h->emit, h->v, rec, severity != KMSG_FINE);
	if (severity != KMSG_FINE)
		value_append(h->complaints, value_string(rec->text));
	if (severity <= h->worst)
		return;
	if (h->worst != KMSG_FINE)
		free(*h->complaint);
	h->worst = severity;
	*h->complaint = host ? xasprintf("host %s: %s", host, rec->text) : xstrdup(rec->text);
}

static void hear_far(const char *host, const char *record, void *arg)
{
	struct kmsg_record rec;

	if (kmsg_parse(record, strlen(record), &rec) == 0)
		handle_record(arg, host, &rec);
}

enum kmsg_severity kmsg_hear(const struct kmsg_source *from, struct emitter *emit, const struct variant *v,
			     struct value *complaints, char **complaint)
{
	struct hearing h = {emit, v, complaints, complaint, KMSG_FINE};
	struct kmsg_record rec;

	while (from->fd >= 0 && kmsg_next(from->fd, &rec))
		handle_record(&h, NULL, &rec);
	if (from->far)
		machines_messages(from->far, hear_far, &h);
	return h.worst;
}
