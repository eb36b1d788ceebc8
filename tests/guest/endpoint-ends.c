/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of endpoint-program about connections that do not come to be. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <verbatim/addrinfo.h>

#include "endpoint-program.h"

#define SHORT_MS 400
#define MANY 5
#define HURRIES 200

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A connect that fails so, and leaves an endpoint that says so. */
static bool fails(struct vbm_endpoint *ep, int result, int wanted)
{
	return returns(ep, result, wanted) && ep->state == VBM_ENDPOINT_FAILED && !ep->id &&
	       ep->socket < 0 && ep->error.code == wanted && ep->error.msg[0] &&
	       (!ep->qp || !ep->qp->qp || state_of(ep) == IBV_QPS_ERR);
}

static void nobody_listens(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep = create(&o);

	ok(fails(ep, vbm_connect(ep, self, OTHER_PORT), ECONNREFUSED), "nobody listens: ECONNREFUSED");
	ok(!by_cm() || ep->reason == 8, "for the reason that the service is unknown");
	ok(strstr(ep->error.msg, self), "and the text has the address");
	vbm_destroy_endpoint(ep);
	ep = create(&o);
	ok(fails(ep, vbm_connect(ep, self, "no-such-service"), ENOENT), "a service that is none");
	vbm_destroy_endpoint(ep);
}

static void nobody_there(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep;
	int64_t began;
	int rc;

	o.timeout_ms = SHORT_MS;
	ep = create(&o);
	began = now_ms();
	rc = vbm_connect(ep, nobody, PORT);
	/* The kernel may still be asking for the neighbour of an earlier try, and know first. */
	ok(fails(ep, rc, rc == EHOSTUNREACH ? EHOSTUNREACH : ETIMEDOUT),
	   "a host that is not there: ETIMEDOUT, if EHOSTUNREACH is not known by then");
	ok(now_ms() - began < 20 * SHORT_MS, "in time");
	vbm_destroy_endpoint(ep);
	o.timeout_ms = 10 * SHORT_MS;
	ep = create(&o);
	rc = vbm_connect(ep, nobody, PORT);
	ok(fails(ep, rc, rc == ETIMEDOUT ? ETIMEDOUT : EHOSTUNREACH),
	   "with patience, too");
	vbm_destroy_endpoint(ep);
}

/* The library says what it was doing when the time was over. */
static void hurried(void)
{
	struct vbm_endpoint_options o = usual();
	bool good = true;

	for (int i = 0; i < HURRIES && good; i++) {
		struct vbm_endpoint *ep;
		int rc;

		o.timeout_ms = 1 + i % 8;
		ep = create(&o);
		rc = vbm_connect(ep, self, PORT);
		good = fails(ep, rc, rc == ECONNREFUSED ? ECONNREFUSED : ETIMEDOUT);
		vbm_destroy_endpoint(ep);
	}
	ok(good, "too little time: ETIMEDOUT, if ECONNREFUSED is not known by then");
}

static void never_answered(void)
{
	struct vbm_endpoint_options o = usual(), impatient = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server;
	struct call c;
	int rc;

	impatient.timeout_ms = SHORT_MS;
	dial(&c, &impatient, PORT);
	ok(fails(c.ep, dialled(&c), ETIMEDOUT), "a listener that does not answer: ETIMEDOUT");
	vbm_destroy_endpoint(c.ep);
	/* Mostly it is known already that the peer has gone. */
	rc = vbm_get_request(l, &server, 1);
	ok(!server ? returns(l, rc, ETIMEDOUT) :
	   fails(server, vbm_accept(server, NULL, 0), ECONNABORTED), "its request has been given up");
	vbm_destroy_endpoint(server);
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
}

