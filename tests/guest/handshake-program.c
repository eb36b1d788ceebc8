/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handshake with a peer that lies, on a host's RDMA device: one point of
 * TAP for each promise. The peer's bytes are made here, from docs/handshake.md.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/handshake.h>
#include <verbatim/transfer.h>

#include "../help/descriptors.h"
#include "../help/points.h"

#define SIZE 72		/* of version 1; version 0 has less */
#define S 1
#define A 2
#define SHORT_MS 200
#define LONG_MS 60000

static int version;
static struct sockaddr_in own = {.sin_family = AF_INET};

/* One of our ends, at work in a thread. */
struct end {
	bool is_client;
	int socket[2];		/* ours, the peer's */
	struct vbm_handshake_options options;
	struct vbm_handshake_peer peer;
	struct vbm_qp *qp;
	pthread_t thread;
	int result;
};

static size_t size_of_message(void)
{
	return version ? 72 : 50;
}

static const char *version_of_points(void)
{
	return version ? "version 1" : "version 0";
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

	e->result = (e->is_client ? vbm_handshake_client : vbm_handshake_server)
			(e->qp, e->socket[0], &e->options, &e->peer);
	if (e->result)
		shutdown(e->socket[0], SHUT_WR);
	return NULL;
}

/* A client speaks the version at hand; a server learns it. */
static void begin_with(struct end *e, bool is_client, const struct vbm_handshake_options *options)
{
	*e = (struct end){.is_client = is_client, .options = *options, .qp = make()};
	if (is_client && version == 0)
		e->options.version = VBM_HANDSHAKE_ONLY_0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, e->socket) ||
	    pthread_create(&e->thread, NULL, work, e))
		die("no socket or thread");
}

