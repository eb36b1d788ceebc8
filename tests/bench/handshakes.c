/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handshakes on this machine, over its loopback and without a device, so without the calls
 * of ibv_modify_qp(3). Prints
 *
 *	one N, one_bare N	the processor time of a handshake with a negotiator in the loop of
 *				each end, and of its bare calls, in ns, one after another
 *	many N, many_bare N	the same, 50 at a time
 *	server COUNT MS KB	the time until a server has COUNT connections from another process,
 *				500 under way at any time, and the memory that the library has then
 */
#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../help/no-device.h"
#include "bench.h"

#define MANY 10000
#define COUNT 2000
#define ROUNDS 5
#define ADVANCE 50
#define MESSAGE 72	/* bytes of version 1 */
#define PATIENCE_MS 600000

static const struct negotiator_verbs verbs = {no_device_in_init, no_device_to_rts, no_device_give_up, NULL};
static struct vbm_qp qps[2][MANY];	/* the servers' and the clients' */
static int sockets[2][MANY];
static struct sockaddr_storage at;
static int bare_listener, at_once;

struct end {
	struct vbm_negotiator *n;
	int is_client, count, listener;
};

static double processor_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void hand_in(struct end *e, int i)
{
	static const struct vbm_handshake_options patient = {.size = sizeof(patient), .timeout_ms = PATIENCE_MS};
	struct vbm_qp *qp = &qps[e->is_client][i];

	errno = e->is_client ? vbm_negotiator_connect(e->n, qp, (struct sockaddr *)&at, &patient, NULL) :
			       vbm_negotiator_offer(e->n, e->listener, qp, NULL);
	if (errno)
		die("hand a queue pair in");
}

static void *negotiate(void *end)
{
	struct vbm_outcome got[64];
	struct end *e = end;
	int given, done, found, i;

	/* A server offers some in advance. */
	for (given = 0; given < at_once + (e->is_client ? 0 : ADVANCE); given++)
		hand_in(e, given);
	for (done = 0; done < e->count; done += found) {
		errno = vbm_negotiator_wait(e->n, got, 64, -1, &found);
		if (errno)
			die("wait");
		for (i = 0; i < found; i++) {
			errno = got[i].result;
			if (errno)
				die("an outcome");
			sockets[e->is_client][done + i] = got[i].socket;
			if (given < e->count)
				hand_in(e, given++);
		}
	}
	return NULL;
}

static struct end make_end(int is_client, int count)
{
	struct vbm_negotiator_options o = {.size = sizeof(o), .in_loop = 1, .depth = 2 * ((unsigned int)at_once + ADVANCE)};
	struct end e = {.is_client = is_client, .count = count};

	if (vbm_negotiator_make(&e.n, &o, &verbs, NULL))
		die("no negotiator");
	return e;
}

static struct end make_server(int count)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.timeout_ms = PATIENCE_MS};
	struct end e = make_end(0, count);
	struct vbm_outcome listening;
	int found;

	if (vbm_negotiator_listen(e.n, (struct sockaddr *)&in, &o, NULL, &e.listener) ||
	    vbm_negotiator_wait(e.n, &listening, 1, -1, &found) || listening.result)
		die("listen");
	at = listening.address;
	return e;
}

static void close_sockets(int is_client, int count)
{
	for (int i = 0; i < count; i++)
		close(sockets[is_client][i]);
}

static void by_negotiators(void)
{
	struct end server = make_server(COUNT), client = make_end(1, COUNT);

	race(negotiate, &server, negotiate, &client);
	vbm_destroy_negotiator(client.n);
	vbm_destroy_negotiator(server.n);
	close_sockets(0, COUNT);
	close_sockets(1, COUNT);
}

static void exchange(int fd, bool out)
{
	char message[MESSAGE] = "";
	ssize_t length = out ? send(fd, message, MESSAGE, MSG_NOSIGNAL) : recv(fd, message, MESSAGE, MSG_WAITALL);

	if (length != MESSAGE)
		die("a message");
}

static void *accept_bare(void *unused)
{
	int *s = sockets[0], i, k;

	for (i = 0; i < COUNT; i += at_once) {
		for (k = i; k < i + at_once; k++) {
			s[k] = accept(bare_listener, NULL, NULL);
			exchange(s[k], false);
			exchange(s[k], true);
		}
		for (k = i; k < i + at_once; k++)
			exchange(s[k], false);
	}
	return unused;
}

static void *dial_bare(void *unused)
{
	int *s = sockets[1], i, k;

	for (i = 0; i < COUNT; i += at_once) {
		for (k = i; k < i + at_once; k++) {
			s[k] = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(s[k], (struct sockaddr *)&at, sizeof(struct sockaddr_in)))
				die("connect");
			exchange(s[k], true);
		}
		for (k = i; k < i + at_once; k++) {
			exchange(s[k], false);
			exchange(s[k], true);
		}
	}
	return unused;
}

static void by_bare_calls(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	bare_listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(bare_listener, (struct sockaddr *)&in, sizeof(in)) || listen(bare_listener, COUNT) ||
	    getsockname(bare_listener, (struct sockaddr *)&at, &len))
		die("a bare server");
	race(accept_bare, NULL, dial_bare, NULL);
	close(bare_listener);
	close_sockets(0, COUNT);
	close_sockets(1, COUNT);
}

/* The two ways take turns; the best of each, because other load can only make it slower. */
static void compare(const char *name, int under_way)
{
	static void (*const way[])(void) = {by_negotiators, by_bare_calls};
	double best[2] = {1e9, 1e9}, began, took;

	at_once = under_way;
	for (int i = 0; i < 2 * ROUNDS; i++) {
		began = processor_seconds();
		way[i % 2]();
		took = processor_seconds() - began;
		best[i % 2] = took < best[i % 2] ? took : best[i % 2];
	}
	printf("%s %.0f\n%s_bare %.0f\n", name, best[0] / COUNT * 1e9, name, best[1] / COUNT * 1e9);
}

static size_t blocks(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void serve(int count)
{
	size_t before = blocks();
	struct end server, client;
	double began;
	pid_t pid;
	int status;

	at_once = 500;
	server = make_server(count);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		client = make_end(1, count);
		negotiate(&client);
		_exit(0);
	}
	began = seconds();
	negotiate(&server);
	printf("server %d %.0f %zu\n", count, (seconds() - began) * 1e3, (blocks() - before) / 1024);
	if (waitpid(pid, &status, 0) != pid || status)
		die("the clients");
	vbm_destroy_negotiator(server.n);
	close_sockets(0, count);
}

int main(void)
{
	struct rlimit files = {MANY + 1000, MANY + 1000};
	int i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < MANY; k++) {
			qps[i][k].local.qp_num = (uint32_t)k + 2;
			qps[i][k].local.gid = (union ibv_gid){.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}};
			qps[i][k].options.mtu = 1024;
		}
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	compare("one", 1);
	compare("many", 50);
	serve(MANY / 4);
	serve(MANY);
	return 0;
}
