/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handshake with a peer that lies, on a host's RDMA device: one point of
 * TAP for each promise. The peer's bytes are made here, from docs/handshake.md.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/handshake.h>

#define SIZE 50
#define S 1
#define A 2
#define SHORT_MS 200
#define LONG_MS 60000

static int point, failures;
static struct sockaddr_in own = {.sin_family = AF_INET};

/* One of our ends, at work in a thread. */
struct end {
	bool is_client;
	int socket[2];		/* ours, the peer's */
	int timeout_ms;
	struct vbm_qp *qp;
	pthread_t thread;
	int result;
};

static void ok(bool good, const char *what)
{
	failures += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++point, what);
	fflush(stdout);
}

static void die(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

static struct vbm_qp *make(void)
{
	struct vbm_error err;
	struct vbm_qp *qp;

	if (vbm_create_qp(&qp, (struct sockaddr *)&own, NULL, &err))
		die(err.msg);
	if (vbm_qp_to_init(qp))
		die(qp->error.msg);
	return qp;
}

static void *work(void *arg)
{
	struct end *e = arg;

	e->result = e->is_client ? vbm_handshake_client(e->qp, e->socket[0], e->timeout_ms) :
				   vbm_handshake_server(e->qp, e->socket[0], e->timeout_ms);
	return NULL;
}

static void begin(struct end *e, bool is_client, int timeout_ms)
{
	*e = (struct end){.is_client = is_client, .timeout_ms = timeout_ms, .qp = make()};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, e->socket) ||
	    pthread_create(&e->thread, NULL, work, e))
		die("no socket or thread");
}

static enum ibv_qp_state state_of(const struct vbm_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init) ? IBV_QPS_UNKNOWN : attr.qp_state;
}

/* Whether the call ended so, with the queue pair in that state; the peer listens to its end. */
static bool ends(struct end *e, int result, enum ibv_qp_state state)
{
	bool good;

	pthread_join(e->thread, NULL);
	good = e->result == result && state_of(e->qp) == state;
	if (!good)
		printf("# %d (%s), state %d\n", e->result, e->qp->error.msg, state_of(e->qp));
	close(e->socket[0]);
	if (e->socket[1] >= 0)
		close(e->socket[1]);
	vbm_destroy_qp(e->qp);
	return good;
}

/* The same where the peer closes first. */
static bool cut(struct end *e, int result, enum ibv_qp_state state)
{
	close(e->socket[1]);
	e->socket[1] = -1;
	return ends(e, result, state);
}

static void put(unsigned char *at, uint32_t v, int n)
{
	while (n--) {
		at[n] = (unsigned char)v;
		v >>= 8;
	}
}

/* A message whose sender is @a, whatever the flag. */
static void compose(unsigned char *m, int flag, const struct vbm_qp_address *a)
{
	memset(m, 0, SIZE);
	put(m + 1, (uint32_t)flag, 1);
	put(m + 2, SIZE, 2);
	put(m + 4, 0x5642, 2);
	put(m + 10, a->qp_num, 4);
	put(m + 14, a->qp_num, 4);
	memcpy(m + 18, a->gid.raw, 16);
	memcpy(m + 34, a->gid.raw, 16);
}

