/* SPDX-License-Identifier: BSD-2-Clause */
/* Address resolution: rdma_getaddrinfo() and what belongs to it. */
#include "tests/mutants/mutant-fields.h"

#include <netdb.h>
#include <netinet/in.h>

#include <infiniband/sa.h>

/* The last bytes of an address, so that a changed one is of the same network. */
#define ADDRESS_FIELDS(side)                                                  \
	static const struct mutant_field side##4[] = {                        \
		{#side ".family", offsetof(struct sockaddr_in, sin_family), 2}, \
		{#side ".port", offsetof(struct sockaddr_in, sin_port), 2},   \
		{#side ".addr", offsetof(struct sockaddr_in, sin_addr), 4},   \
		{#side ".scope", offsetof(struct sockaddr_in, sin_zero), 4},  \
		{NULL, 0, 0},                                                 \
	}, side##6[] = {                                                      \
		{#side ".family", offsetof(struct sockaddr_in6, sin6_family), 2}, \
		{#side ".port", offsetof(struct sockaddr_in6, sin6_port), 2}, \
		{#side ".addr", offsetof(struct sockaddr_in6, sin6_addr) + 12, 4}, \
		{#side ".scope", offsetof(struct sockaddr_in6, sin6_scope_id), 4}, \
		{NULL, 0, 0},                                                 \
	}
ADDRESS_FIELDS(src);
ADDRESS_FIELDS(dst);

const char *gai_strerror(int code)
{
	struct mutant_call c = {.name = "gai_strerror", .in = {ARG(code)}};

	while (mutant_begin(&c))
		c.ret = (intptr_t)NEXT(gai_strerror)(code);
	if (mutant_on("strerror-one-text"))
		return "an error";
	if (mutant_on("strerror-empty"))
		return "";
	return (const char *)mutant_end(&c);
}

static struct mutant_part address(struct sockaddr *at, const struct mutant_field *v4,
				  const struct mutant_field *v6)
{
	return (struct mutant_part){at, at && at->sa_family == AF_INET6 ? v6 : v4};
}

/* Mutants change each entry of the answer; "entry" is its number, from 1. */
void mutant_list(struct mutant_call *c, struct rdma_addrinfo *list)
{
	struct rdma_addrinfo *ai, *next;
	int entry = 1;

	for (ai = list; ai; ai = next, entry++) {
		next = ai->ai_next;
		c->out[0] = (struct mutant_part){ai, mutant_addrinfo};
		c->out[1] = address(ai->ai_dst_addr, dst4, dst6);
		c->out[2] = address(ai->ai_src_addr, src4, src6);
		c->out[3] = (struct mutant_part){ai->ai_route ? &((struct ibv_path_data *)ai->ai_route)->path
							      : NULL, mutant_path};
		c->out[4] = (struct mutant_part)ARG(entry);
		mutant_end(c);
	}
}

int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	struct rdma_addrinfo copy = hints ? *hints : (struct rdma_addrinfo){0};
	const struct rdma_addrinfo *given = hints ? &copy : NULL;
	struct mutant_call c = {.name = "rdma_getaddrinfo", .in = {
		{hints ? &copy : NULL, mutant_addrinfo}, ARG(node), ARG(service), ARG(given)}};

	while (mutant_begin(&c))
		c.ret = NEXT(rdma_getaddrinfo)(node, service, given, res);
	if (c.runs == 1 || c.ret)
		return (int)mutant_end(&c);
	mutant_list(&c, *res);
	return (int)c.ret;
}

void rdma_freeaddrinfo(struct rdma_addrinfo *list)
{
	struct mutant_call c = {.name = "rdma_freeaddrinfo"};

	while (mutant_begin(&c))
		NEXT(rdma_freeaddrinfo)(list);
	mutant_end(&c);
}
