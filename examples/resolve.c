/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many names at once, in one thread: start a request for each, wait on one
 * descriptor, print each result as it comes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/resolve.h>

static void print_list(const char *name, const struct rdma_addrinfo *ai)
{
	for (; ai; ai = ai->ai_next) {
		const void *addr = ai->ai_dst_addr;
		char text[INET6_ADDRSTRLEN] = "?";

		if (ai->ai_family == AF_INET)
			inet_ntop(AF_INET, &((const struct sockaddr_in *)addr)->sin_addr,
				  text, sizeof(text));
		else if (ai->ai_family == AF_INET6)
			inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)addr)->sin6_addr,
				  text, sizeof(text));
		printf("%s: %s\n", name, text);
	}
}

/* Returns 1 when the request has failed. */
static int finish(struct vbm_event *event)
{
	const char *name = vbm_id_context(event->id);
	struct vbm_id *id = event->id;
	struct rdma_addrinfo *ai;
	int status = event->status;

	vbm_ack_event(event);
	if (status) {
		printf("%s: %s\n", name, vbm_gai_strerror(status));
	} else if (!vbm_query_addrinfo(id, &ai)) {
		print_list(name, ai);
		vbm_freeaddrinfo(ai);
	}
	vbm_destroy_id(id, NULL);
	return status != 0;
}

int main(int argc, char **argv)
{
	struct vbm_channel *channel;
	struct vbm_error err;
	int failed = 0;

	if (vbm_create_channel(&channel, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		struct vbm_id *id;

		if (vbm_create_id(channel, argv[i], &id, &err) < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], err.msg);
			return 1;
		}
		vbm_set_timeout(id, 10000);
		if (vbm_resolve_addrinfo(id, argv[i], NULL, NULL)) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
	}
	for (int left = argc - 1; left > 0;) {
		struct pollfd p = {.fd = vbm_channel_fd(channel), .events = POLLIN};
		struct vbm_event *event;

		poll(&p, 1, -1);
		while (left > 0 && !vbm_get_event(channel, &event, 0, NULL)) {
			failed |= finish(event);
			left--;
		}
	}
	vbm_destroy_channel(channel, NULL);
	return failed;
}
