/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program about what ends a wait: interrupts, retries, silence; and prepare of requests. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "endpoint-program.h"

#define SHORT_MS 300
#define SILENCE_MS 1000

static struct vbm_endpoint_options interruptible(void)
{
	struct vbm_endpoint_options o = usual();

	o.interruptible = 1;
	return o;
}

/* An interrupt that comes before the wait ends it: no call can miss one. */
static void interrupted_before(void)
{
	struct vbm_endpoint_options o = interruptible(), plain = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *ep = create(&o), *request, *without = create(&plain);

	ok(vbm_interrupt_endpoint(NULL) == EINVAL && vbm_interrupt_endpoint(without) == EOPNOTSUPP,
	   "only an endpoint that was made so is interrupted");
	vbm_destroy_endpoint(without);
	errno = EDOM;
	ok(vbm_interrupt_endpoint(l) == 0 && vbm_interrupt_endpoint(l) == 0 && errno == EDOM,
	   "an interrupt leaves errno alone");
	ok(returns(l, vbm_get_request(l, &request, -1), ECANCELED) && !request &&
	   l->state == VBM_ENDPOINT_LISTENING, "the wait for a request is interrupted");
	ok(returns(l, vbm_get_request(l, &request, 10), ETIMEDOUT), "once, however often that was asked for");
	vbm_interrupt_endpoint(l);
	ok(vbm_endpoint_event(l, NULL, &request) == 0 && returns(l, vbm_get_request(l, &request, 0), ETIMEDOUT) &&
	   returns(l, vbm_get_request(l, &request, -1), ECANCELED), "and it is kept for a call that would wait");
	vbm_interrupt_endpoint(ep);
	ok(returns(ep, vbm_connect(ep, self, PORT), ECANCELED) && ep->state == VBM_ENDPOINT_FAILED,
	   "a connect is interrupted, and has failed");
	vbm_destroy_endpoint(ep);
	if (!vbm_get_request(l, &request, 10))
		vbm_destroy_endpoint(request);
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
}

static void interrupted_connection(void)
{
	struct vbm_endpoint_options o = interruptible();
	struct ibv_wc wc;
	struct pair p;
	int n;

	if (!make_pair(&p, &o))
		die("no connection");
	vbm_interrupt_endpoint(p.server);
	ok(returns(p.server, vbm_wait_disconnect(p.server, -1), ECANCELED) &&
	   p.server->state == VBM_ENDPOINT_CONNECTED, "the wait for the end is interrupted, and no end");
	vbm_interrupt_endpoint(p.client);
	ok(vbm_wait_completions(p.client->qp, &wc, 1, -1, &n) == ECANCELED,
	   "and so is the wait for completions");
	ok(vbm_wait_completions(p.client->qp, &wc, 1, 10, &n) == ETIMEDOUT, "once");
	vbm_interrupt_endpoint(p.client);
	ok(returns(p.client, vbm_disconnect(p.client), ECANCELED) && p.client->state == VBM_ENDPOINT_DISCONNECTED &&
	   state_of(p.client) == IBV_QPS_ERR, "a disconnect that is interrupted has ended the connection");
	end_pair(&p);
}

static struct vbm_endpoint *waiting;

static void interrupt(int number)
{
	(void)number;
	vbm_interrupt_endpoint(waiting);
}

/* The wait has no limit. */
static void interrupted_by_a_signal(void)
{
	struct vbm_endpoint_options o = interruptible();
	struct itimerval soon = {.it_value.tv_usec = 50000};
	struct sigaction handler = {.sa_handler = interrupt}, before;
	struct vbm_endpoint *request;

	waiting = listener_of(&o, self);
	sigaction(SIGALRM, &handler, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	ok(returns(waiting, vbm_get_request(waiting, &request, -1), ECANCELED), "a signal's handler ends a wait");
	sigaction(SIGALRM, &before, NULL);
	vbm_destroy_endpoint(waiting);
}

static void *wait_for_request(void *arg)
{
	struct call *c = arg;
	struct vbm_endpoint *request;

	c->result = vbm_get_request(c->ep, &request, -1);
	return NULL;
}

static void interrupted_by_a_thread(void)
{
	struct vbm_endpoint_options o = interruptible();
	struct call c = {.ep = listener_of(&o, self)};

	if (pthread_create(&c.thread, NULL, wait_for_request, &c))
		die("no thread");
	vbm_interrupt_endpoint(c.ep);
	ok(dialled(&c) == ECANCELED, "and so does another thread");
	vbm_destroy_endpoint(c.ep);
}

static int prepared;

static int count_prepared(struct vbm_endpoint *ep)
{
	(void)ep;
	prepared++;
	return 0;
}

/* Whether the client has been at the address, and waits before it tries again. */
static bool pauses(const struct vbm_endpoint *ep)
{
	return ep->state == VBM_ENDPOINT_RESOLVING_ADDR && ep->error.code == ECONNREFUSED;
}

static void step_of(struct vbm_endpoint *ep)
{
	struct pollfd p = {.fd = vbm_endpoint_fd(ep), .events = POLLIN};

	poll(&p, 1, vbm_endpoint_timeout(ep));
	vbm_endpoint_event(ep, NULL, NULL);
}

/* The server comes after its client. */
static void retries(void)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *client, *l = NULL, *server = NULL;

	o.retry_ms = 20;
	o.timeout_ms = -1;
	o.no_wait = 1;
	o.prepare = count_prepared;
	prepared = 0;
	client = create(&o);
	ok(vbm_connect(client, self, PORT) == 0, "nobody listens yet");
	while (!pauses(client) && client->state < VBM_ENDPOINT_CONNECTED)
		step_of(client);
	ok(pauses(client) && vbm_endpoint_timeout(client) <= 20, "the client waits, and not for long");
	l = listener_of(&plain, self);
	while (client->state != VBM_ENDPOINT_CONNECTING && client->state < VBM_ENDPOINT_CONNECTED)
		step_of(client);
	ok(client->state == VBM_ENDPOINT_CONNECTING && prepared == (by_cm() ? 2 : 1),
	   "and tries again, with another queue pair");
	if (!vbm_get_request(l, &server, PATIENCE_MS))
		vbm_reject(server, "no", 2);
	while (client->state < VBM_ENDPOINT_CONNECTED)
		step_of(client);
	ok(client->state == VBM_ENDPOINT_FAILED && client->error.code == ECONNREFUSED,
	   "a program that rejects is not asked again");
	vbm_destroy_endpoint(client);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(l);
	o.no_wait = 0;
	o.timeout_ms = SHORT_MS;
	client = create(&o);
	ok(returns(client, vbm_connect(client, self, PORT), ECONNREFUSED) && client->state == VBM_ENDPOINT_FAILED,
	   "the time limit ends it, with what was found");
	vbm_destroy_endpoint(client);
}