static void begin(struct end *e, bool is_client, int timeout_ms)
{
	struct vbm_handshake_options options = {.size = sizeof(options), .timeout_ms = timeout_ms};

	begin_with(e, is_client, &options);
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

static void put_end(unsigned char *at, const struct vbm_qp_address *a)
{
	put(at, 3, 4);		/* LID 0, index 0, MTU of 1024 bytes */
	put(at + 4, a->qp_num, 4);
	put(at + 8, 0x123456, 4);
	put(at + 12, 0x01010000, 4);
	memcpy(at + 16, a->gid.raw, 16);
}

/*
 * A message whose sender is @a, whatever the flag. What version 1 says of the
 * other end is not known here: add_other() knows it.
 */
static void compose(unsigned char *m, int flag, const struct vbm_qp_address *a)
{
	memset(m, 0, SIZE);
	put(m, (uint32_t)version, 1);
	put(m + 1, (uint32_t)flag, 1);
	put(m + 2, (uint32_t)size_of_message(), 2);
	put(m + 4, version ? 0x5643 : 0x5642, 2);
	if (version) {
		put_end(m + (flag == (S | A) ? 40 : 8), a);
		return;
	}
	put(m + 10, a->qp_num, 4);
	put(m + 14, a->qp_num, 4);
	memcpy(m + 18, a->gid.raw, 16);
	memcpy(m + 34, a->gid.raw, 16);
}

/* Says back the values of the other end's message. */
static void add_other(unsigned char *m, const unsigned char *reply)
{
	if (version)
		memcpy(m + (reply[1] == S ? 8 : 40), reply + (reply[1] == S ? 8 : 40), 32);
}

static void tell(const struct end *e, const void *bytes, size_t n)
{
	if (send(e->socket[1], bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
		printf("# the socket is closed\n");
}

static bool hear(const struct end *e, unsigned char *m)
{
	ssize_t size = (ssize_t)size_of_message();

	return recv(e->socket[1], m, (size_t)size, MSG_WAITALL) == size;
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
	for (n = 0; n < size_of_message(); n += 7) {
		begin(&e, false, LONG_MS);
		tell(&e, m, n);
		before = cut(&e, ECONNRESET, IBV_QPS_INIT) && before;
	}
	ok(before, "a server whose peer closes within the first message stays in INIT");
	for (n = 0; n < size_of_message(); n += 7) {
		begin(&e, false, LONG_MS);
		compose(m, S, peer);
		tell(&e, m, size_of_message());
		after = hear(&e, reply) && state_of(e.qp) == IBV_QPS_RTS && after;
		compose(m, A, peer);
		tell(&e, m, n);
		after = cut(&e, ECONNRESET, IBV_QPS_ERR) && after;
	}
	ok(after, "one that answered is in RTS by then, and in ERR when the third never comes");
	begin(&e, true, LONG_MS);
	after = hear(&e, m) && m[1] == S;
	ok(cut(&e, version ? EPROTONOSUPPORT : ECONNRESET, IBV_QPS_INIT) && after, "a client without an answer stays in INIT");
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
	tell(&e, m, size_of_message());
	good = hear(&e, m) && m[1] == (S | A);
	ok(ends(&e, ETIMEDOUT, IBV_QPS_ERR) && good, "a half-open one: in ERR");
}

static void wrong(const struct vbm_qp_address *peer)
{
	static const struct row {
		const char *what;
		int flag, at, value;
	} row_0[] = {
		{"SYNC and ACK first", S | A, 2, 0}, {"ACK first", A, 2, 0}, {"no flag", 0, 2, 0},
		{"a flag too many", S | 4, 2, 0}, {"the magic of the other version", S, 0, 2},
		{"another length", S, 3, 51}, {"another magic", S, 4, 0},
		{"a number of more than 24 bits", S, 10, 1},
	}, row_1[] = {
		{"SYNC and ACK first", S | A, 2, 0}, {"ACK first", A, 2, 0}, {"no flag", 0, 2, 0},
		{"a flag too many", S | 8, 2, 0}, {"the magic of the other version", S, 5, 0x42},
		{"another length", S, 3, 71}, {"another magic", S, 4, 0},
		{"a number of more than 24 bits", S, 12, 1}, {"no number", S, 12, 0},
		{"a multicast GID", S, 24, 0xff}, {"an MTU that is none", S, 11, 9},
		{"a packet number of more than 24 bits", S, 16, 1},
		{"values of ours that it cannot know", S, 47, 1},
	};
	struct vbm_qp_address none = {.qp_num = 17}, other = *peer;
	unsigned char m[SIZE], reply[SIZE];
	char what[80];
	struct end e;
	bool good;
	const struct row *row = version ? row_1 : row_0;
	size_t i, count = version ? sizeof(row_1) / sizeof(row_1[0]) : sizeof(row_0) / sizeof(row_0[0]);

	for (i = 0; i < count; i++) {
		begin(&e, false, LONG_MS);
		compose(m, row[i].flag, peer);
		put(m + row[i].at, (uint32_t)row[i].value, 1);
		if (row[i].at == 12 && !row[i].value)
			put(m + 12, 0, 4);
		if (row[i].at == 2)
			put(m + 2, (uint32_t)size_of_message(), 2);
		tell(&e, m, size_of_message());
		snprintf(what, sizeof(what), "EPROTO, and still in INIT: %s", row[i].what);
		ok(ends(&e, EPROTO, IBV_QPS_INIT), what);
	}
	begin(&e, false, LONG_MS);
	compose(m, S, &none);
	tell(&e, m, size_of_message());
	ok(ends(&e, EPROTO, IBV_QPS_INIT), "EPROTO, and still in INIT: no GID");
	begin(&e, true, LONG_MS);
	compose(m, S, peer);
	tell(&e, m, size_of_message());
	ok(ends(&e, EPROTO, IBV_QPS_INIT), "a client that gets SYNC for an answer: EPROTO, in INIT");
	begin(&e, false, LONG_MS);
	compose(m, S, peer);
	tell(&e, m, size_of_message());
	good = hear(&e, reply);
	other.qp_num ^= 1;
	compose(m, A, &other);
	add_other(m, reply);
	tell(&e, m, size_of_message());
	ok(ends(&e, EPROTO, IBV_QPS_ERR) && good, "an ACK with other values: EPROTO, in ERR");
}

/* A byte at a time is a message, too. */
static void in_pieces(const struct vbm_qp_address *peer)
{
	unsigned char m[SIZE], reply[SIZE];
	struct end e;
	bool good;
	size_t i;

	begin(&e, false, LONG_MS);
	compose(m, S, peer);
	for (i = 0; i < size_of_message(); i++)
		tell(&e, m + i, 1);
	good = hear(&e, reply) && reply[1] == (S | A) &&
	       memcmp(reply + (version ? 56 : 34), e.qp->local.gid.raw, 16) == 0;
	compose(m, A, peer);
	add_other(m, reply);
	for (i = 0; i < size_of_message(); i++)
		tell(&e, m + i, 1);
	pthread_join(e.thread, NULL);
	ok(good && e.result == 0 && state_of(e.qp) == IBV_QPS_RTS &&
	   e.qp->peer.qp_num == peer->qp_num, "messages in pieces of one byte");
	ok(vbm_handshake_server(e.qp, e.socket[0], NULL, NULL) == EINVAL, "a queue pair in RTS cannot begin");
	close(e.socket[0]);
	close(e.socket[1]);
	vbm_destroy_qp(e.qp);
	ok(vbm_handshake_client(NULL, 0, NULL, NULL) == EINVAL, "NULL is EINVAL");
}

/* Until the third message has come, the library sends nothing: HSK-S5-SEND. */
static void not_yet(const struct vbm_qp_address *peer)
{
	struct vbm_send request = {.opcode = IBV_WR_SEND};
	unsigned char m[SIZE], reply[SIZE];
	struct vbm_recv receive = {0};
	size_t posted = 1;
	struct end e;
	bool good;

	begin(&e, false, LONG_MS);
	compose(m, S, peer);
	tell(&e, m, size_of_message());
	good = hear(&e, reply) && state_of(e.qp) == IBV_QPS_RTS;
	ok(good && vbm_post_sends(e.qp, &request, 1, &posted) == ENOTCONN && posted == 0,
	   "a server in RTS that has no ACK yet sends nothing: ENOTCONN");
	ok(vbm_post_recvs(e.qp, &receive, 1, NULL) == 0, "but takes receives");
	compose(m, A, peer);
	add_other(m, reply);
	tell(&e, m, size_of_message());
	pthread_join(e.thread, NULL);
	ok(e.result == 0 && vbm_post_sends(e.qp, &request, 1, NULL) == 0, "and sends when it has it");
	close(e.socket[0]);
	close(e.socket[1]);
	vbm_destroy_qp(e.qp);
}

static int word(void *context, const struct vbm_handshake_peer *client,
		struct vbm_handshake_options *reply)
{
	bool known = client->private_length == 4 && memcmp(client->private_data, "open", 4) == 0;

	reply->private_data = known ? "come in" : "go away";
	reply->private_length = 7;
	return known ? 0 : *(int *)context;
}

/* Both of our ends, with each other; what they say to each other is their programs'. */
static void together(const char *password, int result, const char *answer)
{
	struct vbm_handshake_options of_client = {
		.size = sizeof(of_client),
		.private_data = password, .private_length = strlen(password), .timeout_ms = LONG_MS,
	};
	int no = EACCES;
	struct vbm_handshake_options of_server = {
		.size = sizeof(of_server),
		.request = word, .context = &no, .timeout_ms = LONG_MS,
	};
	struct end c, s;
	char what[80];

	begin_with(&s, false, &of_server);
	c = (struct end){.is_client = true, .options = of_client, .qp = make(),
			 .socket = {s.socket[1], -1}};
	s.socket[1] = -1;
	work(&c);
	pthread_join(s.thread, NULL);
	snprintf(what, sizeof(what), "private data: the answer to '%s' is '%s'", password, answer);
	ok(c.result == result && c.peer.private_length == strlen(answer) &&
	   memcmp(c.peer.private_data, answer, strlen(answer)) == 0, what);
	ok(s.result == (result ? EACCES : 0), "the server's call has its program's word");
	ok(state_of(c.qp) == (result ? IBV_QPS_INIT : IBV_QPS_RTS) && state_of(s.qp) == state_of(c.qp),
	   result ? "a refusal leaves both in INIT" : "both are in RTS");
	if (!result)
		ok(c.qp->terms.rq_psn == s.qp->terms.sq_psn && s.qp->terms.rq_psn == c.qp->terms.sq_psn &&
		   c.qp->terms.sq_psn != s.qp->terms.sq_psn && c.peer.version == 1 &&
		   c.peer.capabilities == 7, "and have each other's packet numbers");
	close(c.socket[0]);
	close(s.socket[0]);
	vbm_destroy_qp(c.qp);
	vbm_destroy_qp(s.qp);
}

static void versions(const struct vbm_qp_address *peer)
{
	struct vbm_handshake_options only_0 = {
		.size = sizeof(only_0), .version = VBM_HANDSHAKE_ONLY_0, .timeout_ms = LONG_MS,
	};
	struct vbm_handshake_options bad[] = {
		{.version = (enum vbm_handshake_version)4}, {.private_length = 193, .private_data = peer},
		{.private_length = 1}, {.version = VBM_HANDSHAKE_ONLY_0, .private_data = peer,
					.private_length = 1}, {.timeout_ms = 1},
	};
	struct vbm_qp *qp = make();
	unsigned char m[SIZE], reply[8];
	struct end e;
	bool good;
	size_t i;

	begin_with(&e, false, &only_0);
	compose(m, S, peer);
	tell(&e, m, size_of_message());
	good = recv(e.socket[1], reply, 8, MSG_WAITALL) == 8 &&
	       memcmp(reply, "\1\4\0\10\126\103\1\1", 8) == 0;
	ok(ends(&e, EPROTONOSUPPORT, IBV_QPS_INIT) && good, "a server of version 0 only says so");
	begin(&e, true, LONG_MS);
	good = hear(&e, m);
	ok(cut(&e, EPROTONOSUPPORT, IBV_QPS_INIT) && good,
	   "a client whose peer closes without a word can go on with version 0");
	for (good = true, i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bad[i].size = bad[i].timeout_ms ? 0 : sizeof(bad[i]);
		good = vbm_handshake_client(qp, 0, &bad[i], NULL) == EINVAL && good;
	}
	ok(good, "options that make no sense are EINVAL");
	ok(vbm_handshake_client(qp, -1, NULL, NULL) == EBADF, "what is no socket is not taken for one");
	vbm_destroy_qp(qp);
}

/* A TCP connection on this host, so that both ends have its address. */
static void tcp_pair(int socket_of[2])
{
	struct sockaddr_in a = own;
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	socket_of[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &len) ||
	    connect(socket_of[0], (struct sockaddr *)&a, sizeof(a)))
		die("no TCP connection");
	socket_of[1] = accept(listener, NULL, NULL);
	close(listener);
}

/* Of two ends with IP addresses a GID has to be the peer's, or may not be. */
static void foreign(struct vbm_qp_address peer, int allowed)
{
	unsigned char m[SIZE], reply[SIZE];
	struct end e = {
		.options = {.size = sizeof(e.options), .timeout_ms = LONG_MS, .foreign_gid = allowed},
		.qp = make(),
	};

	tcp_pair(e.socket);
	peer.gid.raw[15] ^= 64;		/* an address that nobody has */
	if (pthread_create(&e.thread, NULL, work, &e))
		die("no thread");
	compose(m, S, &peer);
	tell(&e, m, size_of_message());
	if (!allowed) {
		ok(ends(&e, EPROTO, IBV_QPS_INIT), "a GID that is not the peer's: EPROTO, and still in INIT");
		return;
	}
	/* The kernel may find that nobody has it; what it says is passed on. */
	if (hear(&e, reply)) {
		compose(m, A, &peer);
		add_other(m, reply);
		tell(&e, m, size_of_message());
	}
	pthread_join(e.thread, NULL);
	ok(e.result != EPROTO, "unless any GID will do");
	close(e.socket[0]);
	close(e.socket[1]);
	vbm_destroy_qp(e.qp);
}

int main(int argc, char **argv)
{
	struct vbm_qp_address peer;
	int before;

	if (argc != 2 || inet_pton(AF_INET, argv[1], &own.sin_addr) != 1) {
		fputs("usage: handshake-program ADDRESS\n", stderr);
		return 2;
	}
	points_about = version_of_points;
	peer = stranger();
	before = open_descriptors();
	for (version = 0; version < 2; version++) {
		cut_off(&peer);
		silent(&peer);
		wrong(&peer);
		in_pieces(&peer);
		not_yet(&peer);
		foreign(peer, 0);
	}
	version = 1;
	foreign(peer, 1);
	versions(&peer);
	together("open", 0, "come in");
	together("sesame", ECONNREFUSED, "go away");
	ok(open_descriptors() == before, "no descriptor is left");
	return end_points();
}
