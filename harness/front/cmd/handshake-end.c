/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verbatim-handshake: one end of the handshake of docs/handshake.md, for scenarios to
 * measure. Its main thread is the polling thread of that page: it polls, tries to send, and
 * collects outcomes. A negotiator of libverbatim has the sockets.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

/*
 * This program watches its own calls: the library is part of it, so its calls come here first. Each call of
 * ibv_modify_qp(3) is printed, with its state, its mask, its thread and its result; calls of send(2), recv(2),
 * connect(2) and accept4(2) are counted.
 */
#define NEXT(name) ((__typeof__(&name))find_next(#name))

static pthread_t polling;
static int fails_at = -1;	/* the state; the call gets a mask that the kernel refuses; -1: none */
static int modify_calls;
static int socket_calls[2];	/* of other threads, of the polling thread */

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int is_polling(void)
{
	return pthread_equal(pthread_self(), polling) != 0;
}

static void count_socket_call(void)
{
	__atomic_fetch_add(&socket_calls[is_polling()], 1, __ATOMIC_RELAXED);
}

static const char *state_name(enum ibv_qp_state state)
{
	static const char *const name[] = {
		[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
		[IBV_QPS_RTS] = "RTS", [IBV_QPS_SQD] = "SQD", [IBV_QPS_SQE] = "SQE",
		[IBV_QPS_ERR] = "ERR",
	};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int fails = fails_at >= 0 && (int)attr->qp_state == fails_at;
	int ret = NEXT(ibv_modify_qp)(qp, attr, attr_mask | (fails ? IBV_QP_QKEY : 0));

	printf("modify %d: %s, mask %#x, %s thread: %d (%s)\n",
	       __atomic_add_fetch(&modify_calls, 1, __ATOMIC_RELAXED), state_name(attr->qp_state), attr_mask,
	       is_polling() ? "polling" : "other", ret, strerror(ret));
	return ret;
}

ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
	count_socket_call();
	return NEXT(send)(fd, bytes, n, flags);
}

ssize_t recv(int fd, void *bytes, size_t n, int flags)
{
	count_socket_call();
	return NEXT(recv)(fd, bytes, n, flags);
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	count_socket_call();
	return NEXT(connect)(fd, to, len);
}

int accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	count_socket_call();
	return NEXT(accept4)(fd, from, len, flags);
}

#define QPS_MAX 16
#define MESSAGE_SIZE 64
#define POLL_MS 5
#define POLLS_TOLD 50

struct handshake_pair {
	struct vbm_qp *qp;
	struct ibv_mr *mr;
	char memory[2][MESSAGE_SIZE];	/* to receive, to send */
	int socket;			/* -1: not connected */
	int refused;			/* the last code of a send before that */
	bool sent, failed;
};

struct handshake_run {
	struct sockaddr_storage own, server;
	bool is_client;
	int count;
	struct vbm_handshake_options options;
	struct vbm_negotiator *negotiator;
	struct handshake_pair end[QPS_MAX];
	int polls;			/* up to POLLS_TOLD */
};

static int report_error(const char *what, const char *why)
{
	fprintf(stderr, "verbatim-handshake: %s: %s\n", what, why);
	return -1;
}

static bool read_number(const char *text, long max, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	*out = (int)n;
	return !errno && end != text && !*end && n >= 0 && n <= max;
}

static int read_address(const char *text, const char *port, struct sockaddr_storage *a)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	int number;

	memset(a, 0, sizeof(*a));
	if (!read_number(port, 65535, &number))
		return report_error(port, "not a port");
	in.sin_port = in6.sin6_port = htons((uint16_t)number);
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		memcpy(a, &in, sizeof(in));
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		memcpy(a, &in6, sizeof(in6));
	else
		return report_error(text, "not an IP address");
	return 0;
}

static void show_values(const char *whose, const struct vbm_qp_address *a)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, a->gid.raw, gid, sizeof(gid));
	printf("%s: queue pair %u, LID %u, GID %s\n", whose, a->qp_num, a->lid, gid);
}

/* A queue pair in INIT whose receive is posted, because the peer may send early. */
static int open_end(struct handshake_pair *e, const struct sockaddr_storage *own)
{
	struct vbm_recv recv = {.addr = e->memory[0], .length = MESSAGE_SIZE};
	struct vbm_qp_options options;
	struct vbm_error error;

	e->socket = -1;
	vbm_qp_options_init(&options);
	options.max_rd_atomic = options.max_dest_rd_atomic = 1;	/* scenarios compare the numbers */
	if (vbm_create_qp(&e->qp, (const struct sockaddr *)own, &options, &error))
		return report_error("queue pair", error.msg);
	if (vbm_qp_to_init(e->qp))
		return report_error("INIT", e->qp->error.msg);
	e->mr = ibv_reg_mr(e->qp->pd, e->memory, sizeof(e->memory), IBV_ACCESS_LOCAL_WRITE);
	if (!e->mr)
		return report_error("ibv_reg_mr", strerror(errno));
	recv.lkey = e->mr->lkey;
	if (vbm_post_recvs(e->qp, &recv, 1, NULL))
		return report_error("receive", "it cannot be posted");
	show_values("own", &e->qp->local);
	return 0;
}

