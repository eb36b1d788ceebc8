/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The job of examples/key-value.c with librdmacm and libibverbs alone, so by rdma_cm only.
 *
 *	key-value PORT serve COUNT NAME VALUE...	ends after COUNT clients
 *	key-value PORT HOST NAME...
 */
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define ROWS 64
#define PATIENCE_MS 60000	/* an emulated machine is slow */
#define RETRY_MS 50

struct row {
	char name[16];		/* "": nobody's */
	char value[48];
};

/* The private data of the server's answer, in network byte order. */
struct where {
	uint64_t addr, length;
	uint32_t rkey;
} __attribute__((packed));

static struct row table[ROWS];
static struct where where;
static struct rdma_event_channel *channel;
static struct ibv_pd *pd;	/* of the table's registration */
static struct ibv_mr *memory;
static struct ibv_cq *cq;
static struct ibv_comp_channel *completions;

/* The first row that may have @name; if another name has it, look at the next one. */
static size_t first_row(const char *name)
{
	size_t n = 0;

	while (*name)
		n = n * 31 + (unsigned char)*name++;
	return n % ROWS;
}

static void fill(char **words)
{
	size_t r;

	for (; words[0] && words[1]; words += 2) {
		for (r = first_row(words[0]); *table[r].name; r = (r + 1) % ROWS)
			;
		snprintf(table[r].name, sizeof(table->name), "%s", words[0]);
		snprintf(table[r].value, sizeof(table->value), "%s", words[1]);
	}
}

/* The table is registered once, for the device at which the first client comes. */
static int register_table(struct ibv_context *verbs)
{
	if (pd)
		return pd->context == verbs ? 0 : EXDEV;
	pd = ibv_alloc_pd(verbs);
	memory = pd ? ibv_reg_mr(pd, table, sizeof(table), IBV_ACCESS_REMOTE_READ) : NULL;
	cq = memory ? ibv_create_cq(verbs, 1, NULL, NULL, 0) : NULL;
	if (!cq)
		err(1, "cannot register the table");
	where = (struct where){
		.addr = htobe64((uintptr_t)table), .length = htobe64(sizeof(table)), .rkey = htobe32(memory->rkey),
	};
	return 0;
}

static int make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};

	return rdma_create_qp(id, pd, &attr) ? errno : 0;
}

static void welcome(struct rdma_cm_id *id)
{
	struct rdma_conn_param answer = {
		.private_data = &where, .private_data_len = sizeof(where), .responder_resources = RDMA_MAX_RESP_RES,
		.initiator_depth = RDMA_MAX_INIT_DEPTH, .rnr_retry_count = 7,
	};
	int rc = register_table(id->verbs);

	if (rc == 0)
		rc = make_qp(id);
	if (rc == 0 && rdma_accept(id, &answer))
		rc = errno;
	if (rc == 0)
		return;
	warnx("a client cannot be served: %s", strerror(rc));
	rdma_reject(id, NULL, 0);
	if (id->qp)
		rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

static void say_goodbye(struct rdma_cm_id *id)
{
	rdma_disconnect(id);
	rdma_destroy_qp(id);
	rdma_destroy_id(id);
}

/* An id can be destroyed only after the acknowledgement of its event. */
static void serve(int port, int count, char **words)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htobe16((uint16_t)port)};
	struct rdma_cm_id *listener, *id;
	struct rdma_cm_event *event;
	enum rdma_cm_event_type what;
	int off = 0, connected = 0;

	fill(words);
	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_set_option(listener, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &off, sizeof(off)) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&any) || rdma_listen(listener, 64))
		err(1, "cannot listen at port %d", port);
	while (count > 0) {
		if (rdma_get_cm_event(channel, &event))
			err(1, "rdma_get_cm_event");
		what = event->event;
		id = event->id;
		rdma_ack_cm_event(event);
		if (what == RDMA_CM_EVENT_CONNECT_REQUEST) {
			welcome(id);
		} else if (what == RDMA_CM_EVENT_ESTABLISHED) {
			connected++;
		} else if (what == RDMA_CM_EVENT_DISCONNECTED) {
			say_goodbye(id);
			connected--;
			count--;
		} else if (what == RDMA_CM_EVENT_CONNECT_ERROR || what == RDMA_CM_EVENT_UNREACHABLE ||
			   what == RDMA_CM_EVENT_REJECTED) {
			say_goodbye(id);
		}
	}
	rdma_destroy_id(listener);
	ibv_destroy_cq(cq);
	ibv_dereg_mr(memory);
	ibv_dealloc_pd(pd);
}

/* 0, or an errno value: ECONNREFUSED when nobody listens. Keeps the server's private data. */
static int expect(enum rdma_cm_event_type wanted)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};
	struct rdma_cm_event *event;
	int rc = poll(&p, 1, PATIENCE_MS);

	if (rc != 1)
		return rc ? errno : ETIMEDOUT;
	if (rdma_get_cm_event(channel, &event))
		return errno;
	if (event->event == wanted)
		rc = 0;
	else if (event->event == RDMA_CM_EVENT_REJECTED)
		rc = ECONNREFUSED;
	else
		rc = event->status < 0 ? -event->status : EPROTO;
	if (wanted == RDMA_CM_EVENT_ESTABLISHED && rc == 0 && event->param.conn.private_data_len >= sizeof(where))
		memcpy(&where, event->param.conn.private_data, sizeof(where));
	rdma_ack_cm_event(event);
	return rc;
}

