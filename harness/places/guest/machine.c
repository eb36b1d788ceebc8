/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "guest/guest.h"
#include "guest/limits.h"
#include "lib/base/fail.h"
#include "process/child.h"

/* At most so many bytes of a machine's standard error are kept. */
#define ERRORS_MAX (256 << 10)

void args_add(struct args *a, const char *fmt, ...)
{
	char *s;
	va_list ap;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	a->item = xreallocarray(a->item, a->count + 2, sizeof(a->item[0]));
	a->item[a->count++] = s;
	a->item[a->count] = NULL;
}

void args_fini(struct args *a)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		free(a->item[i]);
	free(a->item);
	memset(a, 0, sizeof(*a));
}

/*
 * The kernel passes words that it does not know to its first process. If a name occurs
 * twice, the last value counts.
 */
char *machine_words(const struct machine *m, const char *root_type)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	const char *const *variable = m->environment;
	struct text line = {0};
	size_t i;

	text_addf(&line, GUEST_ARG_FACTOR "=%d", m->factor);
	if (m->files_seen)
		text_addf(&line, " " GUEST_ARG_ROOT "=%s", root_type);
	if (m->files_seen == GUEST_FILES_PROGRAMS)
		text_addf(&line, " " GUEST_ARG_SEEN_BY "=" GUEST_SEEN_BY_PROGRAMS);
	for (i = 0; m->files_seen && i < m->shares; i++)
		text_addf(&line, " " GUEST_ARG_SHARE "%zu=%s:%s", i,
			  m->share[i].readonly ? "ro" : "rw", m->share[i].path);
	if (m->files_seen && m->kept)
		text_addf(&line, " " GUEST_ARG_KEPT "=%s", m->kept);
	if (m->files_seen && m->modules && !strpbrk(m->modules, " \t\n\""))
		text_addf(&line, " " GUEST_ARG_MODULES "=%s", m->modules);
	if (path && !strpbrk(path, " \t\n\""))
		text_addf(&line, " LD_LIBRARY_PATH=%s", path);
	for (; variable && *variable; variable++)
		text_addf(&line, " %s", *variable);
	return line.s;
}

char *machine_initrd(const struct machine *m)
{
	if (confine_means() & CONFINE_MOUNTS)
		return xstrdup(CONFINE_COPY);
	return xasprintf("/proc/self/fd/%d", m->initrd_fd);
}

/* The process needs little of our environment, which may have secrets. */
static void drop_environment(void)
{
	static const char *const needed[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR"};
	char *kept[ARRAY_SIZE(needed)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needed); i++)
		kept[i] = getenv(needed[i]) ? xstrdup(getenv(needed[i])) : NULL;
	clearenv();
	for (i = 0; i < ARRAY_SIZE(needed); i++)
		if (kept[i])
			setenv(needed[i], kept[i], 1);
}

static void __attribute__((noreturn))
run_child(const struct machine *m, const struct limits *l, char *const *argv, int errors, pid_t parent)
{
	const int keep[] = {m->initrd_fd, m->console_fd, m->events_fd, m->terminal_fd,
			    m->events_taken_fd, m->terminal_taken_fd, m->host ? m->host->wire_fd : -1};
	const int stdio[] = {-1, -1, errors};
	struct vbm_error err;
	size_t i;

	if (m->processors)
		sched_setaffinity(0, sizeof(*m->processors), m->processors);
	setpgid(0, 0);	/* the terminal's Ctrl-C is for verbatim, which ends the machine */
	if (child_begin(&(struct child_setup){
			.parent = parent,
			.stdio = stdio,
			.keep = keep,
			.keep_count = ARRAY_SIZE(keep),
			.no_core = true,
		}) < 0)
		_exit(126);
	for (i = 0; i < ARRAY_SIZE(keep); i++)
		if (keep[i] >= 0)
			fcntl(keep[i], F_SETFD, 0);
	if (m->memory_folder)
		setenv("TMPDIR", m->memory_folder, 1);
	if (confine_means())
		drop_environment();
	if (confine_enter(&l->c, &err) < 0) {
		dprintf(STDERR_FILENO, "cannot confine %s: %s\n", argv[0], err.msg);
		_exit(126);
	}
	/*
	 * The process has a copy; by this descriptor it could write to the file that the
	 * next run takes.
	 */
	if (confine_means() & CONFINE_MOUNTS)
		close(m->initrd_fd);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(126);
}

int machine_start(struct machine_process *p, const struct machine *m, const struct args *a,
		  struct vbm_error *err)
{
	auto_close int in = -1, out = -1;
	auto_limits struct limits l;
	pid_t parent = getpid();
	int pipefd[2];

	limits_make(&l, m);
	*p = (struct machine_process){.pid_fd = -1, .errors_fd = -1, .errors = xstrdup("")};
	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot start %s: %m", m->program);
	in = pipefd[0];
	out = pipefd[1];
	fcntl(in, F_SETFL, O_NONBLOCK);
	p->pid = confine_fork();
	if (p->pid == 0)
		run_child(m, &l, a->item, out, parent);
	if (p->pid < 0) {
		p->pid = 0;
		return vbm_fail(err, errno, "cannot start %s: %m", m->program);
	}
	p->errors_fd = steal_fd(&in);
	p->pid_fd = pidfd_open(p->pid, 0);
	if (p->pid_fd < 0) {
		vbm_fail(err, errno, "cannot watch %s: %m", m->program);
		machine_stop(p);
		return -err->code;
	}
	return 0;
}

/* Keeps the last text, even if the process writes without end. */
static void keep_error(struct machine_process *p, const char *text, size_t len)
{
	size_t old = p->errors_len > ERRORS_MAX ? ERRORS_MAX / 2 : 0;

	if (old) {
		memmove(p->errors, p->errors + p->errors_len - old, old);
		p->errors_len = old;
	}
	p->errors = xreallocarray(p->errors, p->errors_len + len + 1, 1);
	memcpy(p->errors + p->errors_len, text, len);
	p->errors_len += len;
	p->errors[p->errors_len] = '\0';
}

bool machine_update(struct machine_process *p)
{
	char buf[1024];
	ssize_t n = -1;

	if (!p->ended && p->pid > 0 && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->ended = true;
	while (p->errors_fd >= 0 && (n = read(p->errors_fd, buf, sizeof(buf))) > 0)
		keep_error(p, buf, (size_t)n);
	/* Otherwise the end of the pipe would be reported for ever. */
	if (p->errors_fd >= 0 && n == 0)
		close(steal_fd(&p->errors_fd));
	return p->ended;
}

void machine_end(struct machine_process *p)
{
	machine_update(p);
	if (p->pid <= 0 || p->ended)
		return;
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->ended = true;
}

void machine_stop(struct machine_process *p)
{
	machine_end(p);
	if (p->pid_fd >= 0)
		close(p->pid_fd);
	if (p->errors_fd >= 0)
		close(p->errors_fd);
	free(p->errors);
	*p = (struct machine_process)MACHINE_PROCESS_NONE;
}
