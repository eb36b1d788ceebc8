/* SPDX-License-Identifier: BSD-2-Clause */
/* covers: lib/endpoint/tcp.c */
/* Endpoints by the handshake, as far as they need no device. */
#include "cmocka_all.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/endpoint.h>

#include "../help/descriptors.h"
#include "../help/shortage.h"

#define LIMIT_MS 400

/* A server that has no room for another connection: the kernel drops what a client sends. */
struct full_server {
	int listener, client;
	struct sockaddr_in at;
};

static void fill_server(struct full_server *s)
{
	socklen_t len = sizeof(s->at);

	s->at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	s->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(s->listener, (struct sockaddr *)&s->at, len), 0);
	assert_int_equal(listen(s->listener, 0), 0);
	assert_int_equal(getsockname(s->listener, (struct sockaddr *)&s->at, &len), 0);
	assert_int_equal(connect(s->client, (struct sockaddr *)&s->at, len), 0);
}

/* Connect in the program's own loop. Returns the code with which that has ended. */
static int connect_in_loop(struct vbm_endpoint *ep)
{
	int rc = vbm_connect(ep, NULL, NULL);

	while (rc == 0 && ep->state < VBM_ENDPOINT_CONNECTED) {
		struct pollfd p = {.fd = vbm_endpoint_fd(ep), .events = POLLIN};

		assert_true(poll(&p, 1, vbm_endpoint_timeout(ep)) >= 0);
		rc = vbm_endpoint_event(ep, NULL, NULL);
	}
	return rc;
}

/* The server has two addresses, so epoll is asked for two sockets, one after the other. */
static int connect_with_shortage(struct full_server *s, int n_th)
{
	struct rdma_addrinfo second = {.ai_dst_addr = (struct sockaddr *)&s->at, .ai_dst_len = sizeof(s->at)};
	struct rdma_addrinfo first = second;
	struct vbm_endpoint_options o;
	struct vbm_endpoint *ep;
	int rc;

	first.ai_next = &second;
	vbm_endpoint_options_init(&o);
	o.way = VBM_WAY_HANDSHAKE;
	o.list = &first;
	o.no_wait = 1;
	o.timeout_ms = LIMIT_MS;
	assert_int_equal(vbm_create_endpoint(&ep, &o, NULL), 0);
	shortage_begin(SHORTAGE_OF_WATCHES, n_th);
	rc = connect_in_loop(ep);
	shortage_end();
	assert_int_equal(ep->state, VBM_ENDPOINT_FAILED);
	assert_int_equal(vbm_endpoint_fd(ep), -1);
	if (rc == ENOMEM)
		assert_string_equal(ep->error.msg, "epoll_ctl fails for 127.0.0.1: Cannot allocate memory");
	assert_int_equal(vbm_destroy_endpoint(ep), 0);
	return rc;
}

/* A connection that nothing would wake up must not be waited for. */
TEST(test_connect__socket_cannot_be_watched__fails)
{
	struct full_server s;
	int before = open_descriptors();

	if (!SHORTAGE_WORKS)
		skip();
	fill_server(&s);
	assert_int_equal(connect_with_shortage(&s, 0), ENOMEM);
	assert_int_equal(connect_with_shortage(&s, 1), ENOMEM);
	assert_int_equal(connect_with_shortage(&s, 2), ETIMEDOUT);
	close(s.client);
	close(s.listener);
	assert_int_equal(open_descriptors(), before);
}

/* A listener with a client that has said nothing for the time limit. */
static struct vbm_endpoint *listener_with_late_client(int *client)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct rdma_addrinfo here = {.ai_src_addr = (struct sockaddr *)&at, .ai_src_len = sizeof(at)};
	struct vbm_endpoint *l, *request;
	struct vbm_endpoint_options o;
	socklen_t len = sizeof(at);
	struct pollfd p;

	vbm_endpoint_options_init(&o);
	o.way = VBM_WAY_HANDSHAKE;
	o.list = &here;
	o.timeout_ms = 10;
	assert_int_equal(vbm_create_endpoint(&l, &o, NULL), 0);
	assert_int_equal(vbm_listen(l, NULL, NULL), 0);
	assert_int_equal(getsockname(l->socket, (struct sockaddr *)&at, &len), 0);
	*client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(*client, (struct sockaddr *)&at, len), 0);
	p = (struct pollfd){.fd = vbm_endpoint_fd(l), .events = POLLIN};
	assert_int_equal(poll(&p, 1, -1), 1);
	assert_int_equal(vbm_get_request(l, &request, 0), ETIMEDOUT);
	assert_true(vbm_endpoint_timeout(l) >= 0);
	while (vbm_endpoint_timeout(l))
		poll(&p, 1, vbm_endpoint_timeout(l));
	return l;
}

/* The client's limit is not the listener's. */
TEST(test_listener__calls_for_connections__are_refused)
{
	int client;
	struct vbm_endpoint *l = listener_with_late_client(&client);

	assert_int_equal(vbm_accept(l, NULL, 0), EINVAL);
	assert_int_equal(vbm_reject(l, NULL, 0), EINVAL);
	assert_int_equal(vbm_disconnect(l), ENOTCONN);
	assert_int_equal(vbm_wait_disconnect(l, 0), ENOTCONN);
	assert_int_equal(l->state, VBM_ENDPOINT_LISTENING);
	close(client);
	assert_int_equal(vbm_destroy_endpoint(l), 0);
}
