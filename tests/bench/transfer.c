/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the transfer calls of libverbatim in the way of perftest: two processes on two
 * hosts poll, and the client prints one number at the end.
 *
 *	transfer OWN-ADDRESS OPERATION SIZE COUNT [SERVER]
 *
 * OPERATION is write_bw, read_bw, send_bw (MiB/s), write_lat, send_lat (half of a
 * round trip in microseconds), or many: COUNT queue pairs are made and connected, send
 * SIZE bytes once and are destroyed (milliseconds). Without SERVER this process is the
 * server.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <verbatim/transfer.h>

#define PORT 7470
#define DEPTH 128
#define BATCH 16
#define PAGE 4096
#define INLINE 220	/* perftest's value for latency */

/* The message from one end to the other, in the byte order of this machine. */
struct hello {
	struct vbm_qp_address address;
	uint64_t addr;
	uint32_t rkey;
};

static struct vbm_qp *qp;
static struct ibv_mr *mr;
static struct hello peer;
static unsigned char *memory;
static uint32_t size;
static int count, sock;
static bool client;

static void die(const char *what)
{
	fprintf(stderr, "transfer: %s: %s\n", what, qp && qp->error.code ? qp->error.msg : strerror(errno));
	exit(1);
}

static int connect_or_accept(const char *server)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int s = socket(AF_INET, SOCK_STREAM, 0), one = 1, c;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (server) {
		inet_pton(AF_INET, server, &a.sin_addr);
		return connect(s, (struct sockaddr *)&a, sizeof(a)) ? -1 : s;
	}
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 1))
		return -1;
	c = accept(s, NULL, NULL);
	close(s);
	return c;
}

static void exchange(const void *mine, void *theirs, size_t n)
{
	if (send(sock, mine, n, MSG_NOSIGNAL) != (ssize_t)n ||
	    recv(sock, theirs, n, MSG_WAITALL) != (ssize_t)n)
		die("exchange");
}