static void tell(const struct end *e, const void *bytes, size_t n)
{
	if (send(e->socket[1], bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
		printf("# the socket is closed\n");
}

static bool hear(const struct end *e, unsigned char *m)
{
	return recv(e->socket[1], m, SIZE, MSG_WAITALL) == SIZE;
}

/* An end of ours that is never told to whom it talks. */
static struct vbm_qp_address stranger(void)
{
	struct vbm_qp *qp = make();
	struct vbm_qp_address a = qp->local;

	vbm_destroy_qp(qp);
	return a;
}

static void cut_off(const struct vbm_qp_address *peer)
{
	unsigned char m[SIZE], reply[SIZE];
	bool before = true, after = true;
	struct end e;
	size_t n;

	compose(m, S, peer);
	for (n = 0; n < SIZE; n += 7) {
		begin(&e, false, LONG_MS);
		tell(&e, m, n);
		before = cut(&e, ECONNRESET, IBV_QPS_INIT) && before;
	}
	ok(before, "a server whose peer closes within the first message stays in INIT");
	for (n = 0; n < SIZE; n += 7) {
		begin(&e, false, LONG_MS);
		compose(m, S, peer);
		tell(&e, m, SIZE);
		after = hear(&e, reply) && state_of(e.qp) == IBV_QPS_RTS && after;
		compose(m, A, peer);
		tell(&e, m, n);
		after = cut(&e, ECONNRESET, IBV_QPS_ERR) && after;
	}
	ok(after, "one that answered is in RTS by then, and in ERR when the third never comes");
	begin(&e, true, LONG_MS);
	after = hear(&e, m) && m[1] == S;
	ok(cut(&e, ECONNRESET, IBV_QPS_INIT) && after, "a client without an answer stays in INIT");
}

static void silent(const struct vbm_qp_address *peer)
{
	unsigned char m[SIZE];
	bool good;
	struct end e;

	begin(&e, false, SHORT_MS);
	pthread_join(e.thread, NULL);
	ok(e.result == ETIMEDOUT && state_of(e.qp) == IBV_QPS_INIT, "a silent client: ETIMEDOUT, in INIT");
	ok(strstr(e.qp->error.msg, "silent"), "and the text says so");
	close(e.socket[0]);
	close(e.socket[1]);
	vbm_destroy_qp(e.qp);
	begin(&e, false, SHORT_MS);
	compose(m, S, peer);
	tell(&e, m, SIZE);
	good = hear(&e, m) && m[1] == (S | A);
	ok(ends(&e, ETIMEDOUT, IBV_QPS_ERR) && good, "a half-open one: in ERR");
}

static void wrong(const struct vbm_qp_address *peer)
{
	static const struct {
		const char *what;
		int flag, at, value;
	} row[] = {
		{"SYNC and ACK first", S | A, 2, 0}, {"ACK first", A, 2, 0}, {"no flag", 0, 2, 0},
		{"a flag too many", S | 4, 2, 0}, {"another version", S, 0, 1},
		{"another length", S, 3, 51}, {"another magic", S, 4, 0},
		{"a number of more than 24 bits", S, 10, 1},
	};
	struct vbm_qp_address none = {.qp_num = 17}, other = *peer;
	unsigned char m[SIZE];
	char what[80];
	struct end e;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		begin(&e, false, LONG_MS);
		compose(m, row[i].flag, peer);
		put(m + row[i].at, (uint32_t)row[i].value, 1);
		if (row[i].at == 2)
			put(m + 2, SIZE, 2);
		tell(&e, m, SIZE);
		snprintf(what, sizeof(what), "EPROTO, and still in INIT: %s", row[i].what);
		ok(ends(&e, EPROTO, IBV_QPS_INIT), what);
	}
	begin(&e, false, LONG_MS);
	compose(m, S, &none);
	tell(&e, m, SIZE);
	ok(ends(&e, EPROTO, IBV_QPS_INIT), "EPROTO, and still in INIT: no GID");
	begin(&e, true, LONG_MS);
	compose(m, S, peer);
	tell(&e, m, SIZE);
	ok(ends(&e, EPROTO, IBV_QPS_INIT), "a client that gets SYNC for an answer: EPROTO, in INIT");
	begin(&e, false, LONG_MS);
	compose(m, S, peer);
	tell(&e, m, SIZE);
	other.qp_num ^= 1;
	compose(m, A, &other);
	tell(&e, m, SIZE);
	ok(ends(&e, EPROTO, IBV_QPS_ERR), "an ACK with other values: EPROTO, in ERR");
}

/* A byte at a time is a message, too. */
static void in_pieces(const struct vbm_qp_address *peer)
{
	unsigned char m[SIZE], reply[SIZE];
	struct end e;
	bool good;
	int i;

	begin(&e, false, LONG_MS);
	compose(m, S, peer);
	for (i = 0; i < SIZE; i++)
		tell(&e, m + i, 1);
	good = hear(&e, reply) && reply[1] == (S | A) &&
	       memcmp(reply + 34, e.qp->local.gid.raw, 16) == 0;
	compose(m, A, peer);
	for (i = 0; i < SIZE; i++)
		tell(&e, m + i, 1);
	pthread_join(e.thread, NULL);
	ok(good && e.result == 0 && state_of(e.qp) == IBV_QPS_RTS &&
	   e.qp->peer.qp_num == peer->qp_num, "messages in pieces of one byte");
	ok(vbm_handshake_server(e.qp, e.socket[0], 1) == EINVAL, "a queue pair in RTS cannot begin");
	close(e.socket[0]);
	close(e.socket[1]);
	vbm_destroy_qp(e.qp);
	ok(vbm_handshake_client(NULL, 0, 0) == EINVAL, "NULL is EINVAL");
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	struct vbm_qp_address peer;
	int before;

	if (argc != 2 || inet_pton(AF_INET, argv[1], &own.sin_addr) != 1) {
		fputs("usage: handshake-program ADDRESS\n", stderr);
		return 2;
	}
	peer = stranger();
	before = descriptors();
	cut_off(&peer);
	silent(&peer);
	wrong(&peer);
	in_pieces(&peer);
	ok(descriptors() == before, "no descriptor is left");
	printf("1..%d\n", point);
	return failures > 0;
}
