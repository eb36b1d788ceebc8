/* SPDX-License-Identifier: BSD-2-Clause */
#include "negotiator-setup.h"

#include "cmocka_all.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../help/descriptors.h"

int in_rts, given_up, back_in_init, refuse_rts, refuse_init;
bool keep_states;
void (*slow_call)(const struct vbm_qp *qp);
struct vbm_qp qps[MANY * 2];
static pthread_t program;
static int wrong_thread;
struct vbm_negotiator_options made_with;

static bool moved[MANY * 2];

static bool in_init(const struct vbm_qp *qp)
{
	return !keep_states || !moved[qp - qps];
}

/* Only a negotiator without a thread makes these calls in the program's thread. */
void note_thread(void)
{
	wrong_thread += !pthread_equal(pthread_self(), program) == !!made_with.in_loop;
}

static int to_rts(const struct handshake *h, struct vbm_qp *qp, struct vbm_error *error)
{
	(void)error;
	if (slow_call)
		slow_call(qp);	/* in any thread */
	else
		note_thread();
	__atomic_add_fetch(&in_rts, 1, __ATOMIC_RELAXED);
	qp->peer = h->peer.address;
	vbm_handshake_terms(h, &qp->terms);
	moved[qp - qps] = refuse_rts == 0;
	return refuse_rts;
}

static void give_up(struct vbm_qp *qp)
{
	(void)qp;
	note_thread();
	given_up++;
}

static int back_to_init(struct vbm_qp *qp, struct vbm_error *error)
{
	(void)error;
	note_thread();
	moved[qp - qps] = false;
	back_in_init++;
	return refuse_init;
}

const struct negotiator_verbs verbs = {in_init, to_rts, give_up, back_to_init};

struct vbm_negotiator *n;
struct vbm_outcome got[MANY * 3];

static int before;

void set_gids(size_t first, size_t count, int family)
{
	static const union ibv_gid in = {.raw = {[10] = 0xff, 0xff, 127, 0, 0, 1}}, in6 = {.raw = {[15] = 1}};

	for (size_t i = first; i < first + count; i++)
		qps[i].local.gid = family == AF_INET ? in : in6;
}

void put_in_init(const struct vbm_qp *qp)
{
	moved[qp - qps] = false;
}

void any_thread(const struct vbm_qp *qp)
{
	(void)qp;
}

int start_with(unsigned int depth)
{
	size_t i;

	before = open_descriptors();
	program = pthread_self();
	wrong_thread = in_rts = given_up = back_in_init = refuse_rts = refuse_init = 0;
	keep_states = false;
	slow_call = NULL;
	memset(moved, 0, sizeof(moved));
	memset(qps, 0, sizeof(qps));
	for (i = 0; i < MANY * 2; i++) {
		qps[i].local.qp_num = (uint32_t)i + 2;
		qps[i].options.mtu = 1024;
	}
	set_gids(0, MANY * 2, AF_INET);
	made_with = (struct vbm_negotiator_options){.size = sizeof(made_with), .depth = depth, .in_loop = made_with.in_loop};
	return vbm_negotiator_make(&n, &made_with, &verbs, NULL);
}

int start(void **state)
{
	(void)state;
	made_with.in_loop = 0;
	return start_with(0);
}

int start_in_loop(void **state)
{
	(void)state;
	made_with.in_loop = 1;
	return start_with(0);
}

int stop(void **state)
{
	(void)state;
	vbm_destroy_negotiator(n);
	return wrong_thread || open_descriptors() != before;
}

struct sockaddr_storage loopback(int family)
{
	struct sockaddr_storage a = {.ss_family = (sa_family_t)family};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (family == AF_INET)
		memcpy(&a, &in, sizeof(in));
	else
		memcpy(&a, &in6, sizeof(in6));
	return a;
}

void collect(int wanted)
{
	int have = 0, count, rc;

	while (have < wanted) {
		rc = vbm_negotiator_wait(n, got + have, wanted - have, PATIENCE_MS, &count);
		if (rc == EINTR)
			continue;
		assert_int_equal(rc, 0);
		have += count;
	}
}

struct sockaddr_storage address;

int listen_at(int family, const struct vbm_listen_options *options)
{
	struct sockaddr_storage a = loopback(family);
	int listener;

	set_gids(0, MANY * 2, family);
	assert_int_equal(vbm_negotiator_listen(n, (struct sockaddr *)&a, options, &a, &listener), 0);
	collect(1);
	assert_int_equal(got[0].kind, VBM_OUTCOME_LISTENING);
	assert_int_equal(got[0].result, 0);
	assert_ptr_equal(got[0].context, &a);
	assert_int_equal(got[0].listener, listener);
	address = got[0].address;
	return listener;
}

int connect_with(struct vbm_qp *qp, const struct vbm_handshake_options *options)
{
	return vbm_negotiator_connect(n, qp, (struct sockaddr *)&address, options, qp);
}

int has_closed(int s)
{
	int count = 0, rc;
	char byte;

	for (;;) {
		ssize_t length = recv(s, &byte, 1, MSG_DONTWAIT);

		if (length >= 0 || errno != EAGAIN)
			return length == 0;
		rc = vbm_negotiator_wait(n, got, 1, 1, &count);
		if (count || (rc != ETIMEDOUT && rc != EINTR))
			return 0;
	}
}

void close_all(int count)
{
	for (int i = 0; i < count; i++)
		if (got[i].socket >= 0)
			close(got[i].socket);
}

const struct vbm_outcome *of(const struct vbm_qp *qp, int count)
{
	for (int i = 0; i < count; i++)
		if (got[i].qp == qp)
			return &got[i];
	fail_msg("queue pair %u has no outcome", qp ? qp->local.qp_num : 0);
	return got;
}
