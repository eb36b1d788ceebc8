/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure FILE TEXT COMMAND...: runs the command with its output in FILE, and prints
 * "FIRST WALL RSS". FIRST is the time in milliseconds until a line with TEXT was written
 * (or -1), WALL the time until the end, and RSS the peak memory in KiB of the command
 * itself at its last output.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* VmHWM of a process, or 0 when it has ended. */
static long peak_kb(pid_t pid)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	fclose(f);
	return kb;
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
	long began = now_ms(), first = -1, rss = 0, kb;
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
	waitpid(pid, &status, 0);
	printf("%ld %ld %ld\n", first, now_ms() - began, rss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
