/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that resolves on rdma_cm_ids, on a host of a fabric, in the ways
 * that programs do: one point of TAP for each. It is built twice: linked with
 * libverbatim, and (UNAWARE) by rdma-core's own names, to run under the preload
 * library.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cm-program.h"

#ifdef UNAWARE
#include <dlfcn.h>
int (*resolve_addrinfo)(struct rdma_cm_id *, const char *, const char *,
			const struct rdma_addrinfo *);
int (*query_addrinfo)(struct rdma_cm_id *, struct rdma_addrinfo **);
#endif

#define MANY 300
#define THREADS 4

const char *self;

struct rdma_event_channel *channel(void)
{
	struct rdma_event_channel *ec = rdma_create_event_channel();

	if (!ec)
		die_errno("rdma_create_event_channel");
	return ec;
}

struct rdma_cm_id *make(struct rdma_event_channel *ec)
{
	struct rdma_cm_id *id;

	if (CALL(create_id)(ec, &id, NULL, RDMA_PS_TCP))
		die_errno("create_id");
	return id;
}

bool readable(const struct rdma_event_channel *ec, int ms)
{
	struct pollfd p = {.fd = ec->fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

bool comes(struct rdma_event_channel *ec, struct rdma_cm_id *id, int kind, int status)
{
	struct rdma_cm_event *e;
	bool good;

	if (CALL(get_cm_event)(ec, &e))
		return false;
	good = e->id == id && (int)e->event == kind && e->status == status;
	if (!good)
		printf("# %s, status %d, %s id\n", CALL(event_str)(e->event), e->status,
		       e->id == id ? "this" : "another");
	return !CALL(ack_cm_event)(e) && good;
}

bool has_result(struct rdma_cm_id *id)
{
	struct rdma_addrinfo *ai = NULL;
	bool good = !query_addrinfo(id, &ai) && ai && ai->ai_dst_len;

	CALL(freeaddrinfo)(ai);
	return good && query_addrinfo(id, &ai) && errno == ENOENT;
}

struct waiter {
	pthread_t thread;
	struct rdma_event_channel *ec;
	struct rdma_cm_id *id;
	bool good;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->good = comes(w->ec, w->id, RESOLVED, 0);
	return NULL;
}

/* Whether the thread @tid of this process sleeps in a system call. */
static bool sleeps(pid_t tid)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "re");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return strstr(line, ") S ");
}

static pid_t waiting_thread;

static void *say_and_wait(void *arg)
{
	__atomic_store_n(&waiting_thread, gettid(), __ATOMIC_RELEASE);
	return wait_for_it(arg);
}

static void a_thread_that_waits_already(void)
{
	struct waiter w = {.ec = channel()};
	pid_t tid;

	w.id = make(w.ec);
	pthread_create(&w.thread, NULL, say_and_wait, &w);
	do {
		sched_yield();
		tid = __atomic_load_n(&waiting_thread, __ATOMIC_ACQUIRE);
	} while (!tid || !sleeps(tid));
	ok(!resolve_addrinfo(w.id, self, "7471", NULL), "a resolution starts while a thread waits");
	pthread_join(w.thread, NULL);
	ok(w.good, "the thread gets its event");
	ok(has_result(w.id), "and the result is there");
	CALL(destroy_id)(w.id);
	rdma_destroy_event_channel(w.ec);
}

static void one_that_polls(bool nonblocking)
{
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_id *id = make(ec);
	struct rdma_cm_event *e;

	if (nonblocking)
		fcntl(ec->fd, F_SETFL, O_NONBLOCK);
	ok(!readable(ec, 0), "a channel is silent at first");
	ok(!resolve_addrinfo(id, self, "7471", NULL) && readable(ec, PATIENCE_S * 1000),
	   "poll(2) on its own descriptor tells of the event");
	ok(comes(ec, id, RESOLVED, 0) && has_result(id), "which is there");
	ok(!readable(ec, 0), "and then nothing more");
	ok(!resolve_addrinfo(id, "no.such.name", "1", NULL) && readable(ec, PATIENCE_S * 1000) &&
	   comes(ec, id, FAILED, AGAIN), "so with one that waited for the network");
	if (nonblocking)
		ok(CALL(get_cm_event)(ec, &e) && errno == EAGAIN, "without an event it is EAGAIN");
	CALL(destroy_id)(id);
	rdma_destroy_event_channel(ec);
}

