/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The negotiation thread on a host's RDMA device: one point of TAP for each
 * promise. The calls that the clauses are about are watched by functions of the
 * same name here, which go on to the real ones.
 *
 *	negotiator-program ADDRESS [NETDEV]	the promises
 *	negotiator-program ADDRESS client N PORT	kills itself in the N-th such call
 *	negotiator-program ADDRESS server N	the same; prints its port first
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

#include "../help/descriptors.h"
#include "../help/link.h"
#include "../help/points.h"

#define MANY 1000
#define WAIT_MS 60000
#define CYCLES 200	/* VBM_CYCLES in the environment asks for more */

static struct sockaddr_storage own;
static pthread_t polling;
static int calls_here, calls_elsewhere, die_in_call;
static struct vbm_outcome got[2 * MANY];

/* A call that belongs to the negotiation thread. */
static void note(void)
{
	bool here = pthread_equal(pthread_self(), polling) != 0;

	if (__atomic_add_fetch(here ? &calls_here : &calls_elsewhere, 1, __ATOMIC_RELAXED) == die_in_call &&
	    !here)
		kill(getpid(), SIGKILL);
}

#pragma GCC visibility push(default)
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	/* The way to INIT and to ERR by hand is the program's. */
	if (attr->qp_state == IBV_QPS_RTR || attr->qp_state == IBV_QPS_RTS)
		note();
	return REAL(ibv_modify_qp)(qp, attr, mask);
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	note();
	return REAL(connect)(fd, address, len);
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
	note();
	return REAL(send)(fd, bytes, n, flags);
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
	note();
	return REAL(recv)(fd, bytes, n, flags);
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	note();
	return REAL(accept4)(fd, address, len, flags);
}
#pragma GCC visibility pop

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* NULL: the device cannot just now. */
static struct vbm_qp *try_make(void)
{
	struct vbm_recv empty = {0};
	struct vbm_qp_options o;
	struct vbm_error err;
	struct vbm_qp *qp;

	vbm_qp_options_init(&o);
	o.max_send_wr = o.max_recv_wr = 1;
	if (vbm_create_qp(&qp, (struct sockaddr *)&own, &o, &err))
		return NULL;
	if (vbm_qp_to_init(qp) == 0 && vbm_post_recvs(qp, &empty, 1, NULL) == 0)
		return qp;
	vbm_destroy_qp(qp);
	return NULL;
}

static struct vbm_qp *make(void)
{
	struct vbm_qp *qp = try_make();

	if (!qp)
		die_errno("no queue pair");
	return qp;
}

static struct vbm_negotiator *create(void)
{
	struct vbm_negotiator_options o = {.size = sizeof(o), .depth = 2 * MANY};
	struct vbm_negotiator *n;
	struct vbm_error err;

	if (vbm_create_negotiator(&n, &o, &err))
		die(err.msg);
	return n;
}

/* Collect by polling, until there are that many; false: they do not come. */
static bool collect(struct vbm_negotiator *n, int wanted)
{
	double end = now_ms() + WAIT_MS;
	int have = 0, count;

	while (have < wanted && now_ms() < end) {
		if (vbm_negotiator_collect(n, got + have, wanted - have, &count))
			return false;
		have += count;
	}
	return have == wanted;
}

static struct sockaddr_storage server;

static int listen_at(struct vbm_negotiator *n)
{
	struct vbm_listen_options o = {.size = sizeof(o), .handshake.timeout_ms = WAIT_MS};
	int listener;

	if (vbm_negotiator_listen(n, (struct sockaddr *)&own, &o, NULL, &listener) || !collect(n, 1) ||
	    got[0].result)
		die_errno("no listener");
	server = got[0].address;
	return listener;
}

static bool all_connected(int count)
{
	bool good = true;

	for (int i = 0; i < count; i++) {
		good = good && got[i].result == 0;
		if (got[i].result)
			printf("# %s\n", got[i].qp->error.msg);
		if (got[i].socket >= 0)
			close(got[i].socket);
	}
	return good;
}

/* The polling thread's first send right after it has the queue pair. */
static bool sends(struct vbm_qp *qp)
{
	struct vbm_send s = {.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED};
	struct ibv_wc wc;
	int count = 0;

	if (vbm_post_sends(qp, &s, 1, NULL))
		return false;
	while (count == 0)
		if (vbm_poll_completions(qp, &wc, 1, &count))
			return false;
	return wc.status == IBV_WC_SUCCESS;
}

/* That many clients at once: how long until both ends of all are connected; negative: not. */
static double many(struct vbm_negotiator *n, int count)
{
	static struct vbm_qp *qp[2 * MANY];
	struct vbm_handshake_options o = {.size = sizeof(o), .timeout_ms = WAIT_MS};
	int listener = listen_at(n), i, good = 0;
	double began, took;

	for (i = 0; i < 2 * count; i++)
		qp[i] = make();
	began = now_ms();
	for (i = 0; i < count; i++)
		if (vbm_negotiator_offer(n, listener, qp[count + i], NULL) ||
		    vbm_negotiator_connect(n, qp[i], (struct sockaddr *)&server, &o, NULL))
			return -1;
	if (!collect(n, 2 * count) || !all_connected(2 * count))
		return -1;
	took = now_ms() - began;
	for (i = 0; i < count; i++)
		good += sends(qp[i]);
	for (i = 0; i < 2 * count; i++)
		vbm_destroy_qp(qp[i]);
	vbm_negotiator_close(n, listener, NULL);
	collect(n, 1);
	return good == count ? took : -1;
}

