/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completions for a program that waits by epoll(7), on a host's RDMA device: one point of
 * TAP for each promise of verbatim/transfer.h. Both ends of each connection are here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <verbatim/domain.h>
#include <verbatim/transfer.h>

#include "../help/descriptors.h"
#include "../help/points.h"

#define PAIRS 20
#define ROUNDS 200
#define WAIT_MS 60000

static union {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
} own;

struct pair {
	struct vbm_qp *server, *client;
	int heard;
};

static struct vbm_domain *domain;
static struct vbm_completions *shared;
static struct pair pairs[PAIRS];
static int epfd;

static struct vbm_qp *make_qp(struct vbm_completions *completions, void *user)
{
	struct vbm_qp_options o;
	struct vbm_error err;
	struct vbm_qp *q;

	vbm_qp_options_init(&o);
	o.domain = domain;
	o.completions = completions;
	o.user = user;
	if (vbm_create_qp(&q, NULL, &o, &err) || vbm_qp_to_init(q))
		die("no queue pair");
	return q;
}

static void join_ends(struct vbm_qp *a, struct vbm_qp *b)
{
	a->peer = b->local;
	b->peer = a->local;
	if (vbm_modify_qp_to_rts(a) || vbm_modify_qp_to_rts(b))
		die("no connection");
}

static bool is_readable(int timeout_ms)
{
	struct epoll_event e;

	return epoll_wait(epfd, &e, 1, timeout_ms) == 1;
}

static void watch(struct vbm_completions *c)
{
	struct epoll_event e = {.events = EPOLLIN};

	epfd = epoll_create1(EPOLL_CLOEXEC);
	if (epfd < 0 || epoll_ctl(epfd, EPOLL_CTL_ADD, c->channel->fd, &e))
		die("no epoll");
}

/* A receive at the server, and a message without bytes of the client. */
static void say(struct pair *p)
{
	struct vbm_send send = {.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED};
	struct vbm_recv recv = {0};
	struct ibv_wc wc;
	int n;

	if (vbm_post_recvs(p->server, &recv, 1, NULL) || vbm_post_sends(p->client, &send, 1, NULL) ||
	    vbm_wait_completions(p->client, &wc, 1, WAIT_MS, &n) || wc.status)
		die("no message");
}

/* All that has arrived, until the queue is armed. -1: a completion of nobody. */
static int hear(void)
{
	struct ibv_wc wc[8];
	int all = 0, n = 1, i;

	while (n) {
		if (vbm_collect_completions(shared, wc, 8, &n))
			return -1;
		for (i = 0; i < n; i++) {
			struct vbm_qp *q = vbm_find_qp(shared, wc[i].qp_num);

			if (!q || !q->user || wc[i].status)
				return -1;
			((struct pair *)q->user)->heard++;
		}
		all += n;
	}
	return all;
}

static void arguments(void)
{
	struct vbm_completions *none = (void *)&own;
	struct ibv_device_attr limits;
	struct vbm_qp_options o;
	struct vbm_error err;
	struct vbm_qp *q;

	if (ibv_query_device(domain->context, &limits))
		die("no limits");
	ok(vbm_create_completions(&none, domain, limits.max_cqe + 1, &err) == EINVAL && !none &&
	   strstr(err.msg, "room: ") && strstr(err.msg, " is more than the device "),
	   "a completion queue larger than the device allows");
	vbm_qp_options_init(&o);
	o.domain = domain;
	o.completions = shared;
	o.cq = shared->cq;
	ok(vbm_create_qp(&q, NULL, &o, &err) == EINVAL && strstr(err.msg, "name only one"),
	   "completions and a completion queue together are refused");
	o.domain = NULL;
	o.cq = NULL;
	ok(vbm_create_qp(&q, &own.sa, &o, &err) == 0 && q->cq == shared->cq, "without the domain, the device is the same");
	ok(vbm_find_qp(shared, q->local.qp_num) == q && !q->user, "a queue pair is found by its number");
	ok(vbm_destroy_completions(shared) == EBUSY && strstr(shared->error.msg, "1 queue pairs"),
	   "while there is a queue pair, its completion queue is not destroyed");
	vbm_destroy_qp(q);
	ok(!vbm_find_qp(shared, limits.max_qp), "and not by another number");
}

