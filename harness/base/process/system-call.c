/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/system-call.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/xalloc.h"

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
