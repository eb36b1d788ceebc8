/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of values in the memory of a server, which many clients read by RDMA READ while
 * the server's processor does nothing. The table is registered once; its address and its
 * key come to each client with the server's answer.
 *
 *	key-value rdma_cm|handshake PORT serve COUNT NAME VALUE...	ends after COUNT clients
 *	key-value rdma_cm|handshake PORT HOST NAME...
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <verbatim/domain.h>
#include <verbatim/endpoint.h>
#include <verbatim/memory.h>
#include <verbatim/transfer.h>

#define ROWS 64
#define CLIENTS 64
#define PATIENCE_MS 60000	/* an emulated machine is slow */

struct row {
	char name[16];		/* "": nobody's */
	char value[48];
};

static struct vbm_endpoint_options options;

/* The first row that may have @name; if another name has it, look at the next one. */
static size_t first_row(const char *name)
{
	size_t n = 0;

	while (*name)
		n = n * 31 + (unsigned char)*name++;
	return n % ROWS;
}

/*
 * vbm_accept() waits, so a client that falls silent delays the others for the time limit.
 * echo-server.c has a loop that waits for nobody.
 */
static void serve(const char *port, int count, char **words)
{
	static struct row table[ROWS];
	struct vbm_domain_options for_both_ways = {.size = sizeof(for_both_ways), .for_rdma_cm = 1};
	struct vbm_endpoint *listener, *client[CLIENTS];
	uint8_t where[VBM_REMOTE_MEMORY_BYTES];
	struct vbm_memory memory;
	struct vbm_error error;
	size_t r;
	int i;

	for (; words[0] && words[1]; words += 2) {
		for (r = first_row(words[0]); *table[r].name; r = (r + 1) % ROWS)
			;
		snprintf(table[r].name, sizeof(table->name), "%s", words[0]);
		snprintf(table[r].value, sizeof(table->value), "%s", words[1]);
	}
	if (vbm_create_domain(&options.qp.domain, NULL, &for_both_ways, &error) ||
	    vbm_register_memory(&memory, options.qp.domain->pd, table, sizeof(table), IBV_ACCESS_REMOTE_READ, &error) ||
	    vbm_create_endpoint(&listener, &options, &error))
		errx(1, "%s", error.msg);
	vbm_pack_remote_memory(where, &memory.remote);
	if (vbm_listen(listener, NULL, port))
		errx(1, "%s", listener->error.msg);
	for (i = 0; i < count; )
		if (vbm_get_request(listener, &client[i], -1))
			warnx("%s", listener->error.msg);
		else if (vbm_accept(client[i], where, sizeof(where)) == 0)
			i++;
		else
			vbm_destroy_endpoint(client[i]);
	for (i = 0; i < count; i++) {
		vbm_wait_disconnect(client[i], -1);
		vbm_destroy_endpoint(client[i]);
	}
	vbm_destroy_endpoint(listener);
	vbm_deregister_memory(&memory);
	vbm_destroy_domain(options.qp.domain);
}

/* The row that has @name, or an empty one. */
static void look_up(struct vbm_endpoint *ep, const struct vbm_remote_memory *table, const struct vbm_memory *memory,
		    const char *name)
{
	struct row *row = memory->addr;
	struct vbm_send read = {
		.opcode = IBV_WR_RDMA_READ, .flags = IBV_SEND_SIGNALED,
		.addr = row, .length = sizeof(*row), .lkey = memory->lkey, .rkey = table->rkey,
	};
	size_t r = first_row(name);
	struct ibv_wc wc;
	int n, rc;

	do {
		read.remote_addr = table->addr + r * sizeof(*row);
		rc = vbm_post_sends(ep->qp, &read, 1, NULL);
		rc = rc ? rc : vbm_wait_completions(ep->qp, &wc, 1, PATIENCE_MS, &n);
		if (rc || wc.status)
			errx(1, "%s", rc ? strerror(rc) : ibv_wc_status_str(wc.status));
		r = (r + 1) % ROWS;
	} while (*row->name && strcmp(row->name, name) != 0);
}

static void ask(const char *port, const char *host, char **names)
{
	static struct row row;
	struct vbm_endpoint *ep;
	struct vbm_remote_memory table;
	struct vbm_memory memory;
	struct vbm_error error;

	if (vbm_create_endpoint(&ep, &options, &error))
		errx(1, "%s", error.msg);
	if (vbm_connect(ep, host, port))
		errx(1, "%s", ep->error.msg);
	if (vbm_unpack_remote_memory(&table, ep->private_data, ep->private_data_len) ||
	    table.length < ROWS * sizeof(row))
		errx(1, "%s is no such server", host);
	if (vbm_register_memory(&memory, ep->qp->pd, &row, sizeof(row), IBV_ACCESS_LOCAL_WRITE, &error))
		errx(1, "%s", error.msg);
	for (; *names; names++) {
		look_up(ep, &table, &memory, *names);
		printf("%s is %s\n", *names, *row.name ? row.value : "unknown");
	}
	vbm_disconnect(ep);
	vbm_deregister_memory(&memory);
	vbm_destroy_endpoint(ep);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		errx(2, "usage: key-value rdma_cm|handshake PORT serve COUNT NAME VALUE... | HOST NAME...");
	vbm_endpoint_options_init(&options);
	options.way = strcmp(argv[1], "rdma_cm") == 0 ? VBM_WAY_RDMA_CM : VBM_WAY_HANDSHAKE;
	options.timeout_ms = PATIENCE_MS;
	options.retry_ms = 50;		/* the server may start later than its clients */
	if (strcmp(argv[3], "serve") == 0)
		serve(argv[2], (int)strtol(argv[4], NULL, 10), argv + 5);
	else
		ask(argv[2], argv[3], argv + 4);
	return 0;
}
