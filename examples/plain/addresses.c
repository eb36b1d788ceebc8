/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The job of examples/addresses.c with librdmacm alone: prints all addresses of a host, each
 * with the address of this host from which RDMA would reach it. rdma_getaddrinfo(3) has only
 * one address, so the addresses are those of getaddrinfo(3), and rdma_cm resolves each.
 *
 *	addresses HOST
 */
#include <err.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>

#include <rdma/rdma_cma.h>

#define PATIENCE_MS 2000

static struct rdma_event_channel *channel;

static const char *text(const struct sockaddr *address, socklen_t len, char *room)
{
	return getnameinfo(address, len, room, NI_MAXHOST, NULL, 0, NI_NUMERICHOST) ? "nowhere" : room;
}

/* Whether the address was resolved in time. */
static int is_resolved(struct rdma_cm_id *id, struct sockaddr *address)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};
	struct rdma_cm_event *event;
	int resolved;

	if (rdma_resolve_addr(id, NULL, address, PATIENCE_MS))
		return 0;
	if (poll(&p, 1, 2 * PATIENCE_MS) != 1 || rdma_get_cm_event(channel, &event))
		return 0;
	resolved = event->event == RDMA_CM_EVENT_ADDR_RESOLVED;
	rdma_ack_cm_event(event);
	return resolved;
}

static void show(const struct addrinfo *ai)
{
	char to[NI_MAXHOST], from[NI_MAXHOST];
	struct rdma_cm_id *id;

	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		err(1, "rdma_create_id");
	printf("%s from %s\n", text(ai->ai_addr, ai->ai_addrlen, to),
	       is_resolved(id, ai->ai_addr) ? text(rdma_get_local_addr(id), ai->ai_addrlen, from) : "nowhere");
	rdma_destroy_id(id);
}

int main(int argc, char **argv)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *ai;
	int rc;

	if (argc != 2)
		errx(2, "usage: addresses HOST");
	channel = rdma_create_event_channel();
	if (!channel)
		err(1, "rdma_create_event_channel");
	rc = getaddrinfo(argv[1], NULL, &hints, &list);
	if (rc)
		errx(1, "%s: %s", argv[1], gai_strerror(rc));
	for (ai = list; ai; ai = ai->ai_next)
		show(ai);
	freeaddrinfo(list);
	rdma_destroy_event_channel(channel);
	return 0;
}
