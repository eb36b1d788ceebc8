/* SPDX-License-Identifier: BSD-2-Clause */
/* Address resolution: rdma_getaddrinfo() and what belongs to it. */
#include "tests/mutants/mutant-fields.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#include <infiniband/ib.h>
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
	}, side##_ib[] = {                                                    \
		{#side ".family", offsetof(struct sockaddr_ib, sib_family), 2}, \
		{#side ".port", offsetof(struct sockaddr_ib, sib_sid) + 6, 2}, \
		{#side ".addr", offsetof(struct sockaddr_ib, sib_addr) + 12, 4}, \
		{#side ".scope", offsetof(struct sockaddr_ib, sib_scope_id), 4}, \
		{NULL, 0, 0},                                                 \
	}
ADDRESS_FIELDS(src);
ADDRESS_FIELDS(dst);

/* The first bytes of what pointers of an entry lead to. */
static const struct mutant_field src_name[] = {{"src_name", 0, 1}, {NULL, 0, 0}},
	dst_name[] = {{"dst_name", 0, 1}, {NULL, 0, 0}},
	route_flags[] = {{"route.flags", 0, 4}, {NULL, 0, 0}},
	connect_data[] = {{"connect", 0, 4}, {NULL, 0, 0}},
	result[] = {{"res", 0, sizeof(struct rdma_addrinfo *)}, {NULL, 0, 0}};

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
				  const struct mutant_field *v6, const struct mutant_field *ib)
{
	if (at && at->sa_family == AF_IB)
		return (struct mutant_part){at, ib};
	return (struct mutant_part){at, at && at->sa_family == AF_INET6 ? v6 : v4};
}

static void show_entry(struct mutant_call *c, struct rdma_addrinfo *ai)
{
	struct ibv_path_data *route = ai->ai_route;

	c->out[0] = (struct mutant_part){ai, mutant_addrinfo};
	c->out[1] = address(ai->ai_dst_addr, dst4, dst6, dst_ib);
	c->out[2] = address(ai->ai_src_addr, src4, src6, src_ib);
	c->out[3] = (struct mutant_part){route ? &route->path : NULL, mutant_path};
	c->out[4] = (struct mutant_part){route, route_flags};
	c->out[5] = (struct mutant_part){ai->ai_connect, connect_data};
	c->out[6] = (struct mutant_part){ai->ai_src_canonname, src_name};
	c->out[7] = (struct mutant_part){ai->ai_dst_canonname, dst_name};
}

static void reverse(struct rdma_addrinfo **list)
{
	struct rdma_addrinfo *ai = *list, *before = NULL, *next;

	for (; ai; before = ai, ai = next) {
		next = ai->ai_next;
		ai->ai_next = before;
	}
	*list = before;
}

/*
 * Mutants change each entry of the answer. Place "entry" is its number, from 1, and place "res"
 * the answer itself; with 1 in place "reversed" the entries come in the other order.
 */
void mutant_list(struct mutant_call *c, struct rdma_addrinfo **list)
{
	struct rdma_addrinfo *ai, *next, *res = *list;
	int entry = 1, reversed = 0;

	c->out[8] = (struct mutant_part)ARG(entry);
	c->out[9] = (struct mutant_part)ARG(reversed);
	c->out[10] = (struct mutant_part)ARG(res);
	for (ai = *list; ai; ai = next, entry++) {
		next = ai->ai_next;
		show_entry(c, ai);
		mutant_end(c);
	}
	memset(c->out, 0, sizeof(c->out));	/* they were this function's */
	*list = res;
	if (reversed)
		reverse(list);
}

void mutant_ask_name_server(void)
{
	struct addrinfo *res;

	if (getaddrinfo("mutant.test", NULL, NULL, &res) == 0)
		freeaddrinfo(res);
}

/*
 * With 1 in place "asks" the call asks the name server first. With 1 in place "more" the list has
 * its entries two times.
 */
int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res)
{
	struct rdma_addrinfo copy = hints ? *hints : (struct rdma_addrinfo){0}, **end;
	const struct rdma_addrinfo *given = hints ? &copy : NULL;
	int asks = 0, more = 0;
	struct mutant_call c = {.name = "rdma_getaddrinfo", .in = {
		{hints ? &copy : NULL, mutant_addrinfo}, ARG(node), ARG(service), ARG(given), ARG(asks), ARG(more)}};

	while (mutant_begin(&c)) {
		if (asks)
			mutant_ask_name_server();
		c.ret = NEXT(rdma_getaddrinfo)(node, service, given, res);
	}
	if (c.runs == 1 || c.ret) {
		if (res)
			c.out[0] = (struct mutant_part){res, result};
		return (int)mutant_end(&c);
	}
	if (more) {
		for (end = res; *end; end = &(*end)->ai_next)
			;
		NEXT(rdma_getaddrinfo)(node, service, given, end);
	}
	mutant_list(&c, res);
	return (int)c.ret;
}
