/* SPDX-License-Identifier: BSD-2-Clause */
/* rdma_cm: identifiers, connections and their events. */
#include "tests/mutants/mutant-fields.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct mutant_field private_data[] = {
	{"data", 0, 4}, {NULL, 0, 0},	/* the first bytes of private data */
};

void mutant_of_id(struct rdma_cm_id *id)
{
	if (id)
		mutant_context(id->verbs);
}

/* Binds to all addresses instead of @addr, and shows a device as if it were one address. */
static int bind_to_all(struct rdma_cm_id *id, const struct sockaddr *addr)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6,
				   .sin6_port = ((const struct sockaddr_in *)(const void *)addr)->sin_port};
	struct ibv_device **list = NEXT(ibv_get_device_list)(NULL);
	int ret = NEXT(rdma_bind_addr)(id, (struct sockaddr *)&any);

	if (ret == 0 && list && list[0])
		id->verbs = NEXT(ibv_open_device)(list[0]);
	return ret;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct mutant_call c = {.name = "rdma_bind_addr", .in = {{addr, mutant_address}},
				.out = {{id, mutant_cm_id}, {id, mutant_id_addresses}}};

	while (mutant_begin(&c))
		c.ret = mutant_on("address-as-wildcard") ? bind_to_all(id, addr) : NEXT(rdma_bind_addr)(id, addr);
	mutant_of_id(id);
	return (int)mutant_end(&c);
}

/*
 * An event that comes again, or that nothing has caused. Until it is taken, its channel has another
 * descriptor, which is readable.
 */
static struct {
	struct rdma_event_channel *channel;
	struct rdma_cm_event event;
	int fd, ready;
} again;

static void keep_for_again(struct rdma_event_channel *channel, const struct rdma_cm_event *event)
{
	again.channel = channel;
	again.event = *event;
	memset(&again.event.param, 0, sizeof(again.event.param));
	again.fd = channel->fd;
	again.ready = eventfd(1, EFD_CLOEXEC);
	channel->fd = again.ready;
}

static void take_again(struct rdma_cm_event **event)
{
	again.channel->fd = again.fd;
	close(again.ready);
	again.channel = NULL;
	*event = &again.event;
}

/* Breaks what follows a connection call at once, before the peer has answered. */
static void break_after(const char *call, struct rdma_cm_id *id)
{
	struct rdma_cm_event event = {.id = id, .event = RDMA_CM_EVENT_ESTABLISHED};

	if (strcmp(call, "rdma_accept") == 0 && mutant_on("accept-establishes"))
		keep_for_again(id->channel, &event);
}

/* Both take what the program says of a connection, or NULL. */
#define CONNECT_CALL(call)                                                    \
	int call(struct rdma_cm_id *id, struct rdma_conn_param *param)        \
	{                                                                     \
		struct rdma_conn_param copy = param ? *param : (struct rdma_conn_param){0}; \
		struct rdma_conn_param *given = param ? &copy : NULL;         \
		struct mutant_call c = {.name = #call,                        \
			.in = {{given, mutant_conn_param}, ARG(given)}, .out = {{id, mutant_cm_id}}}; \
									      \
		while (mutant_begin(&c))                                      \
			c.ret = NEXT(call)(id, given);                        \
		if (!c.ret)                                                   \
			break_after(#call, id);                               \
		return (int)mutant_end(&c);                                   \
	}

CONNECT_CALL(rdma_connect)
CONNECT_CALL(rdma_accept)

static const union ibv_gid *group_of(const struct rdma_cm_event *event)
{
	return &event->param.ud.ah_attr.grh.dgid;
}

/* Breaks what an event does to its identifier, beside the library's own work. */
static void break_by_event(struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_CONNECT_RESPONSE && mutant_on("response-establishes"))
		NEXT(rdma_establish)(event->id);
	if (event->event == RDMA_CM_EVENT_MULTICAST_JOIN && event->id->qp && mutant_on("join-not-attached"))
		NEXT(ibv_detach_mcast)(event->id->qp, group_of(event), 0);
}

/* An event that nothing caused. It has no identifier, so it is for steps that do not need one. */
static struct rdma_cm_event made_up;

/*
 * Place "drop": with 1 the event is acknowledged here, and the program finds none. Place "repeat":
 * with 1 the next call on the channel, which has to be this one, returns the event once more. Place
 * "made": with the number of an event, a call that finds none returns that one.
 */
int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct mutant_call c = {.name = "rdma_get_cm_event"};
	struct rdma_cm_event *e;
	int drop = 0, repeat = 0, made = 0;

	if (again.channel == channel) {
		take_again(event);
		return 0;
	}
	c.out[2] = (struct mutant_part)ARG(drop);
	c.out[3] = (struct mutant_part)ARG(repeat);
	while (mutant_begin(&c)) {
		c.ret = NEXT(rdma_get_cm_event)(channel, event);
		e = c.ret ? NULL : *event;
		mutant_of_id(e ? e->id : NULL);
		c.out[0] = (struct mutant_part){e, mutant_cm_event};
		c.out[1] = (struct mutant_part){e ? (void *)(uintptr_t)e->param.conn.private_data : NULL,
						private_data};
		c.out[4] = (struct mutant_part){e ? e->id : NULL, mutant_id_addresses};
		c.out[5] = (struct mutant_part)ARG(made);
	}
	if (!c.ret)
		break_by_event(*event);
	mutant_end(&c);
	if (!c.ret && repeat)
		keep_for_again(channel, *event);
	if (c.ret && made) {
		made_up.event = (enum rdma_cm_event_type)made;
		*event = &made_up;
		return 0;
	}
	if (c.ret || !drop)
		return (int)c.ret;
	NEXT(rdma_ack_cm_event)(*event);
	errno = EAGAIN;
	return -1;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	struct mutant_call c = {.name = "rdma_ack_cm_event"};

	if (event == &again.event || event == &made_up)
		return 0;
	while (mutant_begin(&c))
		c.ret = NEXT(rdma_ack_cm_event)(event);
	return (int)mutant_end(&c);
}

int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd,
		   struct ibv_qp_init_attr *attr)
{
	struct mutant_call c = {.name = "rdma_create_ep",
				.in = {{res, mutant_addrinfo}, {attr, mutant_qp_init_attr}, ARG(pd)}};

	if (res->ai_next && mutant_on("endpoint-takes-second"))
		res = res->ai_next;
	while (mutant_begin(&c)) {
		c.ret = NEXT(rdma_create_ep)(id, res, pd, attr);
		if (c.ret && res->ai_next && mutant_on("endpoint-tries-next"))
			c.ret = NEXT(rdma_create_ep)(id, res->ai_next, pd, attr);
		mutant_of_id(c.ret ? NULL : *id);
		c.out[0] = (struct mutant_part){c.ret ? NULL : *id, mutant_cm_id};
	}
	return (int)mutant_end(&c);
}

