/* SPDX-License-Identifier: BSD-2-Clause */
#include "bare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "bench.h"

#define MESSAGE 72	/* bytes of version 1 */

void bare_listen(struct bare_end *server, struct bare_end *client, const struct sockaddr_in *own)
{
	socklen_t len = sizeof(client->server);

	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (server->listener < 0 || bind(server->listener, (const struct sockaddr *)own, sizeof(*own)) ||
	    listen(server->listener, server->count) ||
	    getsockname(server->listener, (struct sockaddr *)&client->server, &len))
		die("listen");
}

static void send_message(const struct bare_end *e, int i)
{
	uint8_t message[MESSAGE] = {0};

	if (send(e->socket[i], message, MESSAGE, MSG_NOSIGNAL) != MESSAGE)
		die("send");
}

/* Receive a message and, if it has the peer's values, move the queue pair. */
static void receive_message(const struct bare_end *e, int i, bool has_values)
{
	uint8_t message[MESSAGE];

	if (recv(e->socket[i], message, MESSAGE, MSG_WAITALL) != MESSAGE)
		die("recv");
	if (has_values && e->move)
		e->move(e->context, i);
}

void *bare_accept(void *end)
{
	struct bare_end *e = end;
	int i, k;

	for (i = 0; i < e->count; i += e->at_once) {
		for (k = i; k < i + e->at_once; k++) {
			e->socket[k] = accept(e->listener, NULL, NULL);
			if (e->socket[k] < 0)
				die("accept");
			receive_message(e, k, true);
			send_message(e, k);
		}
		for (k = i; k < i + e->at_once; k++)
			receive_message(e, k, false);
	}
	return NULL;
}

void *bare_dial(void *end)
{
	struct bare_end *e = end;
	int i, k;

	for (i = 0; i < e->count; i += e->at_once) {
		for (k = i; k < i + e->at_once; k++) {
			e->socket[k] = socket(AF_INET, SOCK_STREAM, 0);
			if (e->socket[k] < 0 ||
			    connect(e->socket[k], (struct sockaddr *)&e->server, sizeof(e->server)))
				die("connect");
			send_message(e, k);
		}
		for (k = i; k < i + e->at_once; k++) {
			receive_message(e, k, true);
			send_message(e, k);
		}
	}
	return NULL;
}