int silent_server(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(53)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)))
		die_errno("a name server on port 53");
	return fd;
}

static void one_that_migrates(void)
{
	struct rdma_event_channel *from = channel(), *to = channel();
	struct rdma_cm_id *id = make(from);
	int server = silent_server();

	ok(!resolve_addrinfo(id, self, "1", NULL) && readable(from, PATIENCE_S * 1000) &&
	   !CALL(migrate_id)(id, to), "an id migrates while its event is ready");
	ok(readable(to, PATIENCE_S * 1000) && !readable(from, 0), "the event goes with it");
	ok(comes(to, id, RESOLVED, 0) && has_result(id), "and comes there");
	ok(!resolve_addrinfo(id, "slow.name", "1", NULL) && !CALL(migrate_id)(id, from),
	   "an id migrates while its request is under way");
	close(server);
	ok(comes(from, id, FAILED, AGAIN) && !readable(to, 0), "the event comes where it is then");
	ok(!resolve_addrinfo(id, self, "1", NULL) && !CALL(migrate_id)(id, NULL) && has_result(id),
	   "an id that waits from now on has its result at once");
	CALL(destroy_id)(id);
	rdma_destroy_event_channel(from);
	rdma_destroy_event_channel(to);
}

static int in_the_child(void)
{
	struct rdma_event_channel *ec;
	struct rdma_addrinfo *ai;
	struct rdma_cm_id *id;

	alarm(PATIENCE_S);
	if (CALL(getaddrinfo)(self, "1", NULL, &ai))
		return 1;
	CALL(freeaddrinfo)(ai);
	ec = channel();
	id = make(ec);
	if (resolve_addrinfo(id, "no.such.name", "1", NULL) || !comes(ec, id, FAILED, AGAIN))
		return 2;
	CALL(destroy_id)(id);
	return 0;
}

static void one_that_forks(void)
{
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_id *id = make(ec);
	int server = silent_server(), status = -1;
	pid_t pid;

	ok(!resolve_addrinfo(id, "slow.name", "1", NULL), "a request is under way");
	pid = fork();
	if (!pid) {
		close(server);
		_exit(in_the_child());
	}
	close(server);
	ok(waitpid(pid, &status, 0) == pid && !status, "a child of fork(2) resolves on its own");
	if (status)
		printf("# status %#x\n", status);
	ok(comes(ec, id, FAILED, AGAIN), "and the parent gets its event");
	CALL(destroy_id)(id);
	rdma_destroy_event_channel(ec);
}

static struct rdma_cm_id *listener(struct rdma_event_channel *ec)
{
	struct rdma_cm_id *id = make(ec);
	struct rdma_addrinfo *ai, hints = {.ai_flags = RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP};

	if (CALL(getaddrinfo)(self, "7499", &hints, &ai) || rdma_bind_addr(id, ai->ai_src_addr) ||
	    rdma_listen(id, 1))
		perror("# listen");
	CALL(freeaddrinfo)(ai);
	return id;
}