static void at_once(void)
{
	struct vbm_negotiator *n = create();
	double few, lots;

	calls_here = calls_elsewhere = 0;
	few = many(n, MANY / 4);
	lots = many(n, MANY);
	printf("# %d clients at once: %.0f ms, %d: %.0f ms\n", MANY / 4, few, MANY, lots);
	ok(lots > 0, "1000 clients at once are connected, and their first send succeeds, 1000 of 1000");
	/* How the two times compare is for "make bench": a busy machine decides it here. */
	ok(few > 0, "as are 250");
	ok(calls_here == 0 && calls_elsewhere >= 1250 * 12,
	   "no call of a socket and none to RTS by the polling thread");
	vbm_destroy_negotiator(n);
}

/* A server that withholds its answer. */
static void withheld(void)
{
	struct vbm_negotiator *n = create();
	struct vbm_send s = {.opcode = IBV_WR_SEND};
	struct vbm_qp *qp = make();
	socklen_t len = sizeof(server);
	int silent = socket(own.ss_family, SOCK_STREAM, 0), count = 0, rc;
	long polls = 0, refused = 0;
	double end;
	struct ibv_wc wc;

	if (bind(silent, (struct sockaddr *)&own, sizeof(own)) || listen(silent, 1) ||
	    getsockname(silent, (struct sockaddr *)&server, &len))
		die_errno("no silent server");
	vbm_negotiator_connect(n, qp, (struct sockaddr *)&server, NULL, qp);
	for (end = now_ms() + 2000; now_ms() < end && count == 0; polls++) {
		vbm_poll_completions(qp, &wc, 1, &rc);
		refused += vbm_post_sends(qp, &s, 1, NULL) == ENOTCONN;
		vbm_negotiator_collect(n, got, 1, &count);
	}
	printf("# %ld polls in 2 s\n", polls);
	ok(count == 0 && polls > 1000, "the polling thread goes on polling while the answer is withheld");
	ok(refused == polls, "and may not send");
	vbm_negotiator_cancel(n, qp);
	ok(collect(n, 1) && got[0].result == ECANCELED && got[0].qp == qp && got[0].context == qp,
	   "a failure is handed over like a success");
	ok(vbm_post_sends(qp, &s, 1, NULL) != ENOTCONN, "then the queue pair is the program's again");
	close(silent);
	vbm_destroy_negotiator(n);
	vbm_destroy_qp(qp);
}

/* One more pair of them with that listener. */
static bool still_serves(struct vbm_negotiator *n, int listener)
{
	struct vbm_qp *a = make(), *b = make();
	bool good = vbm_negotiator_offer(n, listener, b, NULL) == 0 &&
		    vbm_negotiator_connect(n, a, (struct sockaddr *)&server, NULL, NULL) == 0 &&
		    collect(n, 2) && all_connected(2) && sends(a);

	vbm_destroy_qp(a);
	vbm_destroy_qp(b);
	return good;
}

