/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server in one loop, without a thread, that decides for each client by what it says. A
 * client whose name is known gets the address and the key of a text, which it reads by RDMA
 * READ; the others get a reason. The text is registered once, and a queue pair is made only
 * for a client that may have one.
 *
 *	negotiator-decide OWN-ADDRESS PORT serve COUNT TEXT NAME...	ends after COUNT clients
 *	negotiator-decide OWN-ADDRESS PORT SERVER-ADDRESS NAME
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <verbatim/domain.h>
#include <verbatim/negotiator.h>
#include <verbatim/transfer.h>

#define CLIENTS 64
#define PATIENCE_MS 60000	/* an emulated machine is slow */

/* Where the text is, in network byte order. */
struct place {
	uint64_t addr;
	uint32_t rkey, length;
};

static struct sockaddr_in own = {.sin_family = AF_INET};
static struct vbm_domain *domain;
static struct vbm_negotiator *negotiator;
static char text[256];

static void must(int code, const char *what)
{
	if (code)
		errx(1, "%s: %s", what, strerror(code));
}

static struct ibv_mr *open_all(void)
{
	struct vbm_negotiator_options in_loop = {.size = sizeof(in_loop), .in_loop = 1};
	struct vbm_error error;
	struct ibv_mr *mr;

	if (vbm_create_domain(&domain, (struct sockaddr *)&own, NULL, &error) ||
	    vbm_create_negotiator(&negotiator, &in_loop, &error))
		errx(1, "%s", error.msg);
	mr = ibv_reg_mr(domain->pd, text, sizeof(text), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!mr)
		err(1, "ibv_reg_mr");
	return mr;
}

static void close_all(struct ibv_mr *mr)
{
	vbm_destroy_negotiator(negotiator);
	ibv_dereg_mr(mr);
	vbm_destroy_domain(domain);
}

static struct vbm_qp *make_qp(void)
{
	struct vbm_qp_options o;
	struct vbm_error error;
	struct vbm_qp *qp;

	vbm_qp_options_init(&o);
	o.domain = domain;
	o.max_send_wr = o.max_recv_wr = 1;
	if (vbm_create_qp(&qp, NULL, &o, &error))
		errx(1, "%s", error.msg);
	must(vbm_qp_to_init(qp), "vbm_qp_to_init");
	return qp;
}

/* Whether the client's private data are one of the names. */
static int is_known(const struct vbm_handshake_peer *peer, char **names)
{
	for (; *names; names++)
		if (strlen(*names) == peer->private_length && !memcmp(*names, peer->private_data, peer->private_length))
			return 1;
	return 0;
}

static void decide(const struct vbm_outcome *o, const struct ibv_mr *mr, char **names)
{
	const struct place place = {htobe64((uintptr_t)text), htobe32(mr->rkey), htobe32((uint32_t)strlen(text))};
	static const char reason[] = "nobody here knows you";

	printf("%.*s asks\n", o->peer.private_length, (const char *)o->peer.private_data);
	if (is_known(&o->peer, names))
		must(vbm_negotiator_accept(negotiator, o->request, make_qp(), &place, sizeof(place), NULL), "accept");
	else
		must(vbm_negotiator_reject(negotiator, o->request, reason, strlen(reason)), "reject");
}

/*
 * Take outcomes until @count clients are connected. A client that goes before that does not
 * count.
 */
static void serve(int count, const struct ibv_mr *mr, char **names)
{
	struct vbm_listen_options options = {.size = sizeof(options), .decide = 1, .handshake.timeout_ms = PATIENCE_MS};
	struct vbm_outcome client[CLIENTS], o;
	int listener, done = 0, found, i;
	struct pollfd p = {.events = POLLIN};

	must(vbm_negotiator_listen(negotiator, (struct sockaddr *)&own, &options, NULL, &listener), "listen");
	while (done < count) {
		must(vbm_negotiator_wait(negotiator, &o, 1, -1, &found), "wait");
		if (o.kind == VBM_OUTCOME_LISTENING)
			must(o.result, "listen");
		else if (o.kind == VBM_OUTCOME_REQUEST)
			decide(&o, mr, names);
		else if (o.result)
			vbm_destroy_qp(o.qp);
		else
			client[done++] = o;
	}
	/* Each client closes its socket when it has read. */
	for (i = 0; i < count; i++) {
		p.fd = client[i].socket;
		poll(&p, 1, PATIENCE_MS);
		close(client[i].socket);
		vbm_destroy_qp(client[i].qp);
	}
}

/* Returns the exit status. */
static int ask(const char *server, const char *name, const struct ibv_mr *mr)
{
	struct vbm_handshake_options options = {
		.size = sizeof(options), .private_data = name, .private_length = strlen(name),
		.timeout_ms = PATIENCE_MS,
	};
	struct vbm_send fetch = {.opcode = IBV_WR_RDMA_READ, .flags = IBV_SEND_SIGNALED, .addr = text, .lkey = mr->lkey};
	struct sockaddr_in to = own;
	struct vbm_qp *qp = make_qp();
	struct vbm_outcome o;
	struct place place;
	struct ibv_wc wc;
	int found;

	if (inet_pton(AF_INET, server, &to.sin_addr) != 1)
		errx(2, "%s is not an IPv4 address", server);
	must(vbm_negotiator_connect(negotiator, qp, (struct sockaddr *)&to, &options, NULL), "connect");
	must(vbm_negotiator_wait(negotiator, &o, 1, -1, &found), "wait");
	if (o.result)
		printf("%s: %.*s\n", qp->error.msg, o.peer.private_length, (const char *)o.peer.private_data);
	if (o.result == 0) {
		memcpy(&place, o.peer.private_data, sizeof(place));
		fetch.remote_addr = be64toh(place.addr);
		fetch.rkey = be32toh(place.rkey);
		fetch.length = be32toh(place.length);
		must(vbm_post_sends(qp, &fetch, 1, NULL), "post");
		must(vbm_wait_completions(qp, &wc, 1, PATIENCE_MS, &found), "completion");
		printf("%s\n", wc.status == IBV_WC_SUCCESS ? text : ibv_wc_status_str(wc.status));
		close(o.socket);
	}
	vbm_destroy_qp(qp);
	return o.result == ECONNREFUSED ? 3 : o.result != 0;
}

int main(int argc, char **argv)
{
	int is_server = argc > 3 && !strcmp(argv[3], "serve"), count = is_server && argc > 5 ? (int)strtol(argv[4], NULL, 10) : 0, status = 0;
	struct ibv_mr *mr;

	if (is_server ? argc < 7 || count < 1 || count > CLIENTS : argc != 5)
		errx(2, "usage: negotiator-decide OWN-ADDRESS PORT serve COUNT TEXT NAME... | SERVER-ADDRESS NAME");
	if (inet_pton(AF_INET, argv[1], &own.sin_addr) != 1)
		errx(2, "%s is not an IPv4 address", argv[1]);
	own.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
	mr = open_all();
	if (is_server) {
		snprintf(text, sizeof(text), "%s", argv[5]);
		serve(count, mr, argv + 6);
	} else {
		status = ask(argv[3], argv[4], mr);
	}
	close_all(mr);
	return status;
}