/* A connection of this host with itself, closed; events of both ends wait. */
static void what_rdma_cm_has_queued(void)
{
	struct rdma_event_channel *ec = channel(), *listening = channel();
	struct rdma_cm_id *l = listener(listening), *id = make(ec), *peer = NULL;
	struct rdma_addrinfo *ai;
	struct rdma_cm_event *e;
	struct rdma_conn_param param = {.retry_count = 7};
	bool good;

	CALL(getaddrinfo)(self, "7499", NULL, &ai);
	good = !rdma_resolve_addr(id, NULL, ai->ai_dst_addr, 2000) &&
		comes(ec, id, RDMA_CM_EVENT_ADDR_RESOLVED, 0) && !rdma_resolve_route(id, 2000) &&
		comes(ec, id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
	CALL(freeaddrinfo)(ai);
	param.qp_num = 17;
	good = good && !rdma_connect(id, &param) && !CALL(get_cm_event)(listening, &e);
	ok(good, "a connection of rdma_cm is on its way");
	if (!good)
		return;
	peer = e->id;
	CALL(ack_cm_event)(e);
	param.qp_num++;
	good = !rdma_accept(peer, &param) && comes(ec, id, RDMA_CM_EVENT_CONNECT_RESPONSE, 0) &&
		!rdma_establish(id) && comes(listening, peer, RDMA_CM_EVENT_ESTABLISHED, 0);
	ok(good && !rdma_disconnect(peer) && readable(ec, PATIENCE_S * 1000), "and ends");
	ok(!resolve_addrinfo(id, self, "1", NULL), "a resolution ends behind its last events");
	ok(comes(ec, id, RDMA_CM_EVENT_DISCONNECTED, 0), "the first of them is fetched");
	ok(!CALL(destroy_id)(id), "with the others left the id can be destroyed");
	ok(!readable(ec, 0), "and they are gone");
	CALL(destroy_id)(peer);
	CALL(destroy_id)(l);
	rdma_destroy_event_channel(ec);
	rdma_destroy_event_channel(listening);
}

static void one_whose_calls_wait(void)
{
	struct rdma_cm_id *id = make(NULL);
	struct rdma_addrinfo *ai;

	ok(!resolve_addrinfo(id, self, "7471", NULL) && has_result(id),
	   "an id without a channel has its result when the call returns");
	ok(resolve_addrinfo(id, "no.such.name", "1", NULL) && errno == EAGAIN,
	   "and errno says why there is none");
	CALL(getaddrinfo)(self, "7471", NULL, &ai);
	ok(!rdma_resolve_addr(id, NULL, ai->ai_dst_addr, 2000) && id->verbs,
	   "the next call of rdma_cm waits for its own event");
	CALL(freeaddrinfo)(ai);
	CALL(destroy_id)(id);
}

static void one_that_closes_all_descriptors(void)
{
	struct rdma_addrinfo *ai;
	int fds[16], open = 0;

	CALL(getaddrinfo)(self, "1", NULL, &ai);
	CALL(freeaddrinfo)(ai);
	closefrom(3);
	for (int i = 0; i < 16; i++)
		fds[i] = dup(0);
	for (int i = 0; i < 20; i++) {
		char node[32];

		snprintf(node, sizeof(node), "127.0.0.%d", i + 1);
		CALL(getaddrinfo)(node, "1", NULL, &ai);
		CALL(freeaddrinfo)(ai);
	}
	for (int i = 0; i < 16; i++)
		open += fcntl(fds[i], F_GETFD) >= 0;
	ok(open == 16, "descriptors opened after closefrom(3) stay open");
	closefrom(3);
}

static void many_at_once(void)
{
	static struct rdma_cm_id *ids[MANY];
	static int seen[MANY];
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_event *e;
	bool once = true;

	for (intptr_t i = 0; i < MANY; i++) {
		if (CALL(create_id)(ec, &ids[i], (void *)i, RDMA_PS_TCP) ||
		    resolve_addrinfo(ids[i], i % 2 ? self : "no.such.name", "1", NULL))
			once = false;
	}
	for (int i = 0; i < MANY && once; i++) {
		intptr_t which;

		if (CALL(get_cm_event)(ec, &e))
			break;
		which = (intptr_t)e->id->context;
		seen[which]++;
		once = (int)e->event == (which % 2 ? RESOLVED : FAILED);
		CALL(ack_cm_event)(e);
	}
	for (int i = 0; i < MANY; i++)
		once = once && seen[i] == 1;
	ok(once && !readable(ec, 0), "300 requests end in one event each");
	for (int i = 0; i < MANY; i++)
		CALL(destroy_id)(ids[i]);
	rdma_destroy_event_channel(ec);
}

static void *resolve_and_destroy(void *arg)
{
	struct waiter *w = arg;

	w->good = true;
	for (int i = 0; i < 50 && w->good; i++) {
		struct rdma_cm_id *id = make(w->ec);

		w->good = !resolve_addrinfo(id, i % 2 ? self : "no.such.name", "1", NULL);
		if (w->good && i % 3)
			w->good = comes(w->ec, id, i % 2 ? RESOLVED : FAILED, i % 2 ? 0 : AGAIN);
		CALL(destroy_id)(id);
	}
	return NULL;
}

static void in_threads(void)
{
	struct waiter w[THREADS];
	bool good = true;

	for (int i = 0; i < THREADS; i++) {
		w[i].ec = channel();
		pthread_create(&w[i].thread, NULL, resolve_and_destroy, &w[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		good = good && w[i].good && !readable(w[i].ec, 0);
		rdma_destroy_event_channel(w[i].ec);
	}
	ok(good, "threads resolve and destroy, each on a channel of its own");
}

#ifndef UNAWARE
static void one_that_is_cancelled(void)
{
	struct rdma_event_channel *ec = channel();
	struct rdma_cm_id *id = make(ec);
	struct rdma_addrinfo *ai;
	int server = silent_server();

	ok(vbm_cancel(id) && errno == ENOENT, "nothing is under way, nothing is cancelled");
	ok(!resolve_addrinfo(id, "slow.name", "1", NULL) && !vbm_cancel(id), "a request is cancelled");
	ok(comes(ec, id, FAILED, EAI_CANCELED), "and its event says so");
	vbm_destroy_id(id);
	rdma_destroy_event_channel(ec);
	close(server);
	ok(!vbm_getaddrinfo(self, "1", NULL, &ai), "a list of this library");
	rdma_freeaddrinfo(ai);
	ok(!rdma_getaddrinfo(self, "1", NULL, &ai), "and one of librdmacm");
	vbm_freeaddrinfo(ai);
	ok(true, "are released by each other's call");
}
#endif

/* Names are put to 127.0.0.1, where mostly nobody listens, by us alone. */
static bool has_own_name_server(void)
{
	static const char path[] = "/tmp/cm-program.resolv.conf";
	FILE *f = fopen(path, "we");

	if (!f || fputs("nameserver 127.0.0.1\n", f) < 0 || fclose(f))
		return false;
	return !unshare(CLONE_NEWNS) && !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
	       !mount(path, "/etc/resolv.conf", "none", MS_BIND, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "Usage: %s ADDRESS\n", argv[0]);
		return 2;
	}
	self = argv[1];
	if (!has_own_name_server())
		die_errno("resolv.conf");
	alarm(3 * PATIENCE_S);
#ifdef UNAWARE
	*(void **)&resolve_addrinfo = dlsym(RTLD_DEFAULT, "rdma_resolve_addrinfo");
	*(void **)&query_addrinfo = dlsym(RTLD_DEFAULT, "rdma_query_addrinfo");
	if (!resolve_addrinfo || !query_addrinfo)
		die("the preload library is not there");
#else
	one_that_is_cancelled();
#endif
	a_thread_that_waits_already();
	one_that_polls(false);
	one_that_polls(true);
	one_that_migrates();
	one_that_forks();
	what_rdma_cm_has_queued();
	one_whose_calls_wait();
	without_descriptors_or_threads();
	many_at_once();
	in_threads();
	without_memory();
	one_that_closes_all_descriptors();
	return end_points();
}
