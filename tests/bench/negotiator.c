/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The costs of the negotiator for the polling thread and in memory, on this machine and
 * without a device. Prints "idle NS" and "one NS" for a call of vbm_negotiator_collect()
 * that finds nothing or one outcome, "function NS" for a call of a function, "calls N" for
 * the system calls in a million idle calls (0, or 1 for any other number), and "memory
 * BYTES" of a pending handshake.
 */
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../help/no-device.h"
#include "bench.h"

#define PENDING 500
#define CALLS 1000000

static const struct negotiator_verbs verbs = {no_device_in_init, no_device_to_rts, no_device_give_up, NULL};
static struct vbm_negotiator *n;
static struct vbm_outcome got[PENDING];
static struct vbm_qp qps[PENDING];

static double now_ns(void)
{
	return seconds() * 1e9;
}

static double idle(void)
{
	double began = now_ns();
	int count, i;

	for (i = 0; i < CALLS; i++)
		if (vbm_negotiator_collect(n, got, 1, &count) || count)
			die("collect");
	return (now_ns() - began) / CALLS;
}

static __attribute__((noinline)) int function(const int *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	return *p;
}

static double function_call(void)
{
	double began = now_ns();
	int i, sum = 0;

	for (i = 0; i < CALLS; i++)
		sum += function(&i);
	__asm__ volatile("" : : "r"(sum));
	return (now_ns() - began) / CALLS;
}

/* A child that any system call except its exit kills. */
static int system_calls(void)
{
	struct sock_filter only_exit[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {4, only_exit};
	int status, count, i;
	pid_t pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(2);
		for (i = 0; i < CALLS; i++)
			vbm_negotiator_collect(n, got, 1, &count);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || (WIFEXITED(status) && WEXITSTATUS(status)))
		die("no filter for system calls");
	return WIFSIGNALED(status);
}

/* Clients of a server that never answers. Then all are cancelled, and collected one by one. */
static void pending(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct vbm_handshake_options any = {.size = sizeof(any), .foreign_gid = 1};	/* the queue pairs have none */
	int silent = socket(AF_INET, SOCK_STREAM, 0), i, count;
	socklen_t len = sizeof(a);
	size_t before = mallinfo2().uordblks;
	double began;

	if (bind(silent, (struct sockaddr *)&a, len) || listen(silent, PENDING) ||
	    getsockname(silent, (struct sockaddr *)&a, &len))
		die("no server");
	for (i = 0; i < PENDING; i++)
		if (vbm_negotiator_connect(n, &qps[i], (struct sockaddr *)&a, &any, NULL))
			die("connect");
	/* The refusal of this request shows that the thread has handled the others. */
	vbm_negotiator_close(n, 1, NULL);
	if (vbm_negotiator_wait(n, got, 1, 10000, &count))
		die("wait");
	printf("memory %zu\n", (mallinfo2().uordblks - before) / PENDING);
	for (i = 0; i < PENDING; i++)
		vbm_negotiator_cancel(n, &qps[i]);
	vbm_negotiator_close(n, 1, NULL);
	while (n->to_program.size && __atomic_load_n(&n->to_program.tail, __ATOMIC_ACQUIRE) -
	       n->to_program.head < PENDING + 1)
		;
	began = now_ns();
	for (i = 0; i < PENDING + 1; i++)
		if (vbm_negotiator_collect(n, got, 1, &count) || count != 1)
			die("collect");
	printf("one %.0f\n", (now_ns() - began) / (PENDING + 1));
	close(silent);
}

int main(void)
{
	if (vbm_negotiator_make(&n, NULL, &verbs, NULL))
		die("no negotiator");
	printf("idle %.1f\n", idle());
	printf("function %.1f\n", function_call());
	printf("calls %d\n", system_calls());
	pending();
	vbm_destroy_negotiator(n);
	return 0;
}