static pid_t run_self(const char *ip, const char *role, int at, int port, int out)
{
	char n[16], p[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(n, sizeof(n), "%d", at);
	snprintf(p, sizeof(p), "%d", port);
	dup2(out, 1);
	execl("/proc/self/exe", "negotiator-program", ip, role, n, p, (char *)NULL);
	_exit(99);
}

static int port_of(const struct sockaddr_storage *a)
{
	struct sockaddr_in in;	/* the port is at the same place in both families */

	memcpy(&in, a, sizeof(in));
	return ntohs(in.sin_port);
}

static void set_port(struct sockaddr_storage *a, int port)
{
	struct sockaddr_in in;

	memcpy(&in, a, sizeof(in));
	in.sin_port = htons((uint16_t)port);
	memcpy(a, &in, sizeof(in));
}

/* Clients that are killed in each of their calls; the listener goes on. */
static void killed_clients(const char *ip)
{
	struct vbm_negotiator *n = create();
	int listener = listen_at(n), at, status = 0, died = 0, ended = 0;
	struct vbm_qp *qp;
	bool good = true;
	pid_t pid;

	for (at = 1; at < 20; at++) {
		qp = make();
		vbm_negotiator_offer(n, listener, qp, NULL);
		pid = run_self(ip, "client", at, port_of(&server), 2);
		waitpid(pid, &status, 0);
		died += WIFSIGNALED(status);
		/* A client that came far enough took the queue pair; else it still waits for a client. */
		vbm_negotiator_cancel(n, qp);
		good = collect(n, 1) && good;
		if (got[0].socket >= 0)
			close(got[0].socket);
		ended += got[0].result != 0;
		vbm_destroy_qp(qp);
		good = still_serves(n, listener) && good;
		if (!WIFSIGNALED(status))
			break;
	}
	printf("# %d clients killed, %d queue pairs had no client\n", died, ended);
	ok(good && died >= 6 && WEXITSTATUS(status) == 0,
	   "the listener still serves after clients killed in each of their calls");
	vbm_destroy_negotiator(n);
}

static void killed_servers(const char *ip)
{
	struct vbm_negotiator *n = create();
	int at, status = 0, died = 0, failed = 0, out[2], port;
	struct vbm_qp *qp;
	bool good = true;
	FILE *f;
	pid_t pid;

	for (at = 1; at < 20; at++) {
		if (pipe(out))
			die_errno("pipe");
		pid = run_self(ip, "server", at, 0, out[1]);
		close(out[1]);
		f = fdopen(out[0], "r");
		if (!f || fscanf(f, "%d", &port) != 1)
			die_errno("the server has no port");
		qp = make();
		server = own;
		set_port(&server, port);
		vbm_negotiator_connect(n, qp, (struct sockaddr *)&server, NULL, NULL);
		good = collect(n, 1) && good;
		failed += got[0].result != 0;
		if (got[0].socket >= 0)
			close(got[0].socket);
		waitpid(pid, &status, 0);
		died += WIFSIGNALED(status);
		fclose(f);
		vbm_destroy_qp(qp);
		if (!WIFSIGNALED(status))
			break;
	}
	printf("# %d servers killed, %d clients told\n", died, failed);
	ok(good && died >= 5 && failed >= 3 && failed <= died,
	   "a client learns of servers killed in each of their calls");
	vbm_destroy_negotiator(n);
}

/* Connect and end, while the link comes and goes: whatever comes of it, nothing is left. */
static void cycles(const char *netdev)
{
	const char *asked = getenv("VBM_CYCLES");
	int count = asked ? atoi(asked) : CYCLES, before = open_descriptors(), i, well = 0, ended = 0;
	struct vbm_negotiator *n = create();
	struct vbm_handshake_options o = {.size = sizeof(o), .timeout_ms = 2000};
	int listener = listen_at(n);
	struct vbm_qp *a, *b;

	for (i = 0; i < count; i++) {
		if (i % 10 == 3)
			set_link(netdev, false);
		a = try_make();
		b = try_make();
		if (a && b) {
			vbm_negotiator_offer(n, listener, b, NULL);
			vbm_negotiator_connect(n, a, (struct sockaddr *)&server, &o, NULL);
			if (i % 10 == 5)
				set_link(netdev, true);
			if (!collect(n, 1))
				break;
			well += got[0].result == 0;
			vbm_negotiator_cancel(n, got[0].qp == a ? b : a);
			if (got[0].socket >= 0)
				close(got[0].socket);
			if (!collect(n, 1))
				break;
			if (got[0].socket >= 0)
				close(got[0].socket);
		}
		ended++;
		vbm_destroy_qp(a);
		vbm_destroy_qp(b);
		if (i % 10 == 5)
			set_link(netdev, true);
	}
	vbm_destroy_negotiator(n);
	printf("# %d cycles, %d connections\n", ended, well);
	ok(ended == count && well >= count / 2 && open_descriptors() == before,
	   "cycles with a link that comes and goes leave nothing");
}

/* One end that kills itself in the course of it; 0 when it came to its end before. */
static int one_end(bool is_client, int at, int port)
{
	struct vbm_negotiator *n = create();
	struct vbm_qp *qp = make();
	int listener;

	if (!is_client) {
		listener = listen_at(n);
		vbm_negotiator_offer(n, listener, qp, NULL);
	}
	calls_elsewhere = 0;
	die_in_call = at;
	if (is_client) {
		server = own;
		set_port(&server, port);
		vbm_negotiator_connect(n, qp, (struct sockaddr *)&server, NULL, NULL);
	} else {
		printf("%d\n", port_of(&server));
		fflush(stdout);
	}
	if (!collect(n, 1))
		return 1;
	/* The peer has to come to its end, too. */
	if (got[0].result == 0)
		recv(got[0].socket, &listener, 1, 0);
	return got[0].result != 0;
}

static bool parse(const char *text)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		memcpy(&own, &in, sizeof(in));
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		memcpy(&own, &in6, sizeof(in6));
	return own.ss_family != 0;
}

int main(int argc, char **argv)
{
	struct rlimit files = {16384, 16384};

	polling = pthread_self();
	if (argc < 2 || !parse(argv[1])) {
		fputs("usage: negotiator-program ADDRESS [NETDEV | client N PORT | server N]\n", stderr);
		return 2;
	}
	if (argc > 3)
		return one_end(strcmp(argv[2], "client") == 0, atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
	if (setrlimit(RLIMIT_NOFILE, &files))
		die_errno("setrlimit");
	withheld();
	killed_clients(argv[1]);
	killed_servers(argv[1]);
	if (argc > 2)
		cycles(argv[2]);
	at_once();
	return end_points();
}
