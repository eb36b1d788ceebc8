/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/task.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "process/program.h"

char *task_proc_line(const char *path)
{
	char *text = NULL;
	size_t n, i;

	if (file_read(path, &text, &n, NULL) < 0)
		return NULL;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\0'))
		text[--n] = '\0';
	for (i = 0; i < n; i++)
		if (text[i] == '\0' || text[i] == '\n')
			text[i] = ' ';
	if (!n)
		free(steal(&text));
	return text;
}

bool task_stat(struct task_stat *t, pid_t pid, pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/stat", pid, tid), *line = task_proc_line(path);
	/* The process name before the ')' may contain anything. */
	const char *p = line ? strrchr(line, ')') : NULL;
	uint64_t user, kernel;

	if (!p || sscanf(p + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
			 &t->state, &t->parent, &user, &kernel) != 4)
		return false;
	t->ticks = user + kernel;
	return true;
}

/* 'Z' for a thread that has ended. */
static char task_state(pid_t pid, pid_t tid)
{
	struct task_stat t;

	return task_stat(&t, pid, tid) ? t.state : 'Z';
}

char *task_doing(pid_t pid, pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/wchan", pid, tid), *where = NULL;
	auto_free char *call = NULL;
	char state = task_state(pid, tid);

	if (state == 'R')
		return xstrdup("runs");
	if (state == 'Z' || state == 'X')
		return xstrdup("has ended");
	call = system_call_of(pid, tid);
	if (call)
		return xasprintf("waits in %s", call);
	where = task_proc_line(path);
	return where && strcmp(where, "0") != 0 ? xasprintf("waits in %s", where) : xstrdup("waits");
}

static int64_t cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) < 0)
		return -1;
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The processor time of all threads of a process; -1 when it has ended. */
static int64_t process_cpu_ms(pid_t pid)
{
	int64_t ns = cpu_ns(pid);

	return ns < 0 ? ns : ns / 1000000;
}

char *task_says(pid_t pid)
{
	auto_free char *doing = task_doing(pid, pid);

	return xasprintf("%s, after %lld ms of processor time", doing, (long long)process_cpu_ms(pid));
}

/* The next entry of a folder whose name is a number; 0 at the end. */
static pid_t next_number(DIR *dir)
{
	const struct dirent *d;
	pid_t n = 0;

	while (n <= 0 && dir && (d = readdir(dir)))
		n = (pid_t)strtol(d->d_name, NULL, 10);
	return n > 0 ? n : 0;
}

void task_each(bool (*fn)(pid_t pid, void *arg), void *arg)
{
	auto_dir DIR *proc = opendir("/proc");
	pid_t pid;

	while ((pid = next_number(proc)))
		if (!fn(pid, arg))
			return;
}

void task_session_each(pid_t sid, bool (*fn)(pid_t pid, void *arg), void *arg)
{
	auto_dir DIR *proc = opendir("/proc");
	pid_t pid;

	while ((pid = next_number(proc)))
		if (getsid(pid) == sid && !fn(pid, arg))
			return;
}

void process_each_thread(pid_t pid, bool (*fn)(pid_t pid, pid_t tid, void *arg), void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/task", pid);
	auto_dir DIR *tasks = opendir(path);
	pid_t tid;

	while ((tid = next_number(tasks)))
		if (!fn(pid, tid, arg))
			return;
}

static bool add_thread(pid_t pid, pid_t tid, void *arg)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/schedstat", pid, tid), *line = task_proc_line(path);
	struct process_times *t = arg;
	int64_t queued;

	if (line && sscanf(line, "%*s %" SCNd64, &queued) == 1 && queued > t->queued_ns)
		t->queued_ns = queued;
	t->ready |= task_state(pid, tid) == 'R';
	return true;
}

struct process_times process_times(pid_t pid)
{
	int64_t cpu = cpu_ns(pid);
	struct process_times t = {.at_ns = clock_now_ns(), .cpu_ns = cpu < 0 ? 0 : cpu};

