/* SPDX-License-Identifier: BSD-2-Clause */
#include "cm.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bench.h"

#define STEP_MS 5000

void cm_listen(struct cm_end *server, struct cm_end *client, const struct sockaddr_in *own)
{
	struct sockaddr_in at = *own;

	client->channel = rdma_create_event_channel();
	server->channel = rdma_create_event_channel();
	if (!client->channel || !server->channel ||
	    rdma_create_id(server->channel, &server->listening, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(server->listening, (struct sockaddr *)&at) ||
	    rdma_listen(server->listening, server->count))
		die("rdma_listen");
	at.sin_port = rdma_get_src_port(server->listening);
	memcpy(&client->server, &at, sizeof(at));
}

/* The context of an id is its index. */
static void dial(struct cm_end *e, int i)
{
	if (rdma_create_id(e->channel, &e->id[i], (void *)(intptr_t)i, RDMA_PS_TCP) ||
	    rdma_resolve_addr(e->id[i], NULL, (struct sockaddr *)&e->server, STEP_MS))
		die("rdma_resolve_addr");
}

/* Handle an event of an id. True when it completes a connection. */
static bool answer(struct cm_end *e, int i, enum rdma_cm_event_type event)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(e->id[i], STEP_MS))
			die("rdma_resolve_route");
		return false;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		e->give_qp(e->context, e->id[i], i);
		if (rdma_connect(e->id[i], e->param))
			die("rdma_connect");
		return false;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		e->give_qp(e->context, e->id[i], i);
		if (rdma_accept(e->id[i], e->param))
			die("rdma_accept");
		return false;
	case RDMA_CM_EVENT_ESTABLISHED:
		return true;
	default:
		die(rdma_event_str(event));
		return false;
	}
}

void *cm_attend(void *end)
{
	struct cm_end *e = end;
	struct rdma_cm_event *event;
	enum rdma_cm_event_type what;
	struct rdma_cm_id *id;
	bool dials = e->server.ss_family;
	int given = 0, done = 0;

	while (dials && given < e->at_once)
		dial(e, given++);
	while (done < e->count) {
		if (rdma_get_cm_event(e->channel, &event))
			die("rdma_get_cm_event");
		id = event->id;
		what = event->event;
		rdma_ack_cm_event(event);
		if (what == RDMA_CM_EVENT_CONNECT_REQUEST) {
			e->id[given] = id;
			id->context = (void *)(intptr_t)given++;
		}
		if (!answer(e, (int)(intptr_t)id->context, what))
			continue;
		done++;
		if (dials && given < e->count)
			dial(e, given++);
	}
	return NULL;
}
