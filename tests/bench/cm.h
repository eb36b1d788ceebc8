/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_TESTS_BENCH_CM_H
#define VBM_TESTS_BENCH_CM_H

#include <sys/socket.h>

#include <rdma/rdma_cma.h>

/* A client or a server that makes @count connections by the events of rdma_cm. */
struct cm_end {
	int count, at_once;	/* so many of a client's are under way at any time */
	struct sockaddr_storage server;	/* of a client; no family: this is the server */
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listening;	/* the server's */
	struct rdma_cm_id **id;		/* @count of them */
	struct rdma_conn_param *param;	/* NULL: the defaults */
	void (*give_qp)(void *context, struct rdma_cm_id *id, int i);	/* before the id connects or accepts */
	void *context;
};

/* Make the channels of both ends, and let the server listen at @own, at any port. */
void cm_listen(struct cm_end *server, struct cm_end *client, const struct sockaddr_in *own);

/* For race(): the connections of the struct cm_end @end. */
void *cm_attend(void *end);

#endif