	process_each_thread(pid, add_thread, &t);
	return t;
}

#define NOT_FOUND 127
#define FRAME_MAX 160	/* of a line of a report */

/* Runs a debugger; false if it is not installed. */
static bool run_debugger(const char *const *words, int seconds, const char *const *more, char **said,
			 bool *well)
{
	auto_free char *limit = xasprintf("%d", seconds);
	const char *argv[32] = {"timeout", "-s", "KILL", limit};
	size_t n = 4;
	int status = 0, rc;

	while (*words)
		argv[n++] = *words++;
	while (*more)
		argv[n++] = *more++;
	/* program_says() changes none of them. */
	rc = program_says((char *const *)(uintptr_t)argv, said, &status, NULL);
	*well = rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return rc == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND);
}

bool task_backtrace(const char *program, const char *core, int seconds, char **said,
			bool *well)
{
	static const char *const gdb[] = {
		"gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off",
		"-iex", "set auto-load gdb-scripts off", "-iex", "set auto-load python-scripts off",
		"-ex", "thread apply all backtrace", NULL,
	};
	const char *const of_core[] = {program, core, NULL};
	const char *const of_process[] = {"-p", program, NULL};

	return run_debugger(gdb, seconds, core ? of_core : of_process, said, well);
}

/* The number of a thread in "Thread 2 (Thread 0x7f (LWP 48) "x"):" or "TID 48:"; or 0. */
static int thread_of(const char *line)
{
	const char *lwp = strstr(line, "(LWP ");
	int tid = 0;

	if (!strncmp(line, "Thread ", 7) && lwp)
		sscanf(lwp, "(LWP %d", &tid);
	/* A program without threads for gdb. */
	if (!strncmp(line, "Thread ", 7) && !lwp)
		sscanf(line, "Thread %*d (process %d", &tid);
	if (!strncmp(line, "TID ", 4))
		sscanf(line, "TID %d", &tid);
	return tid;
}

void task_add_frames(struct text *out, char *said, const char *indent)
{
	char *pos, *line;
	int tid;

	for (pos = said; (line = file_next_line(&pos));) {
		tid = thread_of(line);
		if (tid)
			text_addf(out, "%sthread %d is here:\n", indent, tid);
		else if (*line == '#')
			text_addf(out, "%s  %.*s\n", indent, FRAME_MAX, line);
	}
}

void task_add_stack(struct text *out, pid_t pid, int seconds, const char *indent)
{
	static const char *const eu_stack[] = {"eu-stack", "-p", NULL};
	auto_free char *number = xasprintf("%d", pid), *said = NULL;
	const char *const more[] = {number, NULL};
	bool well;

	if (task_backtrace(number, NULL, seconds, &said, &well)) {
		task_add_frames(out, said, indent);
		return;
	}
	free(steal(&said));
	if (run_debugger(eu_stack, seconds, more, &said, &well))
		task_add_frames(out, said, indent);
}

/* The calls in which a program can wait. The others have their number. */
#define CALL(name) {SYS_##name, #name, false}
#define CALL_OF_FD(name) {SYS_##name, #name, true}