static int refusal, discarded;
static struct ibv_mr *mr;
static char memory[8];

static int prepare_memory(struct vbm_endpoint *ep)
{
	mr = ibv_reg_mr(ep->qp->pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	prepared++;
	return mr ? refusal : errno;
}

static void discard_memory(struct vbm_endpoint *ep)
{
	(void)ep;
	discarded++;
	ibv_dereg_mr(mr);
}

static void prepares_requests(void)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *l, *server;
	struct call c;

	o.prepare = prepare_memory;
	o.discard = discard_memory;
	l = listener_of(&o, self);
	prepared = discarded = refusal = 0;
	dial(&c, &plain, PORT);
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0) && prepared == 1 && discarded == 0,
	   "a request comes prepared");
	ok(returns(server, vbm_accept(server, NULL, 0), 0) && returns(c.ep, dialled(&c), 0), "and is accepted");
	ibv_dereg_mr(mr);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(c.ep);
	refusal = EDOM;
	dial(&c, &plain, PORT);
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), EDOM) && !server && prepared == 2 && discarded == 1,
	   "what the program cannot prepare is no request");
	ok(dialled(&c) == (by_cm() ? ECONNREFUSED : ECONNRESET), "and is rejected");
	vbm_destroy_endpoint(c.ep);
	refusal = 0;
	vbm_destroy_endpoint(l);
}

static int ask_nobody(void *context, struct vbm_handshake_auth *auth)
{
	(void)context;
	(void)auth;
	return 0;
}

static void refuses_options(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep;
	struct vbm_error error;

	o.keepalive_ms = 999;
	ok(vbm_create_endpoint(&ep, &o, &error) == EINVAL && strstr(error.msg, "keepalive_ms: 999 "),
	   "a limit for silence that is too short");
	o = usual();
	o.retry_ms = -1;
	ok(vbm_create_endpoint(&ep, &o, &error) == EINVAL && strstr(error.msg, "retry_ms: -1 "),
	   "a pause that is none");
	o = usual();
	o.authenticate = ask_nobody;
	ok(!by_cm() || (vbm_create_endpoint(&ep, &o, &error) == EOPNOTSUPP && strstr(error.msg, "authenticate")),
	   "rdma_cm has no socket for it to find out who the peer is");
}

void options(void)
{
	interrupted_before();
	interrupted_connection();
	interrupted_by_a_signal();
	interrupted_by_a_thread();
	retries();
	prepares_requests();
	refuses_options();
}

/* One end of a connection of two hosts, @self being the server's address. One of them cuts the cable. */
int cut_cable(const char *role)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep, *l = NULL;
	int rc;

	o.keepalive_ms = SILENCE_MS;
	o.retry_ms = 20;
	ep = create(&o);
	if (strcmp(role, "lets") == 0) {
		l = ep;
		rc = vbm_listen(l, self, PORT);
		rc = rc ? rc : vbm_get_request(l, &ep, PATIENCE_MS);
		rc = rc ? rc : vbm_accept(ep, NULL, 0);
	} else {
		rc = vbm_connect(ep, self, PORT);
		if (rc == 0 && system("ip link set dev \"$VERBATIM_NETDEV\" down") != 0)
			die("no cable");
	}
	if (rc)
		die(ep ? ep->error.msg : l->error.msg);
	/* The device tells of the port first, and the connection is kept: the cable may come back. */
	rc = vbm_wait_disconnect(ep, PATIENCE_MS);
	if (rc == ENETDOWN)
		rc = vbm_wait_disconnect(ep, PATIENCE_MS);
	ok(returns(ep, rc, 0) && ep->state == VBM_ENDPOINT_DISCONNECTED &&
	   ep->reason != 0 && state_of(ep) == IBV_QPS_ERR, "a peer whose cable is cut is noticed");
	vbm_destroy_endpoint(ep);
	vbm_destroy_endpoint(l);
	return end_points();
}
