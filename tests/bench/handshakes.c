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
#include "bare.h"
#include "bench.h"
#include "negotiate.h"

#define MANY 10000
#define COUNT 2000
#define ROUNDS 5
#define ADVANCE 50
#define PATIENCE_MS 600000

static const struct negotiator_verbs verbs = {no_device_in_init, no_device_to_rts, no_device_give_up, NULL};
static struct vbm_qp qps[2][MANY];	/* the servers' and the clients' */
static int sockets[2][MANY];
static struct sockaddr_in own = {.sin_family = AF_INET};
static struct sockaddr_storage at;
static int at_once;

static double processor_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void offer_one(const struct negotiating *e, int i)
{
	errno = vbm_negotiator_offer(e->negotiator, e->listener, &qps[0][i], NULL);
	if (errno)
		die("offer");
}

static void connect_one(const struct negotiating *e, int i)
{
	static const struct vbm_handshake_options patient = {.size = sizeof(patient), .timeout_ms = PATIENCE_MS};

	errno = vbm_negotiator_connect(e->negotiator, &qps[1][i], (struct sockaddr *)&at, &patient, NULL);
	if (errno)
		die("connect");
}

/* A server offers some in advance. */
static struct negotiating make_end(int is_client, int count)
{
	struct vbm_negotiator_options o = {.size = sizeof(o), .in_loop = 1, .depth = 2 * ((unsigned int)at_once + ADVANCE)};
	struct negotiating e = {
		.count = count, .ahead = at_once + (is_client ? 0 : ADVANCE), .socket = sockets[is_client],
		.hand_in = is_client ? connect_one : offer_one,
	};

	if (vbm_negotiator_make(&e.negotiator, &o, &verbs, NULL))
		die("no negotiator");
	return e;
}

static struct negotiating make_server(int count)
{
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.timeout_ms = PATIENCE_MS};
	struct negotiating e = make_end(0, count);

	at = negotiate_listen(&e, (struct sockaddr *)&own, &o);
	return e;
}

static void close_sockets(int is_client, int count)
{
	for (int i = 0; i < count; i++)
		close(sockets[is_client][i]);
}

static void by_negotiators(void)
{
	struct negotiating server = make_server(COUNT), client = make_end(1, COUNT);

	race(negotiate, &server, negotiate, &client);
	vbm_destroy_negotiator(client.negotiator);
	vbm_destroy_negotiator(server.negotiator);
	close_sockets(0, COUNT);
	close_sockets(1, COUNT);
}

static void by_bare_calls(void)
{
	struct bare_end server = {.count = COUNT, .at_once = at_once, .socket = sockets[0]};
	struct bare_end client = {.count = COUNT, .at_once = at_once, .socket = sockets[1]};

	bare_listen(&server, &client, &own);
	race(bare_accept, &server, bare_dial, &client);
	close(server.listener);
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
	struct negotiating server, client;
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
	vbm_destroy_negotiator(server.negotiator);
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
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	compare("one", 1);
	compare("many", 50);
	serve(MANY / 4);
	serve(MANY);
	return 0;
}