static void one_for_many(void)
{
	bool good = true;
	int i, all = 0;

	watch(shared);
	for (i = 0; i < PAIRS; i++) {
		pairs[i].server = make_qp(shared, &pairs[i]);
		pairs[i].client = make_qp(NULL, NULL);
		join_ends(pairs[i].server, pairs[i].client);
	}
	ok(hear() == 0 && !is_readable(0), "before the first message there is nothing to read");
	for (i = 0; i < PAIRS; i++)
		say(&pairs[i]);
	ok(is_readable(WAIT_MS), "messages make the one descriptor readable");
	while (all < PAIRS && is_readable(WAIT_MS)) {
		i = hear();
		good = good && i >= 0;
		all += i > 0 ? i : PAIRS;
	}
	for (i = 0; i < PAIRS; i++)
		good = good && pairs[i].heard == 1;
	ok(good && all == PAIRS, "and each completion says whose it is");
	ok(!is_readable(0), "afterwards there is nothing to read");
	vbm_destroy_qp(pairs[0].server);
	pairs[0].server = NULL;
	ok(hear() == 0 && !is_readable(0), "nor when one of the queue pairs ends");
}

/* No message is without a wake-up, however many events the program has not acknowledged yet. */
static void no_wake_up_is_lost(void)
{
	int round, lost = 0;

	for (round = 0; round < ROUNDS && !lost; round++) {
		say(&pairs[1 + round % (PAIRS - 1)]);
		lost += !is_readable(WAIT_MS) || hear() != 1 || is_readable(0);
	}
	ok(!lost, "each of many messages wakes the program once");
}

static void other_waits(void)
{
	struct ibv_wc wc;
	int n;

	ok(vbm_wait_completions(pairs[1].server, &wc, 1, 0, &n) == ETIMEDOUT, "a wait on the shared queue can time out");
	say(&pairs[2]);
	ok(!vbm_wait_completions(pairs[1].server, &wc, 1, WAIT_MS, &n) && n == 1 &&
	   wc.qp_num == pairs[2].server->local.qp_num, "and gets the completions of all");
	ok(hear() == 0 && !is_readable(0), "which makes no event for the descriptor");
}

static void a_queue_of_its_own(void)
{
	struct vbm_recv recv = {0};
	struct vbm_send send = {.opcode = IBV_WR_SEND};
	struct vbm_qp *client = pairs[3].client;
	struct ibv_wc wc;
	int n;

	close(epfd);
	watch(client->completions);
	ok(client->completions->cq == client->cq && client->completions->channel == client->channel,
	   "a queue pair has completions of its own");
	ok(!vbm_collect_completions(client->completions, &wc, 1, &n) && n == 0 && !is_readable(0), "likewise empty");
	if (vbm_post_recvs(client, &recv, 1, NULL) || vbm_post_sends(pairs[3].server, &send, 1, NULL))
		die("no message");
	ok(is_readable(WAIT_MS) && !vbm_collect_completions(client->completions, &wc, 1, &n) && n == 1 &&
	   vbm_find_qp(client->completions, wc.qp_num) == client, "and likewise woken");
	ok(vbm_destroy_completions(client->completions) == EBUSY, "they end with the queue pair");
}

static void ends(void)
{
	bool good = true;

	for (int i = 0; i < PAIRS; i++)
		good = !vbm_destroy_qp(pairs[i].server) && !vbm_destroy_qp(pairs[i].client) && good;
	close(epfd);
	ok(good && vbm_destroy_domain(domain) == EBUSY, "a domain with a completion queue is not destroyed");
	ok(!vbm_destroy_completions(shared) && !vbm_destroy_domain(domain), "without one it is");
}

int main(int argc, char **argv)
{
	struct vbm_error err;
	int before;

	own.in.sin_family = AF_INET;
	if (argc != 2 || inet_pton(AF_INET, argv[1], &own.in.sin_addr) != 1) {
		own.in6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
		if (argc != 2 || inet_pton(AF_INET6, argv[1], &own.in6.sin6_addr) != 1) {
			fputs("usage: completions-program ADDRESS\n", stderr);
			return 2;
		}
	}
	before = open_descriptors();
	if (vbm_create_domain(&domain, &own.sa, NULL, &err) || vbm_create_completions(&shared, domain, 1024, &err))
		die(err.msg);
	arguments();
	one_for_many();
	no_wake_up_is_lost();
	other_waits();
	a_queue_of_its_own();
	ends();
	ok(open_descriptors() == before, "no descriptor is left");
	return end_points();
}
