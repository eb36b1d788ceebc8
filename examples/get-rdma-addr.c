/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uses rdma_getaddrinfo(3) as its page describes it: hints, the call, a loop over the
 * list. The program uses no name of libverbatim. With the preload library it resolves with
 * libverbatim.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include <rdma/rdma_cma.h>

static int failed;

static void create_rdma_connection(const struct rdma_addrinfo *ai)
{
	const void *addr = ai->ai_dst_addr;
	const struct sockaddr_in *in = addr;
	const struct sockaddr_in6 *in6 = addr;
	char text[INET6_ADDRSTRLEN] = "?";

	if (ai->ai_family == AF_INET)
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
	else if (ai->ai_family == AF_INET6)
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
	printf("%s port %u name %s\n", text, ntohs(in->sin_port),
	       ai->ai_dst_canonname ? ai->ai_dst_canonname : "-");
}

static void get_rdma_addr(const char *host, const char *port)
{
	struct rdma_addrinfo hints, *res;

	memset(&hints, 0, sizeof(hints));
	hints.ai_family = AF_UNSPEC; /* IPv4 or IPv6 */
	hints.ai_qp_type = IBV_QPT_RC;
	hints.ai_port_space = RDMA_PS_TCP;

	int ret = rdma_getaddrinfo(host, port, &hints, &res);

	if (ret) {
		fprintf(stderr, "rdma_getaddrinfo error: %s\n", gai_strerror(ret));
		failed = 1;
		return;
	}

	struct rdma_addrinfo *cur = res;

	while (cur) {
		create_rdma_connection(cur);
		cur = cur->ai_next;
	}
	rdma_freeaddrinfo(res);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "Usage: %s HOST PORT\n", argv[0]);
		return 2;
	}
	get_rdma_addr(argv[1], argv[2]);
	return failed;
}
