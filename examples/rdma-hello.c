/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection with rdma_cm by three calls: rdma_getaddrinfo, rdma_create_ep,
 * rdma_connect. Without a HOST the program is the server. The client sends one message,
 * and the server prints it.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include <verbatim/addrinfo.h>

static char message[64];

static int complain(const char *what)
{
	perror(what);
	return 1;
}

static struct ibv_qp_init_attr attributes(void)
{
	struct ibv_qp_init_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.cap.max_send_wr = attr.cap.max_recv_wr = 1;
	attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
	attr.sq_sig_all = 1;
	return attr;
}

/*
 * The client disconnects, because it knows when its message was acknowledged. If the
 * server did it right after the receive, its queue pair could end before it has sent the
 * acknowledgement (or sent it again), and the client would wait for it for ever. The event
 * of the end may come before the event of the connection. Then rdma_accept has fetched it,
 * and left it in the id.
 */
static int wait_for_disconnect(struct rdma_cm_id *id)
{
	struct rdma_cm_event *event;
	int ret;

	if (id->event && id->event->event == RDMA_CM_EVENT_DISCONNECTED)
		return 0;
	if (rdma_get_cm_event(id->channel, &event))
		return -1;
	ret = event->event == RDMA_CM_EVENT_DISCONNECTED ? 0 : -1;
	rdma_ack_cm_event(event);
	return ret;
}

static int serve(struct rdma_cm_id *listener)
{
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	struct ibv_wc wc;

	if (rdma_listen(listener, 1) || rdma_get_request(listener, &id))
		return complain("rdma_get_request");
	mr = rdma_reg_msgs(id, message, sizeof(message));
	if (!mr || rdma_post_recv(id, NULL, message, sizeof(message), mr) ||
	    rdma_accept(id, NULL) || rdma_get_recv_comp(id, &wc) != 1)
		return complain("receive");
	printf("received: %s\n", message);
	if (wait_for_disconnect(id))
		return complain("disconnect");
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
	return wc.status != IBV_WC_SUCCESS;
}

static int greet(struct rdma_cm_id *id)
{
	struct ibv_mr *mr = rdma_reg_msgs(id, message, sizeof(message));
	struct ibv_wc wc;

	snprintf(message, sizeof(message), "hello");
	if (!mr || rdma_connect(id, NULL))
		return complain("rdma_connect");
	if (rdma_post_send(id, NULL, message, sizeof(message), mr, 0) ||
	    rdma_get_send_comp(id, &wc) != 1)
		return complain("send");
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	return wc.status != IBV_WC_SUCCESS;
}

/* Try the entries of the list in order until one works. */
static int try_each(struct rdma_addrinfo *list, int (*use)(struct rdma_cm_id *id))
{
	int ret = 1;

	for (struct rdma_addrinfo *ai = list; ai && ret; ai = ai->ai_next) {
		struct ibv_qp_init_attr attr = attributes();
		struct rdma_cm_id *id;

		if (rdma_create_ep(&id, ai, NULL, &attr)) {
			complain("rdma_create_ep");
			continue;
		}
		ret = use(id);
		rdma_destroy_ep(id);
	}
	return ret;
}

int main(int argc, char **argv)
{
	const char *host = argc == 3 ? argv[1] : NULL, *port = argv[argc - 1];
	struct rdma_addrinfo hints, *res;
	int ret;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "Usage: %s [HOST] PORT\n", argv[0]);
		return 2;
	}
	memset(&hints, 0, sizeof(hints));
	hints.ai_port_space = RDMA_PS_TCP;
	hints.ai_flags = host ? 0 : RAI_PASSIVE;
	ret = vbm_getaddrinfo(host, port, &hints, &res);
	if (ret) {
		fprintf(stderr, "%s: %s\n", host ? host : port, vbm_gai_strerror(ret));
		return 1;
	}
	ret = try_each(res, host ? greet : serve);
	vbm_freeaddrinfo(res);
	return ret;
}