static void rejected(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server;
	char data[193] = "no, thank you";
	size_t len = by_cm() ? 148 : 192;
	struct call c;

	data[len - 1] = 'x';
	dial(&c, &o, PORT);
	vbm_get_request(l, &server, PATIENCE_MS);
	ok(vbm_reject(server, data, len + 1) == EMSGSIZE &&
	   server->state == VBM_ENDPOINT_REQUESTED, "a rejection has its limit");
	ok(returns(server, vbm_reject(server, data, len), 0) &&
	   server->state == VBM_ENDPOINT_DISCONNECTED && state_of(server) == IBV_QPS_ERR,
	   "a request is rejected");
	ok(fails(c.ep, dialled(&c), ECONNREFUSED), "and the peer learns it");
	ok(c.ep->private_data_len == len && !memcmp(c.ep->private_data, data, len) &&
	   c.ep->reason == (by_cm() ? 28 : 0), "with the reason and the private data");
	ok(vbm_accept(server, NULL, 0) == EINVAL && vbm_reject(server, NULL, 0) == EINVAL,
	   "one answer is all");
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
}

/* Calls that are for connections find nothing at a listener, and leave its request alone. */
static void asked_a_listener(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server = NULL;
	struct pollfd p = {.fd = vbm_endpoint_fd(l), .events = POLLIN};
	struct call c;

	dial(&c, &o, PORT);
	poll(&p, 1, PATIENCE_MS);
	ok(vbm_accept(l, NULL, 0) == EINVAL && vbm_reject(l, NULL, 0) == EINVAL &&
	   vbm_disconnect(l) == ENOTCONN && vbm_wait_disconnect(l, 0) == ENOTCONN &&
	   l->state == VBM_ENDPOINT_LISTENING, "a listener has no request to answer, and no connection to end");
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0) && returns(server, vbm_accept(server, NULL, 0), 0),
	   "and its request is still there");
	dialled(&c);
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(l);
}

/* @ask bytes there, @answer bytes back. rdma_cm fills them up to 56 and 196. */
static bool data_arrive(size_t ask, size_t answer)
{
	struct vbm_endpoint_options o = usual(), with = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server;
	uint8_t there[192], back[197], zeros[196] = {0};
	size_t request = by_cm() ? 56 : ask, reply = by_cm() ? 196 : answer;
	struct call c;
	bool good;

	memset(there, 0xa5, sizeof(there));
	memset(back, 0x5a, sizeof(back));
	with.private_data = there;
	with.private_data_len = ask;
	dial(&c, &with, PORT);
	good = !vbm_get_request(l, &server, PATIENCE_MS) && server->private_data_len == request &&
	       (!request || !memcmp(server->private_data, there, ask)) &&
	       (request == ask ||
		!memcmp((const uint8_t *)server->private_data + ask, zeros, request - ask)) &&
	       vbm_accept(server, back, 197) == EMSGSIZE && !vbm_accept(server, back, answer);
	good = returns(c.ep, dialled(&c), 0) && good && c.ep->private_data_len == reply &&
	       (!reply || !memcmp(c.ep->private_data, back, answer)) &&
	       (reply == answer ||
		!memcmp((const uint8_t *)c.ep->private_data + answer, zeros, reply - answer));
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(l);
	return good;
}

/* The address has @first bytes for the request, the program @behind. */
static int joined(size_t first, size_t behind)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *l = listener_of(&plain, self), *server = NULL;
	struct rdma_addrinfo *list;
	uint8_t mine[192], all[192];
	struct call c;
	int rc;

	memset(mine, 2, sizeof(mine));
	memset(all, 2, sizeof(all));
	memset(all, 1, first);
	if (vbm_getaddrinfo(self, PORT, NULL, &list))
		return -1;
	list->ai_connect = malloc(first);
	list->ai_connect_len = first;
	memset(list->ai_connect, 1, first);
	o.list = list;
	o.private_data = mine;
	o.private_data_len = behind;
	dial(&c, &o, PORT);
	if (!vbm_get_request(l, &server, PATIENCE_MS / 30) &&
	    !memcmp(server->private_data, all, first + behind))
		vbm_accept(server, NULL, 0);
	rc = dialled(&c);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(l);
	vbm_freeaddrinfo(list);
	return rc;
}

