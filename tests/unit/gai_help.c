/* SPDX-License-Identifier: BSD-2-Clause */
#include "gai_help.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/addr.h"

#define TURNS 8

struct sockaddr *sock(const char *ip, int port)
{
	static union addr turn[TURNS];
	static int at;
	union addr *a = &turn[at++ % TURNS];

	memset(a, 0, sizeof(*a));
	if (strchr(ip, ':')) {
		a->in6.sin6_family = AF_INET6;
		inet_pton(AF_INET6, ip, &a->in6.sin6_addr);
	} else {
		a->in.sin_family = AF_INET;
		inet_pton(AF_INET, ip, &a->in.sin_addr);
	}
	vbm_addr_set_service(a, (uint16_t)port, 0);
	return &a->sa;
}

const char *show(const struct sockaddr *sa)
{
	static char turn[TURNS][128];
	static int at;
	char *out = turn[at++ % TURNS], ip[64];
	union addr a = {0};

	if (!sa)
		return "-";
	memcpy(&a, sa, vbm_addr_family_len(sa->sa_family));
	if (sa->sa_family == AF_INET) {
		inet_ntop(AF_INET, &a.in.sin_addr, ip, sizeof(ip));
		snprintf(out, 128, "%s:%u", ip, vbm_addr_port(&a));
	} else if (sa->sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a.in6.sin6_addr, ip, sizeof(ip));
		snprintf(out, 128, "[%s]:%u", ip, vbm_addr_port(&a));
	} else {
		inet_ntop(AF_INET6, &a.ib.sib_addr, ip, sizeof(ip));
		snprintf(out, 128, "gid %s sid %llx", ip,
			 (unsigned long long)be64toh(a.ib.sib_sid));
	}
	return out;
}

const char *show_list(const struct rdma_addrinfo *list)
{
	static char out[8192];

	*out = '\0';
	for (; list; list = list->ai_next) {
		size_t used = strlen(out);

		snprintf(out + used, sizeof(out) - used, "%s%s", used ? " " : "",
			 show(list->ai_flags & RAI_PASSIVE ? list->ai_src_addr : list->ai_dst_addr));
	}
	return out;
}

static void insist(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "result: %s\n", what);
	abort();
}

void check_list(const struct rdma_addrinfo *r)
{
	for (; r; r = r->ai_next) {
		insist(!r->ai_src_len == !r->ai_src_addr, "source and its length");
		insist(!r->ai_dst_len == !r->ai_dst_addr, "destination and its length");
		insist(!r->ai_route_len == !r->ai_route, "route and its length");
		insist(!r->ai_connect_len == !r->ai_connect, "connect data and its length");
		insist(r->ai_src_len || r->ai_dst_len, "an address");
		insist(!r->ai_src_addr || r->ai_src_addr->sa_family == r->ai_family, "source family");
		insist(!r->ai_dst_addr || r->ai_dst_addr->sa_family == r->ai_family, "destination family");
		insist(!r->ai_src_len || r->ai_src_len == vbm_addr_family_len(r->ai_family),
		       "source length");
		insist(!r->ai_dst_len || r->ai_dst_len == vbm_addr_family_len(r->ai_family),
		       "destination length");
		insist(!(r->ai_flags & RAI_PASSIVE) || !r->ai_dst_len, "passive without destination");
	}
}
