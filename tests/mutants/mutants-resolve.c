/* SPDX-License-Identifier: BSD-2-Clause */
/* Address resolution: rdma_getaddrinfo() and what belongs to it. */
#include "tests/mutants/mutant.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

const char *gai_strerror(int code)
{
	if (mutant_on("strerror-one-text"))
		return "an error";
	if (mutant_on("strerror-empty"))
		return "";
	return NEXT(gai_strerror)(code);
}

static void change_list(struct rdma_addrinfo *list)
{
	struct rdma_addrinfo *ai;

	for (ai = list; ai; ai = ai->ai_next) {
		if (mutant_on("canonname-first-only") && ai != list)
			ai->ai_dst_canonname = NULL;
		if (mutant_on("hints-source-lost") && ai->ai_src_len) {
			ai->ai_src_len = 0;
			ai->ai_src_addr = NULL;
		}
		if (mutant_on("scope-lost") && ai->ai_family == AF_INET6 && ai->ai_dst_addr)
			((struct sockaddr_in6 *)(void *)ai->ai_dst_addr)->sin6_scope_id = 0;
		if (mutant_on("route-mtu") && ai->ai_route_len)
			((struct ibv_path_data *)ai->ai_route)->path.mtu ^= 1;
	}
}

int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	struct rdma_addrinfo copy;
	int ret;

	if (mutant_on("flag-0x100-taken") && hints && hints->ai_flags & 0x100) {
		copy = *hints;
		copy.ai_flags &= ~0x100;
		hints = &copy;
	}
	if (mutant_on("numeric-host-slow") && hints && hints->ai_flags & RAI_NUMERICHOST)
		mutant_late(3000);
	ret = NEXT(rdma_getaddrinfo)(node, service, hints, res);
	if (mutant_on("no-memory-system") && ret == EAI_MEMORY) {
		errno = ENOMEM;
		ret = -1;
	}
	if (mutant_on("no-device-refused") && ret == 0 && !(*res)->ai_src_len) {
		NEXT(rdma_freeaddrinfo)(*res);
		errno = ENODEV;
		ret = -1;
	}
	if (ret == 0)
		change_list(*res);
	return ret;
}

void rdma_freeaddrinfo(struct rdma_addrinfo *list)
{
	if (!mutant_on("freeaddrinfo-nothing"))
		NEXT(rdma_freeaddrinfo)(list);
}