static void meet(void)
{
	char byte = 0;

	exchange(&byte, &byte, 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int poll_some(struct ibv_wc *wc, int room)
{
	int n, i;

	if (vbm_poll_completions(qp, wc, room, &n))
		die("vbm_poll_completions");
	for (i = 0; i < n; i++)
		if (wc[i].status != IBV_WC_SUCCESS) {
			fprintf(stderr, "transfer: %s\n", ibv_wc_status_str(wc[i].status));
			exit(1);
		}
	return n;
}

static struct vbm_send request(enum ibv_wr_opcode opcode)
{
	return (struct vbm_send){
		.opcode = opcode, .addr = memory, .length = size,
		.lkey = mr->lkey, .remote_addr = peer.addr, .rkey = peer.rkey,
	};
}

static void give_receives(int n)
{
	struct vbm_recv r[BATCH];
	int i, part;

	for (; n > 0; n -= part) {
		part = n < BATCH ? n : BATCH;
		for (i = 0; i < part; i++)
			r[i] = (struct vbm_recv){.addr = memory, .length = size, .lkey = mr->lkey};
		if (vbm_post_recvs(qp, r, (size_t)part, NULL))
			die("vbm_post_recvs");
	}
}

/* The server of send_bw: receives as many messages as the client sends. */
static void take_all(void)
{
	struct ibv_wc wc[BATCH];
	int got = 0, n;

	while (got < count) {
		n = poll_some(wc, BATCH);
		got += n;
		give_receives(n);
	}
}

/* Only the last request of a batch completes. Its id is the number of requests in the batch. */
static int post_batch(struct vbm_send *s, int n)
{
	s[n - 1].flags = IBV_SEND_SIGNALED;
	s[n - 1].wr_id = (uint64_t)n;
	if (vbm_post_sends(qp, s, (size_t)n, NULL))
		die("vbm_post_sends");
	s[n - 1].flags = 0;
	return n;
}

static double stream(enum ibv_wr_opcode opcode)
{
	struct vbm_send s[BATCH];
	struct ibv_wc wc[BATCH];
	int posted = 0, done = 0, n, i;
	double began;

	for (i = 0; i < BATCH; i++)
		s[i] = request(opcode);
	began = now();
	while (done < count) {
		while (posted < count && posted - done <= DEPTH - BATCH)
			posted += post_batch(s, count - posted < BATCH ? count - posted : BATCH);
		n = poll_some(wc, BATCH);
		for (i = 0; i < n; i++)
			done += (int)wc[i].wr_id;
	}
	return (double)size * count / (now() - began) / (1 << 20);
}

/* As in perftest, few bytes travel inside the request. */
static struct vbm_send small_request(enum ibv_wr_opcode opcode)
{
	struct vbm_send s = request(opcode);

	if (size <= qp->options.max_inline_data)
		s.flags = IBV_SEND_INLINE;
	return s;
}

/*
 * The device writes one byte of the peer's memory. A change of the byte means that it is
 * this end's turn.
 */
static double ping_write(void)
{
	volatile unsigned char *last = memory + size - 1, *out = memory + 2 * size - 1;
	struct vbm_send s = small_request(IBV_WR_RDMA_WRITE);
	struct ibv_wc wc;
	double began = now();
	int i;

	s.addr = memory + size;
	s.flags |= IBV_SEND_SIGNALED;
	for (i = 1; i <= count; i++) {
		while (!client && *last != (unsigned char)i)
			;
		*out = (unsigned char)i;
		if (vbm_post_sends(qp, &s, 1, NULL))
			die("vbm_post_sends");
		while (!poll_some(&wc, 1))
			;
		while (client && *last != (unsigned char)i)
			;
	}
	return (now() - began) / count / 2 * 1e6;
}

/*
 * Poll until that many messages have arrived. Counts them, and the sends that completed in
 * between.
 */
static void await_messages(int *got, int messages, int *sent)
{
	struct ibv_wc wc[2];
	int n, i;

	while (*got < messages)
		for (n = poll_some(wc, 2), i = 0; i < n; i++)
			*(wc[i].opcode & IBV_WC_RECV ? got : sent) += 1;
}

/*
 * One send of a batch completes, as in post_batch(). The peer's answer shows that the
 * others have arrived.
 */
static double ping_send(void)
{
	struct vbm_send s = small_request(IBV_WR_SEND);
	int i, sent = 0, got = 0, batches = (count + BATCH - 1) / BATCH;
	unsigned int flags = s.flags;
	double began = now();
	struct ibv_wc wc;

	for (i = 0; i < count; i++) {
		if (!client)
			await_messages(&got, i + 1, &sent);
		s.flags = flags;
		if (i % BATCH == BATCH - 1 || i == count - 1)
			s.flags |= IBV_SEND_SIGNALED;
		if (vbm_post_sends(qp, &s, 1, NULL))
			die("vbm_post_sends");
		give_receives(1);
		if (client)
			await_messages(&got, i + 1, &sent);
	}
	while (sent < batches)
		sent += poll_some(&wc, 1);
	return (now() - began) / count / 2 * 1e6;
}

static void many_to(struct ibv_qp *one, int to, uint32_t peer_num)
{
	struct ibv_qp_attr a = {
		.qp_state = (enum ibv_qp_state)to, .port_num = qp->place.port_num,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = peer_num, .max_dest_rd_atomic = 1,
		.max_rd_atomic = 1, .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.ah_attr = {.is_global = 1, .port_num = qp->place.port_num,
			    .grh = {.dgid = peer.address.gid, .sgid_index = qp->place.gid_index,
				    .hop_limit = 64}},
	};
	enum ibv_qp_state from = to == IBV_QPS_INIT ? IBV_QPS_RESET : (enum ibv_qp_state)(to - 1);
	const struct vbm_qp_transition *t = vbm_qp_transition(IBV_QPT_RC, from, a.qp_state);

	if (ibv_modify_qp(one, &a, t->required | IBV_QP_STATE))
		die("ibv_modify_qp");
}

static void send_on_all(struct ibv_qp **all, struct ibv_cq *cq)
{
	struct ibv_sge sge = {(uintptr_t)memory, size, mr->lkey};
	struct ibv_recv_wr recv_wr = {.sg_list = &sge, .num_sge = 1}, *bad_recv;
	struct ibv_send_wr send_wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				      .send_flags = IBV_SEND_SIGNALED}, *bad_send;
	struct ibv_wc wc[BATCH];
	int i, n, done = 0;

	for (i = 0; !client && i < count; i++)
		if (ibv_post_recv(all[i], &recv_wr, &bad_recv))
			die("ibv_post_recv");
	meet();
	for (i = 0; client && i < count; i++)
		if (ibv_post_send(all[i], &send_wr, &bad_send))
			die("ibv_post_send");
	while (done < count) {
		n = ibv_poll_cq(cq, BATCH, wc);
		for (i = 0; i < n; i++)
			if (wc[i].status != IBV_WC_SUCCESS)
				die(ibv_wc_status_str(wc[i].status));
		done += n > 0 ? n : 0;
	}
	meet();
}

static double many(void)
{
	struct ibv_cq *cq = ibv_create_cq(qp->context, count, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_qp **all = calloc((size_t)count, sizeof(struct ibv_qp *));
	uint32_t *mine = calloc((size_t)count, sizeof(uint32_t));
	uint32_t *theirs = calloc((size_t)count, sizeof(uint32_t));
	double began = now();
	int i;

	if (!cq || !all || !mine || !theirs)
		die("memory");
	for (i = 0; i < count; i++) {
		all[i] = ibv_create_qp(qp->pd, &init);
		if (!all[i])
			die("ibv_create_qp");
		mine[i] = all[i]->qp_num;
	}
	exchange(mine, theirs, (size_t)count * sizeof(uint32_t));
	for (i = 0; i < 3 * count; i++)
		many_to(all[i / 3], IBV_QPS_INIT + i % 3, theirs[i / 3]);
	send_on_all(all, cq);
	for (i = 0; i < count; i++)
		ibv_destroy_qp(all[i]);
	ibv_destroy_cq(cq);
	free(all);
	free(mine);
	free(theirs);
	return (now() - began) * 1e3;
}

static void set_up(const char *own, const char *server, uint32_t inline_bytes)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct vbm_qp_options o;
	struct vbm_error err;
	struct hello mine;

	vbm_qp_options_init(&o);
	o.max_recv_wr = 2 * DEPTH;
	o.max_rd_atomic = o.max_dest_rd_atomic = DEPTH;	/* as in perftest, and rxe's limit */
	o.max_inline_data = inline_bytes;
	inet_pton(AF_INET, own, &a.sin_addr);
	if (vbm_create_qp(&qp, (struct sockaddr *)&a, &o, &err)) {
		fprintf(stderr, "transfer: %s\n", err.msg);
		exit(1);
	}
	/* Whole pages, as in perftest: rxe copies a packet that crosses a page in two pieces. */
	memory = aligned_alloc(PAGE, (2 * (size_t)size + PAGE - 1) / PAGE * PAGE);
	if (memory)
		memset(memory, 0, 2 * (size_t)size);
	mr = memory ? ibv_reg_mr(qp->pd, memory, 2 * (size_t)size, IBV_ACCESS_LOCAL_WRITE |
				 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ) : NULL;
	if (!mr)
		die("ibv_reg_mr");
	if (vbm_qp_to_init(qp))
		die("INIT");
	sock = connect_or_accept(server);
	if (sock < 0)
		die("the socket");
	mine = (struct hello){qp->local, (uintptr_t)memory, mr->rkey};
	exchange(&mine, &peer, sizeof(mine));
	qp->peer = peer.address;
	if (vbm_modify_qp_to_rts(qp))
		die("RTS");
	give_receives(2 * DEPTH);
	meet();
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	double figure = 0;

	if (argc < 5 || argc > 6) {
		fputs("usage: transfer OWN-ADDRESS OPERATION SIZE COUNT [SERVER]\n", stderr);
		return 2;
	}
	size = (uint32_t)atoi(argv[3]);
	count = atoi(argv[4]);
	client = argc > 5;
	set_up(argv[1], client ? argv[5] : NULL, strstr(what, "_lat") ? INLINE : 0);
	if (!strcmp(what, "write_lat"))
		figure = ping_write();
	else if (!strcmp(what, "send_lat"))
		figure = ping_send();
	else if (!strcmp(what, "many"))
		figure = many();
	else if (!client && !strcmp(what, "send_bw"))
		take_all();
	else if (client)
		figure = stream(!strcmp(what, "write_bw") ? IBV_WR_RDMA_WRITE :
				!strcmp(what, "read_bw") ? IBV_WR_RDMA_READ : IBV_WR_SEND);
	meet();
	if (client)
		printf("%s %u %.2f\n", what, size, figure);
	ibv_dereg_mr(mr);
	vbm_destroy_qp(qp);
	free(memory);
	return 0;
}
