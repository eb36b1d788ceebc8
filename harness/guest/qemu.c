/* SPDX-License-Identifier: BSD-2-Clause */
#include "guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/program.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "fail.h"

#define QEMU_NAME "qemu-system-x86_64"
#define GUEST_CPUS_MAX 2

/*
 * The kernel prints warnings and worse (loglevel 5), skips what costs boot time
 * and serves no guest, and ends QEMU at once when it panics.
 */
#define BASE_CMDLINE                                                          \
	"console=ttyS0 loglevel=5 panic=-1 reboot=t nokaslr mitigations=off " \
	"tsc=reliable no_timer_check nowatchdog random.trust_cpu=on "         \
	"rcupdate.rcu_expedited=1 rcupdate.rcu_cpu_stall_timeout=60 "         \
	"cryptomgr.notests 8250.nr_uarts=1 i8042.noaux i8042.nopnp"

struct args {
	char **item;	/* owned, as each of it */
	size_t count;
};

static void __attribute__((format(printf, 2, 3)))
add(struct args *a, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	va_end(ap);
	GROW(a->item, a->count);
	a->item[a->count++] = s;
}

static void args_fini(struct args *a)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		free(a->item[i]);
	free(a->item);
}

/* QEMU doubles a comma that is part of a value. */
static char *escape(const char *path)
{
	char *out = xcalloc(2 * strlen(path) + 1, 1), *w = out;

	for (; *path; path++) {
		if (*path == ',')
			*w++ = ',';
		*w++ = *path;
	}
	return out;
}

static void add_port(struct args *a, const char *id, const char *name, int fd)
{
	add(a, "-chardev");
	add(a, "socket,id=%s,fd=%d", id, fd);
	add(a, "-device");
	add(a, "virtserialport,chardev=%s,name=%s", id, name);
}

static void add_folder(struct args *a, const char *path, const char *tag, bool readonly)
{
	auto_free char *escaped = escape(path);

	add(a, "-virtfs");
	add(a, "local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s", escaped, tag,
	    readonly ? ",readonly=on" : "");
}

/*
 * The kernel gives its first process what it does not know itself. Of two values
 * for one name the last one rules.
 */
static char *command_line(const struct machine *m)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	const char *const *variable = m->environment;
	struct text line = {0};

	text_addf(&line, BASE_CMDLINE " verbatim.factor=%d%s%s%s%s", m->factor,
		  m->host_root ? " " GUEST_ARG_ROOT "=1" : "",
		  m->host_root && m->share ? " " GUEST_ARG_SHARE "=" : "",
		  m->host_root && m->share ? m->share : "",
		  m->terminal_fd >= 0 ? " " GUEST_ARG_TERMINAL "=1" : "");
	if (path && !strpbrk(path, " \t\n\""))
		text_addf(&line, " LD_LIBRARY_PATH=%s", path);
	for (; variable && *variable; variable++)
		text_addf(&line, " %s", *variable);
	return line.s;
}

/*
 * Emulated processors spin while they wait for each other, above all at boot: a
 * second one doubles what a run costs. But two programs that both poll, as exec
 * and shell may start them, need one processor each.
 */
static int processors(const struct machine *m)
{
	if (!m->kvm && !m->host_root)
		return 1;
	return sysconf(_SC_NPROCESSORS_ONLN) >= GUEST_CPUS_MAX ? GUEST_CPUS_MAX : 1;
}

static void build_args(struct args *a, const struct machine *m)
{
	auto_free char *cmdline = command_line(m);

	add(a, "%s", m->qemu);
	add(a, "-nodefaults");
	add(a, "-no-user-config");
	add(a, "-no-reboot");
	add(a, "-display");
	add(a, "none");
	add(a, "-machine");
	add(a, "pc,accel=%s", m->kvm ? "kvm" : "tcg");
	add(a, "-cpu");
	add(a, "%s", m->kvm ? "host" : "max");
	add(a, "-m");
	add(a, "%d", GUEST_MEMORY_MB);
	add(a, "-smp");
	add(a, "%d", processors(m));
	add(a, "-kernel");
	add(a, "%s", m->image);
	add(a, "-initrd");
	add(a, "/proc/self/fd/%d", m->initrd_fd);
	add(a, "-append");
	add(a, "%s", cmdline);
	add(a, "-chardev");
	add(a, "file,id=console,path=/proc/self/fd/%d,append=on", m->console_fd);
	add(a, "-serial");
	add(a, "chardev:console");
	add(a, "-device");
	add(a, "virtio-serial-pci");
	add_port(a, "events", GUEST_PORT_EVENTS, m->events_fd);
	if (m->terminal_fd >= 0)
		add_port(a, "terminal", GUEST_PORT_TERMINAL, m->terminal_fd);
	if (m->host_root)
		add_folder(a, "/", GUEST_TAG_ROOT, true);
	if (m->host_root && m->share)
		add_folder(a, m->share, GUEST_TAG_SHARE, false);
	GROW(a->item, a->count);
	a->item[a->count] = NULL;
}

