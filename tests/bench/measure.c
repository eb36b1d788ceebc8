/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure FILE TEXT COMMAND...: runs the command with its output in FILE, and prints
 * "FIRST WALL RSS CPU". FIRST is the time in milliseconds until a line with TEXT was written
 * (or -1), WALL the time until the end, RSS the peak memory in KiB of the command itself at its last output, or
 * at its end if it printed nothing, and CPU the processor time in milliseconds of the command itself, without its children.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "peak.h"

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* The processor time of a process that has ended and that nobody has waited for. */
static long cpu_ms(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char path[64], text[1024];
	const char *name;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	/* The name in parentheses may have spaces; 11 fields after it come the two times. */
	name = strrchr(text, ')');
	if (!name || sscanf(name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		return -1;
	return (long)((user + system) * 1000 / (unsigned long)sysconf(_SC_CLK_TCK));
}

/* The status of @pid; 1: it did not end by itself. */
static int end_of(pid_t pid, long *cpu, long *rss)
{
	struct rusage usage;
	siginfo_t info;
	int status;

	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	*cpu = cpu_ms(pid);
	if (wait4(pid, &status, 0, &usage) != pid)
		return 1;
	if (*rss == 0)
		*rss = usage.ru_maxrss;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static pid_t start(char **argv, int *out)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(fds[1]);
	*out = fds[0];
	return pid;
}

int main(int argc, char **argv)
{
	long began = now_ms(), first = -1, rss = 0, kb, cpu;
	char *line = NULL;
	size_t room = 0;
	int fd, status;
	FILE *in, *out;
	pid_t pid;

	if (argc < 4)
		return 2;
	out = fopen(argv[1], "we");
	pid = out ? start(argv + 3, &fd) : -1;
	in = pid > 0 ? fdopen(fd, "r") : NULL;
	if (!in) {
		perror("measure");
		return 2;
	}
	while (getline(&line, &room, in) > 0) {
		if (first < 0 && strstr(line, argv[2]))
			first = now_ms() - began;
		kb = peak_kb(pid);
		rss = kb > rss ? kb : rss;
		fputs(line, out);
	}
	free(line);
	fclose(in);
	fclose(out);
	status = end_of(pid, &cpu, &rss);
	printf("%ld %ld %ld %ld\n", first, now_ms() - began, rss, cpu);
	return status;
}
