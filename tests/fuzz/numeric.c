/* SPDX-License-Identifier: BSD-2-Clause */
#include "numeric.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/addr.h"
#include "lib/resolve/databases.h"
#include "lib/resolve/getaddrinfo.h"

/* Without flags, an address for listening takes another way through the library. */
#define PLAIN 16

/* The result: a code, or one address as IPv4 or IPv6 bytes. */
struct outcome {
	int code, family;
	size_t size;
	uint8_t bytes[16];
	uint16_t port;
	uint32_t scope;
	bool single;
};

/* No files: no service name is known, and no device has an address. */
static const struct gai_config nothing = {
	.hosts = "/dev/null/none",
	.services = "/dev/null",
	.resolv = "/dev/null/none",
	.run = "/dev/null/none",
	.sys = "/dev/null/none",
};

static const int families[] = {AF_UNSPEC, AF_INET, AF_INET6, AF_IB};

static void take(struct outcome *o, const union addr *a)
{
	o->family = a->sa.sa_family;
	o->port = vbm_addr_port(a);
	o->size = o->family == AF_INET ? 4 : 16;
	if (o->family == AF_INET)
		memcpy(o->bytes, &a->in.sin_addr, 4);
	else if (o->family == AF_INET6)
		memcpy(o->bytes, &a->in6.sin6_addr, 16);
	else
		memcpy(o->bytes, a->ib.sib_addr.sib_raw, 16);
	if (o->family == AF_INET6)
		o->scope = a->in6.sin6_scope_id;
	else if (o->family == AF_IB)
		o->scope = (uint32_t)a->ib.sib_scope_id;
}

static struct outcome ours(const char *node, const char *service, int family, unsigned int how)
{
	bool passive = how & NUMERIC_PASSIVE;
	struct rdma_addrinfo hints = {
		.ai_flags = (how & PLAIN ? 0 : RAI_NUMERICHOST | RAI_NOROUTE) |
			(passive ? RAI_PASSIVE : 0) | (family == AF_IB ? RAI_FAMILY : 0),
		.ai_family = family,
	}, *res;
	struct outcome o = {0};
	union addr a = {0};

	o.code = vbm_gai_translate(&nothing, node, service, &hints, &res);
	if (o.code)
		return o;
	if (passive)
		memcpy(&a, res->ai_src_addr, res->ai_src_len);
	else
		memcpy(&a, res->ai_dst_addr, res->ai_dst_len);
	take(&o, &a);
	o.single = !res->ai_next;
	vbm_freeaddrinfo(res);
	return o;
}

static struct outcome theirs(const char *node, const char *service, int family,
			     unsigned int how)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV |
			(how & NUMERIC_PASSIVE ? AI_PASSIVE : 0),
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
	}, *res;
	struct outcome o = {0};
	union addr a = {0};

	o.code = getaddrinfo(node, service, &hints, &res);
	if (o.code)
		return o;
	memcpy(&a, res->ai_addr, res->ai_addrlen);
	take(&o, &a);
	o.single = !res->ai_next;
	freeaddrinfo(res);
	return o;
}

/* The page: "a decimal number from 0 to 65535, with nothing before or behind it". */
static bool is_port(const char *service)
{
	size_t digits = strspn(service, "0123456789");
	size_t zeros = strspn(service, "0");

	return digits && !service[digits] && digits - zeros <= 5 &&
		strtoul(service, NULL, 10) <= UINT16_MAX;
}

/*
 * Texts that getaddrinfo(3) accepts as addresses and the page does not: IPv4 in fewer
 * parts, in octal or in hexadecimal; and "*", which getaddrinfo(3) treats as no node,
 * although its own page does not mention it.
 */
static bool is_left_out(const char *node)
{
	struct in_addr in;

	return !strcmp(node, "*") ||
		(inet_aton(node, &in) && inet_pton(AF_INET, node, &in) != 1);
}

/*
 * The page: a literal of another family is EAI_ADDRFAMILY. getaddrinfo(3) turns an
 * IPv4-mapped literal into IPv4, whatever its scope, although its page promises only the
 * other direction.
 */
static bool is_mapped(const char *node)
{
	char text[INET6_ADDRSTRLEN];
	size_t len = strcspn(node, "%");
	struct in6_addr in6;

	if (len >= sizeof(text))
		return false;
	memcpy(text, node, len);
	text[len] = '\0';
	return inet_pton(AF_INET6, text, &in6) == 1 && IN6_IS_ADDR_V4MAPPED(&in6);
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	if (a->code || b->code)
		return a->code && b->code;
	return a->single && b->single && a->size == b->size && a->port == b->port &&
		!memcmp(a->bytes, b->bytes, a->size) && a->scope == b->scope;
}

static void show(const struct outcome *o, char *out, size_t room)
{
	char ip[INET6_ADDRSTRLEN];

	inet_ntop(o->size == 4 ? AF_INET : AF_INET6, o->bytes, ip, sizeof(ip));
	if (o->code)
		snprintf(out, room, "%d (%s)", o->code, gai_strerror(o->code));
	else
		snprintf(out, room, "%s%%%u port %u%s", ip, o->scope, o->port,
			 o->single ? "" : " and more");
}

static void quote(const char *text, char *out, size_t room)
{
	size_t used = 0;

	if (!text) {
		snprintf(out, room, "NULL");
		return;
	}
	out[used++] = '"';
	for (; *text && used + 8 < room; text++)
		used += (size_t)snprintf(out + used, room - used,
					 *text > ' ' && *text < 0x7f ? "%c" : "\\x%02x",
					 (unsigned char)*text);
	snprintf(out + used, room - used, "%s", *text ? "..." : "\"");
}

static bool differ(const char *node, const char *service, unsigned int how,
		   const struct outcome *mine, const struct outcome *other,
		   char *said, size_t room)
{
	char n[600], s[200], a[160], b[160];

	quote(node, n, sizeof(n));
	quote(service, s, sizeof(s));
	show(mine, a, sizeof(a));
	show(other, b, sizeof(b));
	snprintf(said, room, "node %s service %s family %d%s: %s, not %s", n, s,
		 families[how & NUMERIC_FAMILY], how & NUMERIC_PASSIVE ? " passive" : "", a, b);
	return false;
}

/* An acceptable code: the address exists with another family, or it does not exist. */
static int fitting_code(const char *node, int family, unsigned int how)
{
	return family != AF_UNSPEC && !ours(node, "1", AF_UNSPEC, how).code ?
		EAI_ADDRFAMILY : EAI_NONAME;
}

bool numeric_agrees(const char *node, const char *service, unsigned int how,
		    char *said, size_t room)
{
	int family = families[how & NUMERIC_FAMILY];
	struct outcome mine, other = {.code = EAI_NONAME};

	how &= (1 << NUMERIC_BITS) - 1;
	if (how & NUMERIC_NO_SERVICE)
		service = NULL;
	mine = ours(node, service, family, how);
	if ((!service || is_port(service)) && !is_left_out(node)) {
		other = theirs(node, service, family == AF_IB ? AF_INET6 : family, how);
		if (family == AF_INET && !other.code && is_mapped(node))
			other.code = EAI_ADDRFAMILY;
		if (other.code)
			other.code = fitting_code(node, family, how);
	}
	if (!same(&mine, &other) || mine.code != other.code)
		return differ(node, service, how, &mine, &other, said, room);
	if (mine.code || !(how & NUMERIC_PASSIVE))
		return true;
	mine = ours(node, service, family, how | PLAIN);
	return same(&mine, &other) || differ(node, service, how, &mine, &other, said, room);
}