static void private_data(void)
{
	static uint8_t bytes[193];
	size_t request = by_cm() ? 56 : 192, answer = by_cm() ? 196 : 192;
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep;

	o.private_data = bytes;
	o.private_data_len = request + 1;
	ok(vbm_create_endpoint(&ep, &o, NULL) == EMSGSIZE && !ep, "a request has its limit");
	ok(data_arrive(0, 0), "private data of no bytes");
	ok(data_arrive(1, 1), "of one");
	ok(data_arrive(request, answer), "of as many as there is room for");
	ok(joined(20, request - 20) == 0, "those of the address go first");
	ok(joined(20, request - 19) == EMSGSIZE, "and count");
}

static int prepared, discarded;
static bool leaves_memory;
static struct ibv_mr *mr;
static char memory[8];

static int prepare(struct vbm_endpoint *ep)
{
	struct vbm_recv recv = {.wr_id = 1};

	prepared++;
	if (vbm_destroy_endpoint(ep) != EBUSY)
		return EDOM;
	mr = ibv_reg_mr(ep->qp->pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	return mr ? vbm_post_recvs(ep->qp, &recv, 1, NULL) : errno;
}

static int refusal;

static int refuse(struct vbm_endpoint *ep)
{
	(void)ep;
	return refusal;
}

static void discard(struct vbm_endpoint *ep)
{
	(void)ep;
	discarded++;
	if (!leaves_memory)
		ibv_dereg_mr(mr);
}

/* A list of two addresses: nobody listens at the first. */
static struct rdma_addrinfo *two_addresses(void)
{
	struct rdma_addrinfo *first, *second;

	if (vbm_getaddrinfo(self, OTHER_PORT, NULL, &first) ||
	    vbm_getaddrinfo(self, PORT, NULL, &second))
		die("no addresses");
	first->ai_next = second;
	return first;
}

static void further_addresses(void)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *l = listener_of(&plain, self), *server;
	struct rdma_addrinfo *list = two_addresses();
	struct call c;

	prepared = discarded = 0;
	o.list = list;
	o.prepare = prepare;
	o.discard = discard;
	dial(&c, &o, PORT);
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0) &&
	   returns(server, vbm_accept(server, NULL, 0), 0) && returns(c.ep, dialled(&c), 0),
	   "when an address fails the next one is tried");
	ok(prepared == (by_cm() ? 2 : 1) && discarded == prepared - 1,
	   "each on a queue pair of its own, which the program prepares");
	ok(vbm_destroy_endpoint(c.ep) == EBUSY, "what the program made is not taken away");
	ibv_dereg_mr(mr);
	ok(vbm_destroy_endpoint(c.ep) == 0, "and the endpoint ends when that has");
	vbm_destroy_endpoint(server);
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
	vbm_freeaddrinfo(list);
}

/* The list of two: @first, and then @second. */
static struct rdma_addrinfo *both(const char *first, const char *second)
{
	struct rdma_addrinfo *list, *rest;

	if (vbm_getaddrinfo(first, PORT, NULL, &list) || vbm_getaddrinfo(second, PORT, NULL, &rest))
		die("no addresses");
	list->ai_next = rest;
	return list;
}

/* The first address has a server that gives up; the second one is nobody's. */
static void each_is_told(void)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *l = listener_of(&plain, self), *server;
	struct rdma_addrinfo *list = both(self, nobody);
	int wanted = by_cm() ? ECONNREFUSED : ECONNRESET;
	struct call c;

	o.list = list;
	o.timeout_ms = 10 * SHORT_MS;
	dial(&c, &o, PORT);
	ok(returns(l, vbm_get_request(l, &server, PATIENCE_MS), 0), "a request comes");
	vbm_destroy_endpoint(server);
	ok(fails(c.ep, dialled(&c), wanted), "when no address works, the code is that of the one that came furthest");
	ok(c.ep->reason == (by_cm() ? 28 : 0), "and so is the reason");
	ok(strstr(c.ep->error.msg, self) && strstr(c.ep->error.msg, nobody) && strstr(c.ep->error.msg, "; "),
	   "and the text tells of each");
	if (!strstr(c.ep->error.msg, nobody))
		printf("# %s\n", c.ep->error.msg);
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(l);
	vbm_freeaddrinfo(list);
}

