/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections by a negotiator: its thread does the handshake of docs/handshake.md, while
 * the program's thread polls. The server prints one message from each of COUNT
 * clients; each client is one queue pair of the other program.
 *
 *	negotiator-hello OWN-ADDRESS PORT COUNT			the server
 *	negotiator-hello OWN-ADDRESS PORT COUNT SERVER-ADDRESS	the clients
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

#define COUNT_MAX 100
#define PATIENCE_MS 60000	/* an emulated machine is slow */

/* One connection with its memory. */
struct line {
	struct vbm_qp *qp;
	struct ibv_mr *mr;
	int socket;
	char text[64];
};

static struct line line[COUNT_MAX];

static int complain(const char *what, int code)
{
	fprintf(stderr, "%s: %s\n", what, strerror(code));
	return -1;
}

static int parse(const char *text, const char *port, struct sockaddr_storage *a)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10))};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = in.sin_port};

	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		memcpy(a, &in, sizeof(in));
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		memcpy(a, &in6, sizeof(in6));
	else
		return -1;
	return 0;
}

/* In INIT with the receive posted, because a client may send as soon as it has the answer. */
static int open_line(struct line *l, const struct sockaddr_storage *own)
{
	struct vbm_recv recv = {.addr = l->text, .length = sizeof(l->text)};
	struct vbm_error error;
	int rc;

	l->socket = -1;
	if (vbm_create_qp(&l->qp, (const struct sockaddr *)own, NULL, &error)) {
		fprintf(stderr, "%s\n", error.msg);
		return -1;
	}
	rc = vbm_qp_to_init(l->qp);
	if (rc)
		return complain("vbm_qp_to_init", rc);
	l->mr = ibv_reg_mr(l->qp->pd, l->text, sizeof(l->text), IBV_ACCESS_LOCAL_WRITE);
	if (!l->mr)
		return -1;
	recv.lkey = l->mr->lkey;
	rc = vbm_post_recvs(l->qp, &recv, 1, NULL);
	return rc ? complain("vbm_post_recvs", rc) : 0;
}

/* Hand all queue pairs in. */
static int hand_in(struct vbm_negotiator *n, int count, const struct sockaddr_storage *server,
		   int is_client)
{
	struct vbm_listen_options options = {
		.size = sizeof(options),
		.handshake = {.size = sizeof(options.handshake), .timeout_ms = PATIENCE_MS},
	};
	int listener = 0, i, rc = 0;

	if (!is_client)
		rc = vbm_negotiator_listen(n, (const struct sockaddr *)server, &options, NULL, &listener);
	for (i = 0; rc == 0 && i < count; i++)
		rc = is_client ? vbm_negotiator_connect(n, line[i].qp, (const struct sockaddr *)server,
							&options.handshake, &line[i]) :
				 vbm_negotiator_offer(n, listener, line[i].qp, &line[i]);
	return rc ? complain("the negotiator", rc) : 0;
}

static int say_hello(struct line *l)
{
	struct vbm_send send = {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_SIGNALED,
		.addr = l->text, .length = sizeof(l->text), .lkey = l->mr->lkey,
	};
	int rc;

	snprintf(l->text, sizeof(l->text), "Hello from queue pair %u", l->qp->local.qp_num);
	rc = vbm_post_sends(l->qp, &send, 1, NULL);
	return rc ? complain("vbm_post_sends", rc) : 0;
}

/* Collect outcomes. Returns the number of failures. */
static int look_for_outcomes(struct vbm_negotiator *n, int is_client)
{
	struct vbm_outcome o;
	struct line *l;
	int some;

	while (vbm_negotiator_collect(n, &o, 1, &some) == 0 && some) {
		if (o.result) {
			fprintf(stderr, "%s\n", o.qp ? o.qp->error.msg : strerror(o.result));
			return 1;
		}
		if (o.kind != VBM_OUTCOME_CONNECTED)
			continue;
		l = o.context;
		l->socket = o.socket;
		if (is_client && say_hello(l))
			return 1;
	}
	return 0;
}

/* The polling thread: outcomes of the negotiator, and completions of all queue pairs. */
static int poll_all(struct vbm_negotiator *n, int count, int is_client)
{
	int done = 0, some, i;
	struct ibv_wc wc;

	while (done < count) {
		if (look_for_outcomes(n, is_client))
			return -1;
		for (i = 0; i < count; i++) {
			if (vbm_poll_completions(line[i].qp, &wc, 1, &some) || some == 0)
				continue;
			if (wc.status != IBV_WC_SUCCESS)
				return complain(ibv_wc_status_str(wc.status), 0);
			if (!is_client)
				printf("%s\n", line[i].text);
			done++;
		}
	}
	/* The last message may arrive before the outcome of its queue pair. */
	for (i = 0; i < count; i++)
		while (line[i].socket < 0)
			if (look_for_outcomes(n, is_client))
				return -1;
	return 0;
}

/*
 * The server keeps its queue pairs until their clients have closed, because the queue
 * pairs send the acknowledgements.
 */
static void close_all(int count, int is_client)
{
	struct pollfd p = {.events = POLLIN};
	int i;

	for (i = 0; i < count; i++) {
		p.fd = line[i].socket;
		if (p.fd >= 0 && !is_client)
			poll(&p, 1, PATIENCE_MS);
		if (line[i].socket >= 0)
			close(line[i].socket);
		if (line[i].mr)
			ibv_dereg_mr(line[i].mr);
		vbm_destroy_qp(line[i].qp);
	}
}

int main(int argc, char **argv)
{
	int is_client = argc == 5, count = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0, i, ret = -1;
	struct sockaddr_storage own, server;
	struct vbm_negotiator *n;
	struct vbm_error error;

	if (argc < 4 || argc > 5 || count < 1 || count > COUNT_MAX || parse(argv[1], argv[2], &own) ||
	    parse(argv[is_client ? 4 : 1], argv[2], &server)) {
		fputs("usage: negotiator-hello OWN-ADDRESS PORT COUNT [SERVER-ADDRESS]\n", stderr);
		return 2;
	}
	if (vbm_create_negotiator(&n, NULL, &error)) {
		fprintf(stderr, "%s\n", error.msg);
		return 1;
	}
	for (i = 0; i < count && open_line(&line[i], &own) == 0; i++)
		;
	if (i == count && hand_in(n, count, &server, is_client) == 0)
		ret = poll_all(n, count, is_client);
	vbm_destroy_negotiator(n);
	close_all(count, is_client);
	return ret ? 1 : 0;
}