int qemu_find(char **path, struct vbm_error *err)
{
	const char *own = getenv("VERBATIM_QEMU"), *dir = getenv("PATH");
	size_t n;

	if (own && !*own)
		own = NULL;
	if (own && access(own, X_OK) == 0) {
		*path = xstrdup(own);
		return 0;
	}
	if (own)
		return vbm_fail(err, ENOENT, "VERBATIM_QEMU=%s: %m", own);
	for (; dir && *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		*path = xasprintf("%.*s/" QEMU_NAME, (int)n, dir);
		if (access(*path, X_OK) == 0)
			return 0;
		free(*path);
	}
	*path = NULL;
	return vbm_fail(err, ENOENT,
			QEMU_NAME " is not installed; install it: apt-get install qemu-system-x86");
}

static void __attribute__((noreturn))
run_child(const struct machine *m, char *const *argv, int errors, pid_t parent)
{
	const int keep[] = {m->initrd_fd, m->console_fd, m->events_fd, m->terminal_fd};
	const int stdio[] = {-1, -1, errors};
	size_t i;

	setpgid(0, 0);	/* the terminal's Ctrl-C is for verbatim, which ends QEMU */
	if (child_begin(&(struct child_setup){
			.parent = parent,
			.stdio = stdio,
			.keep = keep,
			.keep_count = ARRAY_SIZE(keep),
		}) < 0)
		_exit(126);
	for (i = 0; i < ARRAY_SIZE(keep); i++)
		if (keep[i] >= 0)
			fcntl(keep[i], F_SETFD, 0);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(126);
}

int qemu_start(struct qemu *q, const struct machine *m, struct vbm_error *err)
{
	auto_close int in = -1, out = -1;
	struct args args = {0};
	pid_t parent = getpid();
	int pipefd[2];

	*q = (struct qemu){.pid_fd = -1, .errors_fd = -1, .errors = xstrdup("")};
	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return vbm_fail(err, errno, "cannot start QEMU: %m");
	in = pipefd[0];
	out = pipefd[1];
	fcntl(in, F_SETFL, O_NONBLOCK);
	build_args(&args, m);
	q->pid = fork();
	if (q->pid == 0)
		run_child(m, args.item, out, parent);
	args_fini(&args);
	if (q->pid < 0) {
		q->pid = 0;
		return vbm_fail(err, errno, "cannot start QEMU: %m");
	}
	q->errors_fd = steal_fd(&in);
	q->pid_fd = pidfd_open(q->pid, 0);
	if (q->pid_fd < 0) {
		vbm_fail(err, errno, "cannot watch QEMU: %m");
		qemu_stop(q);
		return -err->code;
	}
	return 0;
}

bool qemu_update(struct qemu *q)
{
	char buf[1024];
	ssize_t n = -1;

	if (!q->ended && q->pid > 0 && waitpid(q->pid, &q->status, WNOHANG) == q->pid)
		q->ended = true;
	while (q->errors_fd >= 0 && (n = read(q->errors_fd, buf, sizeof(buf))) > 0) {
		q->errors = xreallocarray(q->errors, q->errors_len + (size_t)n + 1, 1);
		memcpy(q->errors + q->errors_len, buf, (size_t)n);
		q->errors_len += (size_t)n;
		q->errors[q->errors_len] = '\0';
	}
	/* Or the end would be news for ever. */
	if (q->errors_fd >= 0 && n == 0)
		close(steal_fd(&q->errors_fd));
	return q->ended;
}

void qemu_stop(struct qemu *q)
{
	if (q->pid > 0 && !q->ended) {
		kill(q->pid, SIGKILL);
		while (waitpid(q->pid, &q->status, 0) < 0 && errno == EINTR)
			;
	}
	if (q->pid_fd >= 0)
		close(q->pid_fd);
	if (q->errors_fd >= 0)
		close(q->errors_fd);
	free(q->errors);
	*q = (struct qemu){.pid_fd = -1, .errors_fd = -1};
}