/* An address of the other family of the interface that has @self, with a network; NULL: none. */
static const char *other_family(void)
{
	static char text[INET6_ADDRSTRLEN];
	struct ifaddrs *all, *i, *own = NULL;
	char node[INET6_ADDRSTRLEN];

	text[0] = '\0';
	if (getifaddrs(&all))
		return NULL;
	for (i = all; i; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family != AF_PACKET &&
		    !getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in6), node, sizeof(node), NULL, 0,
				 NI_NUMERICHOST) && strcmp(node, self) == 0)
			own = i;
	for (i = all; i && own; i = i->ifa_next)
		if (i->ifa_addr && strcmp(i->ifa_name, own->ifa_name) == 0 &&
		    i->ifa_addr->sa_family == AF_INET + AF_INET6 - own->ifa_addr->sa_family &&
		    !getnameinfo(i->ifa_addr, sizeof(struct sockaddr_in6), node, sizeof(node), NULL, 0,
				 NI_NUMERICHOST) && !strchr(node, '%'))
			strcpy(text, node);
	freeifaddrs(all);
	return text[0] ? text : NULL;
}

/* The server listens at one address; the client tries the other one first. */
static void other_address_first(void)
{
	struct vbm_endpoint_options o = usual(), plain = usual();
	struct vbm_endpoint *l = listener_of(&plain, self), *server = NULL;
	const char *other = other_family();
	struct rdma_addrinfo *list;
	struct call c;

	if (!other) {
		ok(true, "a server that listens at the second address # SKIP this host has one family");
		vbm_destroy_endpoint(l);
		return;
	}
	list = both(other, self);
	o.list = list;
	o.timeout_ms = PATIENCE_MS / 10;
	dial(&c, &o, PORT);
	if (!vbm_get_request(l, &server, PATIENCE_MS / 10))
		vbm_accept(server, NULL, 0);
	ok(returns(c.ep, dialled(&c), 0) && c.ep->state == VBM_ENDPOINT_CONNECTED,
	   "a server that listens at the second address is found");
	vbm_destroy_endpoint(c.ep);
	vbm_destroy_endpoint(server);
	vbm_destroy_endpoint(l);
	vbm_freeaddrinfo(list);
}

static void unprepared(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *server, *ep;
	struct rdma_addrinfo *list = two_addresses();

	o.prepare = refuse;
	for (refusal = EDOM; refusal; refusal = refusal > 0 ? -1 : 0) {
		ep = create(&o);
		ok(fails(ep, vbm_connect(ep, self, PORT), refusal), refusal > 0 ?
		   "what the program cannot prepare is not connected" : "nor when it says so by -1");
		vbm_destroy_endpoint(ep);
	}
	ok(returns(l, vbm_get_request(l, &server, 1), ETIMEDOUT) && !server, "nor asked for");
	if (by_cm()) {
		o.list = list;
		o.prepare = prepare;
		ep = create(&o);
		ok(fails(ep, vbm_connect(ep, NULL, NULL), EBUSY),
		   "a queue pair that the program does not let go of: EBUSY");
		ibv_dereg_mr(mr);
		vbm_destroy_endpoint(ep);
	}
	vbm_freeaddrinfo(list);
	vbm_destroy_endpoint(l);
}

static void *hang_up(void *arg)
{
	struct call *c = arg;

	c->result = vbm_disconnect(c->ep);
	return NULL;
}

static void both_disconnect(void)
{
	struct vbm_endpoint_options o = usual();
	bool good = true;
	struct call c;
	struct pair p;
	int i;

	for (i = 0; i < MANY && good; i++) {
		good = make_pair(&p, &o);
		c = (struct call){.ep = p.client};
		if (good && !pthread_create(&c.thread, NULL, hang_up, &c)) {
			good = returns(p.server, vbm_disconnect(p.server), 0);
			good = returns(p.client, dialled(&c), 0) && good;
		}
		good = good && state_of(p.server) == IBV_QPS_ERR && state_of(p.client) == IBV_QPS_ERR &&
		       p.server->state == VBM_ENDPOINT_DISCONNECTED &&
		       p.client->state == VBM_ENDPOINT_DISCONNECTED;
		end_pair(&p);
	}
	ok(good, "both ends disconnect at once");
}

