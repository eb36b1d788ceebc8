/* SPDX-License-Identifier: BSD-2-Clause */
#include "net/ip.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/xalloc.h"

static int full_len(int family)
{
	return family == AF_INET ? 32 : 128;
}

bool ip_parse(const char *text, struct ip_prefix *prefix)
{
	struct address address;
	char host[IP_TEXT_MAX];
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	char *end;
	long len;

	if (n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	memset(prefix, 0, sizeof(*prefix));
	/* A network has neither a port nor a scope. */
	if (!address_read(host, &address) || address.port >= 0 || address.scope[0])
		return false;
	prefix->family = address.family;
	memcpy(prefix->addr, address.ip, sizeof(prefix->addr));
	prefix->len = full_len(prefix->family);
	if (!slash)
		return true;
	if (!isdigit((unsigned char)slash[1]))
		return false;
	len = strtol(slash + 1, &end, 10);
	if (*end || len > prefix->len)
		return false;
	prefix->len = (int)len;
	return true;
}

const char *ip_format(const struct ip_prefix *prefix, char text[IP_TEXT_MAX])
{
	size_t n;

	if (!inet_ntop(prefix->family, prefix->addr, text, IP_TEXT_MAX))
		snprintf(text, IP_TEXT_MAX, "none");
	else if (prefix->len != full_len(prefix->family)) {
		n = strlen(text);
		snprintf(text + n, IP_TEXT_MAX - n, "/%d", prefix->len);
	}
	return text;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, int bits)
{
	int bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, (size_t)bytes))
		return false;
	return !rest || ((a[bytes] ^ b[bytes]) >> (8 - rest)) == 0;
}

socklen_t ip_sockaddr(const struct ip_prefix *ip, int port, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	ss->ss_family = (sa_family_t)ip->family;
	if (ip->family == AF_INET) {
		sin->sin_port = htons((uint16_t)port);
		memcpy(&sin->sin_addr, ip->addr, 4);
		return sizeof(*sin);
	}
	sin6->sin6_port = htons((uint16_t)port);
	memcpy(&sin6->sin6_addr, ip->addr, 16);
	return sizeof(*sin6);
}

bool ip_equal(const struct ip_prefix *a, const struct ip_prefix *b)
{
	return a->family == b->family && a->len == b->len &&
	       same_bits(a->addr, b->addr, full_len(a->family));
}

bool ip_overlap(const struct ip_prefix *a, const struct ip_prefix *b)
{
	return a->family == b->family &&
	       same_bits(a->addr, b->addr, a->len < b->len ? a->len : b->len);
}

void ip_set_add(struct ip_set *set, const struct ip_prefix *prefix)
{
	GROW(set->items, set->count);
	set->items[set->count++] = *prefix;
}

void ip_set_fini(struct ip_set *set)
{
	free(set->items);
	memset(set, 0, sizeof(*set));
}