static const struct {
	long number;
	const char *name;
	bool has_fd;
} calls[] = {
	CALL(brk),
	CALL(clock_nanosleep),
	CALL(clone),
	CALL(execve),
	CALL(execveat),
	CALL(exit),
	CALL(exit_group),
	CALL(futex),
	CALL(io_getevents),
	CALL(io_setup),
	CALL(kill),
	CALL(madvise),
	CALL(mlock),
	CALL(mlockall),
	CALL(mmap),
	CALL(mount),
	CALL(mprotect),
	CALL(mremap),
	CALL(msgrcv),
	CALL(msgsnd),
	CALL(munlock),
	CALL(munlockall),
	CALL(munmap),
	CALL(nanosleep),
	CALL(openat),
	CALL(ppoll),
	CALL(pselect6),
	CALL(restart_syscall),
	CALL(rt_sigsuspend),
	CALL(rt_sigtimedwait),
	CALL(sched_yield),
	CALL(semop),
	CALL(semtimedop),
	CALL(setns),
	CALL(socket),
	CALL(sync),
	CALL(tgkill),
	CALL(tkill),
	CALL(umount2),
	CALL(unlinkat),
	CALL(unshare),
	CALL(userfaultfd),
	CALL(wait4),
	CALL(waitid),
#ifdef __x86_64__
	CALL(fork),
	CALL(open),
	CALL(pause),
	CALL(poll),
	CALL(select),
	CALL(unlink),
	CALL(vfork),
	CALL_OF_FD(epoll_wait),
#endif
	CALL_OF_FD(accept),
	CALL_OF_FD(accept4),
	CALL_OF_FD(bind),
	CALL_OF_FD(close),
	CALL_OF_FD(connect),
	CALL_OF_FD(copy_file_range),
	CALL_OF_FD(epoll_pwait),
	CALL_OF_FD(fallocate),
	CALL_OF_FD(fcntl),
	CALL_OF_FD(fdatasync),
	CALL_OF_FD(flock),
	CALL_OF_FD(fsync),
	CALL_OF_FD(getdents64),
	CALL_OF_FD(io_uring_enter),
	CALL_OF_FD(ioctl),
	CALL_OF_FD(pread64),
	CALL_OF_FD(preadv),
	CALL_OF_FD(pwrite64),
	CALL_OF_FD(pwritev),
	CALL_OF_FD(read),
	CALL_OF_FD(readv),
	CALL_OF_FD(recvfrom),
	CALL_OF_FD(recvmmsg),
	CALL_OF_FD(recvmsg),
	CALL_OF_FD(sendfile),
	CALL_OF_FD(sendmmsg),
	CALL_OF_FD(sendmsg),
	CALL_OF_FD(sendto),
	CALL_OF_FD(shutdown),
	CALL_OF_FD(splice),
	CALL_OF_FD(write),
	CALL_OF_FD(writev),
};

bool system_call_parse(struct system_call *call, const char *line)
{
	*call = (struct system_call){.number = -1};
	return sscanf(line, "%ld %lx", &call->number, &call->first) >= 1;
}

const char *system_call_name(long number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}

bool system_call_has_fd(long number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].number == number)
			return calls[i].has_fd;
	return false;
}

static char *link_of(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));

	return n > 0 ? xstrndup(target, (size_t)n) : NULL;
}

/*
 * The file of a descriptor as the process sees it, as " (socket:[123])"; "" if it is not
 * known. The caller frees.
 */
static char *file_of(pid_t pid, unsigned long fd)
{
	auto_free char *path = xasprintf("/proc/%d/fd/%d", pid, (int)fd);
	auto_free char *root_path = xasprintf("/proc/%d/root", pid);
	auto_free char *file = link_of(path), *root = link_of(root_path);
	size_t n = root && strcmp(root, "/") != 0 ? strlen(root) : 0;

	if (!file)
		return xstrdup("");
	return xasprintf(" (%s)", n && !strncmp(file, root, n) && file[n] == '/' ? file + n : file);
}

char *system_call_of(pid_t pid, pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/syscall", pid, tid);
	auto_free char *line = NULL, *file = NULL;
	struct system_call call;
	const char *name;

	if (file_read(path, &line, NULL, NULL) < 0 || !system_call_parse(&call, line) ||
	    call.number < 0)
		return NULL;
	name = system_call_name(call.number);
	if (!name)
		return xasprintf("system call %ld", call.number);
	if (!system_call_has_fd(call.number))
		return xstrdup(name);
	file = file_of(pid, call.first);
	return xasprintf("%s of %d%s", name, (int)call.first, file);
}
