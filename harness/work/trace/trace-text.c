/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/trace.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define BUFFERS 8

static char *buffer(size_t *size)
{
	static __thread char room[BUFFERS][160];
	static __thread int next;
	char *b = room[next++ % BUFFERS];

	*size = sizeof(room[0]);
	return b;
}

struct name {
	int value;
	const char *text;
};

static const char *name_of(const struct name *names, size_t count, int value)
{
	size_t i, size;
	char *b;

	for (i = 0; i < count; i++)
		if (names[i].value == value)
			return names[i].text;
	b = buffer(&size);
	snprintf(b, size, "%d", value);
	return b;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *trace_qp_type(int type)
{
	static const struct name names[] = {
		{IBV_QPT_RC, "RC"}, {IBV_QPT_UC, "UC"}, {IBV_QPT_UD, "UD"},
		{IBV_QPT_RAW_PACKET, "RAW_PACKET"}, {IBV_QPT_XRC_SEND, "XRC_SEND"},
		{IBV_QPT_XRC_RECV, "XRC_RECV"}, {IBV_QPT_DRIVER, "DRIVER"},
	};

	return name_of(names, COUNT(names), type);
}

const char *trace_qp_state(int state)
{
	static const struct name names[] = {
		{IBV_QPS_RESET, "RESET"}, {IBV_QPS_INIT, "INIT"}, {IBV_QPS_RTR, "RTR"},
		{IBV_QPS_RTS, "RTS"}, {IBV_QPS_SQD, "SQD"}, {IBV_QPS_SQE, "SQE"},
		{IBV_QPS_ERR, "ERR"},
	};

	return name_of(names, COUNT(names), state);
}

const char *trace_port_space(int space)
{
	static const struct name names[] = {
		{RDMA_PS_TCP, "RDMA_PS_TCP"}, {RDMA_PS_UDP, "RDMA_PS_UDP"},
		{RDMA_PS_IPOIB, "RDMA_PS_IPOIB"}, {RDMA_PS_IB, "RDMA_PS_IB"},
	};

	return name_of(names, COUNT(names), space);
}

const char *trace_access(int access)
{
	static const struct name names[] = {
		{IBV_ACCESS_LOCAL_WRITE, "LOCAL_WRITE"}, {IBV_ACCESS_REMOTE_WRITE, "REMOTE_WRITE"},
		{IBV_ACCESS_REMOTE_READ, "REMOTE_READ"}, {IBV_ACCESS_REMOTE_ATOMIC, "REMOTE_ATOMIC"},
		{IBV_ACCESS_MW_BIND, "MW_BIND"}, {IBV_ACCESS_ZERO_BASED, "ZERO_BASED"},
		{IBV_ACCESS_ON_DEMAND, "ON_DEMAND"}, {IBV_ACCESS_HUGETLB, "HUGETLB"},
		{IBV_ACCESS_RELAXED_ORDERING, "RELAXED_ORDERING"},
	};
	size_t size, len = 0, i;
	char *b = buffer(&size);

	snprintf(b, size, "0");
	for (i = 0; i < COUNT(names) && len < size; i++) {
		if (!(access & names[i].value))
			continue;
		len += (size_t)snprintf(b + len, size - len, "%s%s", len ? "|" : "", names[i].text);
		access &= ~names[i].value;
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

const char *trace_cm_event(int event)
{
	return NEXT(rdma_event_str)((enum rdma_cm_event_type)event);
}

const char *trace_wc_status(int status)
{
	return NEXT(ibv_wc_status_str)((enum ibv_wc_status)status);
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
