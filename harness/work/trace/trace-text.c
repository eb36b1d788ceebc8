/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/trace.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "names/consts.h"

#define BUFFERS 8

static char *buffer(size_t *size)
{
	static __thread char room[BUFFERS][160];
	static __thread int next;
	char *b = room[next++ % BUFFERS];

	*size = sizeof(room[0]);
	return b;
}

/* Also a value that has no name. */
static const char *name_of(const struct const_set *set, const char *prefix, int value)
{
	size_t size, i;
	char *b = buffer(&size);

	snprintf(b, size, "%d", value);
	for (i = 0; i < set->count; i++)
		if (set->entry[i].value == value)
			snprintf(b, size, "%s%s", prefix, set->entry[i].name);
	return b;
}

const char *trace_qp_type(int type)
{
	return name_of(&const_qp_type, "", type);
}

const char *trace_qp_state(int state)
{
	return name_of(&const_qp_state, "", state);
}

const char *trace_port_space(int space)
{
	return name_of(&const_port_space, const_port_space.prefix, space);
}

const char *trace_access(int access)
{
	const struct const_entry *e = const_access.entry;
	size_t size, len = 0, i;
	char *b = buffer(&size);

	snprintf(b, size, "0");
	for (i = 0; i < const_access.count && len < size; i++) {
		if (!(access & e[i].value))
			continue;
		len += (size_t)snprintf(b + len, size - len, "%s%s", len ? "|" : "", e[i].name);
		access &= ~(int)e[i].value;
	}
	if (access && len < size)
		snprintf(b + len, size - len, "%s0x%x", len ? "|" : "", (unsigned int)access);
	return b;
}

const char *trace_address(const struct sockaddr *addr)
{
	const struct sockaddr_in *in4 = (const void *)addr;
	const struct sockaddr_in6 *in6 = (const void *)addr;
	char ip[INET6_ADDRSTRLEN] = "?";
	size_t size;
	char *b;

	if (!addr)
		return "NULL";
	b = buffer(&size);
	snprintf(b, size, "an address of family %d", addr->sa_family);
	if (addr->sa_family == AF_INET && inet_ntop(AF_INET, &in4->sin_addr, ip, sizeof(ip)))
		snprintf(b, size, "%s:%u", ip, ntohs(in4->sin_port));
	if (addr->sa_family == AF_INET6 && inet_ntop(AF_INET6, &in6->sin6_addr, ip, sizeof(ip)))
		snprintf(b, size, "[%s]:%u", ip, ntohs(in6->sin6_port));
	return b;
}

const char *trace_errno(int number)
{
	const char *name = strerrorname_np(number), *text = strerrordesc_np(number);
	size_t size;
	char *b = buffer(&size);

	snprintf(b, size, "%s (%d): %s", name ? name : "?", number, text ? text : "an unknown number");
	return b;
}

const char *trace_gid(const union ibv_gid *gid)
{
	size_t size;
	char *b;

	if (!gid)
		return "NULL";
	b = buffer(&size);
	inet_ntop(AF_INET6, gid->raw, b, (socklen_t)size);
	return b;
}

const char *trace_id(const struct rdma_cm_id *id)
{
	size_t size;
	char *b;

	if (!id)
		return "NULL";
	b = buffer(&size);
	if (id->route.addr.dst_addr.sa_family)
		snprintf(b, size, "id from %s to %s", trace_address(&id->route.addr.src_addr),
			 trace_address(&id->route.addr.dst_addr));
	else if (id->route.addr.src_addr.sa_family)
		snprintf(b, size, "id at %s", trace_address(&id->route.addr.src_addr));
	else
		snprintf(b, size, "id");
	return b;
}
