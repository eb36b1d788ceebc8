/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves many names at once in one thread: start a request for each, wait on one
 * descriptor, print each result when it arrives.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <verbatim/resolve.h>

#define PATIENCE_MS 10000

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
static int finish(struct vbm_request *request)
{
	const char *name = vbm_request_context(request);
	int code = vbm_request_code(request);
	struct rdma_addrinfo *ai;

	if (code) {
		printf("%s: %s\n", name, vbm_gai_strerror(code));
	} else if (!vbm_request_result(request, &ai)) {
		print_list(name, ai);
		vbm_freeaddrinfo(ai);
	}
	vbm_free_request(request);
	return code != 0;
}

/* 1 when one of the @left requests has failed, -1 with errno when waiting has failed. */
static int collect(struct vbm_resolver *resolver, int left)
{
	struct pollfd p = {.fd = vbm_resolver_fd(resolver), .events = POLLIN};
	struct vbm_request *request;
	int failed = 0;

	while (left > 0) {
		if (!vbm_next_request(resolver, 0, &request)) {
			failed |= finish(request);
			left--;
		} else if (errno != EAGAIN || (poll(&p, 1, -1) < 0 && errno != EINTR)) {
			return -1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct vbm_resolver *resolver;
	struct vbm_request *request;
	int failed;

	if (vbm_create_resolver(&resolver)) {
		perror(argv[0]);
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		if (vbm_start_request(resolver, argv[i], NULL, NULL, PATIENCE_MS, argv[i], &request)) {
			perror(argv[i]);
			return 1;
		}
	}
	failed = collect(resolver, argc - 1);
	if (failed < 0)
		perror(argv[0]);
	vbm_destroy_resolver(resolver);
	return failed != 0;
}