static int hand_in(struct handshake_run *r)
{
	struct vbm_listen_options options = {.size = sizeof(options), .handshake = r->options};
	int i, listener = 0, rc = 0;

	if (!r->is_client)
		rc = vbm_negotiator_listen(r->negotiator, (struct sockaddr *)&r->own, &options, NULL,
					   &listener);
	for (i = 0; rc == 0 && i < r->count; i++)
		rc = r->is_client ? vbm_negotiator_connect(r->negotiator, r->end[i].qp,
							   (struct sockaddr *)&r->server, &r->options,
							   &r->end[i]) :
				    vbm_negotiator_offer(r->negotiator, listener, r->end[i].qp,
							 &r->end[i]);
	return rc ? report_error("negotiator", strerror(rc)) : 0;
}

static void connected(struct handshake_pair *e, const struct vbm_outcome *o)
{
	e->socket = o->socket;
	show_values("peer", &e->qp->peer);
	printf("terms: version %d, MTU %d, packet numbers %u and %u, reads %u and %u, capabilities %u\n",
	       o->peer.version, e->qp->terms.mtu, e->qp->terms.sq_psn, e->qp->terms.rq_psn,
	       e->qp->terms.max_rd_atomic, e->qp->terms.max_dest_rd_atomic, o->peer.capabilities);
	if (o->peer.private_length)
		printf("private data: %.*s\n", o->peer.private_length, (const char *)o->peer.private_data);
	printf("connected\n");
}

/* Whether all was as it should be. */
static bool handle_outcome(const struct vbm_outcome *o)
{
	struct handshake_pair *e = o->context;

	if (o->kind == VBM_OUTCOME_LISTENING) {
		printf(o->result ? "failed: %s: listen\n" : "listening\n", strerrorname_np(o->result));
		return o->result == 0;
	}
	if (o->kind != VBM_OUTCOME_CONNECTED)
		return true;
	if (o->result == 0) {
		connected(e, o);
		return true;
	}
	if (o->peer.private_length)
		printf("private data: %.*s\n", o->peer.private_length, (const char *)o->peer.private_data);
	e->failed = true;
	printf("failed: %s: %s\n", strerrorname_np(o->result), o->qp->error.msg);
	return false;
}

/* The document's applications send as soon as they may; until then the library refuses. */
static void try_to_send(struct handshake_pair *e)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED, .wr_id = 1,
		.addr = e->memory[1], .length = MESSAGE_SIZE, .lkey = e->mr->lkey,
	};
	int rc;

	if (e->sent || e->failed)
		return;
	snprintf(e->memory[1], MESSAGE_SIZE, "hello from queue pair %u", e->qp->local.qp_num);
	rc = vbm_post_sends(e->qp, &send, 1, NULL);
	e->sent = rc == 0;
	if (rc == 0)
		printf("sent\n");
	else if (rc != e->refused)
		printf("send refused: %s\n", strerrorname_np(rc));
	e->refused = rc;
}

static void poll_completions(struct handshake_pair *e)
{
	struct ibv_wc wc;
	int n = 0;

	while (vbm_poll_completions(e->qp, &wc, 1, &n) == 0 && n == 1) {
		if (wc.status != IBV_WC_SUCCESS) {
			if (!e->failed)
				printf("completion: %s\n", ibv_wc_status_str(wc.status));
		} else if (wc.wr_id) {
			printf("acknowledged\n");
		} else {
			printf("received: %.*s\n", MESSAGE_SIZE, e->memory[0]);
		}
	}
}

/*
 * A scenario that withholds the peer's answer waits for this line. It has no time in it,
 * because a busy machine may stop this thread for as long as a call that blocks.
 */
static void note_poll(struct handshake_run *r)
{
	if (r->polls < POLLS_TOLD && ++r->polls == POLLS_TOLD)
		printf("polled %d times\n", POLLS_TOLD);
}

/* Whether the peer has closed a connection that was made. */
static bool is_over(struct handshake_pair *e)
{
	struct pollfd p = {.fd = e->socket, .events = POLLIN};

	return e->socket >= 0 && poll(&p, 1, 0) > 0;
}

/* Until each connection has ended: 0 if all were made. */
static int poll_all(struct handshake_run *r)
{
	struct pollfd p = {.fd = vbm_negotiator_fd(r->negotiator), .events = POLLIN};
	int left = r->count ? r->count : 1, i, n, ret = 0;
	struct vbm_outcome o;

	while (left > 0) {
		vbm_negotiator_notify(r->negotiator);
		while (vbm_negotiator_collect(r->negotiator, &o, 1, &n) == 0 && n) {
			if (!handle_outcome(&o)) {
				ret = -1;
				left--;
			}
		}
		for (i = 0; i < r->count; i++) {
			poll_completions(&r->end[i]);
			try_to_send(&r->end[i]);
			if (!is_over(&r->end[i]))
				continue;
			poll_completions(&r->end[i]);
			printf("closed\n");
			close(r->end[i].socket);
			r->end[i].socket = -1;
			left--;
		}
		note_poll(r);
		poll(&p, 1, POLL_MS);
	}
	return ret;
}

