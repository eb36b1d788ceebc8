/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/exec-report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "lane/lane.h"
#include "process/task.h"
#include "session/core-xstate.h"
#include "session/exec.h"

#define GDB_SECONDS 60
#define TEXT_MAX 65536
#define CORE_PATTERN "/proc/sys/kernel/core_pattern"

struct cores {
	const struct exec_options *opts;
	void (*note)(const char *line, void *arg);
	void *arg;
	int count;
};

int exec_core_signal(int status)
{
	static const int leaves_core[] = {
		SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(leaves_core); i++)
		if (status == 128 + leaves_core[i])
			return leaves_core[i];
	return 0;
}

static void __attribute__((format(printf, 2, 3))) note_core(struct cores *c, const char *fmt, ...)
{
	auto_free char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = xvasprintf(fmt, ap);
	va_end(ap);
	c->note(line, c->arg);
}

/* The value of "NAME: VALUE" in the text file beside a core. The caller frees it. */
static char *value_of(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? xstrndup(p + strlen(name), strcspn(p + strlen(name), "\n")) : xstrdup("?");
}

static bool add_to(const char *path, const char *text)
{
	auto_close int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd >= 0 && file_write(fd, text, strlen(text)) == 0;
}

/* Writes a backtrace, without using a network; returns a text about its success. */
static const char *backtrace(const char *program, const char *core, const char *text)
{
	auto_free char *said = NULL;
	bool well;

	if (!task_backtrace(program, core, GDB_SECONDS, &said, &well))
		return "there is no backtrace, because gdb is not installed here";
	if (!add_to(text, "\n") || !add_to(text, said))
		return "its backtrace could not be written";
	if (!well)
		return "gdb could not read all of it; what gdb said is beside it";
	return "a backtrace is beside it";
}

static void report_core(struct cores *c, const char *host, const char *name)
{
	size_t n = strlen(name) - strlen(".core");
	auto_free char *core = xasprintf("%s/%s/%s", c->opts->output, host, name);
	auto_free char *path = xasprintf("%s/%s/%.*s.txt", c->opts->output, host, (int)n, name);
	auto_free char *text = NULL, *program = NULL, *sig = NULL;
	const char *abbrev, *what;
	struct stat st;
	int64_t number;

	if (stat(core, &st) < 0 || file_read_max(path, TEXT_MAX, &text, NULL, NULL) < 0)
		return;
	program = value_of(text, "program: ");
	sig = value_of(text, "signal: ");
	abbrev = number_read(sig, 1, NSIG, &number) ? sigabbrev_np((int)number) : NULL;
	core_mend_xstate(core);
	/* The guest chose the name, so a name that is no path could be an option of gdb. */
	what = *program == '/' ? backtrace(program, core, path) :
				 "there is no backtrace, because it has no path";
	note_core(c, "%s on host %s died of SIG%s: its core is %s (%lld MB%s); %s", program, host,
		  abbrev ? abbrev : "?", core, ((long long)st.st_size + (1 << 20) - 1) >> 20,
		  strstr(text, "is not complete") ? ", not complete" : "", what);
	c->count++;
}

static bool is_core(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".core");
}

static void report_host(struct cores *c, const char *host)
{
	auto_free char *path = xasprintf("%s/%s", c->opts->output, host);
	struct dirent **entry;
	int i, n = scandir(path, &entry, NULL, alphasort);

	for (i = 0; i < n; i++) {
		if (is_core(entry[i]->d_name))
			report_core(c, host, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

/* The folders in the folder of --output are those of the hosts. */
static void report_all(struct cores *c)
{
	struct dirent **entry;
	int i, n = scandir(c->opts->output, &entry, NULL, alphasort);

	for (i = 0; i < n; i++) {
		if (entry[i]->d_type != DT_REG && entry[i]->d_name[0] != '.')
			report_host(c, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static void say_why_not(struct cores *c, const struct lane *lane, int died, int status)
{
	const char *host = c->opts->commands[died].host;
	const char *abbrev = sigabbrev_np(exec_core_signal(status));
	auto_free char *pattern = NULL;

	if (lane->lanes->ops == &lane_native) {
		if (file_read(CORE_PATTERN, &pattern, NULL, NULL) == 0)
			pattern[strcspn(pattern, "\n")] = '\0';
		note_core(c, "the command on %s ended as by SIG%s; its core, if there is one, is where this "
			  "machine puts cores (kernel.core_pattern: %s), because lane native changes no "
			  "setting of the machine",
			  host, abbrev, pattern ? pattern : "?");
	} else if (!lane->kept) {
		note_core(c, "the command on %s ended as by SIG%s, and its core is lost: a guest cannot "
			  "write to %s, whose path has a space or quote", host, abbrev, c->opts->output);
	} else {
		note_core(c, "the command on %s ended as by SIG%s and left no core%s", host, abbrev,
			  lane->lanes->ops == &lane_uml ? ": this version's 'verbatim kernel build' "
			  "makes a kernel that writes cores" : "");
	}
}

void exec_cores_report(const struct exec_options *opts, const struct lane *lane, int died,
		       int status, void (*note)(const char *line, void *arg), void *arg)
{
	struct cores c = {.opts = opts, .note = note, .arg = arg};

	if (!opts->output)
		return;
	report_all(&c);
	if (!c.count && died >= 0)
		say_why_not(&c, lane, died, status);
}

static void save_console(const char *console)
{
	const char *dir = getenv("TMPDIR");
	auto_free char *path = xasprintf("%s/verbatim-console-XXXXXX.log",
					 dir && *dir ? dir : "/tmp");
	auto_close int fd = mkostemps(path, 4, O_CLOEXEC);

	if (fd < 0 || file_write(fd, console, strlen(console)) < 0)
		visible_complain("cannot keep the console in %s: %s", path, strerror(errno));
	else
		visible_complain("the kernel's console is in %s", path);
}

/* A complaint with this text may come from something else than the kernel. */
static const struct {
	const char *text, *cause;
} causes[] = {
	{" int3: 0000 [#", "public reports of such an end without KVM name QEMU before 8.1: a kernel changes its own code, and "
	 "another emulated processor runs the old code once more. Whether it was so here is not known; with --cpus 1 there is "
	 "no other processor"},
};

static void explain(const char *trouble)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (strstr(trouble, causes[i].text))
			visible_complain("%s", causes[i].cause);
}

bool exec_keep_console(struct lane *lane, bool head)
{
	auto_free char *console = lane_console(lane), *trouble = NULL;

	if (!console || !*console)
		return false;
	trouble = lane_trouble(console);
	if (trouble && head) {
		visible_put(trouble, stderr);
		fputc('\n', stderr);
	}
	if (trouble)
		explain(trouble);
	if (lane->lanes->opts.artifacts)
		visible_complain("the kernel's console is in %s/console-1.log",
			 lane->lanes->opts.artifacts);
	else
		save_console(console);
	return head && trouble;
}
