/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA WRITE with immediate data: the client writes up to 16 lines into slots of the
 * server's memory, and the immediate data tell the server which slot has a line. The server
 * prints it.
 *
 *	write-with-imm rdma_cm|handshake PORT			the server
 *	write-with-imm rdma_cm|handshake PORT HOST LINE...	the client
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define SLOTS 16
#define LAST 0x80000000		/* of the immediate data: no line comes after this one */
#define PATIENCE_MS 60000	/* an emulated machine is slow */

static char slot[SLOTS][64];
static struct vbm_memory memory;

static void register_slots(struct vbm_endpoint *ep)
{
	struct vbm_error error;

	if (vbm_register_memory(&memory, ep->qp->pd, slot, sizeof(slot), IBV_ACCESS_REMOTE_WRITE, &error))
		errx(1, "%s", error.msg);
}

static struct ibv_wc next_completion(struct vbm_endpoint *ep)
{
	struct ibv_wc wc;
	int n, rc = vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n);

	if (rc || wc.status)
		errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
	return wc;
}

/* One client: echo-server.c has a loop for many, none of whom can delay the others. */
static void serve(struct vbm_endpoint *listener, const char *port)
{
	/* Each write with immediate data takes one receive, which needs no memory. */
	struct vbm_recv empty[SLOTS] = {0};
	uint8_t where[VBM_REMOTE_MEMORY_BYTES];
	struct vbm_endpoint *ep;
	struct ibv_wc wc;
	uint32_t imm;

	if (vbm_listen(listener, NULL, port) || vbm_get_request(listener, &ep, -1))
		errx(1, "%s", listener->error.msg);
	register_slots(ep);
	vbm_pack_remote_memory(where, &memory.remote);
	if (vbm_post_recvs(ep->qp, empty, SLOTS, NULL) || vbm_accept(ep, where, sizeof(where)))
		errx(1, "%s", ep->error.msg);
	do {
		wc = next_completion(ep);
		imm = vbm_completion_imm(&wc);
		printf("slot %u: %.64s\n", imm % SLOTS, slot[imm % SLOTS]);
	} while (!(imm & LAST));
	vbm_wait_disconnect(ep, PATIENCE_MS);
	vbm_deregister_memory(&memory);
	vbm_destroy_endpoint(ep);
}

static void write_lines(struct vbm_endpoint *ep, const char *host, const char *port, char **line)
{
	struct vbm_send write = {.opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .flags = IBV_SEND_SIGNALED};
	struct vbm_remote_memory remote;

	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	if (vbm_unpack_remote_memory(&remote, ep->private_data, ep->private_data_len) || remote.length < sizeof(slot))
		errx(1, "%s is no such server", host);
	register_slots(ep);
	write.lkey = memory.lkey;
	write.rkey = remote.rkey;
	for (uint32_t i = 0; line[i]; i++) {
		write.addr = slot[i];
		write.length = (uint32_t)snprintf(slot[i], sizeof(*slot), "%.63s", line[i]) + 1;
		write.remote_addr = remote.addr + i * sizeof(*slot);
		write.imm = i | (line[i + 1] ? 0 : LAST);
		if (vbm_post_sends(ep->qp, &write, 1, NULL))
			errx(1, "cannot write");
		next_completion(ep);
	}
	vbm_disconnect(ep);
	vbm_deregister_memory(&memory);
}

int main(int argc, char **argv)
{
	struct vbm_endpoint_options options;
	struct vbm_endpoint *ep;
	struct vbm_error error;

	if (argc < 3 || argc == 4 || argc > 4 + SLOTS)
		errx(2, "usage: write-with-imm rdma_cm|handshake PORT [HOST LINE...]");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later than the client */
	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (argc == 3)
		serve(ep, argv[2]);
	else
		write_lines(ep, argv[3], argv[2], argv + 4);
	vbm_destroy_endpoint(ep);
	return 0;
}