static int run_handshakes(struct handshake_run *r)
{
	struct vbm_error error;
	int i, ret = 0;

	if (vbm_create_negotiator(&r->negotiator, NULL, &error))
		return report_error("negotiator", error.msg);
	for (i = 0; ret == 0 && i < r->count; i++)
		ret = open_end(&r->end[i], &r->own);
	if (ret == 0)
		ret = hand_in(r);
	if (ret == 0)
		ret = poll_all(r);
	vbm_destroy_negotiator(r->negotiator);
	printf("socket calls: polling thread %d, other threads %d\n", socket_calls[1], socket_calls[0]);
	for (i = 0; i < r->count; i++) {
		if (r->end[i].socket >= 0)
			close(r->end[i].socket);
		if (r->end[i].mr)
			ibv_dereg_mr(r->end[i].mr);
		vbm_destroy_qp(r->end[i].qp);
	}
	return ret;
}

static int print_usage(void)
{
	fputs("usage: verbatim-handshake [OPTION]... ADDRESS PORT [SERVER]\n"
	      "  ADDRESS is this end's; with a SERVER it is the client.\n"
	      "  --version=VERSION   any (default), 0, 1 or plain\n"
	      "  --header=BYTES      plain: length of the header; default 4\n"
	      "  --flag-at=OFFSET    plain: where in the header the flag is; default 0\n"
	      "  --flag-size=BYTES   plain: length of the flag; default 4\n"
	      "  --network-order     plain: numbers in network byte order\n"
	      "  --timeout=MS        of each step; default 5000\n"
	      "  --private=TEXT      private data for the peer\n"
	      "  --count=N           queue pairs; default 1, a server without any refuses\n"
	      "  --foreign-gid       the peer may have any GID\n"
	      "  --fail=STATE        the transition to RTR or RTS fails\n", stderr);
	return 2;
}

static bool read_version(const char *text, struct vbm_handshake_options *o)
{
	static const struct {
		const char *name;
		enum vbm_handshake_version version;
	} row[] = {
		{"any", VBM_HANDSHAKE_ANY}, {"0", VBM_HANDSHAKE_ONLY_0}, {"1", VBM_HANDSHAKE_ONLY_1},
		{"plain", VBM_HANDSHAKE_PLAIN},
	};
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (strcmp(row[i].name, text) == 0) {
			o->version = row[i].version;
			return true;
		}
	return false;
}

static bool read_state(const char *text)
{
	bool rtr = strcmp(text, "RTR") == 0, rts = strcmp(text, "RTS") == 0;

	if (rtr || rts)
		fails_at = rtr ? IBV_QPS_RTR : IBV_QPS_RTS;
	return rtr || rts;
}

static bool read_byte(uint8_t *out)
{
	int n;

	if (!read_number(optarg, UINT8_MAX, &n))
		return false;
	*out = (uint8_t)n;
	return true;
}

static bool read_option(struct handshake_run *r, int c)
{
	switch (c) {
	case 'h':
		return read_byte(&r->options.plain.header_length);
	case 'a':
		return read_byte(&r->options.plain.flag_offset);
	case 's':
		return read_byte(&r->options.plain.flag_length);
	case 'n':
		r->options.plain.network_order = 1;
		return true;
	case 'v':
		return read_version(optarg, &r->options);
	case 't':
		return read_number(optarg, INT_MAX, &r->options.timeout_ms);
	case 'p':
		r->options.private_data = optarg;
		r->options.private_length = strlen(optarg);
		return true;
	case 'c':
		return read_number(optarg, QPS_MAX, &r->count);
	case 'g':
		r->options.foreign_gid = 1;
		return true;
	case 'f':
		return read_state(optarg);
	default:
		return false;
	}
}

static bool read_options(int argc, char **argv, struct handshake_run *r)
{
	static const struct option options[] = {
		{"version", required_argument, NULL, 'v'}, {"timeout", required_argument, NULL, 't'},
		{"private", required_argument, NULL, 'p'}, {"count", required_argument, NULL, 'c'},
		{"foreign-gid", no_argument, NULL, 'g'},   {"fail", required_argument, NULL, 'f'},
		{"header", required_argument, NULL, 'h'},  {"flag-at", required_argument, NULL, 'a'},
		{"flag-size", required_argument, NULL, 's'}, {"network-order", no_argument, NULL, 'n'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0)
		if (!read_option(r, c))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	static struct handshake_run r = {.count = 1, .options.size = sizeof(r.options)};

	setvbuf(stdout, NULL, _IOLBF, 0);
	polling = pthread_self();
	if (!read_options(argc, argv, &r) || argc - optind < 2 || argc - optind > 3)
		return print_usage();
	r.is_client = argc - optind == 3;
	if (read_address(argv[optind], argv[optind + 1], &r.own) ||
	    (r.is_client && read_address(argv[optind + 2], argv[optind + 1], &r.server)))
		return 2;
	return run_handshakes(&r) ? 1 : 0;
}