static void drop(struct rdma_cm_id *id)
{
	if (memory)
		rdma_dereg_mr(memory);
	if (id->qp)
		rdma_destroy_qp(id);
	if (cq)
		ibv_destroy_cq(cq);
	if (completions)
		ibv_destroy_comp_channel(completions);
	memory = NULL;
	cq = NULL;
	completions = NULL;
	rdma_destroy_id(id);
}

static int make_objects(struct rdma_cm_id *id, struct row *row)
{
	int rc;

	completions = ibv_create_comp_channel(id->verbs);
	cq = completions ? ibv_create_cq(id->verbs, 1, NULL, completions, 0) : NULL;
	if (!cq)
		return errno;
	rc = make_qp(id);
	if (rc)
		return rc;
	memory = rdma_reg_msgs(id, row, sizeof(*row));
	return memory ? 0 : errno;
}

/* 0, or an errno value, and *@id is gone. */
static int connect_to(struct sockaddr *address, struct rdma_cm_id **id, struct row *row)
{
	int rc = rdma_create_id(channel, id, NULL, RDMA_PS_TCP) ? errno : 0;

	if (rc)
		return rc;
	rc = rdma_resolve_addr(*id, NULL, address, PATIENCE_MS) ? errno : expect(RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rc == 0)
		rc = rdma_resolve_route(*id, PATIENCE_MS) ? errno : expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (rc == 0)
		rc = make_objects(*id, row);
	if (rc == 0)
		rc = rdma_connect(*id, NULL) ? errno : expect(RDMA_CM_EVENT_ESTABLISHED);
	if (rc)
		drop(*id);
	return rc;
}

/* Try each address, and all of them again while nobody listens: the server may start later. */
static struct rdma_cm_id *connect_host(const char *host, const char *port, struct row *row)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *ai;
	time_t end = time(NULL) + PATIENCE_MS / 1000;
	struct rdma_cm_id *id = NULL;
	int rc = getaddrinfo(host, port, &hints, &list);

	if (rc)
		errx(1, "%s: %s", host, gai_strerror(rc));
	do {
		if (rc)
			poll(NULL, 0, RETRY_MS);
		for (ai = list, rc = ENOENT; ai && rc; ai = ai->ai_next)
			rc = connect_to(ai->ai_addr, &id, row);
	} while (rc == ECONNREFUSED && time(NULL) < end);
	if (rc)
		errx(1, "cannot connect to %s: %s", host, strerror(rc));
	freeaddrinfo(list);
	return id;
}

/* Wait for the completion of the one request that is under way. */
static int await_completion(struct ibv_wc *wc)
{
	struct pollfd p = {.fd = completions->fd, .events = POLLIN};
	struct ibv_cq *which;
	void *context;
	int n, rc = ibv_req_notify_cq(cq, 0);

	if (rc)
		return rc;
	n = ibv_poll_cq(cq, 1, wc);
	if (n == 0) {
		rc = poll(&p, 1, PATIENCE_MS);
		if (rc != 1)
			return rc ? errno : ETIMEDOUT;
		if (ibv_get_cq_event(completions, &which, &context))
			return errno;
		ibv_ack_cq_events(which, 1);
		n = ibv_poll_cq(cq, 1, wc);
	}
	return n == 1 ? 0 : EIO;
}

/* The row that has @name, or an empty one. */
static void look_up(struct rdma_cm_id *id, struct row *row, const char *name)
{
	size_t r = first_row(name);
	struct ibv_wc wc;
	int rc;

	do {
		rc = rdma_post_read(id, NULL, row, sizeof(*row), memory, IBV_SEND_SIGNALED,
				    be64toh(where.addr) + r * sizeof(*row), be32toh(where.rkey)) ? errno : 0;
		rc = rc ? rc : await_completion(&wc);
		if (rc || wc.status)
			errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		r = (r + 1) % ROWS;
	} while (*row->name && strcmp(row->name, name) != 0);
}

static void ask(const char *port, const char *host, char **names)
{
	static struct row row;
	struct rdma_cm_id *id = connect_host(host, port, &row);

	if (be64toh(where.length) < ROWS * sizeof(row))
		errx(1, "%s is no such server", host);
	for (; *names; names++) {
		look_up(id, &row, *names);
		printf("%s is %s\n", *names, *row.name ? row.value : "unknown");
	}
	rdma_disconnect(id);
	drop(id);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: key-value PORT serve COUNT NAME VALUE... | HOST NAME...");
	channel = rdma_create_event_channel();
	if (!channel)
		err(1, "rdma_create_event_channel");
	if (strcmp(argv[2], "serve") == 0)
		serve((int)strtol(argv[1], NULL, 10), (int)strtol(argv[3], NULL, 10), argv + 4);
	else
		ask(argv[1], argv[2], argv + 3);
	rdma_destroy_event_channel(channel);
	return 0;
}
