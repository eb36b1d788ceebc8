/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/console.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "guest/guest.h"

#define LAST_LINES 20
#define TROUBLE_LINES 80
/*
 * A kernel that ends itself prints the reason, one or two traces of thirty lines, and
 * little more: see console_crash().
 */
#define CRASH_LINES 120
#define TRACE_END "---[ end trace"
#define PANIC "Kernel panic - not syncing"

/*
 * The first mark of the table that the console has is taken, because a panic says more
 * than the oops before it.
 */
static const char *const marks[] = {
	PANIC,
	"kernel BUG at",
	"BUG: ",
	"Oops: ",
	"general protection fault",
	GUEST_SAYS_FAILED,
	GUEST_SAYS_KILLED,
	"ERROR: AddressSanitizer",
	"runtime error: ",
	"soft lockup",
	"rcu_preempt detected stalls",
};

/* The last line with @mark, from @mark on; the caller frees it. */
static char *find_mark(const char *console, const char *mark)
{
	const char *hit = NULL, *p = console;

	while ((p = strstr(p, mark)))
		hit = p++;
	return hit ? xstrndup(hit, strcspn(hit, "\r\n")) : NULL;
}

/* The first line of a complaint of the kernel begins with one of these, or contains it. */
static const char *const heads[] = {
	"------------[ cut here ]", "BUG: ", "kernel BUG at", "Oops: ", "WARNING: ",
	"general protection fault", "Kernel panic", "soft lockup", "detected stalls",
};

static bool is_head(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		if (memmem(line, len, heads[i], strlen(heads[i])))
			return true;
	return false;
}

bool console_is_trouble(const char *line)
{
	return is_head(line, strlen(line));
}

/* On the console the time comes before the text of a message. */
static bool is_told(const char *line, size_t len, const struct value *told)
{
	const char *text;
	size_t i, n;

	while (len > 0 && line[len - 1] == '\r')
		len--;
	for (i = 0; told && i < told->list.count; i++) {
		text = told->list.item[i]->s;
		n = strlen(text);
		if (n <= len && memcmp(line + len - n, text, n) == 0)
			return true;
	}
	return false;
}

/*
 * The text of @console from the first head that is not in @told (which may be NULL), at
 * most @most lines; NULL if there is none.
 */
static char *from_head(const char *console, int most, const struct value *told)
{
	struct text out = {0};
	int lines = 0;
	size_t n;

	for (; *console && lines < most; console += n + (console[n] != '\0')) {
		n = strcspn(console, "\n");
		if (!lines && (!is_head(console, n) || is_told(console, n, told)))
			continue;
		text_add_bytes(&out, console, n - (n > 0 && console[n - 1] == '\r'));
		text_add(&out, "\n");
		lines++;
	}
	while (out.len > 0 && out.s[out.len - 1] == '\n')
		out.s[--out.len] = '\0';
	return out.s;
}

char *console_trouble(const char *console)
{
	return from_head(console, TROUBLE_LINES, NULL);
}

char *console_untold(const char *console, const struct value *told)
{
	return from_head(console, TROUBLE_LINES, told);
}

/* An entry of a stack trace of a user-mode kernel, as in " [<60575729>] ? rxe_rcv+0x585/0xc90". */
static bool is_trace_entry(const char *line)
{
	size_t len = strcspn(line, "\n");

	return memmem(line, len, "[<", 2) && memmem(line, len, "+0x", 3);
}

/*
 * The last @most lines of @console, without empty lines at the end. With @traces,
 * entries of stack traces do not count.
 */
static const char *last_lines(const char *console, int most, bool traces)
{
	const char *p = console + strlen(console);
	int lines = 0;

	while (p > console && (p[-1] == '\n' || p[-1] == '\r'))
		p--;
	while (p > console) {
		if (p[-1] == '\n' && !(traces && is_trace_entry(p)) && ++lines >= most)
			break;
		p--;
	}
	return p;
}

static const char *next_line(const char *p)
{
	p += strcspn(p, "\n");
	return *p ? p + 1 : p;
}

static int count_lines(const char *p)
{
	int n = 0;

	for (; *p; p = next_line(p))
		n++;
	return n;
}

/*
 * A kernel with KASAN has traces of hundreds of entries, because each word of its large stacks
 * that looks like an address is one. A complaint that ended before the panic is left out if the panic would be cut.
 */
char *console_crash(const char *console)
{
	const char *panic, *over;

	console = last_lines(console, CRASH_LINES, true);
	panic = strstr(console, PANIC);
	if (!panic)
		return NULL;
	while (count_lines(console) > CRASH_LINES && (over = strstr(console, TRACE_END)) && over < panic)
		console = next_line(over);
	return from_head(console, CRASH_LINES, NULL);
}

static bool ended_well(const char *console)
{
	auto_free char *line = find_mark(console, GUEST_SAYS_ENDED);

	return line && !strcmp(line + strlen(GUEST_SAYS_ENDED), "0");
}

static char *process_end(const struct guest_end *end)
{
	const char *said = end->errors;
	size_t n = strlen(said), begin;

	while (n > 0 && said[n - 1] == '\n')
		n--;
	for (begin = n; begin > 0 && said[begin - 1] != '\n'; begin--)
		;
	if (!end->running && WIFSIGNALED(end->status))
		return xasprintf("%s was killed by signal %d (%s)%s%.*s", end->program,
				 WTERMSIG(end->status), strsignal(WTERMSIG(end->status)),
				 n > begin ? "; its last words: " : "", (int)(n - begin),
				 said + begin);
	if (n > begin && !end->running)
		return xasprintf("%s ended: %.*s", end->program, (int)(n - begin), said + begin);
	if (n > begin)
		return xasprintf("%s says: %.*s", end->program, (int)(n - begin), said + begin);
	if (end->running && !end->console[0])
		return xstrdup("the guest never started: nothing came on its console");
	if (end->running)
		return xstrdup("the guest runs but does not answer");
	return xasprintf("the guest ended by itself (%s ended with status %d)", end->program,
			 WEXITSTATUS(end->status));
}

static char *reason_of(const struct guest_end *end)
{
	char *line;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		line = find_mark(end->console, marks[i]);
		if (line)
			return line;
	}
	line = find_mark(end->console, GUEST_SAYS_ENDED);
	return line ? line : process_end(end);
}

char *console_end_cause(const struct guest_end *end)
{
	auto_free char *reason = NULL, *out = NULL, *crash = NULL;
	const char *tail;
	char *w;

	if (ended_well(end->console))
		return NULL;
	reason = reason_of(end);
	crash = console_crash(end->console);
	tail = crash ? crash : last_lines(end->console, LAST_LINES, false);
	out = xasprintf("%s%s%s", reason, *tail ? "\n" : "", tail);
	/* On the console a line also ends with a carriage return. */
	for (const char *r = w = out; *r; r++)
		if (*r != '\r')
			*w++ = *r;
	while (w > out && w[-1] == '\n')
		w--;
	*w = '\0';
	return steal(&out);
}