static void wrong_device(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *ep = create(&o), *l, *server;
	int rc;

	/* A listener may be there; which device a connection has is seen when it comes. */
	l = listener_of(&o, "127.0.0.1");
	rc = vbm_connect(ep, "127.0.0.1", PORT);
	ok(fails(ep, rc, by_cm() ? ENODEV : EADDRNOTAVAIL), "an address without an RDMA device");
	if (!by_cm())
		ok(returns(l, vbm_get_request(l, &server, 1), ETIMEDOUT) &&
		   l->state == VBM_ENDPOINT_LISTENING, "from which no request comes");
	vbm_destroy_endpoint(ep);
	vbm_destroy_endpoint(l);
}

/* A TCP connection that says @text and then nothing. */
static int scanner(const char *text)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *ai;
	int s = -1;

	if (getaddrinfo(self, PORT, &hints, &ai))
		return -1;
	s = socket(ai->ai_family, SOCK_STREAM, 0);
	if (connect(s, ai->ai_addr, ai->ai_addrlen) ||
	    send(s, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
		perror("# scanner");
	freeaddrinfo(ai);
	return s;
}

/* Clients that open a socket and say nothing, too little, or something else. */
static void scanners(void)
{
	static const char *const texts[] = {"", "", "\x01", "GET / HTTP/1.0\r\n\r\n"};
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l = listener_of(&o, self), *none;
	int s[4], i;

	for (i = 0; i < 4; i++)
		s[i] = scanner(texts[i]);
	ok(still_serves(l) && still_serves(l), "who says nothing keeps nobody waiting");
	ok(returns(l, vbm_get_request(l, &none, 50), ETIMEDOUT), "and makes no request");
	for (i = 0; i < 4; i++)
		close(s[i]);
	vbm_destroy_endpoint(l);
	o.backlog = 2;
	o.timeout_ms = -1;
	l = listener_of(&o, self);
	for (i = 0; i < 2; i++)
		s[i] = scanner("");
	ok(returns(l, vbm_get_request(l, &none, 1), ETIMEDOUT) && still_serves(l),
	   "when they take all the room the oldest is shown out, whatever the time limit is");
	ok(recv(s[0], &i, 1, 0) == 0, "for having said nothing in time");
	close(s[0]);
	close(s[1]);
	vbm_destroy_endpoint(l);
}

/* The kernel drops a request that finds no room; its sender repeats it after 4 s. */
static void too_many_requests(void)
{
	struct vbm_endpoint_options o = usual();
	struct vbm_endpoint *l, *server;
	int i, taken = 0, learnt = 0;
	struct call c[MANY];

	o.backlog = 1;
	l = listener_of(&o, self);
	for (i = 0; i < MANY; i++)
		dial(&c[i], &o, PORT);
	while (taken < MANY && !vbm_get_request(l, &server, PATIENCE_MS)) {
		taken++;
		vbm_reject(server, "x", 1);
		vbm_destroy_endpoint(server);
	}
	for (i = 0; i < MANY; i++) {
		learnt += fails(c[i].ep, dialled(&c[i]), ECONNREFUSED);
		vbm_destroy_endpoint(c[i].ep);
	}
	ok(taken == MANY && learnt == MANY, "more requests than may wait come later");
	ok(still_serves(l), "the listener still serves");
	vbm_destroy_endpoint(l);
}

void ends(void)
{
	nobody_listens();
	nobody_there();
	hurried();
	never_answered();
	rejected();
	asked_a_listener();
	private_data();
	further_addresses();
	each_is_told();
	other_address_first();
	unprepared();
	both_disconnect();
	wrong_device();
	if (by_cm())
		too_many_requests();
	else
		scanners();
}
